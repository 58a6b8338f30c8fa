/**
 * Requests the restart at most once, after the check that the pods need it, and only for the version of the workload
 * that this decision is based on. Holds its slot until the rollout ends or stops. Does not guarantee that the rollout
 * completes: one that has stopped is neither reverted nor repeated, and ends with the next change. If the response to
 * the restart was lost, the next assessment finds the restart in the stored state.
 */

import {
  type AnyEventObject,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  fromCallback,
  raise,
  setup,
} from 'xstate';

/** How the rollout of the stored target has stopped; `reason` is for humans. */
export interface StoppedRollout {
  readonly type: 'stalled' | 'suspended';
  readonly reason: string;
}

/** One restart of a workload, from its slot to the end of its rollout. Durations are milliseconds. */
export interface RolloutInput {
  /** Such as `deployment/shop/web`. */
  readonly workload: string;
  /** The longest time that the pods may take. */
  readonly progressDeadline: number;
  /** `rolling` and `stopped`: the restart has begun already. */
  readonly beginsAt: 'waiting' | 'rolling' | 'stopped';
  /** A newer change no longer delays the restart. */
  readonly isOverdue: boolean;
  /** A change was observed after the last assessment began. */
  readonly isDirty: boolean;
  /** The rollout of the stored target was followed until it stopped. */
  readonly stopped: StoppedRollout | undefined;
  /**
   * The first change that has not been handled, by the monotonic clock. The workload that has waited longest is next,
   * so a workload that is assessed again does not lose its place in the queue.
   */
  readonly changedSince: number | undefined;
}

/** The input that an effect is started with. */
export interface RolloutEffectInput extends Pick<RolloutInput, 'workload' | 'changedSince'> {
  /** The rollout of the stored target was followed until it stopped. */
  readonly hasStalled: boolean;
  /** The restart has begun already: it counts as an active rollout, and takes nothing from the restart rate. */
  readonly isUnderWay: boolean;
}

/** `jitter` is random, from 0 to 1; `retryAfter` is the delay that the server requested, in milliseconds. */
interface Failure {
  readonly jitter?: number;
  readonly retryAfter?: number;
  readonly reason?: string;
  /** Its class. */
  readonly failure?: string;
}

/** Why a restart is pending, blocked or suspended. */
interface Why {
  /** In one word, for metrics: of a set that src/restart knows. */
  readonly cause?: string;
  /** For humans. */
  readonly reason?: string;
}

export interface Blocked extends Why {
  /** Undefined: until something changes. */
  readonly blockedFor?: number;
  /** The cause may pass by itself: it is reported only if it lasts for this time. */
  readonly reportIn?: number;
}

/** The result of a request that was not accepted, whichever it was. */
export type EffectFailed =
  | ({ readonly type: 'effect.failed' } & Failure)
  /** 409: another client has changed the workload. */
  | ({ readonly type: 'effect.conflicted' } & Failure)
  /** The workload was deleted. */
  | { readonly type: 'workload.deleted' };

type RolloutOver =
  | { readonly type: 'rollout.complete' }
  /** Another client restored the template, and the old pods are running. */
  | { readonly type: 'rollout.reverted' };

/** What is observed of a rollout. */
export type RolloutObserved =
  | RolloutOver
  /** The rollout makes no progress, or a pod cannot start. */
  | { readonly type: 'rollout.stalled'; readonly reason?: string }
  /** The rollout waits for a user: to delete pods (OnDelete), or to resume a paused Deployment. */
  | ({ readonly type: 'rollout.suspended' } & Why)
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
  | ({ readonly type: 'slot.pending' } & Why)
  /** The workload must not be restarted. */
  | ({ readonly type: 'slot.blocked' } & Blocked)
  /** At least one container runs with old content. */
  | { readonly type: 'verified.outdated' }
  /** No container runs with old content. */
  | { readonly type: 'verified.current' }
  /** A restart would not help. */
  | ({ readonly type: 'verified.blocked' } & Blocked)
  | { readonly type: 'restart.accepted' }
  /** The workload may start pods again. */
  | { readonly type: 'restore.done' };

/** How the restart ended: the event that the `workload` machine answers. */
export type RolloutEnd =
  | EffectFailed
  | RolloutOver
  /** Pods that started after the last write run with the target already, so nothing had to be restarted. */
  | { readonly type: 'rollout.skipped' }
  | ({ readonly type: 'rollout.blocked' } & Blocked)
  /** The workload has its pods again after all had to terminate. */
  | { readonly type: 'rollout.restored' }
  /** Something changed before the restart began, or after its rollout has stopped. */
  | { readonly type: 'rollout.cancelled' };

