/**
 * Deletes the copy only when a Job of its name exists that no deletion by weeder can affect any more, so that this
 * process or the next completes the recreation. It respects a Job that another client has created, and the deletion of
 * the copy. Does not guarantee that the work of the Job is done once: the new Job begins again. A Job that another
 * client deletes while the outcome of the deletion by weeder is unknown is recreated, too.
 */

import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/** A Job that is being recreated. */
export interface RecreationInput {
  /** Such as `job/shop/once`. */
  readonly job: string;
}

interface RecreationContext extends RecreationInput {
  /** The Job was unchanged since its copy was made, for as long as an earlier request may still be in flight. */
  readonly wasUnchanged: boolean;
  /** Consecutive failed requests. */
  readonly failures: number;
  /** Milliseconds. */
  readonly retryIn: number;
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

export type RecreationEvent =
  /** The Job or its copy has changed. */
  | { readonly type: 'job.changed' }
  /** The old Job exists in the version that was copied: its deletion may still be in flight. */
  | { readonly type: 'job.unchanged' }
  /** The old Job exists, and no deletion request of weeder can affect it any more. */
  | { readonly type: 'job.retained' }
  /** The old Job is being deleted. */
  | { readonly type: 'job.terminating' }
  | { readonly type: 'job.notFound' }
  /** Another Job of the same name exists, to which the state has not been transferred yet. */
  | { readonly type: 'job.stateMissing' }
  /** Another Job of the same name exists, and no state is left to be transferred. */
  | { readonly type: 'job.stateTransferred' }
  | ({ readonly type: 'job.failed' } & Failure)
  | { readonly type: 'create.done' }
  /** A Job of this name exists already. */
  | { readonly type: 'create.conflicted' }
  /** Another client deleted the copy, so the Job must not be recreated. */
  | { readonly type: 'create.cancelled' }
  | ({ readonly type: 'create.failed' } & Failure)
  | { readonly type: 'copy.deleted' }
  | ({ readonly type: 'copy.failed' } & Failure);

const shortestRetry = 200;
const longestRetry = 60_000;

function unprovided(): never {
  throw new Error(
    'The recreation machine was started without its implementation: use the one that src/restart provides.',
  );
}

function unprovidedEffect() {
  return fromCallback<AnyEventObject, RecreationInput>(unprovided);
}

export const recreation = setup({
  types: {
    context: {} as RecreationContext,
    events: {} as RecreationEvent,
    input: {} as Partial<RecreationInput> | undefined,
  },
  actors: {
    checkJob: unprovidedEffect(),
    createJob: unprovidedEffect(),
    deleteCopy: unprovidedEffect(),
  },
  actions: {
    recordUnchanged: assign({ wasUnchanged: true }),
    forgetFailures: assign({ failures: 0, reason: '' }),
    recordFailure: assign(({ context, event }) => ({
      ...failureOf(event),
      failures: context.failures + 1,
      retryIn: retryDelay(context.failures, event),
    })),
    reportRecreated: unprovided,
    reportFailed: unprovided,
  },
  guards: {
    wasUnchanged: ({ context }) => context.wasUnchanged,
  },
  delays: {
    /** An API server does not work on a request for longer than this. */
    requestTimeout: 120_000,
    /** The stream delivers the change sooner, unless it has failed. */
    recheckInterval: 5_000,
    /** A node drops its copy of an immutable source shortly after the last pod that used it was deleted. */
    nodeCleanup: 2_000,
    retryDelay: ({ context }) => context.retryIn,
  },
}).createMachine({
  id: 'recreation',
  description:
    'One Job that is deleted and recreated. A suspended copy exists from before the deletion until the new ' +
    'Job exists, so that the next leader can restore it.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    job: 'job/default/once',
    ...input,
    wasUnchanged: false,
    failures: 0,
    retryIn: shortestRetry,
    reason: '',
    failure: 'other',
  }),
  initial: 'checking',
  states: {
    checking: {
      description: 'Reads the Job: the old one, none, or a new one.',
      invoke: {
        id: 'checkJob',
        src: 'checkJob',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
      on: {
        'job.unchanged': [
          {
            guard: 'wasUnchanged',
            target: 'deletingCopy',
            description: 'Decides again whether to recreate it.',
          },
          { target: 'unconfirmed' },
        ],
        'job.retained': { target: 'deletingCopy' },
        'job.terminating': { target: 'terminating', actions: 'forgetFailures' },
        'job.notFound': { target: 'coolingDown', actions: 'forgetFailures' },
        'job.stateMissing': { target: 'transferringState', actions: 'forgetFailures' },
        'job.stateTransferred': { target: 'deletingCopy', actions: 'forgetFailures' },
        'job.failed': { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
    },
    unconfirmed: {
      description:
        'The Job exists, but a request to delete it may still be in flight: the copy remains for as long as an API ' +
        'server works on a request.',
      after: { requestTimeout: { target: 'checking', actions: 'recordUnchanged' } },
      on: { 'job.changed': { target: 'checking' } },
    },
    terminating: {
      description: 'The old Job is terminating: its pods are deleted first.',
      after: { recheckInterval: { target: 'checking' } },
      on: { 'job.changed': { target: 'checking' } },
    },
    coolingDown: {
      description: 'The old Job was deleted. Waits until its node no longer caches what its pods used.',
      after: { nodeCleanup: { target: 'creating' } },
    },
    creating: {
      description: 'Creates the Job from the copy.',
      invoke: {
        id: 'createJob',
        src: 'createJob',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
      on: {
        'create.done': { target: 'checking', actions: ['forgetFailures', 'reportRecreated'] },
        'create.conflicted': { target: 'checking', description: 'Another client was faster, or a response was lost.' },
        'create.cancelled': { target: 'ended' },
        'create.failed': { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
    },
    transferringState: {
      description: 'The new Job exists; the state of the old Job is not transferred yet.',
      after: { recheckInterval: { target: 'checking' } },
      on: { 'job.changed': { target: 'checking' } },
    },
    deletingCopy: {
      description: 'The copy is not needed any more.',
      invoke: {
        id: 'deleteCopy',
        src: 'deleteCopy',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
      on: {
        'copy.deleted': { target: 'ended' },
        'copy.failed': { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
    },
    backingOff: {
      description: 'A request failed: it is retried after a pause that grows from 200 ms to a minute.',
      after: { retryDelay: { target: 'checking' } },
    },
    ended: {
      type: 'final',
      description: 'The recreation is finished.',
    },
  },
});

function inputOf({ job }: RecreationContext): RecreationInput {
  return { job };
}

/** The reason and class of a failure, or the error of an effect that threw. */
function failureOf(event: object): { readonly reason: string; readonly failure: string } {
  const failure = 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other';
  if ('error' in event && event.error instanceof Error) return { reason: event.error.message, failure };
  return { reason: 'reason' in event && typeof event.reason === 'string' ? event.reason : '', failure };
}

/** The delay doubles from 200 ms to a minute, minus a random half; it is never shorter than the server requested. */
function retryDelay(times: number, event: object): number {
  const jitter = 'jitter' in event && typeof event.jitter === 'number' ? event.jitter : 1;
  const retryAfter = 'retryAfter' in event && typeof event.retryAfter === 'number' ? event.retryAfter : 0;
  return Math.max(retryAfter, Math.min(longestRetry, shortestRetry * 2 ** Math.min(times, 16)) * (0.5 + 0.5 * jitter));
}
