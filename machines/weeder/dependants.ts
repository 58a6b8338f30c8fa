import { type AnyEventObject, fromCallback, setup } from 'xstate';
import type { DependantsInput } from './endpoint.ts';

export type DependantsEvent =
  /** The pod watch observed a pod in crash-loop back-off, or a newer state in which it still is. */
  | { readonly type: 'pod.crashLooping'; readonly uid?: string }
  /** The service is not ready again. */
  | { readonly type: 'window.hold' };

const fiveMinutes = 300_000;
const longestDelay = 2 ** 31 - 1;

function unprovided(): never {
  throw new Error(
    'The dependants machine was started without its implementation: use the one that src/weeder provides.',
  );
}

export const dependants = setup({
  types: {
    context: {} as DependantsInput,
    events: {} as DependantsEvent,
    input: {} as Partial<DependantsInput> | undefined,
  },
  actors: { podWatch: fromCallback<AnyEventObject, DependantsInput>(unprovided) },
  actions: {
    requestDeletion: unprovided,
    withdrawDeletions: unprovided,
    reportPodWatchFailed: unprovided,
  },
  guards: { isHeld: ({ context }) => context.isHeld },
  delays: {
    watchDuration: ({ context }) => Math.min(Math.max(0, context.watchDuration), longestDelay),
    restartDelay: 1000,
  },
}).createMachine({
  id: 'dependants',
  description: 'The pods that one podSelector selects, for the length of one window of the service they depend on.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    namespace: 'default',
    service: 'etcd-main-client',
    window: 1,
    selector: 0,
    watchDuration: fiveMinutes,
    renewal: 0,
    isHeld: false,
    ...input,
  }),
  initial: 'watching',
  states: {
    watching: {
      description: 'The window is open. It lasts the whole watchDuration, however the pods fare.',
      type: 'parallel',
      states: {
        timer: {
          description: 'Counts down the window.',
          initial: 'running',
          states: {
            running: {
              description: 'Time is left.',
              after: { watchDuration: { target: '#dependants.expired', description: 'The window is over.' } },
            },
          },
        },
        pods: {
          description: 'Follows which dependants are crash-looping, from the first moment of the window.',
          initial: 'watching',
          states: {
            watching: {
              description: 'Hears of every selected pod that is crash-looping, and of each newer state of it.',
              invoke: {
                id: 'podWatch',
                src: 'podWatch',
                input: ({ context }) => context,
                onError: { target: 'backingOff', actions: 'reportPodWatchFailed' },
              },
            },
            backingOff: {
              description: 'The pod watch failed: it is restarted, and the window continues.',
              after: { restartDelay: { target: 'watching' } },
            },
          },
        },
        deletions: {
          description: 'Whether what crash-loops is deleted.',
          initial: 'released',
          states: {
            released: {
              description: 'The service is ready: each crash-looping dependant is deleted.',
              always: {
                guard: 'isHeld',
                target: 'held',
                description: 'It took the place of one that was held.',
              },
              on: {
                'pod.crashLooping': { actions: 'requestDeletion' },
                'window.hold': { target: 'held' },
              },
            },
            held: {
              description:
                'The service is down again: a pod started now would only crash once more. ' +
                'What still crash-loops when the service comes back belongs to the next window.',
              entry: 'withdrawDeletions',
            },
          },
        },
      },
    },
    expired: {
      type: 'final',
      description: 'The time is over: nothing is deleted any more.',
    },
  },
});
