import { type AnyEventObject, assign, fromCallback, setup } from 'xstate';

/** One window of one service. */
interface WindowInput {
  readonly namespace: string;
  readonly service: string;
  /** Counts the windows of the service, from 1. */
  readonly window: number;
  /** How long the window lasts from now on, in milliseconds. */
  readonly watchDuration: number;
}

interface WindowContext extends WindowInput {
  /** The service is not ready again, and deletions are held. */
  readonly isHeld: boolean;
}

export type WindowEvent =
  /** The pod watch observed a pod in crash-loop back-off, or a newer state in which it still is. */
  | { readonly type: 'pod.crashLooping'; readonly uid?: string; readonly selector?: number }
  /** The service is not ready again. */
  | { readonly type: 'window.hold' }
  /** The next window of the service replaces this one, or weeder stops. */
  | { readonly type: 'window.close' }
  /** The config of the service has changed. `remaining`: milliseconds left of the window. */
  | { readonly type: 'config.changed'; readonly remaining?: number; readonly whileNotReady?: 'hold' | 'delete' }
  /** The config no longer has the service. */
  | { readonly type: 'service.removed' }
  /** No deletion of the window is in flight any more. */
  | { readonly type: 'outcomes.known' };

const fiveMinutes = 300_000;
const longestDelay = 2 ** 31 - 1;

function unprovided(): never {
  throw new Error('The window machine was started without its implementation: use the one that src/weeder provides.');
}

export const window = setup({
  types: {
    context: {} as WindowContext,
    events: {} as WindowEvent,
    input: {} as Partial<WindowInput> | undefined,
  },
  actors: { podWatch: fromCallback<AnyEventObject, WindowInput>(unprovided) },
  actions: {
    noteHeld: assign({ isHeld: true }),
    noteConfig: assign(({ context, event }) =>
      event.type === 'config.changed'
        ? { watchDuration: event.remaining ?? 0, isHeld: context.isHeld && event.whileNotReady !== 'delete' }
        : {},
    ),
    requestDeletion: unprovided,
    withdrawDeletions: unprovided,
    reportPodWatchFailed: unprovided,
    reportClosing: unprovided,
    reportClosed: unprovided,
  },
  guards: {
    isHeld: ({ context }) => context.isHeld,
    hasTimeLeft: ({ event }) => event.type === 'config.changed' && (event.remaining ?? 0) > 0,
  },
  delays: {
    watchDuration: ({ context }) => Math.min(Math.max(0, context.watchDuration), longestDelay),
    restartDelay: 1000,
  },
}).createMachine({
  id: 'window',
  description: 'The time after a recovery in which the crash-looping dependants of the service are deleted.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    namespace: 'default',
    service: 'etcd-main-client',
    window: 1,
    watchDuration: fiveMinutes,
    ...input,
    isHeld: false,
  }),
  initial: 'running',
  states: {
    running: {
      description: 'Lasts for the whole watchDuration, whatever happens to the pods.',
      initial: 'watching',
      after: { watchDuration: { target: 'closing', description: 'The time is over.' } },
      on: {
        'config.changed': [
          {
            guard: 'hasTimeLeft',
            target: 'running',
            reenter: true,
            actions: ['withdrawDeletions', 'noteConfig'],
            description: 'The new config applies to the rest of the window.',
          },
          { target: 'closing', description: 'By the new config the window is over.' },
        ],
        'window.close': { target: 'closing' },
        'service.removed': { target: 'closing' },
      },
      states: {
        watching: {
          description: 'Receives every dependant that crash-loops, and each newer state of it.',
          invoke: {
            id: 'podWatch',
            src: 'podWatch',
            input: ({ context }) => context,
            onError: { target: 'backingOff', actions: 'reportPodWatchFailed' },
          },
          initial: 'open',
          states: {
            open: {
              description: 'The service is ready: each crash-looping dependant is deleted.',
              always: { guard: 'isHeld', target: 'held', description: 'The pod watch was restarted in a held window.' },
              on: {
                'pod.crashLooping': { actions: 'requestDeletion' },
                'window.hold': { target: 'held' },
              },
            },
            held: {
              description:
                'The service is not ready again: a pod that starts now would crash again. Pods that still crash-loop ' +
                'when the service recovers belong to the next window.',
              entry: ['noteHeld', 'withdrawDeletions'],
            },
          },
        },
        backingOff: {
          description: 'The pod watch failed: it is restarted, and the window continues.',
          after: { restartDelay: { target: 'watching' } },
          on: { 'window.hold': { actions: 'noteHeld' } },
        },
      },
    },
    closing: {
      description: 'Nothing more is deleted. The outcomes of the requests in flight still count for this window.',
      entry: ['withdrawDeletions', 'reportClosing'],
      on: { 'outcomes.known': { target: 'closed' } },
    },
    closed: {
      type: 'final',
      description: 'The results of the window are known.',
      entry: 'reportClosed',
    },
  },
});
