import { assign, fromCallback, setup } from 'xstate';

/** One configured or declared service in one namespace. Durations are milliseconds. */
export interface EndpointInput {
  readonly namespace: string;
  readonly service: string;
  readonly watchDuration: number;
  readonly onStart: 'recent' | 'always' | 'never';
  readonly whileNotReady: 'hold' | 'delete';
  /**
   * The number of the newest window that the service has had; 0 if none. Its EndpointSlices may be deleted and created
   * again.
   */
  readonly lastWindow: number;
}

interface EndpointContext extends EndpointInput {
  /** The number of the newest window; 0 before the first. */
  readonly window: number;
  /** How long the window that opens next lasts, or the open one after a change of the config. Milliseconds. */
  readonly remaining: number;
  /** Epoch milliseconds: everything up to this time was observed. 0 when weeder starts. */
  readonly seenUntil: number;
}

export type EndpointEvent =
  /** The first backing pod became ready, or a ready service appeared after weeder had started. */
  | { readonly type: 'endpoint.ready' }
  /** The service was ready when weeder started, or is still ready after a gap in the stream that began at `seenUntil`. */
  | { readonly type: 'endpoint.foundReady'; readonly seenUntil?: number }
  /** No backing pod is ready. */
  | { readonly type: 'endpoint.notReady' }
  /** Since when the service is ready, according to the backing pods. Epoch milliseconds. */
  | { readonly type: 'recovery.timeKnown'; readonly readySince?: number; readonly now?: number }
  /** The backing pods do not contain the time. */
  | { readonly type: 'recovery.timeUnknown' }
  /** The config of this service has changed. `remaining`: milliseconds left of the open window. */
  | ({ readonly type: 'config.changed'; readonly remaining?: number } & Partial<EndpointInput>)
  /** The open window is over. */
  | { readonly type: 'window.closed' };

const fiveMinutes = 300_000;

function unprovided(): never {
  throw new Error('The endpoint machine was started without its implementation: use the one that src/weeder provides.');
}

