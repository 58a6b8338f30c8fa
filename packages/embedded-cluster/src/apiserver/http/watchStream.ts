import type { Clock } from '../../clock/clock.ts';
import { bookmarkLine, eventLine } from '../meta/encode.ts';
import { type Form, formError } from '../meta/form.ts';
import { expired, type Status, versionTooLarge } from '../meta/status.ts';
import type { Resource } from '../registry/resource.ts';
import { type Cursor, openCursor } from '../storage/cursor.ts';
import type { Storage } from '../storage/storage.ts';
import type { Exchange } from './exchange.ts';
import type { CollectionQuery } from './query.ts';

/** The timeout of a watch without timeoutSeconds, in seconds. The real server chooses 30 to 60 minutes. */
const defaultTimeout = 1_800;
const bookmarkEveryMs = 60_000;
/** The time from the last bookmark, from which the next watch can resume, to the end of the watch. */
const lastBookmarkMs = 2_000;
/** The number of characters written to the socket at once. */
const maxBatchLength = 1 << 16;
const maxTimerMs = 2 ** 31 - 1;

/** Serves a watch until it times out or the client disconnects. Errors are sent as ERROR events. */
export function serveWatch(
  storage: Storage,
  resource: Resource,
  query: CollectionQuery,
  form: Form,
  exchange: Exchange,
): void {
  const { response } = exchange;
  response.writeHead(200, { 'cache-control': 'no-cache, private', 'content-type': 'application/json' });
  response.flushHeaders();
  if (formError(form, resource.kind, false) !== undefined) {
    // The real server detects this only after the response has begun, and ends it without a message.
    response.end();
    return;
  }
  const start = startOf(storage, query);
  if (typeof start === 'object') {
    response.end(errorLine(start));
    return;
  }
  const cursor = openCursor(storage, resource, query.selection, start, () => queueMicrotask(pump));
  if (cursor === undefined) {
    response.end(errorLine(tooOld(start, storage, resource)));
    return;
  }
  const reading: Reading = { resource, form, cursor, hasInitialEnd: marksInitialEnd(query) };
  let isBlocked = false;

  /** Sends events until the buffer of the response is full. */
  function pump(): void {
    while (!isBlocked && !response.writableEnded && !response.destroyed) {
      const { lines, state } = readBatch(reading);
      if (state === 'expired') {
        response.end(lines + errorLine(tooOld(reading.cursor.version, storage, resource)));
        return;
      }
      if (lines !== '' && !response.write(lines)) {
        isBlocked = true;
        response.once('drain', resume);
      }
      if (state === 'waiting') return;
    }
  }

  function resume(): void {
    isBlocked = false;
    pump();
  }

  const stopTimers = startTimers(storage.clock, query, {
    bookmark: () => {
      // A watch may be ahead of the storage. A bookmark may be due at the same moment as the end.
      if (!isBlocked && !response.writableEnded && cursor.version <= storage.version)
        response.write(bookmarkLine(resource, cursor.version, false, form));
    },
    end: () => response.end(),
  });
  response.once('close', () => {
    stopTimers();
    cursor.close();
  });
  pump();
}

interface Reading {
  readonly resource: Resource;
  readonly form: Form;
  readonly cursor: Cursor;
  readonly hasInitialEnd: boolean;
}

function readBatch({ resource, form, cursor, hasInitialEnd }: Reading): {
  readonly lines: string;
  readonly state: 'more' | 'waiting' | 'expired';
} {
  let lines = '';
  while (lines.length < maxBatchLength) {
    const item = cursor.next();
    if (item === 'waiting' || item === 'expired') return { lines, state: item };
    if (item !== 'initialEnd') lines += eventLine(resource, item, form);
    else if (hasInitialEnd) lines += bookmarkLine(resource, cursor.version, true, form);
  }
  return { lines, state: 'more' };
}

/** Returns the version that the watch starts from, or the Status of a version in the future. */
function startOf({ version }: Storage, { list, sendInitialEvents }: CollectionQuery): number | 'now' | Status {
  const requested = Number(list.resourceVersion || '0');
  if (sendInitialEvents === true) return requested > version ? versionTooLarge(requested, version) : 'now';
  if (requested > 0) return requested;
  return sendInitialEvents === false ? version : 'now';
}

function marksInitialEnd({ hasBookmarks, sendInitialEvents, list }: CollectionQuery): boolean {
  return hasBookmarks && (sendInitialEvents === true || list.resourceVersion === '');
}

function startTimers(
  clock: Clock,
  { timeoutSeconds = defaultTimeout, hasBookmarks }: CollectionQuery,
  { bookmark, end }: { readonly bookmark: () => void; readonly end: () => void },
): () => void {
  const timeoutMs = Math.min(timeoutSeconds * 1_000, maxTimerMs);
  const timers = new Set([clock.setTimeout(end, timeoutMs)]);
  if (hasBookmarks && timeoutMs > lastBookmarkMs) timers.add(clock.setTimeout(bookmark, timeoutMs - lastBookmarkMs));
  if (hasBookmarks) repeat();

  function repeat(): void {
    const timer = clock.setTimeout(() => {
      timers.delete(timer);
      bookmark();
      repeat();
    }, bookmarkEveryMs);
    timers.add(timer);
  }

  return () => {
    for (const timer of timers) clock.clearTimeout(timer);
  };
}

function tooOld(version: number | 'now', storage: Storage, resource: Resource): Status {
  return expired(`too old resource version: ${version} (${storage.collectionOf(resource).history.oldestVersion})`);
}

function errorLine(status: Status): string {
  return `${JSON.stringify({ type: 'ERROR', object: status })}\n`;
}
