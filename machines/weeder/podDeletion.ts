import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/** Why a pod is never deleted, whatever happens. */
export type Protection = 'none' | 'barePod' | 'mirrorPod' | 'ignored';

/**
 * Why a deletion that is possible waits. `coolingDown`: the pod replaces one that was deleted in this window;
 * `restartIsSooner`: the kubelet restarts the container before a replacement of the pod could run.
 */
export type WaitReason = 'coolingDown' | 'restartIsSooner';

/** The newest state of a crash-looping pod, as far as the decision needs it. */
export interface PodState {
  readonly resourceVersion: string;
  /** Milliseconds until a silent back-off counts as one; 0 when it counts already. */
  readonly settleIn: number;
  readonly protection: Protection;
  /** Milliseconds until it is worth deciding again whether to delete the pod; 0 when a deletion is due. */
  readonly waitIn: number;
  readonly waitReason: WaitReason | undefined;
}

export interface PodDeletionInput extends PodState {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** How many lines of the crashed container's log are read before the deletion; 0: none. */
  readonly logLines: number;
}

interface PodDeletionContext extends PodDeletionInput {
  /** The resourceVersion that is the precondition of the attempt in flight. */
  readonly triedVersion: string;
  readonly hasTriedLog: boolean;
  /** The number of refused attempts. */
  readonly refusals: number;
  /** Milliseconds until the next attempt. */
  readonly retryIn: number;
  /** The state of the pod, as observed while an attempt was in flight. */
  readonly observed: 'crashLooping' | 'recovered' | 'removed';
  /** No window requests the deletion any more. */
  readonly isCancelled: boolean;
}

export type PodDeletionEvent =
  | ({ readonly type: 'pod.crashLooping' } & Partial<PodState>)
  /** The pod exists, and no longer crash-loops. */
  | { readonly type: 'pod.recovered' }
  /** The pod was deleted or is terminating, or the selector no longer selects it. */
  | { readonly type: 'pod.removed' }
  /** A window requests the deletion (again). */
  | { readonly type: 'windows.open' }
  /** No open window requests the deletion any more. */
  | { readonly type: 'windows.closed' }
  /** The log has been read, or cannot be read. */
  | { readonly type: 'log.read' }
  | { readonly type: 'slot.granted' }
  | { readonly type: 'delete.accepted' }
  /** 404. */
  | { readonly type: 'delete.notFound' }
  /** 409: the pod is not in the state of the precondition. `jitter` is random, from 0 to 1. */
  | { readonly type: 'delete.conflicted'; readonly jitter?: number }
  /** Recoverable. `retryAfter`, in milliseconds, is the minimum delay that the server requests. */
  | {
      readonly type: 'delete.refused';
      readonly jitter?: number;
      readonly retryAfter?: number;
      readonly reason?: string;
      /** The class of the error. */
      readonly failure?: string;
    }
  /** Unrecoverable: the same request would always be refused. */
  | { readonly type: 'delete.rejected'; readonly reason?: string };

