/**
 * Sends one DELETE (or eviction) at a time, and none for a pod that is observed to have recovered or that no window
 * requests. The API server accepts at most one, because its preconditions are the uid and the newest known
 * resourceVersion. Does not guarantee that the container still waits when the pod is deleted: the status of a pod lags
 * behind its kubelet. Nor does an abandoned deletion mean that the pod was not deleted: a response may have been lost.
 */

import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/**
 * Why a pod is never deleted, whatever happens. `jobWithoutRestarts`: a deletion would be a failure of its Job, which has
 * `restartPolicy: Never` and may allow none, while its container restarts by rules of its own.
 */
export type Protection = 'none' | 'barePod' | 'mirrorPod' | 'ignored' | 'jobWithoutRestarts';

/**
 * Why a deletion that is possible waits. `coolingDown`: the pod replaces one that was deleted recently;
 * `restartIsSooner`: the kubelet restarts the container before a replacement of the pod could run;
 * `dependencyNotReady`: another service on which the pod depends is down; `maintenance`: no maintenance window of the
 * service is open.
 */
export type WaitReason = 'coolingDown' | 'restartIsSooner' | 'dependencyNotReady' | 'maintenance';

/**
 * Why a window no longer requests the deletion of a pod. `reconfigured`: the config has changed; `stopped`: weeder stops,
 * and the next weeder continues the window.
 */
export type WithdrawalReason = 'over' | 'reconfigured' | 'held' | 'stopped';

/** Why the deletion of a pod is no longer requested. `protected`: it is never deleted now. */
export type EndOfRequest = WithdrawalReason | 'protected';

/**
 * The newest state of a crash-looping pod, and of the request to delete it, as far as the decision needs them. Times are
 * milliseconds by the clock `now`.
 */
export interface PodState {
  readonly resourceVersion: string;
  /** Since when the container is in a back-off that its status does not report. Undefined: the status reports it. */
  readonly unreportedSince: number | undefined;
  /** The pod replaces one that was deleted recently: until when the deletion waits. 0: it does not. */
  readonly pausedUntil: number;
  /** No maintenance window is open: when the next one opens. 0: one is, or none is configured. */
  readonly maintenanceFrom: number;
  /**
   * The times between which the kubelet restarts the container sooner than a replacement could run, so that a deletion
   * costs more than it saves. Undefined: it is not known when the kubelet does.
   */
  readonly restart: { readonly from: number; readonly until: number } | undefined;
  /** Another service on which the pod depends, and which is down: `namespace/name`. */
  readonly heldBy: string | undefined;
  /** When the window closes that requests the deletion. */
  readonly closesAt: number;
  /** How many lines of the crashed container's log are read before the deletion; 0: none. */
  readonly logLines: number;
}

export interface PodDeletionInput extends PodState {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** A clock that is never set. Milliseconds. */
  readonly now: () => number;
}

interface PodDeletionContext extends PodDeletionInput {
  /** The resourceVersion that is the precondition of the attempt in flight. */
  readonly triedVersion: string;
  readonly hasTriedLog: boolean;
  /** The number of attempts that were not accepted. */
  readonly failures: number;
  /** Milliseconds until the next attempt. */
  readonly retryIn: number;
  /** The state of the pod, as observed while an attempt was in flight. */
  readonly observed: 'crashLooping' | 'recovered' | 'removed';
  /** Why no window requests the deletion any more. Undefined: one does. */
  readonly withdrawnBecause: EndOfRequest | undefined;
}

