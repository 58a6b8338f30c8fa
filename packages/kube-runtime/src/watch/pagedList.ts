import { setImmediate as nextTurn } from 'node:timers/promises';
import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '../base/json.ts';
import { acceptOf } from '../client/accept.ts';
import type { ApiResult, KubeClient } from '../client/client.ts';
import type { ApiFailure } from '../client/failure.ts';
import { versionOf } from '../objects/identity.ts';
import { isConfidential, reduced, wireKind } from './objectForm.ts';
import { unidentified } from './watchEvents.ts';
import type { WatchSource } from './watchOnce.ts';

/** The complete state was passed to the sink, or the reason why not. */
type PagedList =
  | { readonly ok: true; readonly resourceVersion: string; readonly objects: number }
  | { readonly ok: false; readonly failure: ApiFailure };

interface Page {
  readonly resourceVersion: string;
  readonly next: string | undefined;
  readonly items: readonly JsonObject[];
}

/** The size of the first page in objects, when their size in bytes is still unknown. */
const firstPage = 25;
const largestPage = 500;
/** The target size of a page in bytes: a page is parsed as a whole, and an object may exceed a megabyte. */
const usualPage = 4 * 1024 * 1024;
const pageMs = 20_000;
/** Limits the restarts of a list that expires on the server before weeder has read it. */
const manyRestarts = 3;

/** Reads a collection page by page, and restarts if its continue token expires. Throws what the sink throws. */
export async function listPages(client: KubeClient, source: WatchSource, signal: AbortSignal): Promise<PagedList> {
  const { path, onReceived } = source;
  let receivedBytes = 0;
  const listener = {
    onReceived(bytes: number) {
      receivedBytes += bytes;
      onReceived?.(bytes);
    },
  };
  const form = { accept: acceptOf(source.as, 'list'), isConfidential: isConfidential(source) };
  let next: string | undefined;
  let objects = 0;
  let restarts = 0;
  let limit = firstPage;
  for (;;) {
    const query = queryOf(source, limit, next);
    receivedBytes = 0;
    const result = await client.call({ method: 'GET', path, query, ...form, signal, timeoutMs: pageMs, ...listener });
    const page = pageOf(result, wireKind(source));
    if ('type' in page) {
      if (page.type !== 'expired' || next === undefined || restarts === manyRestarts)
        return { ok: false, failure: page };
      restarts += 1;
      next = undefined;
      continue;
    }
    // Like each piece of a watch, so that the work of other responses is done before it.
    await nextTurn();
    if (next === undefined) {
      objects = 0;
      source.sink.begin();
    }
    for (const item of page.items) take(source, item);
    objects += page.items.length;
    limit = limitAfter(page.items.length, receivedBytes);
    next = page.next;
    if (next === undefined) {
      source.sink.end(page.resourceVersion);
      return { ok: true, resourceVersion: page.resourceVersion, objects };
    }
  }
}

/** An object that cannot be identified does not affect the others. */
function take(source: WatchSource, item: JsonObject): void {
  if (versionOf(item) === undefined) source.onUnreadable?.(unidentified);
  else source.sink.apply('ADDED', reduced(source, item));
}

/** The number of objects for a page of the target size, if they are as large as those of this page. */
function limitAfter(objects: number, bytes: number): number {
  const max = Math.floor((usualPage * objects) / Math.max(1, bytes));
  return Math.min(largestPage, Math.max(firstPage, max));
}

function queryOf({ labelSelector, fieldSelector }: WatchSource, limit: number, next: string | undefined) {
  return { limit, continue: next, labelSelector: labelSelector || undefined, fieldSelector };
}

function pageOf(result: ApiResult, kind: string): Page | ApiFailure {
  if (!result.ok) return result.failure;
  const body = objectOf(result.body);
  const metadata = objectOf(body['metadata']);
  const resourceVersion = textOf(metadata['resourceVersion']);
  // Go encodes an empty list as null, and kube-apiserver returns that for a list of metadata.
  const items = body['items'] ?? [];
  if (body['kind'] !== `${kind}List` || !resourceVersion || !Array.isArray(items)) {
    return { type: 'badAnswer', status: result.status, message: `the response is not a ${kind}List` };
  }
  const objects = arrayOf(items).filter(isObject);
  if (objects.length < items.length) {
    return { type: 'badAnswer', status: result.status, message: `the ${kind}List has an item that is not an object` };
  }
  // The items of a list lack apiVersion and kind, unlike the objects of a watch.
  const type = { apiVersion: body['apiVersion'], kind };
  const typed = objects.map((object) => (object['kind'] === undefined ? { ...type, ...object } : object));
  return { resourceVersion, next: textOf(metadata['continue']) || undefined, items: typed };
}
