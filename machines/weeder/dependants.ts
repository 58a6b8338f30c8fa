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
  description: 'The dependants that one podSelector selects, during one window of their service.',
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
      description: 'The window is open for the whole watchDuration, whatever happens to the pods.',
      type: 'parallel',
      states: {
        timer: {
          description: 'Counts down the window.',
          initial: 'running',
          states: {
            running: {
              description: 'The window is not over.',
              after: { watchDuration: { target: '#dependants.expired', description: 'The window is over.' } },
            },
          },
        },
        pods: {
          description: 'Observes which dependants crash-loop, from the beginning of the window.',
          initial: 'watching',
          states: {
            watching: {
              description: 'Receives every selected pod that crash-loops, and each newer state of it.',
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
          description: 'Decides whether crash-looping dependants are deleted.',
          initial: 'released',
          states: {
            released: {
              description: 'The service is ready: each crash-looping dependant is deleted.',
              always: {
                guard: 'isHeld',
                target: 'held',
                description: 'It replaces a child that held its deletions.',
              },
              on: {
                'pod.crashLooping': { actions: 'requestDeletion' },
                'window.hold': { target: 'held' },
              },
            },
            held: {
              description:
                'The service is not ready again: a pod that starts now would crash again. Pods that still crash-loop when ' +
                'the service recovers belong to the next window.',
              entry: 'withdrawDeletions',
            },
          },
        },
      },
    },
    expired: {
      type: 'final',
      description: 'The window is over: nothing more is deleted.',
    },
  },
});
