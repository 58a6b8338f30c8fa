import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/** One application that is managed. */
export interface ApplicationInput {
  /** Such as `shop/web`. */
  readonly application: string;
}

interface ApplicationContext extends ApplicationInput {
  /** It became another one since what it says was read last. */
  readonly hasChanged: boolean;
  /** Refusals in a row. */
  readonly refusals: number;
  /** Milliseconds. */
  readonly retryIn: number;
  /** How much of its pause is left, in milliseconds. */
  readonly pausedFor: number;
  /** Why it is invalid, or is tried again: for people. */
  readonly reason: string;
  /** The class of the newest refusal. */
  readonly failure: string;
}

/** `jitter` is random, from 0 to 1; `retryAfter`, in milliseconds, is the server's own wish; `failure` its class. */
interface Refused {
  readonly jitter?: number;
  readonly retryAfter?: number;
  readonly reason?: string;
  readonly failure?: string;
}

export type ApplicationEvent =
  /** Its spec is another one, it is to be deleted, or somebody wants its deletion forced. */
  | { readonly type: 'application.changed' }
  /** It is not there any more. */
  | { readonly type: 'application.gone' }
  /** Its resources can be applied, all but those with a fault of their own. */
  | { readonly type: 'spec.valid' }
  /** A fault concerns the whole: nothing is applied. */
  | { readonly type: 'spec.invalid'; readonly reason?: string }
  /** Nothing is done for so many milliseconds. */
  | { readonly type: 'spec.paused'; readonly pausedFor?: number }
  /** It has a time of deletion. */
  | { readonly type: 'spec.terminating' }
  | ({ readonly type: 'spec.refused' } & Refused)
  /** Each resource was tried once; what failed is tried again while it is observed. */
  | { readonly type: 'apply.done' }
  | ({ readonly type: 'apply.refused' } & Refused)
  /** No request about its resources is under way. */
  | { readonly type: 'requests.drained' }
  /** Its resources are deleted or released, and its finalizer is removed. */
  | { readonly type: 'deletion.done' }
  /** What was deleted is not gone yet, and nothing is in the way. */
  | { readonly type: 'deletion.pending'; readonly jitter?: number }
  | ({ readonly type: 'deletion.refused' } & Refused);

const shortestRetry = 200;
const longestRetry = 60_000;
/** How often it is asked at least whether what was deleted is gone. */
const longestEnding = 10_000;
/** As much as a timer counts to. */
const longestDelay = 2 ** 31 - 1;

function unprovided(): never {
  throw new Error(
    'The application machine was started without its implementation: use the one that src/observer provides.',
  );
}

function unprovidedEffect() {
  return fromCallback<AnyEventObject, ApplicationInput>(unprovided);
}

