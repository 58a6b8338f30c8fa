import { fromCallback } from 'xstate';
import { type ReflectorEvent, reflector, type StreamInput } from '../../machines/reflector.ts';
import type { Clock } from '../base/clock.ts';
import type { KubeClient } from '../client/client.ts';
import { failureLog, type ReflectorLog, type StreamLoss } from './failureLog.ts';
import { startListWatch } from './listWatch.ts';
import { createTurns } from './pagedList.ts';
import type { ObjectSink } from './sink.ts';
import type { LossDetails, LossReason, StreamStatuses } from './streamStatus.ts';
import type { WatchSource } from './watchOnce.ts';
import { createWatchTimeouts } from './watchTimeouts.ts';

interface ReflectorParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: ReflectorLog;
  /** Holds the status of the streams. */
  readonly statuses?: StreamStatuses;
  /** Returns the stream of that name (the machine's `input.name`). */
  readonly sourceOf: (name: string) => WatchSource | undefined;
}

/** The reflector machine with its implementation: start it with `{ input: { name } }`, as a root or as a child. */
export function provideReflector({ client, clock, log, statuses, sourceOf }: ReflectorParts) {
  const failures = failureLog(log);
  const timeouts = createWatchTimeouts(clock);
  const pages = createTurns();
  /** Counts how often the server was found to have gone back. */
  let history = 0;
  /** By stream: the history in which its latest complete state was begun. */
  const listedIn = new Map<string, number>();
  /** Streams whose latest complete state lacks an object, or that have omitted one since then. */
  const incomplete = new Set<string>();
  /** Streams for which omitted objects have already been logged. */
  const warned = new Set<string>();

  function lost(reason: LossReason, loss: StreamLoss, more: LossDetails = {}): void {
    failures.failed(`stream ${reason}`, loss);
    statuses?.lost(loss.stream, reason, loss.cause, more);
    sourceOf(loss.stream)?.sink.lost?.();
  }

  function leaveOut(stream: string, what: string, sink: ObjectSink): void {
    incomplete.add(stream);
    const level = warned.has(stream) ? 'debug' : 'warn';
    warned.add(stream);
    log[level]({ stream, cause: what }, 'an object of the stream cannot be read and is omitted');
    sink.lost?.();
  }

  return reflector.provide({
    actors: {
      stream: fromCallback<ReflectorEvent, StreamInput>(({ input, sendBack }) => {
        const source = sourceOf(input.name);
        if (source === undefined) throw new Error(`there is no stream with the name "${input.name}"`);
        const { name, resourceVersion } = input;
        const isResuming = resourceVersion !== undefined;
        if (isResuming && listedIn.get(name) !== history) {
          sendBack({ type: 'stream.rewound', message: foundByAnother });
          return undefined;
        }
        statuses?.begun(name, source.path, isResuming);
        if (!isResuming) {
          incomplete.delete(name);
          listedIn.set(name, history);
          source.sink.lost?.();
        }
        const reported = {
          ...source,
          onReceived: (bytes: number) => statuses?.received(name, bytes),
          onUnreadable: (what: string) => leaveOut(name, what, source.sink),
        };
        return startListWatch({ client, clock, timeouts, pages }, reported, input, sendBack);
      }),
    },
    actions: {
      reportOpened: ({ context }) => {
        const { name, resourceVersion } = context;
        failures.opened(name);
        statuses?.opened(name);
        if (resourceVersion !== undefined && !incomplete.has(name)) sourceOf(name)?.sink.resumed?.();
      },
      reportSynced: ({ context, event }) => {
        const { resourceVersion, objects } = detailsOf(event);
        log.info({ stream: context.name, resourceVersion, objects }, 'stream synced');
        statuses?.synced(context.name, objects);
        // The sink treats the end of a list as complete.
        if (incomplete.has(context.name)) sourceOf(context.name)?.sink.lost?.();
      },
      reportEnded: ({ context, event }) => {
        log.debug({ stream: context.name, cause: detailsOf(event).message }, 'stream ended, resuming');
      },
      reportLost: ({ context, event }) => lost('lost', lossOf(context, event), { isRefused: isRefusal(event) }),
      reportExpired: ({ context, event }) => lost('expired', lossOf(context, event)),
      reportRewound: ({ context, event }) => {
        lost('rewound', lossOf(context, event));
        sourceOf(context.name)?.sink.rewound?.();
        // The position of another stream may have been reached again, and its changes before that would be missed.
        if (listedIn.get(context.name) !== history) return;
        history += 1;
        timeouts.reopenAll();
      },
      reportSilent: ({ context, event }) => {
        lost('silent', lossOf(context, event), { silentMs: detailsOf(event).silentMs });
      },
      reportUnsupported: ({ context, event }) => {
        const cause = detailsOf(event).message;
        log.info({ stream: context.name, cause }, 'WatchList not supported, falling back to paged LIST');
      },
    },
  });
}

const foundByAnother = 'another stream has found that etcd was restored from a backup';

interface Details {
  readonly message?: string;
  readonly resourceVersion?: string | undefined;
  readonly objects?: number;
  readonly error?: unknown;
  readonly kind?: string;
  readonly silentMs?: number | undefined;
}

function isRefusal(event: { readonly type: string } & Details): boolean {
  const { kind } = detailsOf(event);
  return kind === 'forbidden' || kind === 'notFound' || kind === 'missing';
}

/** The payload of the event: of a stream's event, or the error of its crash. */
function detailsOf(event: { readonly type: string } & Details): Details {
  return event;
}

function lossOf(
  context: { readonly name: string; readonly attempts: number; readonly delayMs: number },
  event: { readonly type: string } & Details,
) {
  const { message, error } = detailsOf(event);
  return { stream: context.name, cause: message ?? String(error), attempt: context.attempts, delayMs: context.delayMs };
}