export type PodDeletionEvent =
  | ({ readonly type: 'pod.crashLooping' } & Partial<PodState>)
  /** The pod exists, and no longer crash-loops. */
  | { readonly type: 'pod.recovered' }
  /** The pod was deleted or is terminating, or the selector no longer selects it. */
  | { readonly type: 'pod.removed' }
  /** A window requests the deletion again, while an attempt of the one before is in flight. */
  | { readonly type: 'deletion.requested' }
  /** No open window requests the deletion any more. */
  | { readonly type: 'deletion.withdrawn'; readonly because?: EndOfRequest }
  /** The log has been read, or cannot be read. */
  | { readonly type: 'log.read' }
  /**
   * The turn has come, with the newest state. `isWanted: false`: no window requests the deletion. `isOutOfTurn`: another
   * window does than the one that waited, and it has a pace.
   */
  | ({ readonly type: 'slot.granted'; readonly isWanted?: boolean; readonly isOutOfTurn?: boolean } & Partial<PodState>)
  | { readonly type: 'delete.accepted' }
  /** 404. */
  | { readonly type: 'delete.notFound' }
  /** 409: the pod is not in the state of the precondition. `jitter` is random, from 0 to 1. */
  | { readonly type: 'delete.conflicted'; readonly jitter?: number }
  /** Recoverable. `retryAfter`, in milliseconds, is the minimum delay that the server requests. */
  | {
      readonly type: 'delete.failed';
      readonly jitter?: number;
      readonly retryAfter?: number;
      readonly reason?: string;
      /** The class of the error. */
      readonly failure?: string;
    }
  /** Unrecoverable: the same request would always be refused. */
  | { readonly type: 'delete.rejected'; readonly reason?: string };

/**
 * A kubelet restarts a container at once if no back-off is due; a container that is still down after this time is in
 * one, even if its status does not report it. Milliseconds.
 */
const unreportedAfter = 2000;
/** The maximum time for which a deletion waits for the log of the container. Milliseconds. */
const longestRead = 500;
const shortestRetry = 200;
const longestRetry = 10_000;
const longestDelay = 2 ** 31 - 1;
const fiveMinutes = 300_000;

function unprovided(): never {
  throw new Error(
    'The podDeletion machine was started without its implementation: use the one that src/weeder provides.',
  );
}

