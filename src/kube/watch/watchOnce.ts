import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { KubeClient } from '../client/client.ts';
import { startDeadline } from '../client/deadline.ts';
import { describeFailure } from '../client/describeFailure.ts';
import type { ApiFailure } from '../client/failure.ts';
import type { ApiRequest } from '../client/request.ts';
import { lineSplitter } from './lines.ts';
import { acceptOf, isConfidential, type Reading } from './objectForm.ts';
import type { ObjectSink } from './sink.ts';
import { type LineOutcome, type WatchReader, watchReader } from './watchEvents.ts';

/** What to watch, and where its objects go. */
export interface WatchSource extends Reading {
  /** The collection, cluster-wide or of one namespace: `/api/v1/pods`, `/api/v1/namespaces/a/pods`. */
  readonly path: string;
  /** As `selectorToString` gives it; empty: everything. */
  readonly labelSelector: string;
  /** Such as `metadata.name=a`. Default: everything. */
  readonly fieldSelector?: string;
  /**
   * What to say where the API server does not know the kind, and what to do about it. It is asked for each second then,
   * and nobody waits for it. Default: it is a kind that every API server has.
   */
  readonly whenMissing?: string;
  readonly sink: ObjectSink;
  /** Told of every sign of life of the server, with the bytes that came. */
  readonly onHeard?: (bytes: number) => void;
  /** Told of each object that cannot be read and is left out, with what is wrong with it. */
  readonly onUnreadable?: (what: string) => void;
}

/** One watch request. */
interface WatchRun {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly source: WatchSource;
  /** Where to resume; undefined: only the complete state is read (WatchList), and the watch ends with it. */
  readonly start: string | undefined;
  /** How long the server is to hold a resumed watch open, in whole seconds. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Aborted: the watch ends in good order. */
  readonly reopen?: AbortSignal;
  /** Told of the connection that it is on. */
  readonly onOpened: (connection: number) => void;
}

/** How a watch came to an end, and how far it got. */
export interface WatchEnd {
  readonly reason: /** The complete state was read. */
    | 'complete'
    /** In good order. */
    | 'ended'
    /** Nothing came where something had to. */
    | 'silent'
    /** The complete state did not come to an end. */
    | 'unfinished'
    | 'garbled'
    | 'refused'
    /** The sink threw: what it holds cannot be trusted. */
    | 'sinkFailed';
  readonly message: string;
  readonly position: string | undefined;
  /** How many changes came. */
  readonly changes: number;
  readonly failure?: ApiFailure;
}

/** etcd refuses objects of more than 1.5 MiB; a line of ten times that is no event. */
const longestLine = 16 << 20;
const headersMs = 15_000;
/** What a server that ends its watches in time is given beyond the agreed time. */
const overtimeMs = 4_000;
/** A stream on which something came this recently is alive, even if the server does not end it. */
const livelyMs = 8_000;
/** The complete state is sent without a pause, once it is sent. */
const initialPauseMs = 10_000;
const initialMs = 60_000;
/** kube-apiserver sends a bookmark each minute, 75 s at the latest: a watch without one is opened anew to be sure of it. */
const longestPauseMs = 150_000;
/** So much work may be done on what came before it is the turn of what that work sent. Milliseconds. */
const turnMs = 4;
/** At least so many bytes are read in one turn. */
const turnBytes = 4_096;

