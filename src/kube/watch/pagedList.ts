import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import type { ApiResult, KubeClient } from '../client/client.ts';
import type { ApiFailure } from '../client/failure.ts';
import { versionOf } from '../objects/identity.ts';
import { acceptOf, isConfidential, reduced, wireKind } from './objectForm.ts';
import { unidentified } from './watchEvents.ts';
import type { WatchSource } from './watchOnce.ts';

/** The complete state was handed to the sink, or why not. */
type PagedList =
  | { readonly ok: true; readonly resourceVersion: string; readonly objects: number }
  | { readonly ok: false; readonly failure: ApiFailure };

interface Page {
  readonly resourceVersion: string;
  readonly next: string | undefined;
  readonly items: readonly JsonObject[];
}

/** Objects of a page. Nothing is known of their size before the first one. */
const firstPage = 25;
const largestPage = 500;
/** Bytes of a page: it is parsed as a whole, and an object may have more than a megabyte. */
const usualPage = 4 * 1024 * 1024;
const pageMs = 20_000;
/** A list that the server forgets faster than we read it is not read for ever. */
const manyRestarts = 3;

/** Reads a collection page by page; begins again when the server has forgotten it half-way. Throws what the sink throws. */
export async function listPages(client: KubeClient, source: WatchSource, signal: AbortSignal): Promise<PagedList> {
  const { path, onHeard } = source;
  let heard = 0;
  const listener = {
    onHeard(bytes: number) {
      heard += bytes;
      onHeard?.(bytes);
    },
  };
  const form = { accept: acceptOf(source.as, 'list'), isConfidential: isConfidential(source) };
  let next: string | undefined;
  let objects = 0;
  let restarts = 0;
  let limit = firstPage;
  for (;;) {
    const query = queryOf(source, limit, next);
    heard = 0;
    const result = await client.call({ method: 'GET', path, query, ...form, signal, timeoutMs: pageMs, ...listener });
    const page = pageOf(result, wireKind(source));
    if ('kind' in page) {
      if (page.kind !== 'expired' || next === undefined || restarts === manyRestarts)
        return { ok: false, failure: page };
      restarts += 1;
      next = undefined;
      continue;
    }
    if (next === undefined) {
      objects = 0;
      source.sink.begin();
    }
    for (const item of page.items) take(source, item);
    objects += page.items.length;
    limit = limitAfter(page.items.length, heard);
    next = page.next;
    if (next === undefined) {
      source.sink.end(page.resourceVersion);
      return { ok: true, resourceVersion: page.resourceVersion, objects };
    }
  }
}

/** What cannot be told apart from other objects says nothing of them. */
function take(source: WatchSource, item: JsonObject): void {
  if (versionOf(item) === undefined) source.onUnreadable?.(unidentified);
  else source.sink.apply('ADDED', reduced(source, item));
}

/** As many as make a usual page, if they are as long as those of this one. */
function limitAfter(objects: number, bytes: number): number {
  const most = Math.floor((usualPage * objects) / Math.max(1, bytes));
  return Math.min(largestPage, Math.max(firstPage, most));
}

function queryOf({ labelSelector, fieldSelector }: WatchSource, limit: number, next: string | undefined) {
  return { limit, continue: next, labelSelector: labelSelector || undefined, fieldSelector };
}

function pageOf(result: ApiResult, kind: string): Page | ApiFailure {
  if (!result.ok) return result.failure;
  const body = objectOf(result.body);
  const metadata = objectOf(body['metadata']);
  const resourceVersion = textOf(metadata['resourceVersion']);
  // Go writes an empty list as null, and kube-apiserver answers so for one of metadata.
  const items = body['items'] ?? [];
  if (body['kind'] !== `${kind}List` || !resourceVersion || !Array.isArray(items)) {
    return { kind: 'badAnswer', status: result.status, message: `the answer is not a ${kind}List` };
  }
  const objects = arrayOf(items).filter(isObject);
  if (objects.length < items.length) {
    return { kind: 'badAnswer', status: result.status, message: `the ${kind}List has an item that is no object` };
  }
  // Items of a list do not say their type, and what a watch brings does.
  const type = { apiVersion: body['apiVersion'], kind };
  const typed = objects.map((object) => (object['kind'] === undefined ? { ...type, ...object } : object));
  return { resourceVersion, next: textOf(metadata['continue']) || undefined, items: typed };
}
