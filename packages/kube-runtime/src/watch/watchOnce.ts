import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { acceptOf } from '../client/accept.ts';
import type { KubeClient } from '../client/client.ts';
import { startDeadline } from '../client/deadline.ts';
import { describeFailure } from '../client/describeFailure.ts';
import type { ApiFailure } from '../client/failure.ts';
import type { ApiRequest } from '../client/request.ts';
import { lineSplitter } from './lines.ts';
import { isConfidential, type Reading } from './objectForm.ts';
import type { ObjectSink } from './sink.ts';
import { type LineOutcome, watchReader } from './watchEvents.ts';

/** What to watch, and the sink for its objects. */
export interface WatchSource extends Reading {
  /** The path of the collection, cluster-wide or of one namespace: `/api/v1/pods`, `/api/v1/namespaces/a/pods`. */
  readonly path: string;
  /** In the form of `selectorToString`; empty: everything. */
  readonly labelSelector: string;
  /** For example `metadata.name=a`. Default: everything. */
  readonly fieldSelector?: string;
  /**
   * What to log if the API server does not have the kind, and what to do about it. The stream is then retried each
   * second, and is not waited for. Default: every API server has the kind.
   */
  readonly whenMissing?: string;
  /**
   * The content of this stream is also available in another way, only later: weeder is ready even while the stream
   * cannot be read. Default: false.
   */
  readonly isOptional?: boolean;
  readonly sink: ObjectSink;
  /** Called whenever the server sends something, with the number of bytes. */
  readonly onReceived?: (bytes: number) => void;
  /** Called for each object that cannot be read and is omitted, with the reason. */
  readonly onUnreadable?: (what: string) => void;
}

/** One watch request. */
interface WatchRun {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly source: WatchSource;
  /** Where to resume; undefined: only the complete state is read (WatchList), and the watch ends with it. */
  readonly start: string | undefined;
  /** How long the server should hold a resumed watch open, in whole seconds. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Aborting this signal ends the watch normally. */
  readonly reopen?: AbortSignal;
  /** Called with the connection that the watch uses. */
  readonly onOpened: (connection: number) => void;
}

/** How a watch ended, and how far it got. */
export interface WatchEnd {
  readonly reason: /** The complete state was read. */
    | 'complete'
    /** The watch ended normally. */
    | 'ended'
    /** Nothing arrived within the time in which something must. */
    | 'silent'
    /** The complete state was not finished. */
    | 'unfinished'
    | 'garbled'
    | 'refused'
    /** The server is at an older version than the position. */
    | 'rewound';
  readonly message: string;
  readonly position: string | undefined;
  /** The number of changes. */
  readonly changes: number;
  /** The server has sent a change or a bookmark. */
  readonly hasDelivered: boolean;
  readonly failure?: ApiFailure;
}

/** etcd refuses objects of more than 1.5 MiB; a line ten times as long is not an event. */
const longestLine = 16 << 20;
export const headersMs = 15_000;
/** How much longer than agreed a server may take to end a watch. */
const overtimeMs = 4_000;
/** A stream that received something within this time is alive, even if the server does not end it. */
const livelyMs = 8_000;
/** Once the server has begun to send the complete state, it sends it without a pause. */
const initialPauseMs = 10_000;
const initialMs = 60_000;
/** kube-apiserver sends a bookmark each minute, 75 s at the latest: a watch without one is reopened to be safe. */
const longestPauseMs = 150_000;
/** The number of bytes that are processed in one turn. */
const turnBytes = 4_096;

/** Runs one watch request to its end. The promise never rejects. */
export async function watchOnce(run: WatchRun): Promise<WatchEnd> {
  const stop = new AbortController();
  const { path, onReceived } = run.source;
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const opened = await run.client.openStream({
    method: 'GET',
    path,
    query: queryOf(run),
    accept: acceptOf(run.source.as, 'watch'),
    isConfidential: isConfidential(run.source),
    signal,
    timeoutMs: headersMs,
    ...(onReceived === undefined ? {} : { onReceived }),
  });
  if (!opened.ok) return refusedEnd(opened.failure, run.client.server, nothing);
  run.onOpened(opened.connection);
  const isInitial = run.start === undefined;
  const progress = followProgress(run);
  const overdue = () => {
    const reason = overdueReason(isInitial, run.clock.monotonic() - progress.receivedAt);
    if (reason === 'silent') run.client.renew(opened.connection);
    progress.finish(
      reason,
      `no data was received for ${Math.round((run.clock.monotonic() - progress.receivedAt) / 1_000)} s`,
    );
    stop.abort();
  };
  const endInOrder = (message: string) => {
    progress.finish('ended', message);
    stop.abort();
  };
  const reopen = () => endInOrder('the watch is reopened');
  run.reopen?.addEventListener('abort', reopen, { once: true });
  if (run.reopen?.aborted === true) reopen();
  const pause = isInitial
    ? startDeadline(run.clock, initialPauseMs, overdue)
    : startDeadline(run.clock, longestPauseMs, () =>
        endInOrder(`no data was received for ${longestPauseMs / 1_000} s`),
      );
  const whole = startDeadline(run.clock, isInitial ? initialMs : run.timeoutSeconds * 1_000 + overtimeMs, overdue);
  try {
    for await (const piece of inTurns(opened.body)) {
      pause.restart();
      if (run.signal.aborted || !progress.accept(piece)) break;
    }
    return progress.end();
  } catch (error) {
    return progress.end(run.client.failureOf(error));
  } finally {
    pause.stop();
    whole.stop();
    run.reopen?.removeEventListener('abort', reopen);
    stop.abort();
  }
}

