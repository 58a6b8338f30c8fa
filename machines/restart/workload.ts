/**
 * Begins one restart at a time, and only for content that differs from the state on the workload: adoption and release
 * restart nothing. A change that is observed during an assessment or a restart is assessed afterwards. Does not
 * guarantee when a restart begins, nor that a change is noticed that was undone while no weeder was running. One
 * restart too many is possible, if the times do not show that the pods are newer than the change.
 */

import {
  type AnyActorLogic,
  type AnyEventObject,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  fromCallback,
  raise,
  sendTo,
  setup,
} from 'xstate';
import type { Blocked, EffectFailed, RolloutEnd, RolloutInput, RolloutOutput, StoppedRollout } from './rollout.ts';

/** One managed workload. Durations are milliseconds. */
export interface WorkloadInput {
  /** Such as `deployment/shop/web`. */
  readonly workload: string;
  /** The longest time that a rollout may take. */
  readonly progressDeadline: number;
}

/** The outcome that is written to the stored state. */
export type Outcome =
  /** No state is stored yet: the pods are assumed to run with the current content of the sources. */
  | 'adopted'
  /** The pods are verified to run with the target. */
  | 'rolledOut'
  /** Pods that started after the last write run with the target already, so nothing had to be restarted. */
  | 'skipped'
  /** Pods may have started with content that a source had in between, so what they run with is unknown. */
  | 'unconfirmed'
  /** Another client reverted the restart. */
  | 'reverted'
  /** The workload is no longer managed. */
  | 'released';

/** The input that an effect is started with. */
export interface EffectInput {
  readonly workload: string;
  readonly outcome: Outcome;
  /** The rollout of the stored target was followed until it stopped. */
  readonly hasStalled: boolean;
}

interface WorkloadContext extends WorkloadInput {
  readonly outcome: Outcome;
  readonly stopped: StoppedRollout | undefined;
  readonly beginsAt: RolloutInput['beginsAt'];
  /** A change was observed after the last assessment began. During a restart the `rollout` child has this. */
  readonly isDirty: boolean;
  /** The first and the latest change that have not been handled, by the monotonic clock. */
  readonly changedSince: number | undefined;
  readonly changedAt: number | undefined;
  /** The rest of the quiet period. */
  readonly quietIn: number;
  /** There was no quiet period for `quietMax`: a newer change no longer delays the restart. */
  readonly isOverdue: boolean;
  /** Why the workload is blocked or retried; `reason` is for humans. */
  readonly cause: string;
  readonly reason: string;
  /** How long the workload is blocked; undefined: until something changes. */
  readonly blockedFor: number | undefined;
  /** How long a source may still be missing before that is reported. */
  readonly reportIn: number;
  /** Consecutive conflicts. */
  readonly conflicts: number;
  /** Consecutive failed requests. */
  readonly failures: number;
  readonly retryIn: number;
  /** The class of the latest failure. */
  readonly failure: string;
}

export type WorkloadEvent =
  | EffectFailed
  | RolloutEnd
  /** A source, the template or an annotation has changed, and the workload has to be assessed. */
  | { readonly type: 'workload.changed' }
  /** The settings have changed. The `workload.changed` that follows leads to the assessment. */
  | { readonly type: 'config.changed'; readonly progressDeadline?: number }
  /** No state is stored: it is written, and nothing is restarted. */
  | { readonly type: 'assessed.new' }
  /** The pods run with the current content, or there is no evidence that they do not. */
  | { readonly type: 'assessed.current' }
  /** A source has changed, at last at `changedAt` by the monotonic clock. */
  | {
      readonly type: 'assessed.changed';
      readonly changedAt?: number;
      readonly quietIn?: number;
      readonly isOverdue?: boolean;
    }
  /** A source has its recorded content again, but pods may have started while it had other content. */
  | { readonly type: 'assessed.unconfirmed' }
  /** A restart has begun, and its rollout has to be followed to its end. */
  | { readonly type: 'assessed.rolling'; readonly hasNewerChange?: boolean }
  /** The target of the stalled rollout is still the desired one. */
  | { readonly type: 'assessed.stalled' }
  /** The workload must not be restarted now. */
  | ({ readonly type: 'assessed.blocked' } & Blocked)
  /** The workload is not to be managed: it has opted out, or no rule matches it. */
  | { readonly type: 'assessed.unmanaged' }
  /** The workload may be adopted. */
  | { readonly type: 'slot.granted' }
  | { readonly type: 'state.written' };

const shortestRetry = 200;
const longestRetry = 60_000;
const longestDelay = 2 ** 31 - 1;
/** This many consecutive conflicts cause no pause: conflicts are normal during a rollout. */
const patientConflicts = 2;