export interface RolloutOutput {
  readonly end: RolloutEnd;
  /** The restart was accepted, so every change before it has been handled. */
  readonly hasRestarted: boolean;
  /** The rollout has stalled, or was suspended, while it was followed. */
  readonly hasStopped: boolean;
  readonly stopped: StoppedRollout | undefined;
  /** Something has changed that no assessment has seen yet. */
  readonly isDirty: boolean;
}

interface RolloutContext extends RolloutInput, RolloutOutput {
  /** Why the restart is pending, or its rollout has stopped; `reason` is for humans. */
  readonly cause: string;
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
    recordConfig: assign(({ context, event }) =>
      event.type === 'config.changed' ? { progressDeadline: event.progressDeadline ?? context.progressDeadline } : {},
    ),
    recordDirty: assign({ isDirty: true }),
    recordReason: assign(({ event }) => ({ cause: causeOf(event), reason: reasonOf(event) })),
    forgetReason: assign({ cause: 'other', reason: '' }),
    recordAccepted: assign({ hasRestarted: true, stopped: undefined }),
    recordStopReason: assign(({ context }) => ({ reason: context.stopped?.reason ?? '' })),
    recordStalled: assign(({ event }) => stoppedAs('stalled', reasonOf(event))),
    recordSuspended: assign(({ event }) => ({ cause: causeOf(event), ...stoppedAs('suspended', reasonOf(event)) })),
    recordEnd: assign(({ event }) => ({ end: endOf(event) })),
    raiseStalled: raise(({ context }) => ({
      type: 'rollout.stalled',
      reason: `not complete after ${context.progressDeadline / 1000} s`,
    })),
    raiseFailed: raise(({ event }) => ({
      type: 'effect.failed',
      reason: 'error' in event && event.error instanceof Error ? event.error.message : '',
    })),
    reportPending: unprovided,
    reportRestarted: unprovided,
    reportStalled: unprovided,
  },
  guards: {
    isRolling: ({ context }) => context.beginsAt === 'rolling',
    isStopped: ({ context }) => context.beginsAt === 'stopped',
    isStalled: ({ context }) => context.stopped?.type === 'stalled',
    isDirty: ({ context }) => context.isDirty,
    isOverdue: ({ context }) => context.isOverdue,
  },
  delays: {
    progressDeadline: ({ context }) => Math.min(Math.max(0, context.progressDeadline), longestDelay),
  },
}).createMachine({
  id: 'rollout',
  description: 'One restart of a workload, from the wait for a slot to the end of its rollout.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    workload: 'deployment/default/web',
    progressDeadline: 600_000,
    beginsAt: 'waiting',
    isOverdue: false,
    isDirty: false,
    stopped: undefined,
    changedSince: undefined,
    ...input,
    cause: 'other',
    reason: '',
    hasRestarted: false,
    hasStopped: false,
    end: { type: 'rollout.cancelled' },
  }),
  output: ({ context: { end, hasRestarted, hasStopped, stopped, isDirty } }) => ({
    end,
    hasRestarted,
    hasStopped,
    stopped,
    isDirty,
  }),
  initial: 'beginning',
  on: {
    'config.changed': { actions: 'recordConfig' },
    'workload.changed': { actions: 'recordDirty', description: 'It waits for the end of the rollout.' },
    'workload.deleted': { target: '.ended' },
    'effect.failed': { target: '.ended' },
    'effect.conflicted': { target: '.ended' },
    'rollout.complete': { target: '.ended' },
    'rollout.reverted': { target: '.ended' },
  },
  states: {
    beginning: {
      description: 'The restart may have begun before, such as in another process.',
      always: [
        { guard: 'isRolling', target: 'active.rolling' },
        { guard: 'isStopped', target: 'stopped', actions: 'recordStopReason' },
        { target: 'active' },
      ],
    },
    active: {
      description: 'Waits for a slot, and holds it until the rollout ends or stops.',
      invoke: running('restartSlot'),
      on: {
        'rollout.stalled': { target: 'stopped', actions: ['recordStalled', 'reportStalled'] },
        'rollout.suspended': { target: 'stopped', actions: ['recordSuspended', 'reportPending'] },
      },
      initial: 'waiting',
      states: {
        waiting: {
          description: 'Waits for minInterval, a maintenance window, the end of a pause, or a slot.',
          on: {
            'slot.pending': { actions: ['recordReason', 'reportPending'] },
            'slot.blocked': { target: '#rollout.ended' },
            'slot.granted': { target: 'verifying', actions: 'forgetReason' },
            'workload.changed': { target: '#rollout.ended' },
          },
        },
        verifying: {
          description:
            'Checks the pods: those that were created after the last write have the new content already. So a release ' +
            'that changes ConfigMap and image is one rollout, and an undo or an eviction counts as the restart.',
          invoke: running('verifyPods'),
          on: {
            'verified.outdated': { target: 'patching' },
            'verified.current': { target: '#rollout.ended' },
            'verified.blocked': { target: '#rollout.ended' },
            'workload.changed': [
              {
                guard: 'isOverdue',
                actions: 'recordDirty',
                description: 'The newer change waits for the end of the rollout.',
              },
              { target: '#rollout.ended', description: 'Both changes are one restart.' },
            ],
          },
        },
        patching: {
          description:
            'Writes the new hash in the template and the target in the state. The write fails if another client has ' +
            'changed the workload since the decision.',
          invoke: running('restart'),
          on: {
            'restart.accepted': { target: 'rolling', actions: ['recordAccepted', 'reportRestarted'] },
          },
        },
        rolling: {
          description:
            'Kubernetes replaces the pods by the workload’s own strategy. A newer change waits until the rollout is ' +
            'complete or has stalled.',
          invoke: running('followRollout'),
          after: {
            progressDeadline: { actions: 'raiseStalled', description: 'The rollout exceeded progressDeadline.' },
          },
          on: {
            'rollout.emptied': { target: 'restoring' },
          },
        },
        restoring: {
          description:
            'An immutable source was recreated, and a node caches its old content as long as a pod on it uses the ' +
            'source. All pods have terminated, and the workload may start pods again.',
          invoke: running('restore'),
          on: {
            'restore.done': { target: '#rollout.ended' },
          },
        },
      },
    },
    stopped: {
      description: 'The rollout does not continue on its own. It holds no slot and has no deadline.',
      invoke: running('followRollout'),
      always: { guard: 'isDirty', target: 'ended', description: 'A newer change does not wait: it may fix this.' },
      on: {
        'rollout.emptied': { target: 'active.restoring', description: 'weeder leaves no workload without pods.' },
      },
      initial: 'suspended',
      states: {
        suspended: {
          description: 'Waits for a user: to delete the pods (OnDelete), or to resume a paused Deployment.',
          always: { guard: 'isStalled', target: 'stalled' },
          on: { 'rollout.stalled': { target: 'stalled', actions: ['recordStalled', 'reportStalled'] } },
        },
        stalled: {
          description: 'No progress, a pod that cannot start, or the end of progressDeadline.',
          on: { 'rollout.suspended': { target: 'suspended', actions: ['recordSuspended', 'reportPending'] } },
        },
      },
    },
    ended: { type: 'final', entry: 'recordEnd', description: 'The output says how it ended.' },
  },
});

/** Runs an effect, which throws only because of a bug in weeder. */
function running<Effect extends string>(effect: Effect) {
  return { id: effect, src: effect, input: inputOf, onError: { actions: 'raiseFailed' } } as const;
}

function inputOf({ context }: { readonly context: RolloutContext }): RolloutEffectInput {
  const { workload, stopped, changedSince, beginsAt, hasRestarted } = context;
  return {
    workload,
    hasStalled: stopped !== undefined,
    changedSince,
    isUnderWay: beginsAt !== 'waiting' || hasRestarted,
  };
}

function stoppedAs(type: StoppedRollout['type'], reason: string) {
  return { stopped: { type, reason }, reason, hasStopped: true };
}

function causeOf(event: object): string {
  return 'cause' in event && typeof event.cause === 'string' ? event.cause : 'other';
}

function reasonOf(event: object): string {
  return 'reason' in event && typeof event.reason === 'string' ? event.reason : '';
}

/** The end that an event leads to. */
function endOf(event: RolloutEvent | DoneActorEvent | ErrorActorEvent): RolloutEnd {
  switch (event.type) {
    case 'rollout.complete':
    case 'rollout.reverted':
    case 'effect.failed':
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
