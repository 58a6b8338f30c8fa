import { arrayOf, type JsonObject, objectOf, textOf } from '../../src/base/json.ts';
import type { ApiResponse } from '../../src/client.ts';
import { body, meta, type TestNamespace } from '../target.ts';

export const applyPatch = 'application/apply-patch+yaml';

const plurals: Readonly<Record<string, string>> = {
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  Service: 'services',
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  Ingress: 'ingresses',
  Role: 'roles',
  NetworkPolicy: 'networkpolicies',
};

const versions: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  Ingress: 'networking.k8s.io/v1',
  Role: 'rbac.authorization.k8s.io/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
};

/** A configuration for an apply, with apiVersion and kind. */
export function configuration(kind: string, name: string, fields: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: versions[kind] ?? 'v1', kind, metadata: { name, ...metadata }, ...fields };
}

export function configMap(data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return configuration('ConfigMap', 'a', { data }, metadata);
}

/** Server-side apply by a manager; `query` may have more parameters: `one&force=true`. `subresource`: `/status`. */
export function apply(at: TestNamespace, object: JsonObject, query = 'one', subresource = ''): Promise<ApiResponse> {
  return at.send('PATCH', `${pathOf(at, object)}${subresource}?fieldManager=${query}`, {
    body: object,
    contentType: applyPatch,
  });
}

export async function applied(at: TestNamespace, object: JsonObject, query = 'one'): Promise<JsonObject> {
  const answer = await apply(at, object, query);
  return body(answer, answer.status === 201 ? 201 : 200);
}

/** A patch by another manager: a merge patch, or a JSON patch for a list of operations. */
export async function edit(
  at: TestNamespace,
  object: JsonObject,
  change: unknown,
  manager = 'human',
): Promise<JsonObject> {
  const contentType = `application/${Array.isArray(change) ? 'json' : 'merge'}-patch+json`;
  return body(
    await at.send('PATCH', `${pathOf(at, object)}?fieldManager=${manager}`, { body: change, contentType }),
    200,
  );
}

export async function live(at: TestNamespace, object: JsonObject): Promise<JsonObject> {
  return body(await at.send('GET', pathOf(at, object)), 200);
}

export function pathOf(at: TestNamespace, object: JsonObject): string {
  return at.path(plurals[textOf(object['kind']) ?? ''] ?? '', textOf(meta(object)['name']));
}

/** managedFields without times: `{'one/Apply': fieldsV1, 'hpa/Update/scale': fieldsV1}`. */
export function owners(object: JsonObject): JsonObject {
  const entries = arrayOf(meta(object)['managedFields']).map(objectOf);
  return Object.fromEntries(
    entries.map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, ...(subresource === undefined ? [] : [subresource])].join('/'),
      fieldsV1,
    ]),
  );
}

/** The conflicting fields with their owners, sorted. */
export function causesOf(status: JsonObject): readonly string[] {
  const causes = arrayOf(objectOf(status['details'])['causes']).map(objectOf);
  return causes.map(({ reason, message, field }) => `${String(reason)}: ${String(message)}: ${String(field)}`).sort();
}
