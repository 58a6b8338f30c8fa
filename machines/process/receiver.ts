/**
 * Sends what waits for one receiver of notifications: collected for a second, only while no deletion is pending, and
 * again after a failure. What is rejected together is sent one by one, so that a notification that the receiver would
 * never accept loses only itself. A notification is delivered at least once, or counted as lost. Does not guarantee that it is
 * delivered: the queue is limited, a receiver may reject it, and weeder may stop before.
 */

import { type AnyEventObject, assign, type ErrorActorEvent, fromCallback, raise, setup } from 'xstate';

/** The receiver, by its name in the config. */
interface ReceiverInput {
  readonly name: string;
}

interface ReceiverContext extends ReceiverInput {
  /** How many deliveries have failed since the last answer that was final. */
  readonly failures: number;
  /** The pause after the last failure, in milliseconds. */
  readonly retryIn: number;
}

type ReceiverEvent =
  /** The queue is no longer empty. */
  | { readonly type: 'notification.queued' }
  /** No deletion is pending, or the notifications have waited long enough. */
  | { readonly type: 'turn.granted' }
  /** The receiver has accepted what was sent. `hasMore`: the queue is not empty. */
  | { readonly type: 'delivery.accepted'; readonly hasMore?: boolean }
  /** The receiver would never accept these notifications together: each is sent on its own. */
  | { readonly type: 'delivery.divided' }
  /** The receiver would never accept what was sent: it is lost. */
  | { readonly type: 'delivery.rejected'; readonly hasMore?: boolean; readonly reason?: string }
  /** It was not accepted now. `retryAfter`: the pause that the receiver asks for, in milliseconds. */
  | {
      readonly type: 'delivery.failed';
      readonly reason?: string;
      readonly retryAfter?: number;
      readonly jitter?: number;
    }
  /** Its settings in the config have changed. */
  | { readonly type: 'receiver.changed' }
  /** The config has no such receiver any more, or weeder stops. */
  | { readonly type: 'receiver.closed' }
  /** The time for the last deliveries is over. */
  | { readonly type: 'closing.overdue' }
  | ErrorActorEvent;

const shortestPause = 1_000;
const longestPause = 60_000;
/** A longer Retry-After is not honoured. */
const longestRetryAfter = 600_000;

function unprovided(): never {
  throw new Error(
    'The receiver machine was started without its implementation: use the one that src/notifications provides.',
  );
}

export const receiver = setup({
  types: {
    context: {} as ReceiverContext,
    events: {} as ReceiverEvent,
    input: {} as Partial<ReceiverInput> | undefined,
  },
  actors: {
    awaitTurn: fromCallback<AnyEventObject, ReceiverInput>(unprovided),
    deliver: fromCallback<AnyEventObject, ReceiverInput>(unprovided),
  },
  actions: {
    recordFailure: assign(({ context: { failures }, event }) => ({
      failures: failures + 1,
      retryIn: pauseAfter(failures, event),
    })),
    forgetFailures: assign({ failures: 0 }),
    raiseOverdue: raise({ type: 'closing.overdue' }, { delay: 'closingTime' }),
    reportAccepted: unprovided,
    reportRejected: unprovided,
    reportFailed: unprovided,
    /** Counts what is still in the queue as lost. */
    dropQueue: unprovided,
  },
  guards: {
    hasMore: ({ event }) => 'hasMore' in event && event.hasMore === true,
  },
  delays: {
    collectingTime: 1_000,
    closingTime: 1_000,
    pause: ({ context }) => context.retryIn,
  },
}).createMachine({
  id: 'receiver',
  description: 'One receiver of notifications.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({ name: input?.name ?? 'receiver', failures: 0, retryIn: shortestPause }),
  initial: 'idle',
  states: {
    idle: {
      description: 'Nothing waits.',
      on: { 'notification.queued': { target: 'collecting' }, 'receiver.closed': { target: 'closed' } },
    },
    collecting: {
      description: 'Waits a second for more, so that they are sent together.',
      after: { collectingTime: { target: 'yielding' } },
      on: { 'receiver.closed': { target: 'flushing', actions: 'raiseOverdue' } },
    },
    yielding: {
      description: 'Waits while deletions are pending, for three seconds at most.',
      invoke: {
        id: 'awaitTurn',
        src: 'awaitTurn',
        input: ({ context }) => context,
        onError: { target: 'sending' },
      },
      on: {
        'turn.granted': { target: 'sending' },
        'receiver.closed': { target: 'flushing', actions: 'raiseOverdue' },
      },
    },
    sending: {
      description: 'One request with the oldest notifications, at most as many as the format allows.',
      invoke: {
        id: 'deliver',
        src: 'deliver',
        input: ({ context }) => context,
        onError: { target: 'backingOff', actions: ['recordFailure', 'reportFailed'] },
      },
      initial: 'open',
      states: {
        open: {
          description: 'More may come.',
          on: {
            'delivery.accepted': [
              { guard: 'hasMore', target: '#receiver.yielding', actions: ['reportAccepted', 'forgetFailures'] },
              { target: '#receiver.idle', actions: ['reportAccepted', 'forgetFailures'] },
            ],
            'delivery.rejected': [
              { guard: 'hasMore', target: '#receiver.yielding', actions: ['reportRejected', 'forgetFailures'] },
              { target: '#receiver.idle', actions: ['reportRejected', 'forgetFailures'] },
            ],
            'delivery.divided': { target: '#receiver.yielding', actions: 'forgetFailures' },
            'delivery.failed': { target: '#receiver.backingOff', actions: ['recordFailure', 'reportFailed'] },
            'receiver.closed': { target: 'last', actions: 'raiseOverdue' },
          },
        },
        last: {
          description: 'No more come: sends the rest within a second.',
          on: {
            'delivery.accepted': [
              { guard: 'hasMore', target: '#receiver.flushing', actions: 'reportAccepted' },
              { target: '#receiver.closed', actions: 'reportAccepted' },
            ],
            'delivery.rejected': [
              { guard: 'hasMore', target: '#receiver.flushing', actions: 'reportRejected' },
              { target: '#receiver.closed', actions: 'reportRejected' },
            ],
            'delivery.divided': { target: '#receiver.flushing' },
            'delivery.failed': { target: '#receiver.closed', actions: ['recordFailure', 'reportFailed'] },
            'xstate.error.actor.*': { target: '#receiver.closed', actions: ['recordFailure', 'reportFailed'] },
            'closing.overdue': { target: '#receiver.closed' },
          },
        },
      },
    },
    backingOff: {
      description: 'The receiver did not accept them: 1 s to 1 min, or as long as it asks for.',
      after: { pause: { target: 'yielding' } },
      on: {
        'receiver.changed': { target: 'yielding', description: 'Its new settings are tried at once.' },
        'receiver.closed': { target: 'flushing', actions: 'raiseOverdue' },
      },
    },
    flushing: {
      description: 'No more come: the rest is sent at once.',
      always: { target: 'sending.last' },
    },
    closed: { type: 'final', description: 'What is left in the queue is lost.', entry: 'dropQueue' },
  },
});

function pauseAfter(failures: number, event: ReceiverEvent): number {
  const { jitter = 1, retryAfter = 0 } = event.type === 'delivery.failed' ? event : {};
  const pause = Math.min(longestPause, shortestPause * 2 ** Math.min(failures, 16)) * (0.5 + 0.5 * jitter);
  return Math.max(pause, Math.min(retryAfter, longestRetryAfter));
}
