import { setTimeout as pause } from 'node:timers/promises';
import { arrayOf, type JsonObject, objectOf } from '../../src/base/json.ts';
import type { ApiResponse } from '../../src/client.ts';
import { applyPatch } from '../apply/configurations.ts';
import { body, type TestNamespace } from '../target.ts';

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A custom resource `widgets`, in a group that only one test uses. */
type Widgets = ReturnType<typeof widgetsOf>;

/**
 * Waits until the resource is served, as every client of a new definition has to, and established: of a definition that
 * is deleted before that, no object is deleted.
 */
export async function createDefinition(at: TestNamespace, spec: JsonObject, more: JsonObject = {}): Promise<Widgets> {
  const widgets = widgetsOf(at);
  const { group, name } = widgets;
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: rootOf(spec) }, ...more };
  const names = { kind: 'Widget', plural: 'widgets' };
  const definition = { metadata: { name }, spec: { group, scope: 'Namespaced', names, versions: [version] } };
  body(await at.send('POST', `${definitions}?fieldManager=definer`, { body: definition }), 201);
  await waitForStatus(at, widgets.path(), 200);
  await waitForEstablished(at, name);
  return widgets;
}

export function widgetsOf(at: TestNamespace) {
  const group = `${at.name}.example.org`;
  const path = (name?: string) =>
    `/apis/${group}/v1/namespaces/${at.name}/widgets${name === undefined ? '' : `/${name}`}`;
  const contentType = 'application/merge-patch+json';
  return {
    group,
    /** The name of its definition. */
    name: `widgets.${group}`,
    path,
    widget: (name: string, spec: JsonObject, metadata: JsonObject = {}) => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name, ...metadata },
      spec,
    }),
    create: (widget: JsonObject) => at.send('POST', `${path()}?fieldManager=one`, { body: widget }),
    apply: (widget: JsonObject, query = 'one') =>
      at.send('PATCH', `${path(nameOf(widget))}?fieldManager=${query}`, { body: widget, contentType: applyPatch }),
    /** A merge patch; `name` may have a subresource. */
    patch: (name: string, change: JsonObject) =>
      at.send('PATCH', `${path(name)}?fieldManager=human`, { body: change, contentType }),
  };
}

/** Requests the path until the response has this status; as the user `impersonate` if that is given. */
export function waitForStatus(
  at: TestNamespace,
  path: string,
  status: number,
  impersonate?: string,
): Promise<ApiResponse> {
  return poll(at, path, `status ${status}`, (answer) => answer.status === status, impersonate);
}

/** Waits until the object is terminating: the objects of a deleted definition are deleted one by one. */
export async function waitForTermination(at: TestNamespace, path: string): Promise<void> {
  const isTerminating = ({ body: object }: ApiResponse) =>
    typeof objectOf(objectOf(object)['metadata'])['deletionTimestamp'] === 'string';
  await poll(at, path, 'being deleted', isTerminating);
}

/** Returns the definition when it is established: a real server serves the kind a moment earlier. */
export async function waitForEstablished(at: TestNamespace, name: string): Promise<JsonObject> {
  const { body: definition } = await poll(at, `${definitions}/${name}`, 'established', (answer) =>
    arrayOf(objectOf(objectOf(answer.body)['status'])['conditions'])
      .map(objectOf)
      .some(({ type, status }) => type === 'Established' && status === 'True'),
  );
  return objectOf(definition);
}

/** Requests a path until the response is the expected one. */
async function poll(
  at: TestNamespace,
  path: string,
  what: string,
  isIt: (answer: ApiResponse) => boolean,
  impersonate?: string,
): Promise<ApiResponse> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const answer = await at.send('GET', path, impersonate === undefined ? {} : { impersonate });
    if (isIt(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`GET ${path} is still not ${what}: ${answer.status}`);
    await pause(25);
  }
}

function nameOf({ metadata }: JsonObject): string {
  return typeof metadata === 'object' && metadata !== null && 'name' in metadata ? String(metadata.name) : '';
}

function rootOf(spec: JsonObject): JsonObject {
  const status = { type: 'object', properties: { ok: { type: 'boolean' } } };
  return { type: 'object', required: ['spec'], properties: { spec: { type: 'object', ...spec }, status } };
}
