/**
 * Has pods evicted only after a check that they still wait although their sources exist, and with a slot. Every attempt
 * is followed by another check. Does not guarantee that a pod starts sooner: the kubelet may mount its volumes at any
 * moment. Gives up when the check says so, and leaves the rest to the kubelet.
 */

import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/** The pods of one workload that may wait for a source that has appeared. */
export interface LatePodsInput {
  /** Such as `deployment/shop/web`. */
  readonly workload: string;
}

interface LatePodsContext extends LatePodsInput {
  /** When the pods are checked next, in milliseconds. */
  readonly checkIn: number;
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

export type LatePodsEvent =
  /** Another source of the workload has appeared, or the same one again. */
  | { readonly type: 'source.appeared' }
  /** Pods wait, and the kubelet would leave them waiting for long. */
  | { readonly type: 'pods.due' }
  /** The kubelet tries to start all of these pods within this time, in milliseconds. */
  | { readonly type: 'pods.later'; readonly checkIn?: number }
  /** No pod waits any longer for what has appeared, or its next start is near anyway. */
  | { readonly type: 'pods.none' }
  | { readonly type: 'slot.granted' }
  /** Every due pod was evicted, or has changed. */
  | { readonly type: 'eviction.done' }
  | ({ readonly type: 'effect.failed' } & Failure);

/** Several sources may appear together, and the kubelet may just be mounting one. Milliseconds. */
const settleTime = 2_000;
const shortestRetry = 200;
const longestRetry = 10_000;

function unprovided(): never {
  throw new Error(
    'The latePods machine was started without its implementation: use the one that src/restart provides.',
  );
}

function unprovidedEffect() {
  return fromCallback<AnyEventObject, LatePodsInput>(unprovided);
}

export const latePods = setup({
  types: {
    context: {} as LatePodsContext,
    events: {} as LatePodsEvent,
    input: {} as Partial<LatePodsInput> | undefined,
  },
  actors: {
    checkPods: unprovidedEffect(),
    evictionSlot: unprovidedEffect(),
    evictPods: unprovidedEffect(),
  },
  actions: {
    recordAppearance: assign({ checkIn: settleTime }),
    recordNextCheck: assign(({ event }) => ({
      checkIn: event.type === 'pods.later' ? (event.checkIn ?? settleTime) : settleTime,
    })),
    forgetFailures: assign({ failures: 0, reason: '' }),
    recordFailure: assign(({ context, event }) => ({
      ...failureOf(event),
      failures: context.failures + 1,
      retryIn: retryDelay(context.failures, event),
    })),
    reportFailed: unprovided,
  },
  delays: {
    checkTime: ({ context }) => context.checkIn,
    retryDelay: ({ context }) => context.retryIn,
  },
}).createMachine({
  id: 'latePods',
  description: 'The pods of one workload that have never started, and may wait for a source that has just appeared.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    workload: 'deployment/default/web',
    ...input,
    checkIn: settleTime,
    failures: 0,
    retryIn: shortestRetry,
    reason: '',
    failure: 'other',
  }),
  initial: 'waiting',
  states: {
    waiting: {
      description: 'Gives the kubelet time to start the pods by itself.',
      after: { checkTime: { target: 'checking' } },
      on: { 'source.appeared': { target: 'waiting', reenter: true, actions: 'recordAppearance' } },
    },
    checking: {
      description: 'Lists the pods that wait, and compares their references with the sources that exist.',
      invoke: {
        id: 'checkPods',
        src: 'checkPods',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
      on: {
        'pods.due': { target: 'evicting', actions: 'forgetFailures' },
        'pods.later': { target: 'waiting', actions: ['forgetFailures', 'recordNextCheck'] },
        'pods.none': { target: 'ended' },
        'source.appeared': { target: 'waiting', actions: 'recordAppearance' },
        'effect.failed': { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
    },
    evicting: {
      description: 'Pods wait although their sources exist. One slot is for all of them.',
      invoke: {
        id: 'evictionSlot',
        src: 'evictionSlot',
        input: ({ context }) => inputOf(context),
        onError: { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
      initial: 'queued',
      states: {
        queued: {
          description: 'Waits for its turn among the restarts.',
          on: {
            'slot.granted': { target: 'sending' },
            'source.appeared': { target: '#latePods.waiting', actions: 'recordAppearance' },
          },
        },
        sending: {
          description: 'Checks the pods again, and evicts them one by one.',
          invoke: {
            id: 'evictPods',
            src: 'evictPods',
            input: ({ context }) => inputOf(context),
            onError: { target: '#latePods.backingOff', actions: ['recordFailure', 'reportFailed'] },
          },
          on: {
            'eviction.done': { target: '#latePods.waiting', actions: ['forgetFailures', 'recordNextCheck'] },
            'effect.failed': { target: '#latePods.backingOff', actions: ['recordFailure', 'reportFailed'] },
          },
        },
      },
    },
    backingOff: {
      description: 'A request failed: the pods are checked again after a pause that grows from 200 ms to 10 s.',
      after: { retryDelay: { target: 'checking' } },
      on: { 'source.appeared': { target: 'waiting', actions: 'recordAppearance' } },
    },
    ended: {
      type: 'final',
      description: 'No pod waits for what has appeared.',
    },
  },
});

function inputOf({ workload }: LatePodsContext): LatePodsInput {
  return { workload };
}

/** The reason and class of a failure, or the error of an effect that threw. */
function failureOf(event: object): { readonly reason: string; readonly failure: string } {
  const failure = 'failure' in event && typeof event.failure === 'string' ? event.failure : 'other';
  if ('error' in event && event.error instanceof Error) return { reason: event.error.message, failure };
  return { reason: 'reason' in event && typeof event.reason === 'string' ? event.reason : '', failure };
}

/** The delay doubles from 200 ms to 10 s, minus a random half; it is never shorter than the server requested. */
function retryDelay(times: number, event: object): number {
  const jitter = 'jitter' in event && typeof event.jitter === 'number' ? event.jitter : 1;
  const retryAfter = 'retryAfter' in event && typeof event.retryAfter === 'number' ? event.retryAfter : 0;
  return Math.max(retryAfter, Math.min(longestRetry, shortestRetry * 2 ** Math.min(times, 16)) * (0.5 + 0.5 * jitter));
}
