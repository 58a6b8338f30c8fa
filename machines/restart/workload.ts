import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/** One workload that is looked after. Durations are milliseconds. */
export interface WorkloadInput {
  /** Such as `deployment/shop/web`. */
  readonly workload: string;
  /** How long nothing must have changed before a restart is asked for. */
  readonly quietPeriod: number;
  /** How long it may take to become quiet, from the first change. */
  readonly quietMax: number;
  /** How long a rollout may take. */
  readonly progressDeadline: number;
}

/** What the written state is to say. */
export type Outcome =
  /** What the sources say now is what the pods are taken to run with. */
  | 'adopted'
  /** The pods are proven to run with the target. */
  | 'rolledOut'
  /** Pods that started after the last write run with it already: nothing had to be restarted. */
  | 'needless'
  /** Somebody took the restart back. */
  | 'reverted'
  /** It is not looked after any more. */
  | 'left';

/** What an effect is started with. */
export interface EffectInput {
  readonly workload: string;
  readonly outcome: Outcome;
  /** The rollout of the stored target was followed until it stood still. */
  readonly hasStalled: boolean;
}

interface WorkloadContext extends WorkloadInput {
  readonly outcome: Outcome;
  readonly hasStalled: boolean;
  /** Something changed while a rollout was under way. */
  readonly hasNews: boolean;
  /** By the clock that never jumps: the first change that has not been dealt with. */
  readonly changedSince: number | undefined;
  /** How long it still has to stay quiet. */
  readonly quietIn: number;
  /** Why it is held, waits, or stands still: for people. */
  readonly reason: string;
  /** How long it is held; undefined: until something changes. */
  readonly heldFor: number | undefined;
  /** Conflicts in a row. */
  readonly conflicts: number;
  /** Refusals in a row. */
  readonly refusals: number;
  readonly retryIn: number;
}

/** `jitter` is random, from 0 to 1; `retryAfter`, in milliseconds, is the server's own wish. */
interface Refused {
  readonly jitter?: number;
  readonly retryAfter?: number;
  readonly reason?: string;
}

export type WorkloadEvent =
  /** A source, the template or an annotation says something else: what it comes to has to be found out. */
  | { readonly type: 'facts.changed' }
  /** Nothing is known of it yet: its state is written, and nothing restarted. */
  | { readonly type: 'assessed.new' }
  /** The pods run with what the sources say, or nobody knows better. */
  | { readonly type: 'assessed.current' }
  /** A source has changed. By the clock that never jumps: now, and when the newest change was heard of. */
  | { readonly type: 'assessed.changed'; readonly now?: number; readonly changedAt?: number }
  /** A restart was begun: its rollout has to be followed to its end. */
  | { readonly type: 'assessed.rolling'; readonly hasNews?: boolean }
  /** The rollout that stands still is still the one that is wanted. */
  | { readonly type: 'assessed.stalled'; readonly reason?: string }
  /** It must not be restarted now. `heldFor`: for so long; otherwise until something changes. */
  | { readonly type: 'assessed.held'; readonly reason?: string; readonly heldFor?: number }
  /** It is not to be looked after: opted out, or matched by no rule. */
  | { readonly type: 'assessed.unmanaged' }
  | ({ readonly type: 'assessed.refused' } & Refused)
  /** Its turn to be adopted, or to be restarted. */
  | { readonly type: 'turn.granted' }
  /** Why it is not its turn yet. */
  | { readonly type: 'turn.waits'; readonly reason?: string }
  | { readonly type: 'turn.held'; readonly reason?: string; readonly heldFor?: number }
  /** Some container runs with old content. */
  | { readonly type: 'proof.needed' }
  /** No container does. */
  | { readonly type: 'proof.needless' }
  /** A restart would not help. */
  | { readonly type: 'proof.held'; readonly reason?: string }
  | ({ readonly type: 'proof.refused' } & Refused)
  | { readonly type: 'restart.accepted' }
  /** 409: somebody else has changed it. */
  | ({ readonly type: 'restart.conflicted' } & Refused)
  | ({ readonly type: 'restart.refused' } & Refused)
  | { readonly type: 'rollout.complete' }
  /** No progress, or a pod that cannot start. */
  | { readonly type: 'rollout.stalled'; readonly reason?: string }
  /** Somebody put the template back, and the pods are the old ones. */
  | { readonly type: 'rollout.reverted' }
  | { readonly type: 'state.written' }
  | ({ readonly type: 'state.conflicted' } & Refused)
  | ({ readonly type: 'state.refused' } & Refused)
  /** The workload is gone, or weeder has been told to look after it no more and it keeps no state. */
  | { readonly type: 'workload.gone' };

