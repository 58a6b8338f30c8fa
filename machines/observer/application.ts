/**
 * Begins to apply or to delete only after its observer was stopped and the requests about its resources have ended; a
 * spec that changes meanwhile is read afterwards. Does not guarantee that every resource is applied when the
 * observation begins: each is tried once, those that failed or are slow are completed while they are observed, and
 * nothing is rolled back. Nor does it limit the time of a deletion: finalizers of other controllers can delay it
 * without end.
 */

import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/** A managed application. */
export interface ApplicationInput {
  /** Such as `shop/web`. */
  readonly application: string;
}

interface ApplicationContext extends ApplicationInput {
  /** The application has changed since its spec was last read. */
  readonly hasChanged: boolean;
  /** Consecutive failures. */
  readonly failures: number;
  /** Milliseconds. */
  readonly retryIn: number;
  /** The rest of its pause, in milliseconds. */
  readonly pausedFor: number;
  /** Why it is invalid or retried, for users. */
  readonly reason: string;
  /** The class of the latest failure. */
  readonly failure: string;
}

/**
 * `jitter` is random, from 0 to 1; `retryAfter` is the delay that the server requested, in milliseconds; `failure` is
 * its class.
 */
interface Failure {
  readonly jitter?: number;
  readonly retryAfter?: number;
  readonly reason?: string;
  readonly failure?: string;
}

export type ApplicationEvent =
  /** The spec has changed, the application is being deleted, or its deletion is to be forced. */
  | { readonly type: 'application.changed' }
  /** The application was deleted. */
  | { readonly type: 'application.deleted' }
  /** Its resources can be applied, except those with errors of their own. */
  | { readonly type: 'spec.valid' }
  /** An error concerns the whole application: nothing is applied. */
  | { readonly type: 'spec.invalid'; readonly reason?: string }
  /** Nothing is applied or corrected for `pausedFor` milliseconds. */
  | { readonly type: 'spec.paused'; readonly pausedFor?: number }
  /** The application has a deletionTimestamp. */
  | { readonly type: 'spec.terminating' }
  | ({ readonly type: 'spec.failed' } & Failure)
  /** Each resource was tried once; failed ones are retried while the application is observed. */
  | { readonly type: 'apply.done' }
  | ({ readonly type: 'apply.failed' } & Failure)
  /** No request about its resources is in flight. */
  | { readonly type: 'requests.drained' }
  /** Its resources are deleted or released, and its finalizer is removed. */
  | { readonly type: 'deletion.done' }
  /** A deleted resource still exists, and nothing blocks its deletion. */
  | { readonly type: 'deletion.pending'; readonly jitter?: number }
  | ({ readonly type: 'deletion.failed' } & Failure);

const shortestRetry = 200;
const longestRetry = 60_000;
/** The longest time between two checks whether the deleted resources still exist. Milliseconds. */
export const longestEnding = 10_000;
/** The longest delay of a timer. */
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
    forgetChanged: assign({ hasChanged: false }),
    recordChanged: assign({ hasChanged: true }),
    recordReason: assign(({ event }) => ({ reason: reasonOf(event) })),
    recordPause: assign(({ event }) => ({ pausedFor: pauseOf(event) })),
    forgetFailures: assign({ failures: 0, reason: '' }),
    recordFailure: assign(({ context, event }) => ({
      reason: reasonOf(event),
      failure: failureOf(event),
      failures: context.failures + 1,
      retryIn: retryDelay(context.failures, event),
    })),
    recordPending: assign(({ context, event }) => ({
      reason: '',
      failures: context.failures + 1,
      retryIn: Math.min(longestEnding, retryDelay(context.failures, event)),
    })),
    reportInvalid: unprovided,
    reportPaused: unprovided,
    reportApplied: unprovided,
    reportFailed: unprovided,
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
    failures: 0,
    retryIn: shortestRetry,
    pausedFor: 0,
    reason: '',
    failure: 'other',
  }),
  initial: 'validating',
  on: {
    'application.deleted': {
      target: '.deleted',
      description: 'The application was deleted: its finalizer was removed.',
    },
  },
  states: {
    validating: {
      description:
        'Reads the current spec: the resources with their kinds, and their observed fields. Adds the finalizer before ' +
        'anything is applied.',
      entry: 'forgetChanged',
      invoke: {
        id: 'validate',
        src: 'validate',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
      on: {
        'application.changed': { target: 'validating', reenter: true },
        'spec.valid': { target: 'applying' },
        'spec.invalid': { target: 'invalid', actions: 'recordReason' },
        'spec.paused': { target: 'paused', actions: 'recordPause' },
        'spec.terminating': { target: 'deleting', actions: 'forgetFailures' },
        'spec.failed': { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
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
        'Tries each resource once, in order, after it was recorded in the status. Prunes resources that are no longer in ' +
        'the manifests. In mode detect nothing is applied.',
      invoke: {
        id: 'applyResources',
        src: 'applyResources',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
      on: {
        'application.changed': {
          actions: 'recordChanged',
          description: 'The request in flight is finished first.',
        },
        'apply.done': [
          { guard: 'hasChanged', target: 'stopping', description: 'A slow request may still be in flight.' },
          { target: 'observing', actions: ['forgetFailures', 'reportApplied'] },
        ],
        'apply.failed': { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
    },
    observing: {
      description: 'Compares its resources with what was applied, and corrects them. Only this state has an observer.',
      invoke: {
        id: 'observer',
        src: 'observer',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
      on: { 'application.changed': { target: 'stopping' } },
    },
    stopping: {
      description: 'The observer is stopped. Waits for the requests in flight.',
      invoke: {
        id: 'drain',
        src: 'drain',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
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
        'Deletes its resources in reverse order, or releases them, and then removes the finalizer. No observer runs.',
      initial: 'attempting',
      states: {
        attempting: {
          description: 'Tries to delete or release each remaining resource once.',
          invoke: {
            id: 'deleteResources',
            src: 'deleteResources',
            input: ({ context }) => inputOf(context),
            onError: { target: 'waiting', actions: ['recordFailure', 'reportFailed'] },
          },
          on: {
            'application.changed': { actions: 'recordChanged' },
            'deletion.done': { target: '#application.deleted' },
            'deletion.pending': [
              { guard: 'hasChanged', target: 'attempting', reenter: true, actions: 'forgetChanged' },
              { target: 'waiting', actions: 'recordPending' },
            ],
            'deletion.failed': [
              { guard: 'hasChanged', target: 'attempting', reenter: true, actions: 'forgetChanged' },
              { target: 'waiting', actions: ['recordFailure', 'reportFailed'] },
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
      description: 'The application is no longer managed.',
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

/** The delay doubles from 200 ms to a minute, minus a random half; it is never shorter than the server requested. */
function retryDelay(times: number, event: object): number {
  const jitter = 'jitter' in event && typeof event.jitter === 'number' ? event.jitter : 1;
  const retryAfter = 'retryAfter' in event && typeof event.retryAfter === 'number' ? event.retryAfter : 0;
  return Math.max(retryAfter, Math.min(longestRetry, shortestRetry * 2 ** Math.min(times, 16)) * (0.5 + 0.5 * jitter));
}
