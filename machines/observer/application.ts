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
  /** Its spec has changed, it is being deleted, or its deletion is to be forced. */
  | { readonly type: 'application.changed' }
  /** The object does not exist any more. */
  | { readonly type: 'application.deleted' }
  /** Its resources can be applied, except those with errors of their own. */
  | { readonly type: 'spec.valid' }
  /** An error concerns the whole application: nothing is applied. */
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
  /** A deleted resource still exists, and nothing blocks its deletion. */
  | { readonly type: 'deletion.pending'; readonly jitter?: number }
  | ({ readonly type: 'deletion.refused' } & Refused);

const shortestRetry = 200;
const longestRetry = 60_000;
/** The longest time between two checks whether the deleted resources still exist. */
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
    'One application: its resources are applied and then observed, so that drift is corrected. The observer is stopped ' +
    'before anything of the application is applied or deleted, and a new one is started afterwards.',
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
    'application.deleted': { target: '.deleted', description: 'The object was deleted: its finalizer was removed.' },
  },
  states: {
    validating: {
      description:
        'Reads the current spec: the resources with their kinds, and their observed fields. Adds the finalizer before ' +
        'anything is applied.',
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
      description: 'An error concerns the whole application: nothing is applied until the application changes.',
      entry: 'reportInvalid',
      on: { 'application.changed': { target: 'validating' } },
    },
    paused: {
      description: 'The spec requests a pause: nothing is applied or corrected until its time is over.',
      entry: 'reportPaused',
      after: { pauseTime: { target: 'validating' } },
      on: { 'application.changed': { target: 'validating' } },
    },
    applying: {
      description:
        'Tries each resource once, in order, after it was recorded in the status; prunes what is no longer in the ' +
        'manifests. In mode detect nothing is applied.',
      invoke: {
        id: 'applyResources',
        src: 'applyResources',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordRefusal', 'reportRefused'] },
      },
      on: {
        'application.changed': {
          actions: 'markChanged',
          description: 'The request in flight is finished first.',
        },
        'apply.done': [
          { guard: 'hasChanged', target: 'stopping', description: 'A slow request may still be in flight.' },
          { target: 'observing', actions: ['resetRetries', 'reportApplied'] },
        ],
        'apply.refused': { target: 'backingOff', actions: ['recordRefusal', 'reportRefused'] },
      },
    },
    observing: {
      description: 'Its resources are compared with what was applied, and corrected. Only this state has an observer.',
      invoke: {
        id: 'observer',
        src: 'observer',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordRefusal', 'reportRefused'] },
      },
      on: { 'application.changed': { target: 'stopping' } },
    },
    stopping: {
      description: 'The observer is stopped; requests in flight are waited for.',
      invoke: {
        id: 'drain',
        src: 'drain',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordRefusal', 'reportRefused'] },
      },
      on: {
        'application.changed': { description: 'The spec is read once nothing is in flight.' },
        'requests.drained': { target: 'validating' },
      },
    },
    backingOff: {
      description: 'A transient failure: retried after a pause that grows from 200 ms to a minute.',
      after: { retryDelay: { target: 'stopping' } },
      on: { 'application.changed': { target: 'stopping' } },
    },
    deleting: {
      description:
        'Its resources are deleted in reverse order, or released; then the finalizer is removed. No ' +
        'observer runs.',
      initial: 'attempting',
      states: {
        attempting: {
          description: 'Tries to delete or release each remaining resource once.',
          invoke: {
            id: 'deleteResources',
            src: 'deleteResources',
            input: ({ context }) => inputOf(context),
            onError: { target: 'waiting', actions: ['recordRefusal', 'reportRefused'] },
          },
          on: {
            'application.changed': { actions: 'markChanged' },
            'deletion.done': { target: '#application.deleted' },
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
            'Deleted objects are still terminating, or a deletion is blocked: retried after a growing pause, of ten seconds ' +
            'at most while objects are only terminating.',
          after: { retryDelay: { target: 'attempting' } },
          on: { 'application.changed': { target: 'attempting', description: 'The deletion may be forced now.' } },
        },
      },
    },
    deleted: {
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
