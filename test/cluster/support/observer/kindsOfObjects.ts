import { readFileSync } from 'node:fs';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { parse } from 'yaml';

const file = new URL('../../../data/kindsOfObjects.yaml', import.meta.url);

/** Manifests with every kind of list and map, and with values that the server normalizes. */
export const objectsOfKinds: readonly JsonObject[] = arrayOf(parse(readFileSync(file, 'utf8'), { merge: true })).map(
  objectOf,
);

/** The definition of Gadget: a custom resource with a list of every kind, and with fields that a schema leaves open. */
export const gadgetDefinition = objectOf(objectsOfKinds.find(({ kind }) => kind === 'CustomResourceDefinition'));