export const application = setup({
  types: {
    context: {} as ApplicationContext,
    events: {} as ApplicationEvent,
    input: {} as Partial<ApplicationInput> | undefined,
  },
  actors: {
    validate: unprovidedEffect(),
    applyResources: unprovidedEffect(),
    observer: unprovidedEffect(),
    drain: unprovidedEffect(),
    deleteResources: unprovidedEffect(),
  },
  actions: {
    clearChanged: assign({ hasChanged: false }),
    markChanged: assign({ hasChanged: true }),
    setReason: assign(({ event }) => ({ reason: reasonOf(event) })),
    setPause: assign(({ event }) => ({ pausedFor: pauseOf(event) })),
    resetRetries: assign({ refusals: 0, reason: '' }),
    recordRefusal: assign(({ context, event }) => ({
      reason: reasonOf(event),
      failure: failureOf(event),
      refusals: context.refusals + 1,
      retryIn: retryDelay(context.refusals, event),
    })),
    scheduleRecheck: assign(({ context, event }) => ({
      reason: '',
      refusals: context.refusals + 1,
      retryIn: Math.min(longestEnding, retryDelay(context.refusals, event)),
    })),
    reportInvalid: unprovided,
    reportPaused: unprovided,
    reportApplied: unprovided,
    reportRefused: unprovided,
  },
  guards: {
    hasChanged: ({ context }) => context.hasChanged,
  },
  delays: {
    pauseTime: ({ context }) => Math.min(Math.max(0, context.pausedFor), longestDelay),
    retryDelay: ({ context }) => context.retryIn,
  },
}).createMachine({
  id: 'application',
  description:
    'One application: its resources are applied, and then observed, so that they stay as they were applied. The observer ' +
    'is stopped before anything of the application is applied or deleted, and a new one is started afterwards.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    application: 'default/web',
    ...input,
    hasChanged: false,
    refusals: 0,
    retryIn: shortestRetry,
    pausedFor: 0,
    reason: '',
    failure: 'other',
  }),
  initial: 'validating',
  on: {
    'application.gone': { target: '.gone', description: 'Somebody removed the finalizer.' },
  },
  states: {
    validating: {
      description:
        'Finds out what the application says now: its resources with their kinds, and what of them is observed. It gets ' +
        'its finalizer before anything is applied.',
      entry: 'clearChanged',
      invoke: {
        id: 'validate',
        src: 'validate',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordRefusal', 'reportRefused'] },
      },
      on: {
        'application.changed': { target: 'validating', reenter: true },
        'spec.valid': { target: 'applying' },
        'spec.invalid': { target: 'invalid', actions: 'setReason' },
        'spec.paused': { target: 'paused', actions: 'setPause' },
        'spec.terminating': { target: 'deleting', actions: 'resetRetries' },
        'spec.refused': { target: 'backingOff', actions: ['recordRefusal', 'reportRefused'] },
      },
    },
    invalid: {
      description: 'A fault concerns the whole application: nothing is applied until it is another one.',
      entry: 'reportInvalid',
      on: { 'application.changed': { target: 'validating' } },
    },
    paused: {
      description:
        'Somebody asked for a pause: nothing is applied or corrected until it ends, which it does by itself.',
      entry: 'reportPaused',
      after: { pauseTime: { target: 'validating' } },
      on: { 'application.changed': { target: 'validating' } },
    },
    applying: {
      description:
        'Tries each resource once, in order, after its name was written down; deletes what left the manifests. Where ' +
        'nothing is to be corrected, it only finds out what is wanted.',
      invoke: {
        id: 'applyResources',
        src: 'applyResources',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordRefusal', 'reportRefused'] },
      },
      on: {
        'application.changed': {
          actions: 'markChanged',
          description: 'The request that is under way comes to its end first.',
        },
        'apply.done': [
          { guard: 'hasChanged', target: 'stopping', description: 'A slow request may still be under way.' },
          { target: 'observing', actions: ['resetRetries', 'reportApplied'] },
        ],
        'apply.refused': { target: 'backingOff', actions: ['recordRefusal', 'reportRefused'] },
      },
    },
    observing: {
      description: 'Its resources are compared with what was applied, and corrected. Only here there is an observer.',
      invoke: {
        id: 'observer',
        src: 'observer',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordRefusal', 'reportRefused'] },
      },
      on: { 'application.changed': { target: 'stopping' } },
    },
    stopping: {
      description: 'There is no observer any more; what it asked for last is waited for.',
      invoke: {
        id: 'drain',
        src: 'drain',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordRefusal', 'reportRefused'] },
      },
      on: {
        'application.changed': { description: 'What it says is read when nothing is under way.' },
        'requests.drained': { target: 'validating' },
      },
    },
    backingOff: {
      description: 'Something failed that may pass: tried again after a pause that grows from 200 ms to a minute.',
      after: { retryDelay: { target: 'stopping' } },
      on: { 'application.changed': { target: 'stopping' } },
    },
    deleting: {
      description:
        'Its resources are deleted, the newest first, or let go of; when they are gone its finalizer is removed. No ' +
        'observer runs.',
      initial: 'attempting',
      states: {
        attempting: {
          description: 'Each resource that is left is asked for once.',
          invoke: {
            id: 'deleteResources',
            src: 'deleteResources',
            input: ({ context }) => inputOf(context),
            onError: { target: 'waiting', actions: ['recordRefusal', 'reportRefused'] },
          },
          on: {
            'application.changed': { actions: 'markChanged' },
            'deletion.done': { target: '#application.gone' },
            'deletion.pending': [
              { guard: 'hasChanged', target: 'attempting', reenter: true, actions: 'clearChanged' },
              { target: 'waiting', actions: 'scheduleRecheck' },
            ],
            'deletion.refused': [
              { guard: 'hasChanged', target: 'attempting', reenter: true, actions: 'clearChanged' },
              { target: 'waiting', actions: ['recordRefusal', 'reportRefused'] },
            ],
          },
        },
        waiting: {
          description:
            'What was deleted is not gone yet, or something is in the way: tried again after a pause that grows, to ten ' +
            'seconds where only the end of what was deleted is waited for.',
          after: { retryDelay: { target: 'attempting' } },
          on: { 'application.changed': { target: 'attempting', description: 'It may be forced now.' } },
        },
      },
    },
    gone: {
      type: 'final',
      description: 'Nothing is left to manage.',
    },
  },
});

function inputOf({ application: name }: ApplicationContext): ApplicationInput {
  return { application: name };
}

/** The message of the error where an effect failed, otherwise the reason in the event. */
function reasonOf(event: object): string {
  if ('error' in event && event.error instanceof Error) return event.error.message;
  return 'reason' in event && typeof event.reason === 'string' ? event.reason : '';
}

function failureOf(event: object): string {
  return 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other';
}

function pauseOf(event: object): number {
  return 'pausedFor' in event && typeof event.pausedFor === 'number' ? event.pausedFor : 0;
}

/** Doubles from 200 ms to a minute, of which a random half is taken off; never sooner than the server asked for. */
function retryDelay(times: number, event: object): number {
  const jitter = 'jitter' in event && typeof event.jitter === 'number' ? event.jitter : 1;
  const retryAfter = 'retryAfter' in event && typeof event.retryAfter === 'number' ? event.retryAfter : 0;
  return Math.max(retryAfter, Math.min(longestRetry, shortestRetry * 2 ** Math.min(times, 16)) * (0.5 + 0.5 * jitter));
}