const shortestRetry = 200;
const longestRetry = 60_000;
const longestDelay = 2 ** 31 - 1;
/** So many conflicts in a row are no reason to pause: during a rollout they are normal. */
const patientConflicts = 3;

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
    adoptionTurn: unprovidedEffect(),
    restartTurn: unprovidedEffect(),
    prove: unprovidedEffect(),
    restart: unprovidedEffect(),
    followRollout: unprovidedEffect(),
    writeState: unprovidedEffect(),
  },
  actions: {
    forgetNews: assign({ hasNews: false }),
    noteNews: assign({ hasNews: true }),
    noteRolloutFound: assign({
      hasNews: ({ event }) => event.type === 'assessed.rolling' && event.hasNews === true,
    }),
    noteCurrent: assign({ changedSince: undefined, hasStalled: false, conflicts: 0, refusals: 0, reason: '' }),
    noteChange: assign(({ context, event }) => (event.type === 'assessed.changed' ? quietOf(context, event) : {})),
    noteReason: assign(({ event }) => ({
      reason: 'reason' in event && event.reason !== undefined ? event.reason : '',
      heldFor: 'heldFor' in event ? event.heldFor : undefined,
    })),
    noteRefusal: assign(({ context, event }) => ({
      refusals: context.refusals + 1,
      retryIn: retryDelay(context.refusals, event),
    })),
    noteConflict: assign(({ context, event }) => ({
      conflicts: context.conflicts + 1,
      retryIn: retryDelay(context.conflicts - patientConflicts, event),
    })),
    noteAccepted: assign({ conflicts: 0, refusals: 0, hasStalled: false, changedSince: undefined, hasNews: false }),
    noteStalled: assign({ hasStalled: true }),
    noteAdopted: assign({ outcome: 'adopted' }),
    noteRolledOut: assign({ outcome: 'rolledOut' }),
    noteNeedless: assign({ outcome: 'needless' }),
    noteReverted: assign({ outcome: 'reverted' }),
    noteLeft: assign({ outcome: 'left' }),
    reportChanged: unprovided,
    reportHeld: unprovided,
    reportWaiting: unprovided,
    reportRestarted: unprovided,
    reportStalled: unprovided,
    reportReverted: unprovided,
    reportWritten: unprovided,
    reportRefused: unprovided,
  },
  guards: {
    isPatient: ({ context }) => context.conflicts < patientConflicts,
    hasNews: ({ context }) => context.hasNews,
    isHeldForATime: ({ context }) => context.heldFor !== undefined,
  },
  delays: {
    quietTime: ({ context }) => bounded(context.quietIn),
    holdTime: ({ context }) => bounded(context.heldFor ?? longestDelay),
    retryDelay: ({ context }) => bounded(context.retryIn),
    progressDeadline: ({ context }) => bounded(context.progressDeadline),
  },
}).createMachine({
  id: 'workload',
  description:
    'One workload whose pods restart when, and only when, the ConfigMaps and Secrets that they use have changed. ' +
    'What its pods run with is kept in an annotation on the workload itself.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    workload: 'deployment/default/web',
    quietPeriod: 5_000,
    quietMax: 60_000,
    progressDeadline: 600_000,
    ...input,
    outcome: 'adopted',
    hasStalled: false,
    hasNews: false,
    changedSince: undefined,
    quietIn: 0,
    reason: '',
    heldFor: undefined,
    conflicts: 0,
    refusals: 0,
    retryIn: shortestRetry,
  }),
  initial: 'assessing',
  on: {
    'workload.gone': { target: '.gone', description: 'Deleted.' },
  },
  states: {
    assessing: {
      description: 'Compares what the pod template uses now with what is written down on the workload.',
      entry: 'forgetNews',
      invoke: {
        id: 'assess',
        src: 'assess',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'facts.changed': { target: 'assessing', reenter: true, description: 'By the newest facts only.' },
        'assessed.new': { target: 'adopting', actions: 'noteAdopted' },
        'assessed.current': { target: 'current' },
        'assessed.changed': { target: 'stale', actions: ['noteChange', 'reportChanged'] },
        'assessed.rolling': { target: 'restarting.rolling', actions: 'noteRolloutFound' },
        'assessed.stalled': { target: 'stalled', actions: 'noteReason' },
        'assessed.held': { target: 'held', actions: 'noteReason' },
        'assessed.unmanaged': { target: 'leaving' },
        'assessed.refused': { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
    },
    adopting: {
      description: 'Takes down what its sources say, and restarts nothing. Many are adopted one after the other.',
      invoke: {
        id: 'adoptionTurn',
        src: 'adoptionTurn',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'facts.changed': { target: 'assessing' },
        'turn.granted': { target: 'recording' },
      },
    },
    current: {
      description: 'The pods run with what the sources say.',
      entry: 'noteCurrent',
      on: { 'facts.changed': { target: 'assessing' } },
    },
    stale: {
      description: 'A source has changed. Waits until it is quiet, so that many changes make one restart.',
      tags: 'pending',
      after: { quietTime: { target: 'restarting' } },
      on: { 'facts.changed': { target: 'assessing', description: 'One more change, or the same content again.' } },
    },
    restarting: {
      description: 'Has, or waits for, a place among the restarts: from the question to the end of the rollout.',
      tags: 'pending',
      invoke: {
        id: 'restartTurn',
        src: 'restartTurn',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      initial: 'waiting',
      states: {
        waiting: {
          description: 'For its interval, a maintenance window, the end of a pause, or its turn among the others.',
          on: {
            'turn.waits': { actions: ['noteReason', 'reportWaiting'] },
            'turn.held': { target: '#workload.held', actions: 'noteReason' },
            'turn.granted': { target: 'proving' },
            'facts.changed': { target: '#workload.assessing' },
          },
        },
        proving: {
          description:
            'Looks at the pods: those that were made after the last write have the new content already. So a release ' +
            'that changes ConfigMap and image makes one rollout, and an undo or an eviction counts as the restart.',
          invoke: {
            id: 'prove',
            src: 'prove',
            input: ({ context }) => inputOf(context),
            onError: { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
          },
          on: {
            'proof.needed': { target: 'patching' },
            'proof.needless': { target: '#workload.recording', actions: 'noteNeedless' },
            'proof.held': { target: '#workload.held', actions: 'noteReason' },
            'proof.refused': { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
            'facts.changed': { target: '#workload.assessing' },
          },
        },
        patching: {
          description:
            'One write is on the way that insists on the version that was decided on: the template with a new hash, ' +
            'and the target beside it.',
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
                description: 'Decided again, by what it is now.',
              },
              { target: '#workload.backingOff', actions: 'noteConflict' },
            ],
            'restart.refused': { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
            'facts.changed': { actions: 'noteNews' },
          },
        },
        rolling: {
          description:
            'Kubernetes replaces the pods by the workload’s own strategy. A newer change waits until that is done, or ' +
            'stands still.',
          invoke: {
            id: 'followRollout',
            src: 'followRollout',
            input: ({ context }) => inputOf(context),
            onError: { target: '#workload.backingOff', actions: ['noteRefusal', 'reportRefused'] },
          },
          after: {
            progressDeadline: { target: '#workload.stalled', description: 'It has taken too long.' },
          },
          on: {
            'rollout.complete': { target: '#workload.recording', actions: 'noteRolledOut' },
            'rollout.stalled': { target: '#workload.stalled', actions: 'noteReason' },
            'rollout.reverted': { target: '#workload.recording', actions: ['noteReverted', 'reportReverted'] },
            'facts.changed': { actions: 'noteNews' },
          },
        },
      },
    },
    stalled: {
      description:
        'The rollout stands still. It holds no place, and does not block a newer change: that may be its cure.',
      entry: ['noteStalled', 'reportStalled'],
      always: { guard: 'hasNews', target: 'assessing' },
      invoke: {
        id: 'followRollout',
        src: 'followRollout',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'rollout.complete': { target: 'recording', actions: 'noteRolledOut' },
        'rollout.reverted': { target: 'recording', actions: ['noteReverted', 'reportReverted'] },
        'facts.changed': { target: 'assessing' },
      },
    },
    recording: {
      description: 'Writes down on the workload what is known now.',
      invoke: {
        id: 'writeState',
        src: 'writeState',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'state.written': { target: 'assessing', actions: 'reportWritten' },
        'state.conflicted': [
          { guard: 'isPatient', target: 'assessing', actions: 'noteConflict' },
          { target: 'backingOff', actions: 'noteConflict' },
        ],
        'state.refused': { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
    },
    held: {
      description:
        'Must not be restarted: a source is missing, an immutable one was re-created, it restarted too often, or an ' +
        'annotation cannot be read.',
      tags: 'pending',
      entry: 'reportHeld',
      after: { holdTime: { guard: 'isHeldForATime', target: 'assessing' } },
      on: { 'facts.changed': { target: 'assessing' } },
    },
    backingOff: {
      description: 'Something failed that may pass: asked again after a pause that grows from 200 ms to a minute.',
      after: { retryDelay: { target: 'assessing' } },
    },
    leaving: {
      description: 'Takes its state away. The annotation in the template stays: to remove it would be a rollout.',
      entry: 'noteLeft',
      invoke: {
        id: 'writeState',
        src: 'writeState',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
      },
      on: {
        'state.written': { target: 'gone' },
        'state.conflicted': { target: 'backingOff', actions: 'noteConflict' },
        'state.refused': { target: 'backingOff', actions: ['noteRefusal', 'reportRefused'] },
        'facts.changed': { target: 'assessing' },
      },
    },
    gone: {
      type: 'final',
      description: 'Nothing is left to look after.',
    },
  },
});

function inputOf({ workload: name, outcome, hasStalled }: WorkloadContext): EffectInput {
  return { workload: name, outcome, hasStalled };
}

/** Quiet for `quietPeriod` after the newest change, but no longer than `quietMax` after the first. */
function quietOf(
  context: WorkloadContext,
  { now = 0, changedAt = now }: { readonly now?: number; readonly changedAt?: number },
) {
  const changedSince = Math.min(context.changedSince ?? changedAt, changedAt);
  const quietAt = Math.min(changedAt + context.quietPeriod, changedSince + context.quietMax);
  return { changedSince, quietIn: Math.max(0, quietAt - now) };
}

/** Doubles from 200 ms to a minute, of which a random half is taken off; never sooner than the server asked for. */
function retryDelay(times: number, event: object): number {
  const jitter = 'jitter' in event && typeof event.jitter === 'number' ? event.jitter : 1;
  const retryAfter = 'retryAfter' in event && typeof event.retryAfter === 'number' ? event.retryAfter : 0;
  const ceiling = Math.min(longestRetry, shortestRetry * 2 ** Math.min(Math.max(0, times), 16));
  return Math.max(retryAfter, ceiling * (0.5 + 0.5 * jitter));
}

function bounded(delay: number): number {
  return Math.min(Math.max(0, delay), longestDelay);
}
