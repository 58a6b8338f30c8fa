import type { JsonObject } from '../../json.ts';
import type { Page } from './list.ts';
import type { KubeObject } from './objects.ts';
import { apiVersionOf, type Resource } from './resource.ts';
import type { WatchItem } from './watch.ts';

const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' };

/** An object as it is served by this resource. */
export function objectJson(resource: Resource, object: KubeObject): string {
  if (resource.view !== undefined) return JSON.stringify(viewOf(resource, object, resource.view.toWire));
  // What a dry run would have created has no version yet.
  if (object.metadata.resourceVersion !== '') return JSON.stringify(object);
  return JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: undefined } });
}

/** The same as a value, for patches. */
export function wireObject(resource: Resource, object: KubeObject): JsonObject {
  return resource.view === undefined ? { ...object } : viewOf(resource, object, resource.view.toWire);
}

/** A list; its items do not repeat kind and apiVersion. */
export function pageJson(resource: Resource, page: Page): string {
  const metadata = {
    resourceVersion: String(page.resourceVersion),
    continue: page.continueToken,
    remainingItemCount: page.remaining,
  };
  const kind = `${resource.kind}List`;
  const head = JSON.stringify({ kind, apiVersion: apiVersionOf(resource), metadata });
  const skipped = typeHead(resource).length;
  const items = page.items.map((object) => `{${objectJson(resource, object).slice(skipped)}`);
  return `${head.slice(0, -1)},"items":[${items.join(',')}]}`;
}

/** One line of a watch. */
export function eventLine(resource: Resource, { type, object, change }: WatchItem): string {
  let json = resource.view === undefined ? change?.json : undefined;
  if (json === undefined) {
    json = objectJson(resource, object);
    if (change !== undefined && resource.view === undefined) change.json = json;
  }
  return `{"type":"${type}","object":${json}}\n`;
}

/** A bookmark; `isLast` says that all the objects that were there at the start have been sent. */
export function bookmarkLine(resource: Resource, version: number, isLast: boolean): string {
  const annotations = isLast ? { annotations: initialEventsEnd } : {};
  const metadata = { resourceVersion: String(version), ...annotations };
  return `{"type":"BOOKMARK","object":${typeHead(resource)}"metadata":${JSON.stringify(metadata)}}}\n`;
}

/** What the JSON of each object of a resource begins with. */
function typeHead(resource: Resource): string {
  return `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},`;
}

function viewOf(resource: Resource, object: KubeObject, toWire: (fields: JsonObject) => JsonObject): JsonObject {
  const { kind, apiVersion: _apiVersion, metadata, ...fields } = object;
  return { kind, apiVersion: apiVersionOf(resource), metadata, ...toWire(fields) };
}