export const podDeletion = setup({
  types: {
    context: {} as PodDeletionContext,
    events: {} as PodDeletionEvent,
    input: {} as Partial<PodDeletionInput> | undefined,
  },
  actors: {
    readLog: fromCallback<AnyEventObject, PodDeletionInput>(unprovided),
    deletePod: fromCallback<AnyEventObject, PodDeletionInput>(unprovided),
  },
  actions: {
    recordNewestState: assign(({ context, event }) =>
      isState(event) ? { ...stateFrom(event, context), observed: 'crashLooping' as const } : {},
    ),
    recordTry: assign({ triedVersion: ({ context }) => context.resourceVersion }),
    recordFailure: assign(({ context, event }) => ({
      failures: context.failures + 1,
      retryIn: retryDelay(context.failures, event),
    })),
    /** A newer version of the pod in the same back-off does not begin the 2 seconds again. */
    recordSettled: assign({ unreportedSince: undefined }),
    recordLogTried: assign({ hasTriedLog: true }),
    recordRecovered: assign({ observed: 'recovered' }),
    recordRemoved: assign({ observed: 'removed' }),
    recordWithdrawn: assign({
      withdrawnBecause: ({ event }) => (event.type === 'deletion.withdrawn' ? (event.because ?? 'over') : undefined),
    }),
    recordRequested: assign({ withdrawnBecause: undefined }),
    /** The implementation sends `slot.granted`, at once or later, and releases the slot at the end of the attempt. */
    requestSlot: unprovided,
    reportDeleted: unprovided,
    reportRecovered: unprovided,
    reportRemoved: unprovided,
    reportPending: unprovided,
    reportSkipped: unprovided,
    reportFailed: unprovided,
    reportAbandoned: unprovided,
  },
  guards: {
    isHeld: ({ context }) => delayOf(context, context.now())?.reason === 'dependencyNotReady',
    isSettling: ({ context }) => delayOf(context, context.now())?.reason === 'settling',
    isPending: ({ context }) => delayOf(context, context.now()) !== undefined,
    canKeepItsPlace: ({ context, event }) =>
      isState(event) && delayOf(stateFrom(event, context), context.now()) === undefined,
    isOutOfTurn: ({ event }) => event.type === 'slot.granted' && event.isOutOfTurn === true,
    isOver: ({ context, event }) =>
      event.type === 'slot.granted' && (event.isWanted === false || stateFrom(event, context).closesAt < context.now()),
    isLogWanted: ({ context: { logLines, hasTriedLog, closesAt, now } }) =>
      logLines > 0 && !hasTriedLog && now() + longestRead < closesAt,
    isUntried: ({ context }) => context.failures === 0,
    hasRecovered: ({ context }) => context.observed === 'recovered',
    wasRemoved: ({ context }) => context.observed === 'removed',
    isWithdrawn: ({ context }) => context.withdrawnBecause !== undefined,
    isOfTriedVersion: ({ context, event }) =>
      event.type === 'pod.crashLooping' && event.resourceVersion === context.triedVersion,
    hasNewerState: ({ context }) => context.resourceVersion !== context.triedVersion,
  },
  delays: {
    settleTime: ({ context }) => delayUntil((context.unreportedSince ?? 0) + unreportedAfter, context),
    waitTime: ({ context }) => delayUntil(dueAt(context, context.now()), context),
    logTimeout: longestRead,
    retryDelay: ({ context }) => Math.min(Math.max(0, context.retryIn), longestDelay),
  },
}).createMachine({
  id: 'podDeletion',
  description:
    'One crash-looping pod whose deletion an open window requests, from its first observation to the outcome.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    uid: '',
    namespace: 'default',
    name: 'pod',
    resourceVersion: '',
    unreportedSince: undefined,
    pausedUntil: 0,
    maintenanceFrom: 0,
    restart: undefined,
    heldBy: undefined,
    closesAt: fiveMinutes,
    logLines: 0,
    now: () => 0,
    ...input,
    triedVersion: '',
    hasTriedLog: false,
    failures: 0,
    retryIn: shortestRetry,
    observed: 'crashLooping',
    withdrawnBecause: undefined,
  }),
  initial: 'deciding',
  states: {
    deciding: {
      description: 'Decides by the newest state whether the deletion is due now, or has to wait.',
      always: [
        { guard: 'isHeld', target: 'waiting.held' },
        { guard: 'isSettling', target: 'waiting.settling' },
        { guard: 'isPending', target: 'waiting.coolingDown' },
        { guard: 'isLogWanted', target: 'readingLog' },
        { target: 'attempting' },
      ],
    },
    waiting: {
      description: 'No deletion is due. Each newer state of the pod is decided at once.',
      on: {
        'pod.crashLooping': { target: 'deciding', actions: 'recordNewestState' },
        'pod.recovered': { target: 'recovered' },
        'pod.removed': { target: 'removed' },
        'deletion.withdrawn': [
          {
            guard: 'isUntried',
            target: 'skipped',
            actions: 'recordWithdrawn',
            description: 'No deletion was due, and none was tried.',
          },
          { target: 'abandoned', actions: 'recordWithdrawn' },
        ],
      },
      initial: 'settling',
      states: {
        settling: {
          description:
            'A container that has terminated may be restarted at once: only after 2 s without a restart is it in ' +
            'unreported back-off.',
          after: { settleTime: { target: '#podDeletion.deciding', actions: 'recordSettled' } },
        },
        coolingDown: {
          description:
            'The pod replaces one that was deleted recently, the kubelet restarts its container sooner than a ' +
            'replacement could run, or no maintenance window is open.',
          entry: 'reportPending',
          after: { waitTime: { target: '#podDeletion.deciding' } },
        },
        held: {
          description:
            'Another service on which the pod depends is down: a pod that starts now would crash again. The ' +
            'deletion is decided again when that service recovers.',
          entry: 'reportPending',
        },
        over: {
          description: 'The window is over, but its timer is late, such as after the process was suspended.',
          on: { 'deletion.withdrawn': { target: '#podDeletion.abandoned', actions: 'recordWithdrawn' } },
        },
      },
    },
    readingLog: {
      description:
        'Reads the end of the log of the crashed container, once and for 500 ms at most. The deletion follows in any ' +
        'case. No slot is held, so that no other deletion waits.',
      entry: 'recordLogTried',
      invoke: {
        id: 'readLog',
        src: 'readLog',
        input: ({ context }) => context,
        onError: { target: 'attempting' },
      },
      after: { logTimeout: { target: 'attempting' } },
      on: {
        'log.read': { target: 'attempting' },
        'pod.crashLooping': [
          { guard: 'canKeepItsPlace', actions: 'recordNewestState' },
          { target: 'deciding', actions: 'recordNewestState' },
        ],
        'pod.recovered': { target: 'recovered' },
        'pod.removed': { target: 'removed' },
        'deletion.withdrawn': { target: 'abandoned', actions: 'recordWithdrawn' },
      },
    },
    attempting: {
      description: 'One attempt: it requests a slot, and holds it until its end.',
      entry: 'requestSlot',
      initial: 'queued',
      states: {
        queued: {
          description: 'Waits for a slot, first come, first served. At its turn the newest state decides.',
          on: {
            'slot.granted': [
              { guard: 'isOver', target: '#podDeletion.waiting.over', actions: 'recordNewestState' },
              { guard: 'isOutOfTurn', target: '#podDeletion.deciding', actions: 'recordNewestState' },
              { guard: 'canKeepItsPlace', target: 'deleting', actions: 'recordNewestState' },
              { target: '#podDeletion.deciding', actions: 'recordNewestState' },
            ],
            'pod.crashLooping': [
              { guard: 'canKeepItsPlace', actions: 'recordNewestState' },
              { target: '#podDeletion.deciding', actions: 'recordNewestState' },
            ],
            'pod.recovered': { target: '#podDeletion.recovered' },
            'pod.removed': { target: '#podDeletion.removed' },
            'deletion.withdrawn': { target: '#podDeletion.abandoned', actions: 'recordWithdrawn' },
          },
        },
        deleting: {
          description:
            'One DELETE (or eviction) is in flight. Its preconditions are uid and resourceVersion, so that neither a ' +
            'replacement nor a pod that has just recovered is deleted.',
          entry: 'recordTry',
          invoke: {
            id: 'deletePod',
            src: 'deletePod',
            input: ({ context }) => context,
            onError: { target: '#podDeletion.backingOff', actions: ['recordFailure', 'reportFailed'] },
          },
          on: {
            'delete.accepted': { target: '#podDeletion.deleted' },
            'delete.notFound': { target: '#podDeletion.removed' },
            'delete.conflicted': { target: '#podDeletion.conflicted', actions: 'recordFailure' },
            'delete.failed': { target: '#podDeletion.backingOff', actions: ['recordFailure', 'reportFailed'] },
            'delete.rejected': [
              { guard: 'hasRecovered', target: '#podDeletion.recovered' },
              { guard: 'wasRemoved', target: '#podDeletion.removed' },
              { target: '#podDeletion.abandoned' },
            ],
            'pod.crashLooping': { actions: 'recordNewestState' },
            'pod.recovered': { actions: 'recordRecovered' },
            'pod.removed': { actions: 'recordRemoved' },
            'deletion.withdrawn': { actions: 'recordWithdrawn' },
            'deletion.requested': { actions: 'recordRequested' },
          },
        },
      },
    },
    conflicted: {
      description: 'The API server has a newer state than the precondition. The decision waits for it.',
      always: [
        { guard: 'hasRecovered', target: 'recovered' },
        { guard: 'wasRemoved', target: 'removed' },
        { guard: 'isWithdrawn', target: 'abandoned' },
        { guard: 'hasNewerState', target: 'deciding' },
      ],
      after: { retryDelay: { target: 'deciding', description: 'No newer state was observed: retry.' } },
      on: {
        'pod.crashLooping': [
          { guard: 'isOfTriedVersion', actions: 'recordNewestState' },
          { target: 'deciding', actions: 'recordNewestState' },
        ],
        'pod.recovered': { target: 'recovered' },
        'pod.removed': { target: 'removed' },
        'deletion.withdrawn': { target: 'abandoned', actions: 'recordWithdrawn' },
      },
    },
    backingOff: {
      description:
        'A recoverable refusal (network, 429, 5xx, 401, 403, 422): retried after a pause that grows from 200 ms to ' +
        '10 s, or as long as the server requested.',
      always: [
        { guard: 'hasRecovered', target: 'recovered' },
        { guard: 'wasRemoved', target: 'removed' },
        { guard: 'isWithdrawn', target: 'abandoned' },
      ],
      after: { retryDelay: { target: 'deciding' } },
      on: {
        'pod.crashLooping': { actions: 'recordNewestState' },
        'pod.recovered': { target: 'recovered' },
        'pod.removed': { target: 'removed' },
        'deletion.withdrawn': { target: 'abandoned', actions: 'recordWithdrawn' },
      },
    },
    deleted: {
      type: 'final',
      description: 'The API server accepted the deletion. The controller of the pod creates a replacement.',
      entry: 'reportDeleted',
    },
    recovered: {
      type: 'final',
      description: 'The pod no longer crash-loops: the kubelet has restarted the container.',
      entry: 'reportRecovered',
    },
    removed: {
      type: 'final',
      description: 'Another client deleted the pod, or the selector no longer selects it.',
      entry: 'reportRemoved',
    },
    skipped: {
      type: 'final',
      description: 'The window closed before a deletion was due: none was tried.',
      entry: 'reportSkipped',
    },
    abandoned: {
      type: 'final',
      description: 'The window closed before a deletion succeeded, or the API server never accepts it.',
      entry: 'reportAbandoned',
    },
  },
});

