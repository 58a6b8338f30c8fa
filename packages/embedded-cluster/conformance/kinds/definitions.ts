import { setTimeout as pause } from 'node:timers/promises';
import { arrayOf, type JsonObject, objectOf } from '../../src/base/json.ts';
import type { Answer } from '../../src/client.ts';
import { applyPatch } from '../apply/configurations.ts';
import { body, type Home } from '../target.ts';

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A custom resource `widgets`, in a group that only one test uses. */
interface Widgets {
  readonly group: string;
  /** The name of its definition. */
  readonly name: string;
  path(name?: string): string;
  widget(name: string, spec: JsonObject, metadata?: JsonObject): JsonObject;
  create(widget: JsonObject): Promise<Answer>;
  apply(widget: JsonObject, query?: string): Promise<Answer>;
  /** A merge patch; `name` may have a subresource. */
  patch(name: string, change: JsonObject): Promise<Answer>;
}

/** Waits until the resource is served, as every client of a new definition has to. */
export async function defined(at: Home, spec: JsonObject, more: JsonObject = {}): Promise<Widgets> {
  const widgets = undefinedYet(at);
  const { group, name } = widgets;
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: rootOf(spec) }, ...more };
  const names = { kind: 'Widget', plural: 'widgets' };
  const definition = { metadata: { name }, spec: { group, scope: 'Namespaced', names, versions: [version] } };
  body(await at.send('POST', `${definitions}?fieldManager=definer`, { body: definition }), 201);
  await answered(at, widgets.path(), 200);
  return widgets;
}

export function undefinedYet(at: Home): Widgets {
  const group = `${at.name}.example.org`;
  const path = (name?: string) =>
    `/apis/${group}/v1/namespaces/${at.name}/widgets${name === undefined ? '' : `/${name}`}`;
  const contentType = 'application/merge-patch+json';
  return {
    group,
    name: `widgets.${group}`,
    path,
    widget: (name, spec, metadata = {}) => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name, ...metadata },
      spec,
    }),
    create: (widget) => at.send('POST', `${path()}?fieldManager=one`, { body: widget }),
    apply: (widget, query = 'one') =>
      at.send('PATCH', `${path(nameOf(widget))}?fieldManager=${query}`, { body: widget, contentType: applyPatch }),
    patch: (name, change) => at.send('PATCH', `${path(name)}?fieldManager=human`, { body: change, contentType }),
  };
}

/** Requests the path until the response has this status; as the user `impersonate` if that is given. */
export function answered(at: Home, path: string, status: number, impersonate?: string): Promise<Answer> {
  return asked(at, path, `answered ${status}`, (answer) => answer.status === status, impersonate);
}

/** Waits until the object is terminating: the objects of a deleted definition are deleted one by one. */
export async function ending(at: Home, path: string): Promise<void> {
  const isEnding = ({ body: object }: Answer) =>
    typeof objectOf(objectOf(object)['metadata'])['deletionTimestamp'] === 'string';
  await asked(at, path, 'being deleted', isEnding);
}

/** Returns the definition when it is established: a real server serves the kind a moment earlier. */
export async function established(at: Home, name: string): Promise<JsonObject> {
  const { body: definition } = await asked(at, `${definitions}/${name}`, 'established', (answer) =>
    arrayOf(objectOf(objectOf(answer.body)['status'])['conditions'])
      .map(objectOf)
      .some(({ type, status }) => type === 'Established' && status === 'True'),
  );
  return objectOf(definition);
}

/** Requests a path until the response is the expected one. */
async function asked(
  at: Home,
  path: string,
  what: string,
  isIt: (answer: Answer) => boolean,
  impersonate?: string,
): Promise<Answer> {
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
