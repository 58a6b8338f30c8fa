import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { isObject, type JsonObject, textOf } from '../../src/base/json.ts';
import { meta, type Target } from '../target.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
  /** The line as received. */
  readonly line: string;
}

/** Opens a watch on a collection; it is closed after the test. */
export async function watch(
  t: TestContext,
  target: Target,
  path: string,
  query: string,
  options: { readonly accept?: string } = {},
) {
  const end = new AbortController();
  t.after(() => end.abort());
  const signal = AbortSignal.any([end.signal, AbortSignal.timeout(120_000)]);
  let lines = await open(query);
  let version: string | undefined;

  async function open(by: string) {
    const opened = await target.lines(`${path}?watch=true&${by}`, { ...options, signal });
    assert.equal(opened.status, 200);
    return opened.lines;
  }

  async function read(): Promise<WatchEvent | undefined> {
    const { value, done } = await lines.next();
    if (done === true) return undefined;
    const event: unknown = JSON.parse(value);
    assert(isObject(event) && isObject(event['object']), value);
    version = textOf(meta(event['object'])['resourceVersion']) ?? version;
    return { type: textOf(event['type']) ?? '', object: event['object'], line: value };
  }

  async function next(): Promise<WatchEvent> {
    const event = (await read()) ?? (await readAgain());
    assert(event !== undefined, 'the watch ended too early');
    return event;
  }

  async function readAgain(): Promise<WatchEvent | undefined> {
    const later = new URLSearchParams(query);
    if (version !== undefined) later.set('resourceVersion', version);
    lines = await open(String(later));
    return read();
  }

  return {
    /**
     * Returns the next event. A server may end a watch at any time, such as when its cache restarts after a compaction:
     * then the watch continues after the last event, once.
     */
    next,
    /** Returns the next changes, as `TYPE name`, without the bookmarks between them. */
    async take(count: number) {
      const events: string[] = [];
      while (events.length < count) {
        const event = await next();
        if (event.type !== 'BOOKMARK') events.push(summary(event));
      }
      return events;
    },
    /** Returns all events until the server ends the watch. */
    async rest() {
      const events: WatchEvent[] = [];
      for (let event = await read(); event !== undefined; event = await read()) events.push(event);
      return events;
    },
  };
}

export function summary({ type, object }: WatchEvent): string {
  return `${type} ${textOf(meta(object)['name']) ?? ''}`.trim();
}