function isState(event: PodDeletionEvent): event is Extract<PodDeletionEvent, Partial<PodState>> {
  return event.type === 'pod.crashLooping' || event.type === 'slot.granted';
}

/** The state that the event has. A field that it lacks has its default. */
function stateFrom(event: Partial<PodState>, { resourceVersion, closesAt }: PodState): PodState {
  return {
    resourceVersion: event.resourceVersion ?? resourceVersion,
    unreportedSince: event.unreportedSince,
    pausedUntil: event.pausedUntil ?? 0,
    maintenanceFrom: event.maintenanceFrom ?? 0,
    restart: event.restart,
    heldBy: event.heldBy,
    closesAt: event.closesAt ?? closesAt,
    logLines: event.logLines ?? 0,
  };
}

/** When the deletion is worth more than it costs, as seen at the time `now`. */
function dueAt({ pausedUntil, maintenanceFrom, restart }: PodState, now: number): number {
  const isSooner = restart !== undefined && restart.from <= now && now < restart.until;
  return Math.max(pausedUntil, maintenanceFrom, isSooner ? restart.until : 0);
}

/** Why a deletion is not due, and when it is. */
interface Delay<Reason> {
  readonly reason: Reason;
  /** Milliseconds by the clock of the state. */
  readonly until: number;
}

