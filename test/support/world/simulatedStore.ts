import { readFileSync } from 'node:fs';
import { notFound, type Outcome, type Resource } from '@weeder/embedded-cluster';
import {
  apply,
  create,
  createStorage,
  customResource,
  decode,
  discover,
  openApiDocuments,
  openApiIndex,
  type PatchType,
  patch,
  remove,
  type Storage,
  type Updated,
  type WriteOptions,
  wireObject,
} from '@weeder/embedded-cluster/registry';
import { resources as builtIn, customResourceDefinitions } from '@weeder/embedded-cluster/resources';
import { parse } from 'yaml';
import { failed, ok } from '../../../src/base/errors.ts';
import { type JsonObject, objectOf, textOf } from '../../../src/base/json.ts';
import type { ApiRequest } from '../../../src/kube/client/request.ts';
import { virtualClock } from './virtualClock.ts';

/** The object or the collection that a request names. */
export interface Named {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string | undefined;
}

/** The built-in kinds and Application, as defined in deploy/. */
export const served: readonly Resource[] = [...builtIn, applications()];
const documents = openApiDocuments(served);

function applications(): Resource {
  const storage = createStorage({ clock: virtualClock(), random: () => 0, historyLimit: 1, resources: builtIn });
  const file = new URL('../../../deploy/components/observer-named/crd.yaml', import.meta.url);
  const draft = decode(customResourceDefinitions, parse(readFileSync(file, 'utf8')));
  const made = draft.ok ? create(storage, customResourceDefinitions, '', draft.value) : draft;
  const found = made.ok ? customResource(made.value) : undefined;
  if (found === undefined) throw new Error('deploy/ has no definition of applications');
  return found;
}

/** Executes a request by the rules of the embedded API server, and returns the body of the response. */
export function execute(storage: Storage, request: ApiRequest, named: Named): Outcome<unknown> {
  const sent: unknown = request.body === undefined ? undefined : JSON.parse(JSON.stringify(request.body));
  const { method, query } = request;
  const manager = textOf(query?.['fieldManager']) ?? 'weeder';
  const dryRun = query?.['dryRun'] !== undefined;
  const { resource, namespace, name } = named;
  if (method === 'GET') return read(storage, named);
  if (method === 'DELETE') {
    const { uid, resourceVersion } = objectOf(objectOf(sent)['preconditions']);
    return remove(storage, resource, namespace, name, { uid: textOf(uid), resourceVersion: textOf(resourceVersion) });
  }
  if (method === 'POST') {
    const draft = decode(resource, sent);
    const made = draft.ok ? create(storage, resource, namespace, draft.value, { manager, dryRun }) : draft;
    return made.ok ? ok(wireObject(resource, made.value)) : made;
  }
  const updated = update(storage, request, named, sent, { manager, dryRun });
  return updated.ok ? ok(wireObject(resource, updated.value.object)) : updated;
}

function read(storage: Storage, { resource, namespace, name }: Named): Outcome<JsonObject> {
  const object = storage.collectionOf(resource).get(namespace, name);
  return object === undefined ? failed(notFound(resource, name)) : ok(wireObject(resource, object));
}

function update(
  storage: Storage,
  { contentType, query }: ApiRequest,
  { resource, namespace, name, subresource }: Named,
  sent: unknown,
  how: { readonly manager: string; readonly dryRun: boolean },
): Outcome<Updated> {
  const options: typeof how & WriteOptions = { ...how, subresource: subresource === 'status' ? 'status' : undefined };
  if (contentType === 'application/apply-patch+yaml')
    return apply(storage, resource, namespace, name, sent, { ...options, isForced: query?.['force'] === true });
  const json: PatchType = 'application/json-patch+json';
  const type: PatchType = contentType === json ? json : 'application/merge-patch+json';
  return patch(storage, resource, namespace, name, type, sent, options);
}

/** Returns the response body of a path that names no resource: discovery, and the OpenAPI documents. */
export function otherBody(path: string): unknown {
  // Every account may do everything here.
  if (path.endsWith('/selfsubjectaccessreviews')) return { status: { allowed: true } };
  if (path === '/openapi/v3') return openApiIndex(documents);
  const document = documents.get(path.replace('/openapi/v3/', ''));
  return document === undefined ? discover(served, path) : JSON.parse(document.json);
}