/** Every change so far has been handled. */
const restarted = {
  changedSince: undefined,
  changedAt: undefined,
  isOverdue: false,
  beginsAt: 'waiting',
  reason: '',
} as const;

/** A success resets the counts of consecutive failures. */
const noFailures = { conflicts: 0, failures: 0 } as const;

function unprovided(): never {
  throw new Error(
    'The workload machine was started without its implementation: use the one that src/restart provides.',
  );
}

const unprovidedChild: AnyActorLogic = fromCallback(unprovided);

function unprovidedEffect() {
  return fromCallback<AnyEventObject, EffectInput>(unprovided);
}

export const workload = setup({
  types: {
    context: {} as WorkloadContext,
    events: {} as WorkloadEvent | DoneActorEvent<RolloutOutput> | ErrorActorEvent,
    input: {} as Partial<WorkloadInput> | undefined,
  },
  actors: {
    assess: unprovidedEffect(),
    adoptionSlot: unprovidedEffect(),
    rollout: unprovidedChild,
    writeState: unprovidedEffect(),
  },
  actions: {
    forgetDirty: assign({ isDirty: false }),
    recordDirty: assign({ isDirty: true }),
    recordConfig: assign(({ context, event }) =>
      event.type === 'config.changed' ? { progressDeadline: event.progressDeadline ?? context.progressDeadline } : {},
    ),
    recordRolloutFound: assign(({ context, event }) => ({
      ...restarted,
      beginsAt: 'rolling',
      isDirty: context.isDirty || (event.type === 'assessed.rolling' && event.hasNewerChange === true),
    })),
    recordCurrent: assign({ ...restarted, ...noFailures, stopped: undefined }),
    recordChange: assign(({ context, event }) => (event.type === 'assessed.changed' ? changeOf(context, event) : {})),
    recordReason: assign(({ event }) => reasonOf(event)),
    recordStopped: assign({ beginsAt: 'stopped' }),
    recordFailure: assign(({ context, event }) => ({
      ...reasonOf(event),
      failure: 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other',
      failures: context.failures + 1,
      retryIn: retryDelay(context.failures, event),
    })),
    recordConflict: assign(({ context, event }) => ({
      conflicts: context.conflicts + 1,
      retryIn: retryDelay(context.conflicts - patientConflicts, event),
    })),
    recordRollout: assign(({ event }) => {
      const { hasRestarted, hasStopped, stopped, isDirty = false } = outputOf(event) ?? {};
      const isSuccess = hasRestarted === true || hasStopped === true;
      return { stopped, isDirty, ...(hasRestarted === true ? restarted : {}), ...(isSuccess ? noFailures : {}) };
    }),
    raiseEnd: raise(({ event }) => outputOf(event)?.end ?? { type: 'rollout.cancelled' }),
    raiseFailed: raise(({ event }) => ({
      type: 'effect.failed',
      reason: 'error' in event && event.error instanceof Error ? event.error.message : '',
    })),
    sendToRollout: sendTo('rollout', ({ event }) => event),
    forgetFailures: assign(noFailures),
    recordAdopted: assign({ outcome: 'adopted' }),
    recordRolledOut: assign({ outcome: 'rolledOut', stopped: undefined }),
    recordSkipped: assign({ outcome: 'skipped' }),
    recordUnconfirmed: assign({ outcome: 'unconfirmed' }),
    recordReverted: assign({ outcome: 'reverted', stopped: undefined }),
    recordReleased: assign({ outcome: 'released' }),
    reportChanged: unprovided,
    reportCurrent: unprovided,
    reportBlocked: unprovided,
    reportReverted: unprovided,
    reportWritten: unprovided,
    reportFailed: unprovided,
  },
  guards: {
    isPatient: ({ context }) => context.conflicts < patientConflicts,
    isDirty: ({ context }) => context.isDirty,
    hasStalled: ({ context }) => context.stopped !== undefined,
    isOverdue: ({ context }) => context.isOverdue,
    isKnownChange: ({ context, event }) =>
      event.type === 'assessed.changed' && context.changedAt !== undefined && event.changedAt === context.changedAt,
    isReverted: ({ context }) => context.outcome === 'reverted',
    isBlockedForATime: ({ context }) => context.blockedFor !== undefined,
    canPassSoon: ({ event }) => reasonOf(event).reportIn > 0,
  },
  delays: {
    quietTime: ({ context }) => bounded(context.quietIn),
    patience: ({ context }) => bounded(context.reportIn),
    blockTime: ({ context }) => bounded(Math.max(shortestRetry, context.blockedFor ?? longestDelay)),
    retryDelay: ({ context }) => bounded(context.retryIn),
  },
}).createMachine({
  id: 'workload',
  description:
    'One workload whose pods restart when, and only when, the ConfigMaps and Secrets that they use have changed. ' +
    'What its pods run with is stored in an annotation on the workload itself.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    workload: 'deployment/default/web',
    progressDeadline: 600_000,
    ...input,
    outcome: 'adopted',
    stopped: undefined,
    isDirty: false,
    ...restarted,
    quietIn: 0,
    blockedFor: undefined,
    reportIn: 0,
    conflicts: 0,
    failures: 0,
    retryIn: shortestRetry,
    cause: 'other',
    failure: 'other',
  }),
  initial: 'assessing',
  on: {
    'workload.deleted': { target: '.ended', description: 'The workload was deleted.' },
    'config.changed': { actions: 'recordConfig' },
    'effect.failed': { target: '.backingOff', actions: ['recordFailure', 'reportFailed'] },
    'effect.conflicted': [
      {
        guard: 'isPatient',
        target: '.assessing',
        actions: 'recordConflict',
        description: 'Decides again by the current version.',
      },
      { target: '.backingOff', actions: 'recordConflict' },
    ],
  },
  states: {
    assessing: {
      description: 'Compares the current content of the used sources with the state that is stored on the workload.',
      entry: 'forgetDirty',
      invoke: running('assess'),
      on: {
        'workload.changed': {
          actions: 'recordDirty',
          description: 'Assessed again afterwards: frequent changes must not prevent this assessment from completing.',
        },
        'assessed.new': { target: 'assessed.adopting', actions: 'recordAdopted' },
        'assessed.current': { target: 'assessed.current' },
        'assessed.changed': [
          { guard: 'isKnownChange', target: 'assessed.stale', actions: 'recordChange' },
          { target: 'assessed.stale', actions: ['recordChange', 'reportChanged'] },
        ],
        'assessed.unconfirmed': {
          target: 'writingState',
          actions: 'recordUnconfirmed',
          description: 'The state is written first, so that this is not lost. Then it counts as a change.',
        },
        'assessed.rolling': [
          {
            guard: 'hasStalled',
            target: 'restarting',
            actions: 'recordStopped',
            description: 'A stalled rollout is not followed as if it had just begun.',
          },
          { target: 'restarting', actions: 'recordRolloutFound' },
        ],
        'assessed.stalled': {
          target: 'restarting',
          actions: ['recordStopped', 'forgetFailures'],
          description: 'Followed again: a user may have deleted the pods, or resumed the Deployment.',
        },
        'assessed.blocked': [
          { guard: 'canPassSoon', target: 'assessed.missing', actions: 'recordReason' },
          { target: 'assessed.blocked', actions: 'recordReason' },
        ],
        'assessed.unmanaged': { target: 'releasing' },
      },
    },
    assessed: {
      description: 'The result of the assessment is valid until something changes.',
      initial: 'current',
      always: { guard: 'isDirty', target: 'assessing', description: 'Something changed while it was assessed.' },
      on: { 'workload.changed': { target: 'assessing' } },
      states: {
        adopting: {
          description:
            'Waits for a slot before its state is written, because adoptions are rate-limited. Nothing restarts.',
          invoke: running('adoptionSlot'),
          on: {
            'slot.granted': { target: '#workload.writingState' },
          },
        },
        current: {
          description: 'The pods run with the current content.',
          entry: ['recordCurrent', 'reportCurrent'],
        },
        stale: {
          description:
            'A source has changed. Waits for the quiet period, but no longer than quietMax: many changes cause one restart.',
          always: { guard: 'isOverdue', target: '#workload.restarting' },
          after: { quietTime: { target: '#workload.restarting' } },
        },
        missing: {
          description: 'A required source has just been deleted. It is reported only if it is not created again soon.',
          entry: 'forgetFailures',
          after: { patience: { target: 'blocked' } },
        },
        blocked: {
          description:
            'Must not be restarted: a source is missing, an immutable source was recreated, the workload was restarted too ' +
            'often, or an annotation cannot be read.',
          entry: ['forgetFailures', 'reportBlocked'],
          after: { blockTime: { guard: 'isBlockedForATime', target: '#workload.assessing' } },
        },
      },
    },
    restarting: {
      description:
        'One restart, from the wait for a slot to the end of the rollout, as the `rollout` machine describes it.',
      invoke: {
        id: 'rollout',
        src: 'rollout',
        input: rolloutInputOf,
        onDone: { actions: ['recordRollout', 'raiseEnd'] },
        onError: { actions: 'raiseFailed' },
      },
      on: {
        'workload.changed': {
          actions: 'sendToRollout',
          description: 'Cancels a restart that has not begun. Otherwise the change waits for the end of the rollout.',
        },
        'config.changed': { actions: ['recordConfig', 'sendToRollout'] },
        'rollout.blocked': { target: 'assessed.blocked', actions: 'recordReason' },
        'rollout.complete': { target: 'writingState', actions: 'recordRolledOut' },
        'rollout.reverted': { target: 'writingState', actions: 'recordReverted' },
        'rollout.skipped': { target: 'writingState', actions: 'recordSkipped' },
        'rollout.restored': { target: 'assessing', actions: 'forgetFailures' },
        'rollout.cancelled': { target: 'assessing' },
      },
    },
    writingState: {
      description: 'Writes the state to the workload.',
      invoke: running('writeState'),
      on: {
        'state.written': [
          { guard: 'isReverted', target: 'assessing', actions: ['forgetFailures', 'reportReverted'] },
          {
            target: 'assessing',
            actions: ['forgetFailures', 'reportWritten'],
            description: 'Checks what has changed in the meantime.',
          },
        ],
      },
    },
    releasing: {
      description: 'Removes the state. The annotation in the template stays: removing it would cause a rollout.',
      entry: 'recordReleased',
      invoke: running('writeState'),
      on: {
        'state.written': [
          { guard: 'isDirty', target: 'assessing', actions: ['forgetFailures', 'reportWritten'] },
          { target: 'ended', actions: 'reportWritten' },
        ],
        'workload.changed': { actions: 'recordDirty' },
      },
    },
    backingOff: {
      description: 'A request failed: it is retried after a pause that grows from 200 ms to a minute.',
      after: { retryDelay: { target: 'assessing' } },
    },
    ended: {
      type: 'final',
      description: 'The workload is no longer managed.',
    },
  },
});

