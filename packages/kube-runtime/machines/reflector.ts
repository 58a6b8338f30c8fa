/**
 * Delivers the complete state and then every change, in the server's order. After a loss it resumes at its position,
 * or, if that is not possible, delivers the complete state again; it never gives up. Does not guarantee that every
 * change is delivered: those before a new complete state are visible only as the difference between the two states. Nor
 * is the state current, least of all while the stream is lost. An object that cannot be read is omitted.
 */

import { assign, enqueueActions, fromCallback, setup } from 'xstate';

/** One list+watch stream. */
interface ReflectorInput {
  /** The key under which the implementation finds the stream's path, selector and sink. */
  readonly name: string;
  /** The source of jitter: a number from 0 up to 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/** The input of the `stream` actor. */
export interface StreamInput {
  readonly name: string;
  /** Where to resume; undefined: read the complete state first. */
  readonly resourceVersion: string | undefined;
  /** Whether the server has to be asked if it knows this position. Default: no. */
  readonly isDoubtful?: boolean;
  /** As in the context. */
  readonly seenVersion?: string | undefined;
  /** How the complete state is read: in the watch itself (WatchList), or in pages. */
  readonly initial: 'stream' | 'pages';
  readonly random: () => number;
}

interface ReflectorContext {
  readonly name: string;
  readonly random: () => number;
  /** The last applied resourceVersion; undefined if the complete state has to be read. */
  readonly resourceVersion: string | undefined;
  /** The server may have gone back to a state before the position, and would then send nothing. */
  readonly isDoubtful: boolean;
  /** The newest position, also after it has expired: a complete state cannot be older. */
  readonly seenVersion: string | undefined;
  /** How often the server went back since it last knew a position. */
  readonly rewinds: number;
  readonly initial: 'stream' | 'pages';
  /** How often the stream was lost since it was last stable. */
  readonly attempts: number;
  /** How many consecutive times the position had expired on the server. */
  readonly expiries: number;
  /** The delay after the last loss, in milliseconds. */
  readonly delayMs: number;
  /** The position of the last garbled line: if a second one occurs at the same position, resuming does not help. */
  readonly garbledAt: string | undefined;
  readonly hasSynced: boolean;
}

/** How a stream ended. */
interface Loss {
  /** Where to resume; undefined: the complete state has to be read. */
  readonly resourceVersion?: string | undefined;
  /** Milliseconds from the response headers to the end; 0 if they never arrived. */
  readonly livedMs?: number;
  /** The reason, for users. */
  readonly message?: string;
  /** The delay that the server requests. */
  readonly retryAfterMs?: number | undefined;
  /** The maximum delay until the next attempt, regardless of the number of attempts. */
  readonly retryWithinMs?: number;
}

export type ReflectorEvent =
  /** The response has begun. */
  | { readonly type: 'stream.opened' }
  /** The complete state was read. */
  | { readonly type: 'stream.synced'; readonly resourceVersion?: string; readonly objects?: number }
  /** The server, or weeder's own rotation of watches, ended the stream normally. */
  | ({ readonly type: 'stream.ended'; readonly isDoubtful?: boolean } & Loss)
  /** The stream was refused or broke. `kind` as in ApiFailure. */
  | ({ readonly type: 'stream.failed'; readonly kind?: string } & Loss)
  /** A line that is not a watch event: the stream resumes and reads it again, once. */
  | ({ readonly type: 'stream.garbled' } & Loss)
  /** 410: the position is too old to resume from. */
  | ({ readonly type: 'stream.expired' } & Loss)
  /** The server knows the position. */
  | { readonly type: 'stream.verified' }
  /** The server is at an older version than the position: etcd was restored from a backup. */
  | ({ readonly type: 'stream.rewound' } & Loss)
  /** Nothing arrived when something had to: a half-open connection. `silentMs`: for how long, if known. */
  | ({ readonly type: 'stream.silent'; readonly silentMs?: number | undefined } & Loss)
  /** The server does not support WatchList. */
  | { readonly type: 'stream.unsupported'; readonly message?: string };

/** Sent to the parent, if there is one, when the complete state was read for the first time. */
interface ReflectorSyncedEvent {
  readonly type: 'reflector.synced';
  readonly name: string;
}

function unprovided(): never {
  throw new Error('The reflector machine was started without its implementation: use the one that src/watch provides.');
}

/** A normal end sooner than this is suspicious, and is followed by a pause. */
const settledMs = 1_000;
/** A stream that lasted this long was stable: earlier failures no longer count. */
const stableMs = 5_000;
const firstDelayMs = 200;
const longestResumeDelayMs = 10_000;
const longestListDelayMs = 30_000;
/** A longer Retry-After is not honoured. */
const longestRetryAfterMs = 300_000;

export const reflector = setup({
  types: {
    context: {} as ReflectorContext,
    events: {} as ReflectorEvent,
    input: {} as Partial<ReflectorInput> | undefined,
  },
  actors: {
    stream: fromCallback<ReflectorEvent, StreamInput>(unprovided),
  },
  actions: {
    recordSynced: assign(({ event }) =>
      event.type === 'stream.synced'
        ? {
            resourceVersion: event.resourceVersion,
            seenVersion: event.resourceVersion,
            isDoubtful: false,
            initial: 'stream' as const,
            hasSynced: true,
          }
        : {},
    ),
    announceFirstSync: enqueueActions(({ context, enqueue, self }) => {
      if (context.hasSynced || self._parent === undefined) return;
      enqueue.sendTo(self._parent, { type: 'reflector.synced', name: context.name } satisfies ReflectorSyncedEvent);
    }),
    recordLoss: assign(({ context, event }) => {
      const { resourceVersion, livedMs, retryAfterMs, retryWithinMs } = lossOf(event);
      const before = livedMs >= stableMs ? { attempts: 0, expiries: 0 } : context;
      const isExpiry = event.type === 'stream.expired';
      const expiries = before.expiries + (isExpiry ? 1 : 0);
      // A server that answers 410 is reachable again: the outage before it does not count.
      const attempts = isExpiry ? expiries : before.attempts + 1;
      const longest = resourceVersion === undefined ? longestListDelayMs : longestResumeDelayMs;
      const delayMs = Math.max(
        Math.min(backoff(attempts, longest, context.random()), retryWithinMs),
        Math.min(retryAfterMs, longestRetryAfterMs),
      );
      const garbledAt = event.type === 'stream.garbled' ? resourceVersion : context.garbledAt;
      const seenVersion = resourceVersion ?? context.seenVersion;
      return { resourceVersion, seenVersion, isDoubtful: true, attempts, expiries, delayMs, garbledAt };
    }),
    recordEnd: assign(({ context, event }) => {
      const { resourceVersion, livedMs } = lossOf(event);
      const isDoubtful = context.isDoubtful || (event.type === 'stream.ended' && event.isDoubtful === true);
      const position = { resourceVersion, seenVersion: resourceVersion ?? context.seenVersion, isDoubtful };
      return livedMs >= stableMs ? { ...position, attempts: 0, expiries: 0 } : position;
    }),
    recordVerified: assign({ isDoubtful: false, rewinds: 0 }),
    recordRewind: assign(({ context }) => {
      const rewinds = context.rewinds + 1;
      return { rewinds, attempts: rewinds, delayMs: backoff(rewinds, longestListDelayMs, context.random()) };
    }),
    forgetPosition: assign({ resourceVersion: undefined, garbledAt: undefined }),
    forgetVersions: assign({ resourceVersion: undefined, seenVersion: undefined, garbledAt: undefined }),
    recordUnsupported: assign({ initial: 'pages' }),
    reportOpened: unprovided,
    reportSynced: unprovided,
    reportEnded: unprovided,
    reportLost: unprovided,
    reportExpired: unprovided,
    reportRewound: unprovided,
    reportSilent: unprovided,
    reportUnsupported: unprovided,
  },
  guards: {
    isResuming: ({ context }) => context.resourceVersion !== undefined,
    hasSettled: ({ event }) => lossOf(event).livedMs >= settledMs,
    isGarbledAgain: ({ context, event }) =>
      event.type === 'stream.garbled' && context.garbledAt !== undefined && context.garbledAt === event.resourceVersion,
    isExpiringAgain: ({ context }) => context.expiries > 1,
    isRewoundAgain: ({ context }) => context.rewinds > 1,
  },
  delays: {
    retryDelay: ({ context }) => context.delayMs,
  },
}).createMachine({
  id: 'reflector',
  description: 'One list+watch stream of the Kubernetes API: reads the complete state, then every change of it.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    name: input?.name ?? 'pods',
    random: input?.random ?? Math.random,
    resourceVersion: undefined,
    isDoubtful: false,
    seenVersion: undefined,
    rewinds: 0,
    initial: 'stream',
    attempts: 0,
    expiries: 0,
    delayMs: 0,
    garbledAt: undefined,
    hasSynced: false,
  }),
  initial: 'connected',
  states: {
    connected: {
      description: 'A request is open, or being opened.',
      invoke: {
        id: 'stream',
        src: 'stream',
        input: ({ context }) => ({
          name: context.name,
          resourceVersion: context.resourceVersion,
          isDoubtful: context.isDoubtful && context.resourceVersion !== undefined,
          seenVersion: context.seenVersion,
          initial: context.initial,
          random: context.random,
        }),
        onError: {
          description: 'The stream failed and its position is unknown, so the complete state is read again.',
          target: 'backingOff',
          actions: ['recordLoss', 'forgetPosition', 'reportLost'],
        },
      },
      initial: 'choosing',
      states: {
        choosing: {
          description: 'Resumes from the last position, if there is one.',
          always: [{ guard: 'isResuming', target: 'watching' }, { target: 'listing' }],
        },
        listing: {
          description: 'Reads the complete state: in the watch itself (WatchList), or page by page.',
          on: {
            'stream.synced': {
              target: 'watching',
              actions: ['announceFirstSync', 'recordSynced', 'reportSynced'],
            },
          },
        },
        watching: {
          description: 'The complete state is known, and every change is received.',
        },
      },
      on: {
        'stream.opened': { actions: ['reportOpened'] },
        'stream.ended': [
          {
            guard: 'hasSettled',
            description: 'A watch ends normally after its timeout: it resumes at once.',
            target: 'connected',
            reenter: true,
            actions: ['recordEnd', 'reportEnded'],
          },
          { target: 'backingOff', actions: ['recordLoss', 'reportLost'] },
        ],
        'stream.failed': { target: 'backingOff', actions: ['recordLoss', 'reportLost'] },
        'stream.garbled': [
          {
            guard: 'isGarbledAgain',
            description:
              'The same position for the second time: resuming does not help, so the complete state is read.',
            target: 'backingOff',
            actions: ['recordLoss', 'forgetPosition', 'reportLost'],
          },
          { target: 'backingOff', actions: ['recordLoss', 'reportLost'] },
        ],
        'stream.verified': { actions: ['recordVerified'] },
        'stream.expired': { target: 'expired', actions: ['recordLoss', 'reportExpired'] },
        'stream.rewound': { target: 'rewound', actions: ['recordRewind', 'reportRewound'] },
        'stream.silent': {
          description: 'The connection is half-open. The transport has been requested to replace it.',
          target: 'backingOff',
          actions: ['recordLoss', 'reportSilent'],
        },
        'stream.unsupported': {
          description: 'The server does not support WatchList, so the complete state is read in pages.',
          target: 'connected',
          reenter: true,
          actions: ['forgetPosition', 'recordUnsupported', 'reportUnsupported'],
        },
      },
    },
    backingOff: {
      description: 'Waits longer after each loss, and as long as the server requests, and then resumes.',
      after: { retryDelay: { target: 'connected' } },
    },
    expired: {
      description: 'The server no longer has the changes since the position, so the complete state is read.',
      entry: ['forgetPosition'],
      always: [{ guard: 'isExpiringAgain', target: 'backingOff' }, { target: 'connected' }],
    },
    rewound: {
      description: 'The server went back to a state before the position, so the complete state is read.',
      entry: ['forgetVersions'],
      always: [{ guard: 'isRewoundAgain', target: 'backingOff' }, { target: 'connected' }],
    },
  },
});

/** The complete payload of a loss: events may lack one (a visualizer sends bare types). */
function lossOf({
  resourceVersion,
  livedMs = 0,
  retryAfterMs = 0,
  retryWithinMs = Number.POSITIVE_INFINITY,
}: Loss & { readonly type: string }) {
  return { resourceVersion, livedMs, retryAfterMs, retryWithinMs };
}

/** Milliseconds: doubled with each attempt, with a jitter of one half. */
function backoff(attempts: number, longest: number, random: number): number {
  return Math.min(longest, firstDelayMs * 2 ** Math.min(attempts - 1, 16)) * (0.5 + random / 2);
}
