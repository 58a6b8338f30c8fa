import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/** One managed workload. Durations are milliseconds. */
export interface WorkloadInput {
  /** Such as `deployment/shop/web`. */
  readonly workload: string;
  /** How long nothing must change before a restart is requested. */
  readonly quietPeriod: number;
  /** The longest time to wait for the quiet period, counted from the first change. */
  readonly quietMax: number;
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
  /** The rollout of the stored target was followed until it stalled, and is not followed again. */
  readonly hasStalled: boolean;
  /** The stalled rollout was reported, so it is not reported again. */
  readonly isStallReported: boolean;
  /** The restart has begun already: it counts as an active rollout, and takes nothing from the restart rate. */
  readonly isUnderWay: boolean;
  /**
   * The first change that has not been handled, by the monotonic clock. The workload that has waited longest is next,
   * so a workload that is assessed again does not lose its place in the queue.
   */
  readonly changedSince: number | undefined;
}

/** How the rollout of the stored target has stopped; `reason` is for humans. */
interface Standing {
  readonly is: 'stalled' | 'suspended';
  readonly reason: string;
}

interface WorkloadContext extends WorkloadInput {
  readonly outcome: Outcome;
  readonly standing: Standing | undefined;
  readonly isUnderWay: boolean;
  /** A change was observed after the last assessment began. */
  readonly isDirty: boolean;
  /** These three times are from the monotonic clock. */
  readonly changedSince: number | undefined;
  /** The first of the changes that followed each other without a quiet period between them. */
  readonly unquietSince: number | undefined;
  /** The latest change. */
  readonly changedAt: number | undefined;
  /** The rest of the quiet period. */
  readonly quietIn: number;
  /** There was no quiet period for `quietMax`: a newer change no longer delays the restart. */
  readonly isOverdue: boolean;
  /** Why the workload is blocked, pending, stalled, or retried; for humans. */
  readonly reason: string;
  /** How long the workload is blocked; undefined: until something changes. */
  readonly blockedFor: number | undefined;
  /** Consecutive conflicts. */
  readonly conflicts: number;
  /** Consecutive refused requests. */
  readonly refusals: number;
  readonly retryIn: number;
  /** The class of the latest refusal. */
  readonly failure: string;
}

/**
 * `jitter` is random, from 0 to 1; `retryAfter` is the delay that the server requested, in milliseconds; `failure` is
 * the class of the refusal.
 */
interface Refused {
  readonly jitter?: number;
  readonly retryAfter?: number;
  readonly reason?: string;
  readonly failure?: string;
}

export type WorkloadEvent =
  /** A source, the template or an annotation has changed, and the workload has to be assessed. */
  | { readonly type: 'workload.changed' }
  /** The settings have changed. The `workload.changed` that follows leads to the assessment. */
  | ({ readonly type: 'config.changed' } & Partial<Omit<WorkloadInput, 'workload'>>)
  /** No state is stored: it is written, and nothing is restarted. */
  | { readonly type: 'assessed.new' }
  /** The pods run with the current content, or there is no evidence that they do not. */
  | { readonly type: 'assessed.current' }
  /**
   * A source has changed. All times are from the monotonic clock: now, the latest change, and the first of those
   * changes that followed each other within `quietPeriod`, assessed or not. An assessment may take longer than
   * `quietPeriod`, and sees only the latest change.
   */
  | {
      readonly type: 'assessed.changed';
      readonly now?: number;
      readonly changedAt?: number;
      readonly unquietSince?: number;
    }
  /** A source has its recorded content again, but pods may have started while it had other content. */
  | { readonly type: 'assessed.unconfirmed' }
  /** A restart has begun, and its rollout has to be followed to its end. */
  | { readonly type: 'assessed.rolling'; readonly hasNewerChange?: boolean }
  /** The target of the stalled rollout is still the desired one. */
  | { readonly type: 'assessed.stalled' }
  /** The workload must not be restarted now: for `blockedFor` milliseconds, or, without it, until something changes. */
  | { readonly type: 'assessed.blocked'; readonly reason?: string; readonly blockedFor?: number }
  /** The workload is not to be managed: it has opted out, or no rule matches it. */
  | { readonly type: 'assessed.unmanaged' }
  | ({ readonly type: 'assessed.refused' } & Refused)
  /** The workload may be adopted or restarted. */
  | { readonly type: 'slot.granted' }
  /** Why the workload has no slot yet. */
  | { readonly type: 'slot.pending'; readonly reason?: string }
  | { readonly type: 'slot.blocked'; readonly reason?: string; readonly blockedFor?: number }
  /** At least one container runs with old content. */
  | { readonly type: 'verified.outdated' }
  /** No container runs with old content. */
  | { readonly type: 'verified.current' }
  /** A restart would not help. */
  | { readonly type: 'verified.blocked'; readonly reason?: string; readonly blockedFor?: number }
  | ({ readonly type: 'verified.refused' } & Refused)
  | { readonly type: 'restart.accepted' }
  /** 409: another client has changed the workload. */
  | ({ readonly type: 'restart.conflicted' } & Refused)
  | ({ readonly type: 'restart.refused' } & Refused)
  | { readonly type: 'rollout.complete' }
  /** The rollout makes no progress, or a pod cannot start. */
  | { readonly type: 'rollout.stalled'; readonly reason?: string }
  /** The rollout waits for a user: to delete pods (OnDelete), or to resume a paused Deployment. */
  | { readonly type: 'rollout.suspended'; readonly reason?: string }
  /** Another client restored the template, and the old pods are running. */
  | { readonly type: 'rollout.reverted' }
  /** All pods were to terminate before new ones start, and none is left. */
  | { readonly type: 'rollout.emptied' }
  /** The workload may start pods again. */
  | { readonly type: 'restore.done' }
  | ({ readonly type: 'restore.conflicted' } & Refused)
  | ({ readonly type: 'restore.refused' } & Refused)
  | { readonly type: 'state.written' }
  | ({ readonly type: 'state.conflicted' } & Refused)
  | ({ readonly type: 'state.refused' } & Refused)
  /** The workload was deleted, or it is no longer managed and has no state. */
  | { readonly type: 'workload.deleted' };