/** Runs an effect, which throws only because of a bug in weeder. */
function running<Effect extends string>(effect: Effect) {
  return { id: effect, src: effect, input: inputOf, onError: { actions: 'raiseFailed' } } as const;
}

function inputOf({ context }: { readonly context: WorkloadContext }): EffectInput {
  const { workload: name, outcome, stopped } = context;
  return { workload: name, outcome, hasStalled: stopped !== undefined };
}

function rolloutInputOf({ context }: { readonly context: WorkloadContext }): RolloutInput {
  const { workload: name, progressDeadline, beginsAt, isOverdue, isDirty, stopped, changedSince } = context;
  return { workload: name, progressDeadline, beginsAt, isOverdue, isDirty, stopped, changedSince };
}

function outputOf(event: WorkloadEvent | DoneActorEvent<RolloutOutput> | ErrorActorEvent): RolloutOutput | undefined {
  return 'output' in event ? event.output : undefined;
}

function reasonOf(event: object): Pick<WorkloadContext, 'cause' | 'reason' | 'blockedFor' | 'reportIn'> {
  return {
    cause: 'cause' in event && typeof event.cause === 'string' ? event.cause : 'other',
    reason: 'reason' in event && typeof event.reason === 'string' ? event.reason : '',
    blockedFor: 'blockedFor' in event && typeof event.blockedFor === 'number' ? event.blockedFor : undefined,
    reportIn: 'reportIn' in event && typeof event.reportIn === 'number' ? event.reportIn : 0,
  };
}

function changeOf(
  context: WorkloadContext,
  { changedAt = 0, quietIn = 0, isOverdue = false }: Extract<WorkloadEvent, { type: 'assessed.changed' }>,
) {
  const changedSince = Math.min(context.changedSince ?? changedAt, changedAt);
  return { changedSince, changedAt, quietIn, isOverdue, beginsAt: 'waiting' as const, reason: '' };
}

/** The delay doubles from 200 ms to a minute, minus a random half; it is never shorter than the server requested. */
function retryDelay(times: number, event: object): number {
  const jitter = 'jitter' in event && typeof event.jitter === 'number' ? event.jitter : 1;
  const retryAfter = 'retryAfter' in event && typeof event.retryAfter === 'number' ? event.retryAfter : 0;
  const ceiling = Math.min(longestRetry, shortestRetry * 2 ** Math.min(Math.max(0, times), 16));
  return Math.max(retryAfter, ceiling * (0.5 + 0.5 * jitter));
}

function bounded(delay: number): number {
  return Math.min(Math.max(0, delay), longestDelay);
}