const shortestRetry = 200;
const longestRetry = 10_000;
const longestDelay = 2 ** 31 - 1;

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
    noteNewestState: assign(({ context, event }) =>
      event.type === 'pod.crashLooping'
        ? {
            resourceVersion: event.resourceVersion ?? context.resourceVersion,
            settleIn: event.settleIn ?? 0,
            protection: event.protection ?? 'none',
            waitIn: event.waitIn ?? 0,
            waitReason: event.waitReason,
            observed: 'crashLooping' as const,
          }
        : {},
    ),
    noteTry: assign({ triedVersion: ({ context }) => context.resourceVersion }),
    noteRefusal: assign(({ context, event }) => ({
      refusals: context.refusals + 1,
      retryIn: retryDelay(context.refusals, event),
    })),
    noteSettled: assign({ settleIn: 0 }),
    /** The implementation reads the current wait. */
    measureWait: assign({}),
    /** The implementation reads the config, and how long the windows are still open. */
    noteLogLines: assign({}),
    noteLogTried: assign({ hasTriedLog: true }),
    noteRecovered: assign({ observed: 'recovered' }),
    noteRemoved: assign({ observed: 'removed' }),
    noteCancelled: assign({ isCancelled: true }),
    noteRequested: assign({ isCancelled: false }),
    /** The implementation sends `slot.granted`, at once or later, and releases the slot at the end of the attempt. */
    requestSlot: unprovided,
    reportProtected: unprovided,
    reportDeleted: unprovided,
    reportRecovered: unprovided,
    reportRemoved: unprovided,
    reportPending: unprovided,
    reportSkipped: unprovided,
    reportRefused: unprovided,
    reportAbandoned: unprovided,
  },
  guards: {
    isProtected: ({ context }) => context.protection !== 'none',
    isSettling: ({ context }) => context.settleIn > 0,
    canKeepItsPlace: ({ event }) =>
      event.type === 'pod.crashLooping' &&
      (event.settleIn ?? 0) <= 0 &&
      (event.waitIn ?? 0) <= 0 &&
      (event.protection ?? 'none') === 'none',
    isPending: ({ context }) => context.waitIn > 0,
    isLogWanted: ({ context }) => context.logLines > 0 && !context.hasTriedLog,
    isUntried: ({ context }) => context.refusals === 0,
    hasRecovered: ({ context }) => context.observed === 'recovered',
    wasRemoved: ({ context }) => context.observed === 'removed',
    isCancelled: ({ context }) => context.isCancelled,
    hasNewerState: ({ context }) => context.resourceVersion !== context.triedVersion,
  },
  delays: {
    settleTime: ({ context }) => Math.min(Math.max(0, context.settleIn), longestDelay),
    waitTime: ({ context }) => Math.min(Math.max(0, context.waitIn), longestDelay),
    logTimeout: 500,
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
    settleIn: 0,
    protection: 'none',
    waitIn: 0,
    waitReason: undefined,
    logLines: 0,
    ...input,
    triedVersion: '',
    hasTriedLog: false,
    refusals: 0,
    retryIn: shortestRetry,
    observed: 'crashLooping',
    isCancelled: false,
  }),
  initial: 'deciding',
  states: {
    deciding: {
      description: 'Decides by the newest state whether the deletion is due now, or has to wait.',
      entry: ['measureWait', 'noteLogLines'],
      always: [
        { guard: 'isProtected', target: 'protected' },
        { guard: 'isSettling', target: 'settling' },
        { guard: 'isPending', target: 'coolingDown' },
        { guard: 'isLogWanted', target: 'readingLog' },
        { target: 'attempting' },
      ],
    },
    settling: {
      description:
        'A container that has terminated may be restarted at once: only after 2 s without a restart is it in ' +
        'unreported back-off.',
      after: { settleTime: { target: 'deciding', actions: 'noteSettled' } },
      on: {
        'pod.crashLooping': { target: 'deciding', actions: 'noteNewestState' },
        'pod.recovered': { target: 'recovered' },
        'pod.removed': { target: 'removed' },
        'windows.closed': [
          { guard: 'isUntried', target: 'skipped', description: 'No deletion was due, and none was tried.' },
          { target: 'abandoned' },
        ],
      },
    },
    coolingDown: {
      description:
        'The pod replaces one that was deleted in this window, or the kubelet restarts its container sooner than a ' +
        'replacement could run: the deletion waits, and is decided again after that.',
      entry: 'reportPending',
      after: { waitTime: { target: 'deciding' } },
      on: {
        'pod.crashLooping': { target: 'deciding', actions: 'noteNewestState' },
        'pod.recovered': { target: 'recovered' },
        'pod.removed': { target: 'removed' },
        'windows.closed': [{ guard: 'isUntried', target: 'skipped' }, { target: 'abandoned' }],
      },
    },
    readingLog: {
      description:
        'Reads the end of the log of the crashed container, once and for 500 ms at most. The deletion follows in any ' +
        'case. No slot is held, so that no other deletion waits.',
      entry: 'noteLogTried',
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
          { guard: 'canKeepItsPlace', actions: 'noteNewestState' },
          { target: 'deciding', actions: 'noteNewestState' },
        ],
        'pod.recovered': { target: 'recovered' },
        'pod.removed': { target: 'removed' },
        'windows.closed': { target: 'abandoned' },
      },
    },
    attempting: {
      description: 'One attempt: it requests a slot, and holds it until its end.',
      entry: 'requestSlot',
      initial: 'queued',
      states: {
        queued: {
          description: 'Waits for a slot, first come, first served.',
          on: {
            'slot.granted': { target: 'deleting' },
            'pod.crashLooping': [
              { guard: 'canKeepItsPlace', actions: 'noteNewestState' },
              { target: '#podDeletion.deciding', actions: 'noteNewestState' },
            ],
            'pod.recovered': { target: '#podDeletion.recovered' },
            'pod.removed': { target: '#podDeletion.removed' },
            'windows.closed': { target: '#podDeletion.abandoned' },
          },
        },
        deleting: {
          description:
            'One DELETE (or eviction) is in flight. Its preconditions are uid and resourceVersion, so that neither a ' +
            'replacement nor a pod that has just recovered is deleted.',
          entry: 'noteTry',
          invoke: {
            id: 'deletePod',
            src: 'deletePod',
            input: ({ context }) => context,
            onError: { target: '#podDeletion.backingOff', actions: ['noteRefusal', 'reportRefused'] },
          },
          on: {
            'delete.accepted': { target: '#podDeletion.deleted' },
            'delete.notFound': { target: '#podDeletion.removed' },
            'delete.conflicted': { target: '#podDeletion.conflicted', actions: 'noteRefusal' },
            'delete.refused': { target: '#podDeletion.backingOff', actions: ['noteRefusal', 'reportRefused'] },
            'delete.rejected': { target: '#podDeletion.abandoned' },
            'pod.crashLooping': { actions: 'noteNewestState' },
            'pod.recovered': { actions: 'noteRecovered' },
            'pod.removed': { actions: 'noteRemoved' },
            'windows.closed': { actions: 'noteCancelled' },
            'windows.open': { actions: 'noteRequested' },
          },
        },
      },
    },
    conflicted: {
      description: 'The API server has a newer state than the precondition. The decision waits for it.',
      always: [
        { guard: 'hasRecovered', target: 'recovered' },
        { guard: 'wasRemoved', target: 'removed' },
        { guard: 'isCancelled', target: 'abandoned' },
        { guard: 'hasNewerState', target: 'deciding' },
      ],
      after: { retryDelay: { target: 'deciding', description: 'No newer state was observed: retry.' } },
      on: {
        'pod.crashLooping': { target: 'deciding', actions: 'noteNewestState' },
        'pod.recovered': { target: 'recovered' },
        'pod.removed': { target: 'removed' },
        'windows.closed': { target: 'abandoned' },
      },
    },
    backingOff: {
      description:
        'A recoverable refusal (network, 429, 5xx, 401, 403, 422): retried after a pause that grows from 200 ms to ' +
        '10 s, or as long as the server requested.',
      always: [
        { guard: 'hasRecovered', target: 'recovered' },
        { guard: 'wasRemoved', target: 'removed' },
        { guard: 'isCancelled', target: 'abandoned' },
      ],
      after: { retryDelay: { target: 'deciding' } },
      on: {
        'pod.crashLooping': { actions: 'noteNewestState' },
        'pod.recovered': { target: 'recovered' },
        'pod.removed': { target: 'removed' },
        'windows.closed': { target: 'abandoned' },
      },
    },
    protected: {
      description:
        'Never deleted: the pod has no controller, is a mirror pod, or has the annotation weeder.dev/ignore.',
      entry: 'reportProtected',
      on: {
        'pod.crashLooping': { target: 'deciding', actions: 'noteNewestState' },
        'pod.recovered': { target: 'recovered' },
        'pod.removed': { target: 'removed' },
        'windows.open': {
          actions: 'reportProtected',
          description: 'Reports to one more window that the pod is protected.',
        },
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
      description: 'The windows closed before a deletion was due: none was tried.',
      entry: 'reportSkipped',
    },
    abandoned: {
      type: 'final',
      description: 'The windows closed before a deletion succeeded, or the API server never accepts it.',
      entry: 'reportAbandoned',
    },
  },
});

/** Doubles from 200 ms to 10 s, less a random part of up to one half; at least the delay that the server requests. */
function retryDelay(refusals: number, event: PodDeletionEvent): number {
  const jitter = 'jitter' in event ? (event.jitter ?? 1) : 1;
  const retryAfter = 'retryAfter' in event ? (event.retryAfter ?? 0) : 0;
  const ceiling = Math.min(longestRetry, shortestRetry * 2 ** Math.min(refusals, 16));
  return Math.max(retryAfter, ceiling * (0.5 + 0.5 * jitter));
}
