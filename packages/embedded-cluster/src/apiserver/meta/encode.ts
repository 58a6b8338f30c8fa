import type { JsonObject } from '../../base/json.ts';
import type { Page } from '../registry/list.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import type { WatchItem } from '../storage/cursor.ts';
import type { Form } from './form.ts';
import type { KubeObject } from './objects.ts';

const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' };

/** Serializes an object as this resource serves it. */
export function objectJson(resource: Resource, object: KubeObject, form: Form): string {
  // An object that a dry run created has no version.
  const isStored = object.metadata.resourceVersion !== '';
  const metadata = isStored ? object.metadata : { ...object.metadata, resourceVersion: undefined };
  if (form !== 'whole') return `${typeHead(resource, form)}"metadata":${JSON.stringify(metadata)}}`;
  if (resource.view !== undefined) return JSON.stringify(viewOf(resource, object, resource.view.toWire));
  const served = inVersion(resource, object);
  return JSON.stringify(isStored ? served : { ...served, metadata });
}

/** As `objectJson`, but as a value, for patches. */
export function wireObject(resource: Resource, object: KubeObject): JsonObject {
  return resource.view === undefined
    ? { ...inVersion(resource, object) }
    : viewOf(resource, object, resource.view.toWire);
}

/** Serializes a list; its items do not repeat kind and apiVersion, except for partial metadata. */
export function pageJson(resource: Resource, page: Page, form: Form): string {
  const metadata = {
    resourceVersion: String(page.resourceVersion),
    continue: page.continueToken,
    remainingItemCount: page.remaining,
  };
  const { kind, apiVersion } = typeOf(resource, form);
  const head = JSON.stringify({ kind: `${kind}List`, apiVersion, metadata });
  const skipped = typeHead(resource, form).length;
  const items = page.items.map((object) => {
    const json = objectJson(resource, object, form);
    return form === 'whole' ? `{${json.slice(skipped)}` : json;
  });
  // An empty list of partial metadata has null for its items, as on the real server.
  const isNull = form !== 'whole' && items.length === 0;
  return `${head.slice(0, -1)},"items":${isNull ? 'null' : `[${items.join(',')}]`}}`;
}

/** Serializes an event of a watch as one line. */
export function eventLine(resource: Resource, { type, object, change }: WatchItem, form: Form): string {
  const isCacheable = form === 'whole' && resource.view === undefined && isInVersion(resource, object);
  let json = isCacheable ? change?.json : undefined;
  if (json === undefined) {
    json = objectJson(resource, object, form);
    if (change !== undefined && isCacheable) change.json = json;
  }
  return `{"type":"${type}","object":${json}}\n`;
}

/** Serializes a bookmark; `isLast` marks the end of the initial events. */
export function bookmarkLine(resource: Resource, version: number, isLast: boolean, form: Form): string {
  const annotations = isLast ? { annotations: initialEventsEnd } : {};
  const metadata = { resourceVersion: String(version), ...annotations };
  return `{"type":"BOOKMARK","object":${typeHead(resource, form)}"metadata":${JSON.stringify(metadata)}}}\n`;
}

/** Returns the beginning of the JSON of each object of a resource. */
function typeHead(resource: Resource, form: Form): string {
  const { kind, apiVersion } = typeOf(resource, form);
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

function typeOf(resource: Resource, form: Form) {
  if (form === 'whole') return { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${form.version}` };
}

/** The definition of a custom resource may serve another version than the one in which the object was stored. */
function inVersion(resource: Resource, object: KubeObject): KubeObject {
  return isInVersion(resource, object) ? object : { ...object, apiVersion: apiVersionOf(resource) };
}

function isInVersion(resource: Resource, { apiVersion }: KubeObject): boolean {
  return !resource.isCustom || apiVersion === apiVersionOf(resource);
}

function viewOf(resource: Resource, object: KubeObject, toWire: (fields: JsonObject) => JsonObject): JsonObject {
  const { kind, apiVersion: _apiVersion, metadata, ...fields } = object;
  return { kind, apiVersion: apiVersionOf(resource), metadata, ...toWire(fields) };
}
