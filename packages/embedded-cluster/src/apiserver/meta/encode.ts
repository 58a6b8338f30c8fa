import type { JsonObject } from '../../base/json.ts';
import type { Page } from '../registry/list.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import type { WatchItem } from '../storage/cursor.ts';
import type { Form } from './form.ts';
import type { KubeObject } from './objects.ts';

const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' };

/** An object as it is served by this resource. */
export function objectJson(resource: Resource, object: KubeObject, form: Form): string {
  // What a dry run would have created has no version yet.
  const isStored = object.metadata.resourceVersion !== '';
  const metadata = isStored ? object.metadata : { ...object.metadata, resourceVersion: undefined };
  if (form !== 'whole') return `${typeHead(resource, form)}"metadata":${JSON.stringify(metadata)}}`;
  if (resource.view !== undefined) return JSON.stringify(viewOf(resource, object, resource.view.toWire));
  return JSON.stringify(isStored ? object : { ...object, metadata });
}

/** The same as a value, for patches. */
export function wireObject(resource: Resource, object: KubeObject): JsonObject {
  return resource.view === undefined ? { ...object } : viewOf(resource, object, resource.view.toWire);
}

/** A list; its items do not repeat kind and apiVersion, but those that are metadata only do. */
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
  // The list of metadata is recreated, from nothing where there is no object.
  const isNull = form !== 'whole' && items.length === 0;
  return `${head.slice(0, -1)},"items":${isNull ? 'null' : `[${items.join(',')}]`}}`;
}

/** One line of a watch. */
export function eventLine(resource: Resource, { type, object, change }: WatchItem, form: Form): string {
  const isKept = form === 'whole' && resource.view === undefined;
  let json = isKept ? change?.json : undefined;
  if (json === undefined) {
    json = objectJson(resource, object, form);
    if (change !== undefined && isKept) change.json = json;
  }
  return `{"type":"${type}","object":${json}}\n`;
}

/** A bookmark; `isLast` says that all the objects that were there at the start have been sent. */
export function bookmarkLine(resource: Resource, version: number, isLast: boolean, form: Form): string {
  const annotations = isLast ? { annotations: initialEventsEnd } : {};
  const metadata = { resourceVersion: String(version), ...annotations };
  return `{"type":"BOOKMARK","object":${typeHead(resource, form)}"metadata":${JSON.stringify(metadata)}}}\n`;
}

/** What the JSON of each object of a resource begins with. */
function typeHead(resource: Resource, form: Form): string {
  const { kind, apiVersion } = typeOf(resource, form);
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

function typeOf(resource: Resource, form: Form) {
  if (form === 'whole') return { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${form.version}` };
}

function viewOf(resource: Resource, object: KubeObject, toWire: (fields: JsonObject) => JsonObject): JsonObject {
  const { kind, apiVersion: _apiVersion, metadata, ...fields } = object;
  return { kind, apiVersion: apiVersionOf(resource), metadata, ...toWire(fields) };
}
