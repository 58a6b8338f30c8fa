import { failed, ok } from '../../base/result.ts';
import { objectJson, pageJson } from '../meta/encode.ts';
import { type Form, formError, formOf } from '../meta/form.ts';
import { methodNotAllowed, notFound, type Outcome, unknownResource } from '../meta/status.ts';
import { remove } from '../registry/delete.ts';
import { list, type Page } from '../registry/list.ts';
import type { Resource } from '../registry/resource.ts';
import type { Storage } from '../storage/storage.ts';
import { isAccessReview, reviewAccess } from './accessReview.ts';
import { type Address, addressOf } from './address.ts';
import { serveAggregated } from './aggregatedDiscovery.ts';
import { impersonationRefusal } from './authorize.ts';
import { discover } from './discovery.ts';
import { type Exchange, mediaTypeOf, sendJson, sendStatus, sendText } from './exchange.ts';
import { serveOpenApi } from './openApi.ts';
import { deleteOptions } from './options.ts';
import { readCollectionQuery } from './query.ts';
import { onScale } from './scaleRequests.ts';
import { serveWatch } from './watchStream.ts';
import { deleteObject, patchObject, post, postEviction, put, type Target, type Written } from './writes.ts';

type ResourceAddress = Extract<Address, { readonly type: 'resource' }>;

/** Authorizes a request, and sends its response. */
export async function serve(storage: Storage, exchange: Exchange, isAuthorizing: boolean): Promise<void> {
  const address = addressOf(storage.resources, exchange.path);
  const refused = isAuthorizing ? impersonationRefusal(storage, exchange, address) : undefined;
  if (refused !== undefined) {
    sendStatus(exchange, refused);
    return;
  }
  if (isAccessReview(exchange)) {
    const review = await reviewAccess(storage, exchange, isAuthorizing);
    if (review.ok) sendJson(exchange, 201, JSON.stringify(review.value));
    else sendStatus(exchange, review.error);
    return;
  }
  if (address.type === 'other') {
    serveOther(storage, exchange);
    return;
  }
  if (address.type === 'unknownResource') {
    sendStatus(exchange, unknownResource);
    return;
  }
  const form = formOf(exchange.headers.accept);
  if (!form.ok) {
    sendStatus(exchange, form.error);
    return;
  }
  const isCollection = address.name === undefined;
  if (exchange.method === 'GET' && isCollection) {
    serveCollection(storage, address, form.value, exchange);
    return;
  }
  const written = await (isCollection
    ? collectionWrite(storage, address, exchange)
    : onObject(storage, address, exchange, isAuthorizing));
  send(exchange, address.resource, form.value, written);
}

/**
 * Responds in the form of the Accept header, which is checked only after the request has been carried out, as on the
 * real server.
 */
function send(exchange: Exchange, resource: Resource, form: Form, written: Outcome<Written>): void {
  if (!written.ok) {
    sendStatus(exchange, written.error);
    return;
  }
  const { code, content } = written.value;
  const error = content.type === 'status' ? content.status : formError(form, resource.kind, content.type === 'page');
  if (error !== undefined) sendStatus(exchange, error);
  else if (content.type === 'value') sendJson(exchange, code, JSON.stringify(content.value));
  else if (content.type === 'page') sendJson(exchange, code, pageJson(resource, content.page, form));
  else if (content.type === 'object') sendJson(exchange, code, objectJson(resource, content.object, form));
}

function serveOther(storage: Storage, exchange: Exchange): void {
  const { resources } = storage;
  if (exchange.method === 'GET' && serveOpenApi(storage, exchange)) return;
  if (exchange.method === 'GET' && serveAggregated(resources, exchange)) return;
  const content = discover(resources, exchange.path);
  if (content === undefined) sendText(exchange, 404, '404 page not found\n');
  else if (exchange.method !== 'GET') sendStatus(exchange, methodNotAllowed);
  else if (content === 'ok') sendText(exchange, 200, 'ok');
  else sendJson(exchange, 200, JSON.stringify(content));
}

function serveCollection(
  storage: Storage,
  { resource, namespace }: ResourceAddress,
  form: Form,
  exchange: Exchange,
): void {
  const query = readCollectionQuery(resource, namespace, exchange.query);
  if (!query.ok) {
    sendStatus(exchange, query.error);
    return;
  }
  if (query.value.isWatch) {
    serveWatch(storage, resource, query.value, form, exchange);
    return;
  }
  const page = list(storage, resource, query.value.selection, query.value.list);
  send(exchange, resource, form, page.ok ? ok(pageResponse(page.value)) : page);
}

async function collectionWrite(
  storage: Storage,
  { resource, namespace }: ResourceAddress,
  exchange: Exchange,
): Promise<Outcome<Written>> {
  const isAllNamespaces = resource.isNamespaced && namespace === undefined;
  const target = { storage, resource, namespace: namespace ?? '', name: '', subresource: undefined };
  if (exchange.method === 'POST' && !isAllNamespaces) return post(target, exchange);
  if (exchange.method === 'DELETE' && !isAllNamespaces && resource.hasCollectionDeletion) {
    return deleteCollection(target, exchange);
  }
  return failed(methodNotAllowed);
}

/** Responds with the list of the objects before their deletion. */
async function deleteCollection(target: Target, exchange: Exchange): Promise<Outcome<Written>> {
  const { storage, resource, namespace } = target;
  const query = readCollectionQuery(resource, namespace, exchange.query);
  if (!query.ok) return query;
  const options = await deleteOptions(exchange);
  if (!options.ok) return options;
  const page = list(storage, resource, query.value.selection, query.value.list);
  if (!page.ok) return page;
  for (const { metadata } of page.value.items) remove(storage, resource, namespace, metadata.name, options.value);
  return ok(pageResponse(page.value));
}

function pageResponse(page: Page): Written {
  return { code: 200, content: { type: 'page', page } };
}

async function onObject(
  storage: Storage,
  address: ResourceAddress,
  exchange: Exchange,
  isAuthorizing: boolean,
): Promise<Outcome<Written>> {
  const { resource, namespace = '', name = '', subresource } = address;
  // An apply of an absent object needs the permission to create it, too.
  const mayCreate = exchange.method === 'PUT' || mediaTypeOf(exchange) === 'application/apply-patch+yaml';
  const isAbsent = mayCreate && storage.collectionOf(resource).get(namespace, name) === undefined;
  const refused = isAbsent && isAuthorizing ? impersonationRefusal(storage, exchange, address, 'create') : undefined;
  if (refused !== undefined) return failed(refused);
  const target = { storage, resource, namespace, name, subresource };
  const { method } = exchange;
  if (subresource === 'eviction') return method === 'POST' ? postEviction(target, exchange) : failed(methodNotAllowed);
  if (subresource === 'scale') return onScale(target, exchange);
  if (method === 'GET') return get(target);
  if (method === 'PUT') return put(target, exchange);
  if (method === 'PATCH') return patchObject(target, exchange);
  if (method === 'DELETE' && subresource === undefined) return deleteObject(target, exchange);
  return failed(methodNotAllowed);
}

function get({ storage, resource, namespace, name }: Target): Outcome<Written> {
  const object = storage.collectionOf(resource).get(namespace, name);
  if (object === undefined) return failed(notFound(resource, name));
  return ok({ code: 200, content: { type: 'object', object } });
}
