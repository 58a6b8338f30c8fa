import {
  type AnyEventObject,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  fromCallback,
  raise,
  setup,
} from 'xstate';

/** One restart of a workload, from its slot to the end of its rollout. Durations are milliseconds. */
export interface RolloutInput {
  /** Such as `deployment/shop/web`. */
  readonly workload: string;
  /** The longest time that the pods may take. */
  readonly progressDeadline: number;
  /** `rolling` and `restoring`: the restart has begun already. */
  readonly beginsAt: 'waiting' | 'rolling' | 'restoring';
  /** A newer change no longer delays the restart. */
  readonly isOverdue: boolean;
  /** The rollout of the stored target was followed until it stalled. */
  readonly hasStalled: boolean;
  /** The stalled rollout was reported, so it is not reported again. */
  readonly isStallReported: boolean;
  /**
   * The first change that has not been handled, by the monotonic clock. The workload that has waited longest is next,
   * so a workload that is assessed again does not lose its place in the queue.
   */
  readonly changedSince: number | undefined;
}

/** The input that an effect is started with. */
export interface RolloutEffectInput
  extends Pick<RolloutInput, 'workload' | 'hasStalled' | 'isStallReported' | 'changedSince'> {
  /** The restart has begun already: it counts as an active rollout, and takes nothing from the restart rate. */
  readonly isUnderWay: boolean;
}

/** `jitter` is random, from 0 to 1; `retryAfter` is the delay that the server requested, in milliseconds. */
interface Refused {
  readonly jitter?: number;
  readonly retryAfter?: number;
  readonly reason?: string;
  /** The class of the refusal. */
  readonly failure?: string;
}

/** The result of a request that was not accepted, whichever it was. */
export type EffectFailed =
  | ({ readonly type: 'effect.refused' } & Refused)
  /** 409: another client has changed the workload. */
  | ({ readonly type: 'effect.conflicted' } & Refused)
  /** The workload was deleted. */
  | { readonly type: 'workload.deleted' };

/** What is observed of a rollout. */
export type RolloutObserved =
  | { readonly type: 'rollout.complete' }
  /** The rollout makes no progress, or a pod cannot start. */
  | { readonly type: 'rollout.stalled'; readonly reason?: string }
  /** The rollout waits for a user: to delete pods (OnDelete), or to resume a paused Deployment. */
  | { readonly type: 'rollout.suspended'; readonly reason?: string }
  /** Another client restored the template, and the old pods are running. */
  | { readonly type: 'rollout.reverted' }
  /** All pods were to terminate before new ones start, and none is left. */
  | { readonly type: 'rollout.emptied' };

export type RolloutEvent =
  | EffectFailed
  | RolloutObserved
  /** A source, the template or an annotation has changed. */
  | { readonly type: 'workload.changed' }
  | { readonly type: 'config.changed'; readonly progressDeadline?: number }
  | { readonly type: 'slot.granted' }
  /** Why the workload has no slot yet. */
  | { readonly type: 'slot.pending'; readonly reason?: string }
  /** The workload must not be restarted: for `blockedFor` milliseconds, or, without it, until something changes. */
  | { readonly type: 'slot.blocked'; readonly reason?: string; readonly blockedFor?: number }
  /** At least one container runs with old content. */
  | { readonly type: 'verified.outdated' }
  /** No container runs with old content. */
  | { readonly type: 'verified.current' }
  /** A restart would not help. */
  | { readonly type: 'verified.blocked'; readonly reason?: string; readonly blockedFor?: number }
  | { readonly type: 'restart.accepted' }
  /** The workload may start pods again. */
  | { readonly type: 'restore.done' };

/** How the restart ended: the event that the `workload` machine answers. */
export type RolloutEnd =
  | EffectFailed
  | Exclude<RolloutObserved, { type: 'rollout.emptied' }>
  /** Pods that started after the last write run with the target already, so nothing had to be restarted. */
  | { readonly type: 'rollout.skipped' }
  | { readonly type: 'rollout.blocked'; readonly reason?: string; readonly blockedFor?: number }
  /** The workload has its pods again after all had to terminate. */
  | { readonly type: 'rollout.restored' }
  /** Something changed before the restart began. */
  | { readonly type: 'rollout.cancelled' };

