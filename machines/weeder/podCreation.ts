/**
 * Has the controller of one object create its missing pods again, once, by a change of the object's metadata. The API
 * server accepts it only while the object has this uid and the resourceVersion that was read. Does not guarantee that
 * the pods are created: the webhook or a policy may refuse them again, which is another evidence for another actor.
 */

import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';
import type { WithdrawalReason } from './podDeletion.ts';

/** One object that lacks pods, and what its retry waits for. Times are milliseconds by the clock `now`. */
export interface PodCreationInput {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** It was retried recently: until when the next retry waits. 0: it does not. */
  readonly pausedUntil: number;
  /** Another object of the window goes first: until when this one waits for its first pod. 0: none does. */
  readonly canaryUntil: number;
  /** It goes first: the others of the window wait until it has another pod. */
  readonly isCanary: boolean;
  /** A clock that is never set. Milliseconds. */
  readonly now: () => number;
}

/** An object that was retried, and how many pods it had then. */
export interface RetriedObject extends PodCreationInput {
  readonly existing: number;
}

interface PodCreationContext extends RetriedObject {
  readonly failures: number;
  readonly retryIn: number;
  /** Undefined: a window requests the retry. */
  readonly withdrawnBecause: WithdrawalReason | undefined;
}

type PodCreationEvent =
  /** The object that went first has another pod, or no window requests its retry any more. */
  | { readonly type: 'canary.passed' }
  /** No window requests the retry any more. */
  | { readonly type: 'retry.withdrawn'; readonly because?: WithdrawalReason }
  | { readonly type: 'slot.granted' }
  /** The API server has accepted the change; `existing`: how many pods the object had. */
  | { readonly type: 'retry.accepted'; readonly existing?: number }
  /** The object has all its pods. */
  | { readonly type: 'retry.unneeded' }
  | { readonly type: 'retry.notFound' }
  /** The object has changed since it was read. */
  | { readonly type: 'retry.conflicted'; readonly jitter?: number }
  | {
      readonly type: 'retry.failed';
      readonly reason?: string;
      readonly failure?: string;
      readonly retryAfter?: number;
      readonly jitter?: number;
    }
  /** Unrecoverable: the same request would always be refused. */
  | { readonly type: 'retry.rejected'; readonly reason?: string }
  /** The object that goes first has another pod, or that cannot be known. */
  | { readonly type: 'proof.ended' };

/** How long the others of a window wait for the object that goes first. Milliseconds. */
export const longestProof = 1000;
const shortestRetry = 200;
const longestRetry = 10_000;
const longestDelay = 2 ** 31 - 1;

function unprovided(): never {
  throw new Error(
    'The podCreation machine was started without its implementation: use the one that src/weeder provides.',
  );
}

const whenWithdrawn = [
  { guard: 'isUntried', target: '#podCreation.untried', actions: 'recordWithdrawn' },
  { target: '#podCreation.failed', actions: 'recordWithdrawn' },
] as const;

