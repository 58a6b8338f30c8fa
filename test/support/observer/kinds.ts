import { resources as builtIn } from '@weeder/embedded-cluster/resources';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { identityKey } from '../../../src/observer/objects/identity.ts';
import type { RestMapping } from '../../../src/observer/plan/resourceApi.ts';
import { customKind } from '../world/simulatedServer.ts';

const namespace = 'shop';

const anyFields: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The definition of a kind. `spec`: the schema of the spec of its objects; default: any fields. */
export function definitionOf({ group, version, kind, plural, isNamespaced }: RestMapping, spec = anyFields) {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const scope = isNamespaced ? 'Namespaced' : 'Cluster';
  const names = { kind, plural, singular: kind.toLowerCase() };
  const versions = [{ name: version, served: true, storage: true, schema }];
  return { metadata: { name: `${plural}.${group}` }, spec: { group, scope, names, versions } };
}

/** The key of an object such as `ConfigMap/settings`. Kinds that are not built in are of the group `example.org`. */
export function fullKey(text: string): string {
  const [kind = '', name = ''] = text.split('/');
  const { group, isNamespaced } = builtIn.find((each) => each.kind === kind) ?? {
    group: 'example.org',
    isNamespaced: kind !== globe.kind,
  };
  return identityKey({ group, kind, namespace: isNamespaced ? namespace : '', name });
}

/** A cluster-scoped kind that every world has. */
export const globe: RestMapping = {
  group: 'example.org',
  version: 'v1',
  kind: 'Globe',
  plural: 'globes',
  isNamespaced: false,
};

export const globes = customKind(definitionOf(globe));