export interface RolloutOutput {
  readonly end: RolloutEnd;
  /** The restart was accepted, so every change before it has been handled. */
  readonly hasRestarted: boolean;
}

interface RolloutContext extends RolloutInput, RolloutOutput {
  /** Why the restart is pending; for humans. */
  readonly reason: string;
}

const longestDelay = 2 ** 31 - 1;

function unprovided(): never {
  throw new Error('The rollout machine was started without its implementation: use the one that src/restart provides.');
}

function unprovidedEffect() {
  return fromCallback<AnyEventObject, RolloutEffectInput>(unprovided);
}

export const rollout = setup({
  types: {
    context: {} as RolloutContext,
    events: {} as RolloutEvent | DoneActorEvent | ErrorActorEvent,
    input: {} as Partial<RolloutInput> | undefined,
    output: {} as RolloutOutput,
  },
  actors: {
    restartSlot: unprovidedEffect(),
    verifyPods: unprovidedEffect(),
    restart: unprovidedEffect(),
    followRollout: unprovidedEffect(),
    restore: unprovidedEffect(),
  },
  actions: {
    noteConfig: assign(({ context, event }) =>
      event.type === 'config.changed' ? { progressDeadline: event.progressDeadline ?? context.progressDeadline } : {},
    ),
    noteReason: assign(({ event }) => ({ reason: event.type === 'slot.pending' ? (event.reason ?? '') : '' })),
    clearReason: assign({ reason: '' }),
    noteAccepted: assign({ hasRestarted: true, hasStalled: false, isStallReported: false }),
    noteEnd: assign(({ event }) => ({ end: endOf(event) })),
    raiseStalled: raise(({ context }) => ({
      type: 'rollout.stalled',
      reason: `not complete after ${context.progressDeadline / 1000} s`,
    })),
    raiseRefused: raise(({ event }) => ({
      type: 'effect.refused',
      reason: 'error' in event && event.error instanceof Error ? event.error.message : '',
    })),
    reportPending: unprovided,
    reportRestarted: unprovided,
  },
  guards: {
    isRolling: ({ context }) => context.beginsAt === 'rolling',
    isEmptied: ({ context }) => context.beginsAt === 'restoring',
    isOverdue: ({ context }) => context.isOverdue,
  },
  delays: {
    progressDeadline: ({ context }) => Math.min(Math.max(0, context.progressDeadline), longestDelay),
  },
}).createMachine({
  id: 'rollout',
  description: 'One restart of a workload. It waits for a slot, and holds it until the end of the rollout.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    workload: 'deployment/default/web',
    progressDeadline: 600_000,
    beginsAt: 'waiting',
    isOverdue: false,
    hasStalled: false,
    isStallReported: false,
    changedSince: undefined,
    ...input,
    reason: '',
    hasRestarted: false,
    end: { type: 'rollout.cancelled' },
  }),
  output: ({ context: { end, hasRestarted } }) => ({ end, hasRestarted }),
  invoke: {
    id: 'restartSlot',
    src: 'restartSlot',
    input: ({ context }) => inputOf(context),
    onError: { actions: 'raiseRefused' },
  },
  initial: 'waiting',
  on: {
    'config.changed': { actions: 'noteConfig' },
    'effect.refused': { target: '.refused' },
    'effect.conflicted': { target: '.refused' },
    'workload.deleted': { target: '.cancelled' },
  },
  states: {
    waiting: {
      description: 'Waits for minInterval, a maintenance window, the end of a pause, or a slot.',
      always: [
        { guard: 'isRolling', target: 'rolling', description: 'The restart began before, such as in another process.' },
        { guard: 'isEmptied', target: 'restoring', description: 'A stopped rollout has no pods left.' },
      ],
      on: {
        'slot.pending': { actions: ['noteReason', 'reportPending'] },
        'slot.blocked': { target: 'blocked' },
        'slot.granted': { target: 'verifying', actions: 'clearReason' },
        'workload.changed': { target: 'cancelled' },
      },
    },
    verifying: {
      description:
        'Checks the pods: those that were created after the last write have the new content already. So a release ' +
        'that changes ConfigMap and image is one rollout, and an undo or an eviction counts as the restart.',
      invoke: {
        id: 'verifyPods',
        src: 'verifyPods',
        input: ({ context }) => inputOf(context),
        onError: { actions: 'raiseRefused' },
      },
      on: {
        'verified.outdated': { target: 'patching' },
        'verified.current': { target: 'skipped' },
        'verified.blocked': { target: 'blocked' },
        'workload.changed': [
          { guard: 'isOverdue', description: 'The newer change waits for the end of the rollout.' },
          { target: 'cancelled', description: 'Both changes are one restart.' },
        ],
      },
    },
    patching: {
      description:
        'Writes the new hash in the template and the target in the state. The write fails if another client has ' +
        'changed the workload since the decision.',
      invoke: {
        id: 'restart',
        src: 'restart',
        input: ({ context }) => inputOf(context),
        onError: { actions: 'raiseRefused' },
      },
      on: {
        'restart.accepted': { target: 'rolling', actions: ['noteAccepted', 'reportRestarted'] },
      },
    },
    rolling: {
      description:
        'Kubernetes replaces the pods by the workload’s own strategy. A newer change waits until the rollout is ' +
        'complete or has stalled.',
      invoke: {
        id: 'followRollout',
        src: 'followRollout',
        input: ({ context }) => inputOf(context),
        onError: { actions: 'raiseRefused' },
      },
      after: {
        progressDeadline: { actions: 'raiseStalled', description: 'The rollout exceeded progressDeadline.' },
      },
      on: {
        'rollout.complete': { target: 'complete' },
        'rollout.stalled': { target: 'stalled' },
        'rollout.suspended': { target: 'suspended' },
        'rollout.reverted': { target: 'reverted' },
        'rollout.emptied': { target: 'restoring' },
      },
    },
    restoring: {
      description:
        'An immutable source was recreated, and a node caches its old content as long as a pod on it uses the source. ' +
        'All pods have terminated, and the workload may start pods again.',
      invoke: {
        id: 'restore',
        src: 'restore',
        input: ({ context }) => inputOf(context),
        onError: { actions: 'raiseRefused' },
      },
      on: {
        'restore.done': { target: 'restored' },
      },
    },
    complete: { type: 'final', entry: 'noteEnd', description: 'All pods run with the target.' },
    stalled: {
      type: 'final',
      entry: 'noteEnd',
      description: 'No progress, a pod that cannot start, or the end of progressDeadline.',
    },
    suspended: { type: 'final', entry: 'noteEnd', description: 'The rollout waits for a user.' },
    reverted: { type: 'final', entry: 'noteEnd', description: 'Another client restored the template.' },
    restored: { type: 'final', entry: 'noteEnd', description: 'New pods start, and their rollout is still to follow.' },
    skipped: { type: 'final', entry: 'noteEnd', description: 'No container runs with old content.' },
    blocked: { type: 'final', entry: 'noteEnd', description: 'The workload must not be restarted.' },
    cancelled: { type: 'final', entry: 'noteEnd', description: 'The workload has changed, or was deleted.' },
    refused: {
      type: 'final',
      entry: 'noteEnd',
      description: 'A request was refused, or conflicted with another write.',
    },
  },
});

function inputOf({
  workload,
  hasStalled,
  isStallReported,
  changedSince,
  beginsAt,
}: RolloutContext): RolloutEffectInput {
  return { workload, hasStalled, isStallReported, changedSince, isUnderWay: beginsAt !== 'waiting' };
}

/** The end that an event leads to. */
function endOf(event: RolloutEvent | DoneActorEvent | ErrorActorEvent): RolloutEnd {
  switch (event.type) {
    case 'rollout.complete':
    case 'rollout.stalled':
    case 'rollout.suspended':
    case 'rollout.reverted':
    case 'effect.refused':
    case 'effect.conflicted':
    case 'workload.deleted':
      return event;
    case 'slot.blocked':
    case 'verified.blocked':
      return { ...event, type: 'rollout.blocked' };
    case 'verified.current':
      return { type: 'rollout.skipped' };
    case 'restore.done':
      return { type: 'rollout.restored' };
    default:
      return { type: 'rollout.cancelled' };
  }
}