const shortestRetry = 200;
const longestRetry = 60_000;
const longestDelay = 2 ** 31 - 1;
/** This many consecutive conflicts cause no pause: conflicts are normal during a rollout. */
const patientConflicts = 2;

/** Every change so far has been handled. */
const restarted = {
  changedSince: undefined,
  unquietSince: undefined,
  changedAt: undefined,
  isOverdue: false,
  isUnderWay: false,
  reason: '',
} as const;

/** A success resets the counts of consecutive failures. */
const noFailures = { conflicts: 0, refusals: 0 } as const;

function unprovided(): never {
  throw new Error(
    'The workload machine was started without its implementation: use the one that src/restart provides.',
  );
}

function unprovidedEffect() {
  return fromCallback<AnyEventObject, EffectInput>(unprovided);
}

export const workload = setup({
  types: {
    context: {} as WorkloadContext,
    events: {} as WorkloadEvent,
    input: {} as Partial<WorkloadInput> | undefined,
    tags: {} as 'pending',
  },
  actors: {
    assess: unprovidedEffect(),
    adoptionSlot: unprovidedEffect(),
    restartSlot: unprovidedEffect(),
    verifyPods: unprovidedEffect(),
    restart: unprovidedEffect(),
    followRollout: unprovidedEffect(),
    restore: unprovidedEffect(),
    writeState: unprovidedEffect(),
  },
  actions: {
    clearDirty: assign({ isDirty: false }),
    markDirty: assign({ isDirty: true }),
    noteConfig: assign(({ context, event }) => (event.type === 'config.changed' ? settingsOf(context, event) : {})),
    noteRolloutFound: assign(({ context, event }) => ({
      ...restarted,
      isUnderWay: true,
      isDirty: context.isDirty || (event.type === 'assessed.rolling' && event.hasNewerChange === true),
    })),
    noteCurrent: assign({ ...restarted, ...noFailures, standing: undefined }),
    noteChange: assign(({ context, event }) => (event.type === 'assessed.changed' ? quietOf(context, event) : {})),
    noteReason: assign(({ event }) => reasonOf(event)),
    noteStalled: assign(({ event }) => stoppedRollout('stalled', reasonOf(event).reason)),
    noteSuspended: assign(({ event }) => stoppedRollout('suspended', reasonOf(event).reason)),
    noteDeadline: assign(({ context }) =>
      stoppedRollout('stalled', `not complete after ${context.progressDeadline / 1000} s`),
    ),
    noteStanding: assign(({ context }) => ({ ...noFailures, reason: context.standing?.reason ?? '' })),
    noteRefusal: assign(({ context, event }) => ({
      ...refusalOf(event),
      refusals: context.refusals + 1,
      retryIn: retryDelay(context.refusals, event),
    })),
    noteConflict: assign(({ context, event }) => ({
      conflicts: context.conflicts + 1,
      retryIn: retryDelay(context.conflicts - patientConflicts, event),
    })),
    noteSlot: assign({ reason: '' }),
    noteEmptied: assign({ isUnderWay: true }),
    noteAccepted: assign({ ...restarted, ...noFailures, standing: undefined }),
    forgetFailures: assign(noFailures),
    noteAdopted: assign({ outcome: 'adopted' }),
    noteRolledOut: assign({ outcome: 'rolledOut', standing: undefined }),
    noteSkipped: assign({ outcome: 'skipped' }),
    noteUnconfirmed: assign({ outcome: 'unconfirmed' }),
    noteReverted: assign({ outcome: 'reverted', standing: undefined }),
    noteReleased: assign({ outcome: 'released' }),
    reportChanged: unprovided,
    reportCurrent: unprovided,
    reportBlocked: unprovided,
    reportPending: unprovided,
    reportRestarted: unprovided,
    reportStalled: unprovided,
    reportReverted: unprovided,
    reportWritten: unprovided,
    reportRefused: unprovided,
  },
  guards: {
    isPatient: ({ context }) => context.conflicts < patientConflicts,
    isDirty: ({ context }) => context.isDirty,
    hasStalled: ({ context }) => context.standing !== undefined,
    isSuspended: ({ context }) => context.standing?.is === 'suspended',
    isOverdue: ({ context }) => context.isOverdue,
    isKnownChange: ({ context, event }) =>
      event.type === 'assessed.changed' && context.changedAt !== undefined && event.changedAt === context.changedAt,
    isReverted: ({ context }) => context.outcome === 'reverted',
    isBlockedForATime: ({ context }) => context.blockedFor !== undefined,
  },
  delays: {
    quietTime: ({ context }) => bounded(context.quietIn),
    blockTime: ({ context }) => bounded(Math.max(shortestRetry, context.blockedFor ?? longestDelay)),
    retryDelay: ({ context }) => bounded(context.retryIn),
    progressDeadline: ({ context }) => bounded(context.progressDeadline),
  },
}).createMachine({
  id: 'workload',
  description:
    'One workload whose pods restart when, and only when, the ConfigMaps and Secrets that they use have changed. ' +
    'What its pods run with is stored in an annotation on the workload itself.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    workload: 'deployment/default/web',
    quietPeriod: 5_000,
    quietMax: 60_000,
    progressDeadline: 600_000,
    ...input,
    outcome: 'adopted',
    standing: undefined,
    isDirty: false,
    ...restarted,
    quietIn: 0,
    blockedFor: undefined,
    conflicts: 0,
    refusals: 0,
    retryIn: shortestRetry,
    failure: 'other',
  }),
  initial: 'assessing',
  on: {
    'workload.deleted': { target: '.ended', description: 'The workload was deleted.' },
    'config.changed': { actions: 'noteConfig' },
  },
  states: {
    assessing: {
      description: 'Compares the current content of the used sources with the state that is stored on the workload.',
      entry: 'clearDirty',
      invoke: {
        id: 'assess',
        src: 'assess',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'workload.changed': {
          actions: 'markDirty',
          description: 'Assessed again afterwards: frequent changes must not prevent this assessment from completing.',
        },
        'assessed.new': { target: 'assessed.adopting', actions: 'noteAdopted' },
        'assessed.current': { target: 'assessed.current' },
        'assessed.changed': [
          { guard: 'isKnownChange', target: 'assessed.stale', actions: 'noteChange' },
          { target: 'assessed.stale', actions: ['noteChange', 'reportChanged'] },
        ],
        'assessed.unconfirmed': {
          target: 'writingState',
          actions: 'noteUnconfirmed',
          description: 'The state is written first, so that this is not lost. Then it counts as a change.',
        },
        'assessed.rolling': [
          {
            guard: 'hasStalled',
            target: 'assessed.stopped.stalled',
            description: 'A stalled rollout is not followed again.',
          },
          { target: 'restarting.rolling', actions: 'noteRolloutFound' },
        ],
        'assessed.stalled': [
          {
            guard: 'isSuspended',
            target: 'assessed.stopped.suspended',
            actions: 'noteStanding',
            description: 'Followed again: a user may have deleted the pods, or resumed the Deployment.',
          },
          { target: 'assessed.stopped.stalled', actions: 'noteStanding' },
        ],
        'assessed.blocked': { target: 'assessed.blocked', actions: 'noteReason' },
        'assessed.unmanaged': { target: 'releasing' },
        'assessed.refused': { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
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
          invoke: {
            id: 'adoptionSlot',
            src: 'adoptionSlot',
            input: ({ context }) => inputOf(context),
            onError: { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
          },
          on: {
            'slot.granted': { target: '#workload.writingState' },
          },
        },
        current: {
          description: 'The pods run with the current content.',
          entry: ['noteCurrent', 'reportCurrent'],
        },
        stale: {
          description:
            'A source has changed. Waits for the quiet period, but no longer than quietMax: many changes cause one restart.',
          tags: 'pending',
          always: { guard: 'isOverdue', target: '#workload.restarting' },
          after: { quietTime: { target: '#workload.restarting' } },
        },
        blocked: {
          description:
            'Must not be restarted: a source is missing, an immutable source was recreated, the workload was restarted too ' +
            'often, or an annotation cannot be read.',
          tags: 'pending',
          entry: ['forgetFailures', 'reportBlocked'],
          after: { blockTime: { guard: 'isBlockedForATime', target: '#workload.assessing' } },
        },
        stopped: {
          description: 'The rollout does not continue on its own. It holds no slot and has no deadline.',
          invoke: {
            id: 'followRollout',
            src: 'followRollout',
            input: ({ context }) => inputOf(context),
            onError: { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
          },
          on: {
            'rollout.complete': { target: '#workload.writingState', actions: 'noteRolledOut' },
            'rollout.reverted': { target: '#workload.writingState', actions: 'noteReverted' },
            'rollout.emptied': {
              target: '#workload.restarting.restoring',
              actions: 'noteEmptied',
              description: 'weeder leaves no workload without pods.',
            },
          },
          initial: 'suspended',
          states: {
            suspended: {
              description: 'Waits for a user: to delete the pods (OnDelete), or to resume a paused Deployment.',
              entry: 'forgetFailures',
              on: { 'rollout.stalled': { target: 'stalled', actions: ['noteStalled', 'reportStalled'] } },
            },
            stalled: {
              description: 'No progress, or a pod that cannot start. A newer change does not wait: it may fix this.',
              on: { 'rollout.suspended': { target: 'suspended', actions: ['noteSuspended', 'reportPending'] } },
            },
          },
        },
      },
    },
    restarting: {
      description: 'Waits for a slot, and holds it until the end of the rollout.',
      tags: 'pending',
      invoke: {
        id: 'restartSlot',
        src: 'restartSlot',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      initial: 'waiting',
      states: {
        waiting: {
          description: 'Waits for minInterval, a maintenance window, the end of a pause, or a slot.',
          on: {
            'slot.pending': { actions: ['noteReason', 'reportPending'] },
            'slot.blocked': { target: '#workload.assessed.blocked', actions: 'noteReason' },
            'slot.granted': { target: 'verifying', actions: 'noteSlot' },
            'workload.changed': { target: '#workload.assessing' },
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
            onError: { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
          },
          on: {
            'verified.outdated': { target: 'patching' },
            'verified.current': { target: '#workload.writingState', actions: 'noteSkipped' },
            'verified.blocked': { target: '#workload.assessed.blocked', actions: 'noteReason' },
            'verified.refused': { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
            'workload.changed': [
              { guard: 'isOverdue', actions: 'markDirty' },
              { target: '#workload.assessing', description: 'Both changes are one restart.' },
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
            onError: { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
          },
          on: {
            'restart.accepted': { target: 'rolling', actions: ['noteAccepted', 'reportRestarted'] },
            'restart.conflicted': [
              {
                guard: 'isPatient',
                target: '#workload.assessing',
                actions: 'noteConflict',
                description: 'Decides again by the current version.',
              },
              { target: '#workload.backingOff', actions: 'noteConflict' },
            ],
            'restart.refused': { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
            'workload.changed': { actions: 'markDirty' },
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
            onError: { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
          },
          after: {
            progressDeadline: {
              target: '#workload.assessed.stopped.stalled',
              actions: ['noteDeadline', 'reportStalled'],
              description: 'The rollout exceeded progressDeadline.',
            },
          },
          on: {
            'rollout.complete': { target: '#workload.writingState', actions: 'noteRolledOut' },
            'rollout.stalled': {
              target: '#workload.assessed.stopped.stalled',
              actions: ['noteStalled', 'reportStalled'],
            },
            'rollout.suspended': {
              target: '#workload.assessed.stopped.suspended',
              actions: ['noteSuspended', 'reportPending'],
            },
            'rollout.reverted': { target: '#workload.writingState', actions: 'noteReverted' },
            'rollout.emptied': { target: 'restoring' },
            'workload.changed': { actions: 'markDirty' },
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
            onError: { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
          },
          on: {
            'restore.done': { target: '#workload.assessing', actions: 'forgetFailures' },
            'restore.conflicted': [
              { guard: 'isPatient', target: '#workload.assessing', actions: 'noteConflict' },
              { target: '#workload.backingOff', actions: 'noteConflict' },
            ],
            'restore.refused': { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
            'workload.changed': { actions: 'markDirty' },
          },
        },
      },
    },
    writingState: {
      description: 'Writes the state to the workload.',
      invoke: {
        id: 'writeState',
        src: 'writeState',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'state.written': [
          { guard: 'isReverted', target: 'assessing', actions: ['forgetFailures', 'reportReverted'] },
          {
            target: 'assessing',
            actions: ['forgetFailures', 'reportWritten'],
            description: 'Checks what has changed in the meantime.',
          },
        ],
        'state.conflicted': [
          { guard: 'isPatient', target: 'assessing', actions: 'noteConflict' },
          { target: 'backingOff', actions: 'noteConflict' },
        ],
        'state.refused': { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
    },
    backingOff: {
      description: 'A request failed: it is retried after a pause that grows from 200 ms to a minute.',
      after: { retryDelay: { target: 'assessing' } },
    },
    releasing: {
      description: 'Removes the state. The annotation in the template stays: removing it would cause a rollout.',
      entry: 'noteReleased',
      invoke: {
        id: 'writeState',
        src: 'writeState',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'state.written': [
          { guard: 'isDirty', target: 'assessing', actions: ['forgetFailures', 'reportWritten'] },
          { target: 'ended', actions: 'reportWritten' },
        ],
        'state.conflicted': [
          { guard: 'isPatient', target: 'assessing', actions: 'noteConflict' },
          { target: 'backingOff', actions: 'noteConflict' },
        ],
        'state.refused': { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
        'workload.changed': { actions: 'markDirty' },
      },
    },
    ended: {
      type: 'final',
      description: 'The workload is no longer managed.',
    },
  },
});

function inputOf({ workload: name, outcome, standing, isUnderWay, changedSince }: WorkloadContext): EffectInput {
  const stands = { hasStalled: standing !== undefined, isStallReported: standing?.is === 'stalled' };
  return { workload: name, outcome, ...stands, isUnderWay, changedSince };
}

function stoppedRollout(is: Standing['is'], reason: string) {
  return { standing: { is, reason }, reason, ...noFailures };
}

function reasonOf(event: object): { readonly reason: string; readonly blockedFor: number | undefined } {
  const reason = 'reason' in event && typeof event.reason === 'string' ? event.reason : '';
  return {
    reason,
    blockedFor: 'blockedFor' in event && typeof event.blockedFor === 'number' ? event.blockedFor : undefined,
  };
}

/** The reason and class of a refusal, or the error of an effect that failed. */
function refusalOf(event: object): { readonly reason: string; readonly failure: string } {
  const failure = 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other';
  if ('error' in event && event.error instanceof Error) return { reason: event.error.message, failure };
  return { reason: reasonOf(event).reason, failure };
}

function settingsOf(context: WorkloadContext, config: Partial<WorkloadInput>): Partial<WorkloadInput> {
  const { quietPeriod = context.quietPeriod, quietMax = context.quietMax } = config;
  return { quietPeriod, quietMax, progressDeadline: config.progressDeadline ?? context.progressDeadline };
}

/**
 * Waits for `quietPeriod` after the latest change, but for no longer than `quietMax` after the first of the changes
 * that followed each other without a quiet period between them.
 */
function quietOf(
  context: WorkloadContext,
  { now = 0, changedAt = now, ...assessment }: Extract<WorkloadEvent, { type: 'assessed.changed' }>,
) {
  const wasQuiet = context.changedAt !== undefined && changedAt > context.changedAt + context.quietPeriod;
  const assessed = wasQuiet ? changedAt : Math.min(context.unquietSince ?? changedAt, changedAt);
  const unquietSince = assessment.unquietSince ?? assessed;
  const [quietAt, latest] = [changedAt + context.quietPeriod, unquietSince + context.quietMax];
  return {
    changedSince: Math.min(context.changedSince ?? changedAt, changedAt),
    unquietSince,
    changedAt,
    quietIn: Math.max(0, Math.min(quietAt, latest) - now),
    isOverdue: latest < quietAt && latest <= now,
    isUnderWay: false,
    reason: '',
  };
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