export const endpoint = setup({
  types: {
    context: {} as EndpointContext,
    events: {} as EndpointEvent,
    input: {} as Partial<EndpointInput> | undefined,
    tags: {} as 'windowOpen',
  },
  actors: {
    readySince: fromCallback<EndpointEvent, { readonly namespace: string; readonly service: string }>(unprovided),
  },
  actions: {
    noteGap: assign({
      seenUntil: ({ event }) => (event.type === 'endpoint.foundReady' ? (event.seenUntil ?? 0) : 0),
    }),
    measureFullWindow: assign({ remaining: ({ context }) => context.watchDuration }),
    measureRestOfWindow: assign({
      remaining: ({ context, event }) => (event.type === 'recovery.timeKnown' ? restOfWindow(context, event) : 0),
    }),
    noteWindow: assign({ window: ({ context }) => context.window + 1 }),
    noteConfig: assign(({ context, event }) => (event.type === 'config.changed' ? configOf(context, event) : {})),
    openWindow: unprovided,
    holdWindow: unprovided,
    /** The new config applies immediately, for the rest of the window. */
    renewWindow: unprovided,
    reportNotReady: unprovided,
    reportFoundReady: unprovided,
  },
  guards: {
    opensAlways: ({ context }) => context.onStart === 'always',
    opensNever: ({ context }) => context.onStart === 'never',
    isRecent: ({ context, event }) =>
      event.type === 'recovery.timeKnown' &&
      (event.readySince ?? 0) > context.seenUntil &&
      restOfWindow(context, event) > 0,
    isAfterGap: ({ context }) => context.seenUntil > 0,
    canDeleteWhileNotReady: ({ context }) => context.whileNotReady === 'delete',
    isToDelete: ({ event }) => event.type === 'config.changed' && event.whileNotReady === 'delete',
    isToHold: ({ event }) => event.type === 'config.changed' && event.whileNotReady === 'hold',
  },
}).createMachine({
  id: 'endpoint',
  description:
    'One service in one namespace. When it recovers, a window opens in which its crash-looping dependants are deleted, ' +
    'so that they do not wait for the end of their back-off.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    namespace: 'default',
    service: 'etcd-main-client',
    watchDuration: fiveMinutes,
    onStart: 'recent',
    whileNotReady: 'hold',
    lastWindow: 0,
    ...input,
    window: input?.lastWindow ?? 0,
    remaining: 0,
    seenUntil: 0,
  }),
  initial: 'notReady',
  on: {
    'config.changed': {
      actions: ['noteConfig', 'renewWindow'],
      description: 'The new config applies to the rest of an open window.',
    },
  },
  states: {
    notReady: {
      description: 'No endpoint in any EndpointSlice of the service is ready, or there is no slice.',
      initial: 'idle',
      on: {
        'endpoint.ready': {
          target: '#endpoint.ready.windowOpen',
          actions: 'measureFullWindow',
          description: 'The service has recovered: pods that crash-looped without it can start now.',
        },
      },
      states: {
        idle: {
          description: 'No window is open: nothing is deleted.',
          on: {
            'endpoint.foundReady': [
              { guard: 'opensNever', target: '#endpoint.ready.idle', actions: 'reportFoundReady' },
              { guard: 'opensAlways', target: '#endpoint.ready.windowOpen', actions: 'measureFullWindow' },
              {
                target: '#endpoint.ready.resolvingRecoveryTime',
                actions: 'noteGap',
                description: 'The service may have recovered while weeder was not watching.',
              },
            ],
          },
        },
        holding: {
          description:
            'The window stays open, but its deletions wait, because a pod that starts now would crash again.',
          tags: 'windowOpen',
          on: {
            'window.closed': { target: 'idle' },
            'config.changed': {
              guard: 'isToDelete',
              target: 'windowOpen',
              actions: ['noteConfig', 'renewWindow'],
              description: 'whileNotReady is delete now.',
            },
          },
        },
        windowOpen: {
          description:
            'The window continues to delete although the service is not ready again (whileNotReady: delete).',
          tags: 'windowOpen',
          on: {
            'window.closed': { target: 'idle' },
            'config.changed': {
              guard: 'isToHold',
              target: 'holding',
              actions: ['noteConfig', 'holdWindow', 'renewWindow'],
              description: 'whileNotReady is hold now.',
            },
          },
        },
      },
    },
    ready: {
      description: 'At least one endpoint in any EndpointSlice of the service is ready.',
      initial: 'windowOpen',
      states: {
        resolvingRecoveryTime: {
          description: 'Reads from the backing pods since when they are ready.',
          invoke: {
            id: 'readySince',
            src: 'readySince',
            input: ({ context: { namespace, service } }) => ({ namespace, service }),
            onError: [
              { guard: 'isAfterGap', target: 'idle', actions: 'reportFoundReady' },
              { target: 'windowOpen', actions: 'measureFullWindow' },
            ],
          },
          on: {
            'recovery.timeKnown': [
              {
                guard: 'isRecent',
                target: 'windowOpen',
                actions: 'measureRestOfWindow',
                description: 'Less than watchDuration ago: a window opens for the rest of it.',
              },
              {
                target: 'idle',
                actions: 'reportFoundReady',
                description: 'Long ago, or observed at the time: no window opens.',
              },
            ],
            'recovery.timeUnknown': [
              {
                guard: 'isAfterGap',
                target: 'idle',
                actions: 'reportFoundReady',
                description: 'The service was ready before the gap, and is ready after it.',
              },
              {
                target: 'windowOpen',
                actions: 'measureFullWindow',
                description: 'The time is unknown: a full window opens.',
              },
            ],
            'endpoint.foundReady': {
              target: 'resolvingRecoveryTime',
              reenter: true,
              description: 'Another gap: the pending response may be older than it.',
            },
            'endpoint.notReady': { target: '#endpoint.notReady.idle', actions: 'reportNotReady' },
          },
        },
        windowOpen: {
          description: 'A window is open: crash-looping dependants are deleted.',
          tags: 'windowOpen',
          entry: ['noteWindow', 'openWindow'],
          on: {
            'window.closed': { target: 'idle' },
            'endpoint.notReady': [
              { guard: 'canDeleteWhileNotReady', target: '#endpoint.notReady.windowOpen', actions: 'reportNotReady' },
              { target: '#endpoint.notReady.holding', actions: ['reportNotReady', 'holdWindow'] },
            ],
          },
          initial: 'settled',
          states: {
            settled: {
              description: 'Every recovery was observed.',
              on: {
                'endpoint.foundReady': {
                  target: 'resolvingRecoveryTime',
                  actions: 'noteGap',
                  description: 'The stream of EndpointSlices had a gap, in which the service may have recovered again.',
                },
              },
            },
            resolvingRecoveryTime: {
              description: 'Reads from the backing pods since when they are ready, while the window continues.',
              invoke: {
                id: 'readySince',
                src: 'readySince',
                input: ({ context: { namespace, service } }) => ({ namespace, service }),
                onError: { target: 'settled' },
              },
              on: {
                'window.closed': {
                  target: '#endpoint.ready.resolvingRecoveryTime',
                  description: 'The window ends before the response: a recovery in the gap opens a window of its own.',
                },
                'endpoint.foundReady': {
                  target: 'resolvingRecoveryTime',
                  reenter: true,
                  description: 'Another gap: the pending response may be older than it.',
                },
                'recovery.timeKnown': [
                  {
                    guard: 'isRecent',
                    target: '#endpoint.ready.windowOpen',
                    reenter: true,
                    actions: 'measureRestOfWindow',
                    description: 'A recovery in the gap: its window replaces the open one.',
                  },
                  { target: 'settled' },
                ],
                'recovery.timeUnknown': { target: 'settled' },
              },
            },
          },
        },
        idle: {
          description: 'No window is open: nothing is deleted.',
          on: {
            'endpoint.notReady': { target: '#endpoint.notReady.idle', actions: 'reportNotReady' },
            'endpoint.foundReady': {
              target: 'resolvingRecoveryTime',
              actions: 'noteGap',
              description: 'The stream of EndpointSlices had a gap, which may contain a whole outage.',
            },
          },
        },
      },
    },
  },
});

/** Returns the rest of a window that should have opened at `readySince`; the full window if that is in the future. */
function restOfWindow(
  context: EndpointContext,
  event: { readonly readySince?: number; readonly now?: number },
): number {
  const age = Math.max(0, (event.now ?? 0) - (event.readySince ?? 0));
  return Math.max(0, context.watchDuration - age);
}

/** Fields that the event does not have are unchanged. */
function configOf(context: EndpointContext, event: Partial<EndpointInput> & { readonly remaining?: number }) {
  const { watchDuration, onStart, whileNotReady, remaining } = { ...context, ...event };
  return { watchDuration, onStart, whileNotReady, remaining };
}