/**
 * Splits a body into pieces, each of which begins a turn of the event loop: all work that earlier pieces, of any stream,
 * and received responses have caused is done before it, up to the next wait. When many services recover at once, their
 * changes arrive in a few large chunks, and the first deletion is sent before the last change is processed. And a replay
 * can repeat the order of everything ([ADR 43](../../../docs/adr/0043-record-the-turns-of-the-event-loop.md)).
 */
async function* inTurns(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    for (let start = 0; start < piece.length; start += turnBytes) {
      await nextTurn();
      yield piece.subarray(start, start + turnBytes);
    }
  }
}

function overdueReason(isInitial: boolean, quietMs: number): WatchEnd['reason'] {
  if (isInitial) return 'unfinished';
  return quietMs < livelyMs ? 'ended' : 'silent';
}

function queryOf({ source, start, timeoutSeconds }: WatchRun): NonNullable<ApiRequest['query']> {
  const { labelSelector, fieldSelector } = source;
  const selectors = { labelSelector: labelSelector || undefined, fieldSelector };
  const common = { watch: true, allowWatchBookmarks: true, ...selectors };
  if (start !== undefined) return { ...common, resourceVersion: start, timeoutSeconds };
  const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
  return { ...common, ...initial, timeoutSeconds: Math.ceil(initialMs / 1_000) + 15 };
}

/** How far a watch got. */
type Reached = Pick<WatchEnd, 'position' | 'changes' | 'hasDelivered'>;

const nothing: Reached = { position: undefined, changes: 0, hasDelivered: false };

function refusedEnd(failure: ApiFailure, server: string, reached: Reached): WatchEnd {
  return { ...reached, reason: 'refused', message: describeFailure(failure, server), failure };
}

interface Progress {
  /** Processes a chunk of the body; false: the watch has to end. */
  accept(piece: Buffer): boolean;
  /** Only the first reason to end counts. */
  finish(reason: WatchEnd['reason'], message: string): void;
  /** How the watch ended, now that nothing more arrives: normally, or because of `broken`. */
  end(broken?: ApiFailure): WatchEnd;
  /** Monotonic milliseconds. */
  readonly receivedAt: number;
}

function followProgress({ client, clock, source, start }: WatchRun): Progress {
  const reader = watchReader(source, source.sink, start);
  const splitter = lineSplitter(longestLine);
  let receivedAt = clock.monotonic();
  let changes = 0;
  let hasDelivered = false;
  let ended: WatchEnd | undefined;

  function finish(reason: WatchEnd['reason'], message: string): void {
    ended ??= { reason, message, ...reached() };
  }

  function reached(): Reached {
    return { position: reader.position, changes, hasDelivered };
  }

  /** False: the watch has to end here. */
  function onLine(line: Buffer): boolean {
    const outcome = reader.read(line);
    hasDelivered ||= typeof outcome === 'string';
    if (outcome === 'changed') changes += 1;
    else if (outcome === 'complete' && start === undefined) finish('complete', '');
    else if (outcome === 'wentBack') finish('rewound', '');
    else if (typeof outcome === 'object') recordFailure(outcome);
    return ended === undefined;
  }

  function recordFailure(outcome: Exclude<LineOutcome, string>): void {
    if ('unreadable' in outcome) source.onUnreadable?.(outcome.unreadable);
    else if ('failure' in outcome) ended ??= refusedEnd(outcome.failure, client.server, reached());
    else finish('garbled', `${client.server} sent ${outcome.garbled}`);
  }

  return {
    accept(piece) {
      receivedAt = clock.monotonic();
      const state = splitter.push(piece, onLine);
      if (state === 'tooLong') finish('garbled', `${client.server} sent a line of more than ${longestLine >> 20} MiB`);
      return state === 'more' && ended === undefined;
    },
    finish,
    end(broken) {
      if (ended !== undefined) return ended;
      if (broken !== undefined) return refusedEnd(broken, client.server, reached());
      const isCut = splitter.pending > 0;
      const failure: ApiFailure = { type: 'network', message: 'the stream was cut in the middle of a line' };
      if (isCut) return refusedEnd(failure, client.server, reached());
      return { reason: 'ended', message: 'the server ended the stream', ...reached() };
    },
    get receivedAt() {
      return receivedAt;
    },
  };
}
