import {
  type AnyActorLogic,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  enqueueActions,
  fromCallback,
  setup,
} from 'xstate';

/** One service of the config in one namespace. Durations are milliseconds. */
export interface EndpointInput {
  readonly namespace: string;
  readonly service: string;
  /** How many podSelectors the config names for this service: a window spawns one child for each. */
  readonly selectors: number;
  readonly watchDuration: number;
  readonly onStart: 'recent' | 'always' | 'never';
  readonly whileNotReady: 'hold' | 'delete';
  /**
   * The number of the newest window that the service has had; 0 if none. Its EndpointSlices may be deleted and created
   * again.
   */
  readonly lastWindow: number;
}

/** The input of a `dependants` child when a window opens. */
export interface DependantsInput {
  readonly namespace: string;
  readonly service: string;
  /** Counts the windows of the service, from 1. */
  readonly window: number;
  /** Which of the service's podSelectors, from 0. */
  readonly selector: number;
  /** How long the child runs, in milliseconds. */
  readonly watchDuration: number;
  /** How often the config has changed while a window of this endpoint was open: distinguishes added from removed selectors. */
  readonly renewal: number;
  /** The service is not ready again, and deletions are held. */
  readonly isHeld: boolean;
}

interface EndpointContext extends EndpointInput {
  /** The number of the newest window; 0 before the first. */
  readonly window: number;
  /** The ids of the children of the open window. */
  readonly children: readonly string[];
  /** The window holds its deletions. */
  readonly isHeld: boolean;
  /** How often the children were replaced because the config had changed. */
  readonly renewal: number;
  /** How long the window that opens next lasts, in milliseconds. */
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
  | DoneActorEvent
  | ErrorActorEvent;

const fiveMinutes = 300_000;

function unprovided(): never {
  throw new Error('The endpoint machine was started without its implementation: use the one that src/weeder provides.');
}

const unprovidedChild: AnyActorLogic = fromCallback(unprovided);

export const endpoint = setup({
  types: {
    context: {} as EndpointContext,
    events: {} as EndpointEvent,
    input: {} as Partial<EndpointInput> | undefined,
    tags: {} as 'windowOpen',
  },
  actors: {
    dependants: unprovidedChild,
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
    /** The new children start before the old ones stop, so that a deletion that both request is not cancelled in between. */
    openWindow: enqueueActions(({ context, enqueue }) => {
      const window = context.window + 1;
      const children = Array.from({ length: context.selectors }, (_, selector) => `dependants-${window}-${selector}`);
      enqueue.assign({ window, children, isHeld: false });
      enqueue('reportWindowOpened');
      children.forEach((id, selector) => {
        const { namespace, service, remaining } = context;
        const input = { namespace, service, window, selector, watchDuration: remaining, renewal: 0, isHeld: false };
        enqueue.spawnChild('dependants', { id, input: input satisfies DependantsInput });
      });
      for (const id of context.children) enqueue.stopChild(id);
    }),
    noteConfig: assign(({ context, event }) => (event.type === 'config.changed' ? configOf(context, event) : {})),
    /** The new config applies immediately, for the rest of the window. */
    renewWindow: enqueueActions(({ context, enqueue }) => {
      if (context.children.length === 0) return;
      const { namespace, service, window, remaining, isHeld } = context;
      const renewal = context.renewal + 1;
      const count = remaining > 0 ? context.selectors : 0;
      const children = Array.from({ length: count }, (_, selector) => `dependants-${window}-${selector}-${renewal}`);
      enqueue.assign({ renewal, children });
      if (count > 0) enqueue('reportWindowChanged');
      children.forEach((id, selector) => {
        const input = { namespace, service, window, selector, watchDuration: remaining, renewal, isHeld };
        enqueue.spawnChild('dependants', { id, input: input satisfies DependantsInput });
      });
      for (const id of context.children) enqueue.stopChild(id);
    }),
    holdDeletions: enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ isHeld: true });
      for (const id of context.children) enqueue.sendTo(id, { type: 'window.hold' });
    }),
    releaseDeletions: assign({ isHeld: false }),
    reapDependants: enqueueActions(({ context, event, enqueue }) => {
      const id = 'actorId' in event && typeof event.actorId === 'string' ? event.actorId : '';
      enqueue.stopChild(id);
      enqueue.assign({ children: context.children.filter((child) => child !== id) });
    }),
    reportNotReady: unprovided,
    reportFoundReady: unprovided,
    reportWindowOpened: unprovided,
    reportWindowChanged: unprovided,
    reportWindowClosed: unprovided,
    reportChildFailed: unprovided,
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
    isWindowOver: ({ context }) => context.children.length === 0,
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
    selectors: 1,
    watchDuration: fiveMinutes,
    onStart: 'recent',
    whileNotReady: 'hold',
    lastWindow: 0,
    ...input,
    window: input?.lastWindow ?? 0,
    children: [],
    isHeld: false,
    renewal: 0,
    remaining: 0,
    seenUntil: 0,
  }),
  initial: 'notReady',
  on: {
    'config.changed': {
      actions: ['noteConfig', 'renewWindow'],
      description: 'The new config applies to the rest of an open window.',
    },
    'xstate.done.actor.*': {
      actions: 'reapDependants',
      description: 'The window is over for one podSelector.',
    },
    'xstate.error.actor.*': {
      actions: ['reportChildFailed', 'reapDependants'],
      description: 'A child failed: the others continue.',
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
          always: { guard: 'isWindowOver', target: 'idle', actions: 'reportWindowClosed' },
          on: {
            'config.changed': {
              guard: 'isToDelete',
              target: 'windowOpen',
              actions: ['noteConfig', 'releaseDeletions', 'renewWindow'],
              description: 'whileNotReady is delete now.',
            },
          },
        },
        windowOpen: {
          description:
            'The window continues to delete although the service is not ready again (whileNotReady: delete).',
          tags: 'windowOpen',
          always: { guard: 'isWindowOver', target: 'idle', actions: 'reportWindowClosed' },
          on: {
            'config.changed': {
              guard: 'isToHold',
              target: 'holding',
              actions: ['noteConfig', 'holdDeletions', 'renewWindow'],
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
          description: 'A window is open: one child for each podSelector watches the dependants for watchDuration.',
          tags: 'windowOpen',
          entry: 'openWindow',
          always: { guard: 'isWindowOver', target: 'idle', actions: 'reportWindowClosed' },
          on: {
            'endpoint.notReady': [
              { guard: 'canDeleteWhileNotReady', target: '#endpoint.notReady.windowOpen', actions: 'reportNotReady' },
              { target: '#endpoint.notReady.holding', actions: ['reportNotReady', 'holdDeletions'] },
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
              always: {
                guard: 'isWindowOver',
                target: '#endpoint.ready.resolvingRecoveryTime',
                actions: 'reportWindowClosed',
                description: 'The window ends before the response: a recovery in the gap opens a window of its own.',
              },
              on: {
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
  const { selectors, watchDuration, onStart, whileNotReady, remaining } = { ...context, ...event };
  return { selectors, watchDuration, onStart, whileNotReady, remaining };
}
