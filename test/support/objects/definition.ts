import type { JsonObject } from '@weeder/kube-runtime/base';
import type { RestMapping } from '../../../src/observer/plan/resourceApi.ts';

const anyFields: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The definition of a kind. `spec`: the schema of the spec of its objects; default: any fields. */
export function definitionOf({ group, version, kind, plural, isNamespaced }: RestMapping, spec = anyFields) {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const scope = isNamespaced ? 'Namespaced' : 'Cluster';
  const names = { kind, plural, singular: kind.toLowerCase() };
  const versions = [{ name: version, served: true, storage: true, schema }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names, versions },
  };
}

/** The kind `Widget` of a group. `fields`: the schemas of the fields of its spec. */
export function widgetDefinition(group: string, fields: JsonObject) {
  const widgets = { group, version: 'v1', kind: 'Widget', plural: 'widgets', isNamespaced: true };
  return definitionOf(widgets, { type: 'object', properties: fields });
}
