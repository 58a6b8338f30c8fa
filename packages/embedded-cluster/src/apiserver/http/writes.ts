import { parse as parseYaml } from 'yaml';
import { isObject, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { failed, messageOf, ok } from '../../base/result.ts';
import { decode, parseBody } from '../meta/decode.ts';
import type { KubeObject } from '../meta/objects.ts';
import { badRequest, failure, type Outcome, type Status, success } from '../meta/status.ts';
import { type PatchType, patch } from '../patch/patch.ts';
import { apply } from '../registry/apply.ts';
import { create } from '../registry/create.ts';
import { remove } from '../registry/delete.ts';
import { evict } from '../registry/evict.ts';
import type { Page } from '../registry/list.ts';
import type { Resource } from '../registry/resource.ts';
import { replace, type Updated } from '../registry/update.ts';
import type { Storage } from '../storage/storage.ts';
import { bodyOf, type Exchange, mediaTypeOf } from './exchange.ts';
import { applyOptions, deleteOptions, readDeleteOptions, writeOptions } from './options.ts';

/** The response to a write. */
export interface Written {
  readonly code: number;
  readonly content:
    | { readonly type: 'object'; readonly object: KubeObject }
    | { readonly type: 'page'; readonly page: Page }
    | { readonly type: 'value'; readonly value: JsonObject }
    | { readonly type: 'status'; readonly status: Status };
}

/** The object that the request addresses. */
export interface Target {
  readonly storage: Storage;
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string | undefined;
}

/** POST on a resource. */
export async function post(target: Target, exchange: Exchange): Promise<Outcome<Written>> {
  const body = await objectBody(exchange);
  const options = writeOptions(exchange, 'Create', undefined);
  if (!body.ok) return body;
  if (!options.ok) return options;
  const draft = decode(target.resource, body.value);
  if (!draft.ok) return draft;
  const created = create(target.storage, target.resource, target.namespace, draft.value, options.value);
  return created.ok ? ok({ code: 201, content: { type: 'object', object: created.value } }) : created;
}

/** PUT on an object or its status. */
export async function put(target: Target, exchange: Exchange): Promise<Outcome<Written>> {
  const body = await objectBody(exchange);
  const options = writeOptions(exchange, 'Update', target.subresource);
  if (!body.ok) return body;
  if (!options.ok) return options;
  const draft = decode(target.resource, body.value);
  if (!draft.ok) return draft;
  const { storage, resource, namespace, name } = target;
  return written(replace(storage, resource, namespace, name, draft.value, options.value));
}

/** PATCH on an object or its status. */
export async function patchObject(target: Target, exchange: Exchange): Promise<Outcome<Written>> {
  if (mediaTypeOf(exchange) === 'application/apply-patch+yaml') return applyObject(target, exchange);
  const type = patchTypeOf(mediaTypeOf(exchange));
  if (target.resource.isCustom && type === 'application/strategic-merge-patch+json')
    return failed(strategicUnsupported);
  if (type === undefined) return failed(failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {}));
  const text = await bodyOf(exchange);
  if (!text.ok) return text;
  const body = parseBody(text.value, 'error decoding patch');
  const options = writeOptions(exchange, 'Patch', target.subresource);
  if (!body.ok) return body;
  if (!options.ok) return options;
  const { storage, resource, namespace, name } = target;
  return written(patch(storage, resource, namespace, name, type, body.value, options.value));
}

const strategicUnsupported = failure(
  415,
  'UnsupportedMediaType',
  'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
);

/** Server-side apply. */
async function applyObject(target: Target, exchange: Exchange): Promise<Outcome<Written>> {
  const text = await bodyOf(exchange);
  if (!text.ok) return text;
  const body = parseConfiguration(text.value);
  const options = applyOptions(exchange, target.subresource);
  if (!options.ok) return options;
  if (!body.ok) return body;
  const { storage, resource, namespace, name } = target;
  return written(apply(storage, resource, namespace, name, body.value, options.value));
}

/** Parses YAML, or JSON, which is faster to parse. An empty text is an empty object. */
function parseConfiguration(text: string): Outcome<unknown> {
  const json = text.startsWith('{') ? parseBody(text, '') : undefined;
  if (json?.ok) return json;
  try {
    const value: unknown = parseYaml(text);
    return ok(value ?? {});
  } catch (error) {
    return failed(badRequest(`error decoding YAML: error converting YAML to JSON: ${messageOf(error)}`));
  }
}

/** DELETE on an object. */
export async function deleteObject(target: Target, exchange: Exchange): Promise<Outcome<Written>> {
  const options = await deleteOptions(exchange);
  if (!options.ok) return options;
  const { storage, resource, namespace, name } = target;
  const removed = remove(storage, resource, namespace, name, options.value);
  if (!removed.ok) return removed;
  const { object, isDeleted } = removed.value;
  if (!isDeleted || resource.returnsDeleted) return ok({ code: 200, content: { type: 'object', object } });
  const { group, plural } = resource;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid: object.metadata.uid };
  return ok({ code: 200, content: { type: 'status', status: success(details) } });
}

/** POST on a pod's eviction. */
export async function postEviction(target: Target, exchange: Exchange): Promise<Outcome<Written>> {
  const body = await objectBody(exchange);
  const query = writeOptions(exchange, 'Create', undefined);
  if (!body.ok) return body;
  if (!query.ok) return query;
  const { metadata, deleteOptions: given } = objectOf(body.value);
  const name = textOf(objectOf(metadata)['name']) ?? '';
  if (name !== '' && name !== target.name) {
    return failed(badRequest('name in URL does not match name in Eviction object'));
  }
  const options = readDeleteOptions(objectOf(given));
  const dryRun = query.value.dryRun === true || options.dryRun === true;
  const evicted = evict(target.storage, target.namespace, target.name, { ...options, dryRun });
  return evicted.ok ? ok({ code: 201, content: { type: 'status', status: success(undefined, 201) } }) : evicted;
}

/** Parses a JSON body, which must be an object. Fails with 400, 413, 415. */
export async function objectBody(exchange: Exchange): Promise<Outcome<unknown>> {
  const type = mediaTypeOf(exchange);
  if (type !== '' && type !== 'application/json') {
    const message = 'the body of the request was in an unknown format - accepted media types include: application/json';
    return failed(failure(415, 'UnsupportedMediaType', message));
  }
  return jsonBody(exchange);
}

/** Parses a body of any media type, which must be a JSON object. Fails with 400, 413. */
export async function jsonBody(exchange: Exchange): Promise<Outcome<unknown>> {
  const text = await bodyOf(exchange);
  if (!text.ok) return text;
  const body = parseBody(text.value, "the object provided is unrecognized: couldn't get version/kind");
  if (!body.ok || isObject(body.value)) return body;
  return failed(badRequest("the object provided is unrecognized: couldn't get version/kind; it is not an object"));
}

function patchTypeOf(type: string): PatchType | undefined {
  return type === 'application/merge-patch+json' ||
    type === 'application/json-patch+json' ||
    type === 'application/strategic-merge-patch+json'
    ? type
    : undefined;
}

function written(updated: Outcome<Updated>): Outcome<Written> {
  if (!updated.ok) return updated;
  const { object, isNew } = updated.value;
  return ok({ code: isNew ? 201 : 200, content: { type: 'object', object } });
}