export const podCreation = setup({
  types: {
    context: {} as PodCreationContext,
    events: {} as PodCreationEvent,
    input: {} as Partial<PodCreationInput> | undefined,
  },
  actors: {
    retryOwner: fromCallback<AnyEventObject, PodCreationInput>(unprovided),
    awaitPod: fromCallback<AnyEventObject, RetriedObject>(unprovided),
  },
  actions: {
    recordPassed: assign({ canaryUntil: 0 }),
    recordRetried: assign({
      existing: ({ event }) => (event.type === 'retry.accepted' ? (event.existing ?? 0) : 0),
    }),
    recordFailure: assign(({ context: { failures }, event }) => ({
      failures: failures + 1,
      retryIn: retryDelay(failures, event),
    })),
    recordWithdrawn: assign({
      withdrawnBecause: ({ event }) => (event.type === 'retry.withdrawn' ? (event.because ?? 'over') : undefined),
    }),
    /** The implementation sends `slot.granted`, at once or later, and releases the slot at the end of the attempt. */
    requestSlot: unprovided,
    reportRetried: unprovided,
    reportUnneeded: unprovided,
    reportRefused: unprovided,
    reportFailed: unprovided,
  },
  guards: {
    isDue: ({ context }) => dueAt(context) <= context.now(),
    isCanary: ({ context }) => context.isCanary,
    isUntried: ({ context }) => context.failures === 0,
    isWithdrawn: ({ context }) => context.withdrawnBecause !== undefined,
  },
  delays: {
    untilDue: ({ context }) => Math.min(Math.max(0, dueAt(context) - context.now()), longestDelay),
    retryDelay: ({ context }) => context.retryIn,
    longestProof,
  },
}).createMachine({
  id: 'podCreation',
  description: 'One object whose pods could not be created, because a webhook could not be called.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    uid: '',
    namespace: 'default',
    name: 'web-5d6f',
    pausedUntil: 0,
    canaryUntil: 0,
    isCanary: false,
    now: () => 0,
    ...input,
    existing: 0,
    failures: 0,
    retryIn: shortestRetry,
    withdrawnBecause: undefined,
  }),
  initial: 'deciding',
  states: {
    deciding: {
      description: 'Decides whether the retry is due now, or has to wait.',
      always: [{ guard: 'isDue', target: 'attempting' }, { target: 'waiting' }],
    },
    waiting: {
      description: 'It was retried recently, or another object of the window goes first.',
      after: { untilDue: { target: 'deciding' } },
      on: {
        'canary.passed': { target: 'deciding', actions: 'recordPassed' },
        'retry.withdrawn': whenWithdrawn,
      },
    },
    attempting: {
      description: 'One attempt: it requests a slot, and holds it until its end.',
      entry: 'requestSlot',
      initial: 'queued',
      states: {
        queued: {
          description: 'Waits for a slot, and for the pace of all retries.',
          on: { 'slot.granted': { target: 'retrying' }, 'retry.withdrawn': whenWithdrawn },
        },
        retrying: {
          description: 'Reads the object, and changes an annotation if it still lacks pods.',
          invoke: {
            id: 'retryOwner',
            src: 'retryOwner',
            input: ({ context }) => context,
            onError: { target: '#podCreation.backingOff', actions: ['recordFailure', 'reportRefused'] },
          },
          on: {
            'retry.accepted': [
              { guard: 'isCanary', target: '#podCreation.proving', actions: ['recordRetried', 'reportRetried'] },
              { target: '#podCreation.retried', actions: 'reportRetried' },
            ],
            'retry.unneeded': { target: '#podCreation.unneeded' },
            'retry.notFound': { target: '#podCreation.removed' },
            'retry.conflicted': { target: '#podCreation.backingOff', actions: 'recordFailure' },
            'retry.failed': { target: '#podCreation.backingOff', actions: ['recordFailure', 'reportRefused'] },
            'retry.rejected': { target: '#podCreation.failed' },
            'retry.withdrawn': {
              actions: 'recordWithdrawn',
              description: 'A request in flight cannot be withdrawn: its outcome counts.',
            },
          },
        },
      },
    },
    proving: {
      description: 'It went first: waits for its next pod, for one second at most.',
      invoke: {
        id: 'awaitPod',
        src: 'awaitPod',
        input: ({ context }) => context,
        onError: { target: 'retried' },
      },
      after: { longestProof: { target: 'retried' } },
      on: { 'proof.ended': { target: 'retried' }, 'retry.withdrawn': { target: 'retried' } },
    },
    backingOff: {
      description: 'The API server has refused the attempt: 200 ms to 10 s, or as long as it says.',
      always: { guard: 'isWithdrawn', target: 'failed' },
      after: { retryDelay: { target: 'deciding' } },
      on: { 'retry.withdrawn': { target: 'failed', actions: 'recordWithdrawn' } },
    },
    retried: { type: 'final', description: 'Its controller tries again at once.' },
    unneeded: { type: 'final', description: 'It has all its pods.', entry: 'reportUnneeded' },
    removed: { type: 'final', description: 'It does not exist any more.' },
    untried: { type: 'final', description: 'No window requests the retry any more, and none was attempted.' },
    failed: {
      type: 'final',
      description: 'The window closed before an attempt succeeded, or the API server rejected it permanently.',
      entry: 'reportFailed',
    },
  },
});

function dueAt({ pausedUntil, canaryUntil }: Pick<PodCreationInput, 'pausedUntil' | 'canaryUntil'>): number {
  return Math.max(pausedUntil, canaryUntil);
}

function retryDelay(failures: number, event: PodCreationEvent): number {
  const { jitter = 1 } = 'jitter' in event ? event : {};
  const retryAfter = event.type === 'retry.failed' ? (event.retryAfter ?? 0) : 0;
  const longest = Math.min(longestRetry, shortestRetry * 2 ** Math.min(failures, 16));
  return Math.min(longestDelay, Math.max(retryAfter, longest * (0.5 + 0.5 * jitter)));
}