/** Runs one watch request to its end. Never rejects. */
export async function watchOnce(run: WatchRun): Promise<WatchEnd> {
  const stop = new AbortController();
  const { path, onHeard } = run.source;
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const opened = await run.client.openStream({
    method: 'GET',
    path,
    query: queryOf(run),
    accept: acceptOf(run.source.as, 'watch'),
    isConfidential: isConfidential(run.source),
    signal,
    timeoutMs: headersMs,
    ...(onHeard === undefined ? {} : { onHeard }),
  });
  if (!opened.ok) return refusedEnd(opened.failure, run.client.server, undefined, 0);
  run.onOpened(opened.connection);
  const isInitial = run.start === undefined;
  const progress = followProgress(run);
  const overdue = () => {
    const reason = overdueReason(isInitial, run.clock.monotonic() - progress.heardAt);
    if (reason === 'silent') run.client.renew(opened.connection);
    progress.finish(reason, `nothing came for ${Math.round((run.clock.monotonic() - progress.heardAt) / 1_000)} s`);
    stop.abort();
  };
  const endInOrder = (message: string) => {
    progress.finish('ended', message);
    stop.abort();
  };
  const reopen = () => endInOrder('it is opened anew');
  run.reopen?.addEventListener('abort', reopen, { once: true });
  if (run.reopen?.aborted === true) reopen();
  const pause = isInitial
    ? startDeadline(run.clock, initialPauseMs, overdue)
    : startDeadline(run.clock, longestPauseMs, () => endInOrder(`nothing came for ${longestPauseMs / 1_000} s`));
  const whole = startDeadline(run.clock, isInitial ? initialMs : run.timeoutSeconds * 1_000 + overtimeMs, overdue);
  try {
    for await (const piece of inTurns(opened.body, run.clock)) {
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
 * The pieces of a body, cut such that requests leave between them: when many services recover at once, their changes
 * come in few large pieces, and the first deletion would wait until the last change has been dealt with.
 */
async function* inTurns(body: AsyncIterable<Buffer>, clock: Clock): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    let began = clock.monotonic();
    for (let start = 0; start < piece.length; start += turnBytes) {
      yield piece.subarray(start, start + turnBytes);
      if (clock.monotonic() - began < turnMs) continue;
      await nextTurn();
      began = clock.monotonic();
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

function refusedEnd(failure: ApiFailure, server: string, position: string | undefined, changes: number): WatchEnd {
  return { reason: 'refused', message: describeFailure(failure, server), position, changes, failure };
}

interface Progress {
  /** Reads a piece of the body; false: enough. */
  accept(piece: Buffer): boolean;
  /** The first reason to end stays. */
  finish(reason: WatchEnd['reason'], message: string): void;
  /** How it ended, now that no more comes: in good order, or by `broken`. */
  end(broken?: ApiFailure): WatchEnd;
  /** Monotonic milliseconds. */
  readonly heardAt: number;
}

function followProgress({ client, clock, source, start }: WatchRun): Progress {
  const reader = watchReader(source, source.sink, start);
  const splitter = lineSplitter(longestLine);
  let heardAt = clock.monotonic();
  let changes = 0;
  let ended: WatchEnd | undefined;

  function finish(reason: WatchEnd['reason'], message: string): void {
    ended ??= { reason, message, position: reader.position, changes };
  }

  /** False: the stream has to end here. */
  function onLine(line: Buffer): boolean {
    const outcome = readSafely(reader, line);
    if (outcome === 'changed') changes += 1;
    else if (outcome === 'complete' && start === undefined) finish('complete', '');
    else if (typeof outcome === 'object') noteTrouble(outcome);
    return ended === undefined;
  }

  function noteTrouble(outcome: Exclude<LineOutcome, string> | SinkFailure): void {
    if ('unreadable' in outcome) source.onUnreadable?.(outcome.unreadable);
    else if ('failure' in outcome) ended ??= refusedEnd(outcome.failure, client.server, reader.position, changes);
    else if ('garbled' in outcome) finish('garbled', `${client.server} sent ${outcome.garbled}`);
    else finish('sinkFailed', `an object could not be taken in: ${outcome.sinkFailed}`);
  }

  return {
    accept(piece) {
      heardAt = clock.monotonic();
      const state = splitter.push(piece, onLine);
      if (state === 'tooLong') finish('garbled', `${client.server} sent a line of more than ${longestLine >> 20} MiB`);
      return state === 'more' && ended === undefined;
    },
    finish,
    end(broken) {
      if (ended !== undefined) return ended;
      if (broken !== undefined) return refusedEnd(broken, client.server, reader.position, changes);
      const isCut = splitter.pending > 0;
      const failure: ApiFailure = { kind: 'network', message: 'the stream was cut in the middle of a line' };
      if (isCut) return refusedEnd(failure, client.server, reader.position, changes);
      return { reason: 'ended', message: 'the server ended the stream', position: reader.position, changes };
    },
    get heardAt() {
      return heardAt;
    },
  };
}

interface SinkFailure {
  readonly sinkFailed: string;
}

function readSafely(reader: WatchReader, line: Buffer): LineOutcome | SinkFailure {
  try {
    return reader.read(line);
  } catch (error) {
    return { sinkFailed: messageOf(error) };
  }
}
