import { setImmediate as nextTurn } from 'node:timers/promises';
import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '../base/json.ts';
import { acceptOf } from '../client/accept.ts';
import type { ApiResult, KubeClient } from '../client/client.ts';
import type { ApiFailure } from '../client/failure.ts';
import { createSemaphore, type Semaphore } from '../queue/semaphore.ts';
import { isConfidential, wireKind } from './objectForm.ts';
import { takeObject } from './takeObject.ts';
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

interface ReadPage extends Page {
  /** For the next page, in objects. */
  readonly nextLimit: number;
}

/** The size of the first page in objects, when their size in bytes is still unknown. */
const firstPage = 25;
const mostObjects = 500;
/** The target size of a page in bytes: a page is parsed as a whole, which takes several times as much memory. */
const usualPage = 1 << 20;
/** A page of more bytes is not read to its end, but asked for again with fewer objects. One object has 1.5 MiB at most. */
const largestPage = 4 << 20;
const pageMs = 20_000;
/** Limits the restarts of a list that expires on the server before weeder has read it. */
const manyRestarts = 3;

/** Limits how many pages are in memory at once, of the lists of several kinds. */
export type Turns = Pick<Semaphore, 'acquire'>;

/** Of up to 4 MiB each, which takes several times as much memory while it is read. */
const pagesAtOnce = 3;

/**
 * One turn is left for the streams that weeder needs while optional ones hang, such as those of a kind whose conversion
 * webhook does not respond.
 */
export const createTurns = (): Turns => createSemaphore(pagesAtOnce - 1, 1);

/** Reads a collection page by page, and restarts if its continue token expires. */
export async function listPages(
  client: KubeClient,
  source: WatchSource,
  signal: AbortSignal,
  turns: Turns = createTurns(),
): Promise<PagedList> {
  let next: string | undefined;
  let objects = 0;
  let restarts = 0;
  let limit = firstPage;
  for (;;) {
    using _turn = await turn(turns, source, signal);
    const page = await readPage(client, source, signal, { limit, next });
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
    limit = page.nextLimit;
    next = page.next;
    if (next === undefined) {
      source.sink.end(page.resourceVersion);
      return { ok: true, resourceVersion: page.resourceVersion, objects };
    }
  }
}

/** One of the turns, until it is disposed of. */
async function turn(turns: Turns, { isOptional, path }: WatchSource, signal: AbortSignal): Promise<Disposable> {
  const release = await turns.acquire(`${isOptional === true ? 'optional' : 'needed'}/${path}`, signal);
  return { [Symbol.dispose]: () => release?.() };
}

/** Reads one page, with fewer objects if they are too large. `limit`: in objects. */
async function readPage(
  client: KubeClient,
  source: WatchSource,
  signal: AbortSignal,
  { limit, next }: { readonly limit: number; readonly next: string | undefined },
): Promise<ReadPage | ApiFailure> {
  let bytes = 0;
  const result = await client.call({
    method: 'GET',
    path: source.path,
    query: queryOf(source, limit, next),
    accept: acceptOf(source.as, 'list'),
    isConfidential: isConfidential(source),
    ...(limit === 1 ? {} : { tail: { limit: largestPage } }),
    signal,
    timeoutMs: pageMs,
    onReceived(received) {
      bytes += received;
      source.onReceived?.(received);
    },
  });
  const page = pageOf(result, wireKind(source));
  if (!('type' in page)) return { ...page, nextLimit: limitAfter(page.items.length, bytes) };
  const isTooLong = page.isTooLong === true && limit > 1;
  return isTooLong ? readPage(client, source, signal, { limit: Math.max(1, limit >> 2), next }) : page;
}

function take(source: WatchSource, item: JsonObject): void {
  const { unreadable } = takeObject(source, source.sink, 'ADDED', item);
  if (unreadable !== undefined) source.onUnreadable?.(unreadable);
}

/** The number of objects for a page of the target size, if they are as large as those of this page. */
function limitAfter(objects: number, bytes: number): number {
  const max = Math.floor((usualPage * objects) / Math.max(1, bytes));
  return Math.min(mostObjects, Math.max(1, max));
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
