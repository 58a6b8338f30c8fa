import { failed, ok } from '../../../errors.ts';
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../../json.ts';
import type { WriteOptions } from '../assemble.ts';
import { create } from '../create.ts';
import { decode, parseBody } from '../decode.ts';
import { evict } from '../evict.ts';
import { objectJson } from '../json.ts';
import { type PatchType, patch } from '../patch.ts';
import { type DeleteOptions, remove } from '../remove.ts';
import type { Resource } from '../resource.ts';
import { badRequest, failure, fault, invalid, type Outcome, type Status, success } from '../status.ts';
import type { Storage } from '../store.ts';
import { replace, type Updated } from '../update.ts';
import { bodyOf, type Exchange, mediaTypeOf } from './exchange.ts';

/** What a write is answered with. */
export interface Written {
  readonly code: number;
  readonly json: string;
}

/** The object that a request names. */
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
  const made = create(target.storage, target.resource, target.namespace, draft.value, options.value);
  return made.ok ? ok({ code: 201, json: objectJson(target.resource, made.value) }) : made;
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
  return written(resource, replace(storage, resource, namespace, name, draft.value, options.value));
}

/** PATCH on an object or its status. */
export async function patchObject(target: Target, exchange: Exchange): Promise<Outcome<Written>> {
  const type = patchTypeOf(mediaTypeOf(exchange));
  if (type === undefined) return failed(failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {}));
  const text = await bodyOf(exchange);
  if (!text.ok) return text;
  const body = parseBody(text.value, 'error decoding patch');
  const options = writeOptions(exchange, 'Patch', target.subresource);
  if (!body.ok) return body;
  if (!options.ok) return options;
  const { storage, resource, namespace, name } = target;
  return written(resource, patch(storage, resource, namespace, name, type, body.value, options.value));
}

/** DELETE on an object. */
export async function deleteObject(target: Target, exchange: Exchange): Promise<Outcome<Written>> {
  const options = await deleteOptions(exchange);
  if (!options.ok) return options;
  const { storage, resource, namespace, name } = target;
  const removed = remove(storage, resource, namespace, name, options.value);
  if (!removed.ok) return removed;
  const { object, isGone } = removed.value;
  if (!isGone || resource.returnsDeleted) return ok({ code: 200, json: objectJson(resource, object) });
  const { group, plural } = resource;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid: object.metadata.uid };
  return ok({ code: 200, json: JSON.stringify(success(details)) });
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
  return evicted.ok ? ok({ code: 201, json: JSON.stringify(success(undefined, 201)) }) : evicted;
}

/** DeleteOptions from the body, or else from the query: a body that says nothing still wins. Fails with 400, 422. */
export async function deleteOptions(exchange: Exchange): Promise<Outcome<DeleteOptions>> {
  const text = await bodyOf(exchange);
  if (!text.ok) return text;
  const given =
    text.value === '' ? ok(queryOptions(exchange.query)) : parseBody(text.value, "couldn't get version/kind");
  if (!given.ok) return given;
  const body = objectOf(given.value);
  if (body['kind'] !== undefined && body['kind'] !== 'DeleteOptions') {
    return failed(
      badRequest(`no kind "${String(body['kind'])}" is registered for version "${String(body['apiVersion'])}"`),
    );
  }
  const fault = policyFault(body['propagationPolicy']) ?? dryRunFault('Delete', dryRunOf(body));
  return fault === undefined ? ok(readDeleteOptions(body)) : failed(fault);
}

function queryOptions(query: URLSearchParams): JsonObject {
  const grace = query.get('gracePeriodSeconds');
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(query.has('propagationPolicy') ? { propagationPolicy: query.get('propagationPolicy') } : {}),
    dryRun: query.getAll('dryRun'),
  };
}

function readDeleteOptions(body: JsonObject): DeleteOptions {
  const { uid, resourceVersion } = objectOf(body['preconditions']);
  return {
    gracePeriodSeconds: numberOf(body['gracePeriodSeconds']),
    propagationPolicy: textOf(body['propagationPolicy']),
    uid: textOf(uid),
    resourceVersion: textOf(resourceVersion),
    dryRun: dryRunOf(body).length > 0,
  };
}

function policyFault(policy: unknown): Status | undefined {
  const known = ['Foreground', 'Background', 'Orphan'];
  if (policy === undefined || policy === null || known.some((each) => each === policy)) return undefined;
  const unsupported = fault.unsupported('propagationPolicy', policy, [...known, 'nil']);
  return invalid(optionsOf('Delete'), '', [unsupported]);
}

function dryRunOf(body: JsonObject): readonly string[] {
  const { dryRun } = body;
  return Array.isArray(dryRun) ? dryRun.map(String) : [];
}

function dryRunFault(verb: string, values: readonly string[]): Status | undefined {
  if (values.every((each) => each === 'All')) return undefined;
  return invalid(optionsOf(verb), '', [fault.unsupported('dryRun', values, ['All'])]);
}

function optionsOf(verb: string) {
  const kind = `${verb}Options`;
  return { group: 'meta.k8s.io', kind, plural: kind.toLowerCase() };
}

function writeOptions(
  { query, request }: Exchange,
  verb: 'Create' | 'Update' | 'Patch',
  subresource: string | undefined,
): Outcome<WriteOptions> {
  const values = query.getAll('dryRun');
  const fault = dryRunFault(verb, values);
  if (fault !== undefined) return failed(fault);
  const agent = (request.headers['user-agent'] ?? 'unknown').split('/', 1)[0];
  return ok({
    dryRun: values.length > 0,
    manager: query.get('fieldManager') || agent || 'unknown',
    subresource: subresource === 'status' ? 'status' : undefined,
  });
}

async function objectBody(exchange: Exchange): Promise<Outcome<unknown>> {
  const type = mediaTypeOf(exchange);
  if (type !== '' && type !== 'application/json') {
    const message = 'the body of the request was in an unknown format - accepted media types include: application/json';
    return failed(failure(415, 'UnsupportedMediaType', message));
  }
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

function written(resource: Resource, updated: Outcome<Updated>): Outcome<Written> {
  if (!updated.ok) return updated;
  const { object, isNew } = updated.value;
  return ok({ code: isNew ? 201 : 200, json: objectJson(resource, object) });
}