/** Why no deletion is attempted now, and when it is decided again; undefined: it is due. */
export function delayOf(state: PodState, now: number): Delay<WaitReason | 'settling'> | undefined {
  const settledAt = (state.unreportedSince ?? Number.NEGATIVE_INFINITY) + unreportedAfter;
  const isSettling = state.heldBy === undefined && settledAt > now;
  return isSettling ? { reason: 'settling', until: settledAt } : waitOf(state, now);
}

/** The same for a container whose back-off is certain. */
export function waitOf(state: PodState, now: number): Delay<WaitReason> | undefined {
  if (state.heldBy !== undefined) return { reason: 'dependencyNotReady', until: state.closesAt };
  const until = dueAt(state, now);
  if (until <= now) return undefined;
  if (until === state.maintenanceFrom) return { reason: 'maintenance', until };
  return { reason: until === state.pausedUntil ? 'coolingDown' : 'restartIsSooner', until };
}

function delayUntil(time: number, { now }: PodDeletionContext): number {
  return Math.min(Math.max(0, time - now()), longestDelay);
}

/** Doubles from 200 ms to 10 s, less a random part of up to one half; at least the delay that the server requests. */
function retryDelay(failures: number, event: PodDeletionEvent): number {
  const jitter = 'jitter' in event ? (event.jitter ?? 1) : 1;
  const retryAfter = 'retryAfter' in event ? (event.retryAfter ?? 0) : 0;
  const ceiling = Math.min(longestRetry, shortestRetry * 2 ** Math.min(failures, 16));
  return Math.max(retryAfter, ceiling * (0.5 + 0.5 * jitter));
}
