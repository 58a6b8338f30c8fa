/**
 * Opens a window for each recovery of a service that it observes, for one that it can date afterwards, and for a
 * dependant that runs again although no EndpointSlice has changed; the newest window replaces the one before. Each pod counts once in the results of a window. While the service is down, the
 * window is held, unless `whileNotReady` is `delete`. Does not guarantee a window for a recovery before the start of
 * weeder or in a gap of the stream: only the backing pods date it, by clocks that may be wrong.
 */

import {
  type AnyActorLogic,
  type AnyActorRef,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  enqueueActions,
  fromCallback,
  setup,
} from 'xstate';
import type { DependantsInput, DependantsOutput, DependantsScope } from './dependants.ts';
import type { Protection } from './podDeletion.ts';

/** One configured or declared service in one namespace. Durations are milliseconds. */
export interface EndpointInput extends EndpointSettings {
  readonly namespace: string;
  readonly service: string;
  /**
   * The number of the newest window that the service has had; 0 if none. Its EndpointSlices may be deleted and created
   * again.
   */
  readonly lastWindow: number;
  /** A clock that is never set. Milliseconds. */
  readonly now: () => number;
}

/**
 * What the config says about the service. A window has one child for each podSelector, one if it is declared, and one if
 * it admits pods as a webhook.
 */
interface EndpointSettings {
  /** The canonical texts of the podSelectors. */
  readonly podSelectors: readonly string[];
  /** Pods may declare the service. */
  readonly isDeclared: boolean;
  /** A webhook calls the service without which no pod can be created. */
  readonly isOfWebhook: boolean;
  readonly watchDuration: number;
  readonly onStart: 'recent' | 'always' | 'never';
  readonly whileNotReady: 'hold' | 'delete';
}

/** A window with children that have not ended, and the outcomes of those that have. A pod counts once. */
interface Window extends DependantsOutput {
  readonly window: number;
  readonly children: readonly Child[];
}

interface Child extends DependantsScope {
  readonly id: string;
  /** From 1, unique among the children of the window that have not ended. */
  readonly place: number;
  /** The config no longer has its scope. */
  readonly isClosing: boolean;
}

interface EndpointContext extends EndpointInput {
  /** The number of the newest window; 0 before the first. */
  readonly window: number;
  /** When the newest window opened, by the clock `now`. */
  readonly openedAt: number;
  /** When the open window closes, or the next one will, by the clock `now`. 0: none is open. */
  readonly closesAt: number;
  /** The windows whose outcomes are not known yet: the open one, and those that close. */
  readonly windows: readonly Window[];
  /** Epoch milliseconds: everything up to this time was observed. 0 when weeder starts. */
  readonly seenUntil: number;
  /**
   * Which dependant runs again, if that has opened the newest window: it deletes only pods that declare the service.
   * Undefined: the service has recovered.
   */
  readonly because: string | undefined;
}

export type EndpointEvent =
  /** The first backing pod became ready, or a ready service appeared after weeder had started. */
  | { readonly type: 'endpoint.ready' }
  /** The service was ready when weeder started, or is still ready after a gap in the stream that began at `seenUntil`. */
  | { readonly type: 'endpoint.foundReady'; readonly seenUntil?: number }
  /** No backing pod is ready. */
  | { readonly type: 'endpoint.notReady' }
  /**
   * A dependant that crash-looped runs again, while its EndpointSlices, if there are any, have said all the time that
   * the service is ready. `because`: for a person, such as `Deployment shop/web runs again`.
   */
  | { readonly type: 'dependant.recovered'; readonly because?: string }
  /** Since when the service is ready, according to the backing pods. Epoch milliseconds. */
  | { readonly type: 'recovery.timeKnown'; readonly readySince?: number; readonly now?: number }
  /** The backing pods do not contain the time. */
  | { readonly type: 'recovery.timeUnknown' }
  /** The config of this service has changed. */
  | ({ readonly type: 'config.changed' } & Partial<EndpointSettings>)
  /** The config no longer has the service. */
  | { readonly type: 'service.removed' }
  | { readonly type: 'weeder.stopped' }
  /** The time of this window is over. */
  | { readonly type: 'window.expired'; readonly window?: number }
  /** A dependant crash-loops in this window, and is never deleted. */
  | { readonly type: 'pod.skipped'; readonly window?: number; readonly uid?: string; readonly protection?: Protection }
  | DoneActorEvent<DependantsOutput>
  | ErrorActorEvent;

const fiveMinutes = 300_000;

function unprovided(): never {
  throw new Error('The endpoint machine was started without its implementation: use the one that src/weeder provides.');
}

/** Whether a window opens for a service that is found ready, and was not observed before. */
const whenFoundReady = [
  { guard: 'opensNever', target: '#endpoint.ready.idle', actions: 'reportFoundReady' },
  { guard: 'opensAlways', target: '#endpoint.ready.windowOpen', actions: 'recordRecovery' },
  {
    target: '#endpoint.ready.resolvingRecoveryTime',
    actions: 'recordGap',
    description: 'The service may have recovered while weeder was not watching.',
  },
] as const;

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
    recordGap: assign({
      seenUntil: ({ event }) => (event.type === 'endpoint.foundReady' ? (event.seenUntil ?? 0) : 0),
    }),
    recordRecovery: assign(({ context }) => timesOf(context, context.watchDuration)),
    recordPastRecovery: assign(({ context, event }) =>
      event.type === 'recovery.timeKnown' ? timesOf(context, restOfWindow(context, event)) : {},
    ),
    recordEvidence: assign(({ context, event }) => ({
      ...timesOf(context, context.watchDuration),
      because: event.type === 'dependant.recovered' ? (event.because ?? 'a dependant runs again') : undefined,
    })),
    recordWindow: assign({ window: ({ context }) => context.window + 1 }),
    recordEnd: assign({ closesAt: 0 }),
    recordConfig: assign(({ context, event }) => (event.type === 'config.changed' ? configOf(context, event) : {})),
    recordSkipped: assign(({ context, event }) => (event.type === 'pod.skipped' ? withSkipped(context, event) : {})),
    spawnDependants: enqueueActions(({ context, enqueue }) => {
      const { window } = context;
      const children = scopesOf(context).map((scope, index) => childAt(window, index + 1, scope));
      enqueue.assign({ windows: [...context.windows, { window, children, ...noOutcomes }] });
      for (const child of children) enqueue.spawnChild('dependants', { id: child.id, input: inputOf(context, child) });
    }),
    /** After the new ones have started, so that a deletion that both request is not cancelled in between. */
    closeReplaced: enqueueActions(({ context, enqueue }) => {
      for (const { window, children } of context.windows)
        for (const { id } of window === context.window ? [] : children)
          enqueue.sendTo(id, { type: 'window.close', because: 'over' });
    }),
    /** Spawns the children that the open window lacks by the config. While it is held, it needs none. */
    spawnMissing: enqueueActions(({ context, enqueue }) => {
      const open = openWindow(context);
      if (open === undefined || context.closesAt <= context.now()) return;
      const last = Math.max(0, ...open.children.map(({ place }) => place));
      const missing = scopesOf(context)
        .filter((scope) => !open.children.some((child) => !child.isClosing && isSameScope(child, scope)))
        .map((scope, index) => childAt(open.window, last + 1 + index, scope));
      enqueue.assign({ windows: changed(context, { ...open, children: [...open.children, ...missing] }) });
      for (const child of missing) enqueue.spawnChild('dependants', { id: child.id, input: inputOf(context, child) });
    }),
    /** The new config applies immediately, for the rest of the open window. */
    renewDependants: enqueueActions(({ context, enqueue }) => {
      const open = openWindow(context);
      if (open === undefined) return;
      const { closesAt } = context;
      const scopes = scopesOf(context);
      const children = open.children.map((child) => ({
        ...child,
        isClosing: child.isClosing || !scopes.some((scope) => isSameScope(child, scope)),
      }));
      enqueue.assign({ windows: changed(context, { ...open, children }) });
      for (const { id, isClosing } of children) {
        if (isClosing) enqueue.sendTo(id, { type: 'window.close', because: 'reconfigured' });
        else enqueue.sendTo(id, { type: 'config.changed', closesAt });
      }
    }),
    holdDependants: enqueueActions(({ context, enqueue }) => {
      for (const { id } of openWindow(context)?.children ?? []) enqueue.sendTo(id, { type: 'window.hold' });
    }),
    releaseDependants: enqueueActions(({ context, enqueue }) => {
      for (const { id } of openWindow(context)?.children ?? []) enqueue.sendTo(id, { type: 'window.release' });
    }),
    closeDependants: enqueueActions(({ context, event, enqueue }) => {
      const because = event.type === 'service.removed' ? 'reconfigured' : 'stopped';
      for (const { id } of context.windows.flatMap(({ children }) => children))
        enqueue.sendTo(id, { type: 'window.close', because });
    }),
    /** Adds the outcomes of a child that has ended. With the last child the results of the window are known. */
    collectOutcomes: enqueueActions(({ context, event, enqueue, self }) => {
      const id = 'actorId' in event ? event.actorId : '';
      const own = context.windows.find(({ children }) => children.some((child) => child.id === id));
      enqueue.stopChild(id);
      if (own === undefined) return;
      const children = own.children.filter((child) => child.id !== id);
      const output = 'output' in event ? event.output : outcomesOf(self.getSnapshot().children[id]);
      const rest = { ...own, ...sumOf(own, output), children };
      enqueue.assign({ windows: changed(context, rest) });
      if (children.length > 0) return;
      enqueue('reportWindowClosed');
      enqueue('forgetWindows');
      if (own.window === context.window && context.closesAt > 0)
        enqueue.raise({ type: 'window.expired', window: own.window });
    }),
    forgetWindows: assign({ windows: ({ context }) => context.windows.filter(({ children }) => children.length > 0) }),
    reportWindowOpened: unprovided,
    /** Reports the windows without children. */
    reportWindowClosed: unprovided,
    reportSkipped: unprovided,
    reportDependantsFailed: unprovided,
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
    isNewest: ({ context, event }) => event.type === 'window.expired' && event.window === context.window,
    isNewlySkipped: ({ context, event }) =>
      event.type === 'pod.skipped' &&
      context.windows.some(({ window, skipped }) => window === event.window && !skipped.includes(event.uid ?? '')),
    isDeclared: ({ context }) => context.isDeclared,
    hasNoDependants: ({ context }) => context.windows.length === 0,
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
    podSelectors: ['role=apiserver'],
    isDeclared: false,
    isOfWebhook: false,
    watchDuration: fiveMinutes,
    onStart: 'recent',
    whileNotReady: 'hold',
    lastWindow: 0,
    now: () => 0,
    ...input,
    window: input?.lastWindow ?? 0,
    openedAt: 0,
    closesAt: 0,
    windows: [],
    seenUntil: 0,
    because: undefined,
  }),
  initial: 'notReady',
  on: {
    'config.changed': {
      actions: ['recordConfig', 'spawnMissing', 'renewDependants'],
      description: 'The new config applies to the rest of an open window.',
    },
    'service.removed': { target: '.closing' },
    'weeder.stopped': { target: '.closing' },
    'pod.skipped': { guard: 'isNewlySkipped', actions: ['recordSkipped', 'reportSkipped'] },
    'xstate.done.actor.*': { actions: 'collectOutcomes', description: 'A child has ended: its outcomes count.' },
    'xstate.error.actor.*': { actions: ['reportDependantsFailed', 'collectOutcomes'] },
  },
  states: {
    notReady: {
      description: 'No endpoint in any EndpointSlice of the service is ready, or there is no slice.',
      initial: 'idle',
      on: {
        'endpoint.ready': {
          target: '#endpoint.ready.windowOpen',
          actions: 'recordRecovery',
          description: 'The service has recovered: pods that crash-looped without it can start now.',
        },
      },
      states: {
        idle: {
          description: 'No window is open: nothing is deleted.',
          on: {
            'endpoint.foundReady': whenFoundReady,
            'dependant.recovered': {
              guard: 'isDeclared',
              target: 'assumedReady',
              actions: 'recordEvidence',
              description: 'There is no EndpointSlice, as for a service outside the cluster.',
            },
          },
        },
        assumedReady: {
          description: 'There is no EndpointSlice, but a dependant runs again: a window is open.',
          tags: 'windowOpen',
          entry: ['recordWindow', 'reportWindowOpened', 'spawnDependants', 'closeReplaced'],
          on: {
            'window.expired': { guard: 'isNewest', target: 'idle', actions: 'recordEnd' },
            'endpoint.notReady': [
              { guard: 'canDeleteWhileNotReady', target: 'windowOpen', actions: 'reportNotReady' },
              { target: 'holding', actions: ['reportNotReady', 'holdDependants'] },
            ],
          },
        },
        holding: {
          description:
            'The window stays open, but its deletions wait, because a pod that starts now would crash again.',
          tags: 'windowOpen',
          on: {
            'window.expired': { guard: 'isNewest', target: 'idle', actions: 'recordEnd' },
            'config.changed': [
              {
                guard: 'isToDelete',
                target: 'windowOpen',
                // First the new end: a child whose time is over must not delete once more.
                actions: ['recordConfig', 'spawnMissing', 'renewDependants', 'releaseDependants'],
                description: 'whileNotReady is delete now.',
              },
              { actions: ['recordConfig', 'renewDependants'] },
            ],
          },
        },
        windowOpen: {
          description: 'The window continues to delete although the service is down again (whileNotReady: delete).',
          tags: 'windowOpen',
          on: {
            'window.expired': { guard: 'isNewest', target: 'idle', actions: 'recordEnd' },
            'config.changed': {
              guard: 'isToHold',
              target: 'holding',
              actions: ['recordConfig', 'holdDependants', 'renewDependants'],
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
              { target: 'windowOpen', actions: 'recordRecovery' },
            ],
          },
          on: {
            'recovery.timeKnown': [
              {
                guard: 'isRecent',
                target: 'windowOpen',
                actions: 'recordPastRecovery',
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
                actions: 'recordRecovery',
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
          description: 'A window is open: its children have the crash-looping dependants deleted.',
          tags: 'windowOpen',
          entry: ['recordWindow', 'reportWindowOpened', 'spawnDependants', 'closeReplaced'],
          on: {
            'window.expired': { guard: 'isNewest', target: 'idle', actions: 'recordEnd' },
            'endpoint.notReady': [
              { guard: 'canDeleteWhileNotReady', target: '#endpoint.notReady.windowOpen', actions: 'reportNotReady' },
              { target: '#endpoint.notReady.holding', actions: ['reportNotReady', 'holdDependants'] },
            ],
          },
          initial: 'settled',
          states: {
            settled: {
              description: 'Every recovery was observed.',
              on: {
                'endpoint.foundReady': {
                  target: 'resolvingRecoveryTime',
                  actions: 'recordGap',
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
                'window.expired': {
                  guard: 'isNewest',
                  target: '#endpoint.ready.resolvingRecoveryTime',
                  actions: 'recordEnd',
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
                    actions: 'recordPastRecovery',
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
            'dependant.recovered': {
              guard: 'isDeclared',
              target: 'windowOpen',
              actions: 'recordEvidence',
              description: 'The EndpointSlices do not show every outage, as of a service outside the cluster.',
            },
            'endpoint.notReady': { target: '#endpoint.notReady.idle', actions: 'reportNotReady' },
            'endpoint.foundReady': {
              target: 'resolvingRecoveryTime',
              actions: 'recordGap',
              description: 'The stream of EndpointSlices had a gap, which may contain a whole outage.',
            },
          },
        },
      },
    },
    closing: {
      description:
        'The config no longer has the service, or weeder stops: nothing more is deleted, and the outcomes of the ' +
        'deletions in flight are awaited.',
      entry: ['recordEnd', 'closeDependants'],
      always: { guard: 'hasNoDependants', target: 'closed' },
      on: {
        'endpoint.ready': {
          target: 'ready.windowOpen',
          actions: 'recordRecovery',
          description: 'The config has the service again, and it has recovered.',
        },
        'endpoint.foundReady': whenFoundReady,
      },
    },
    closed: {
      type: 'final',
      description: 'Every child has ended.',
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

const noOutcomes: DependantsOutput = { deleted: [], retried: [], skipped: [], failed: [] };

/** A window that opens now for a recovery. The clock is read once, so that its length is exact. */
function timesOf({ now }: EndpointContext, duration: number) {
  const openedAt = now();
  return { openedAt, closesAt: openedAt + duration, because: undefined };
}

/** Fields that the event does not have are unchanged. The open window still counts from the recovery of its service. */
function configOf(context: EndpointContext, event: Partial<EndpointSettings>) {
  const { podSelectors, isDeclared, isOfWebhook, watchDuration, onStart, whileNotReady } = { ...context, ...event };
  const recoveredAt = context.closesAt - context.watchDuration;
  const closesAt = context.closesAt === 0 ? 0 : Math.max(context.now(), recoveredAt + watchDuration);
  return { podSelectors, isDeclared, isOfWebhook, watchDuration, onStart, whileNotReady, closesAt };
}

/** The scopes of the children that a window has: one that opened because a dependant runs again concerns only those. */
function scopesOf({ podSelectors, isDeclared, isOfWebhook, because }: EndpointContext): readonly DependantsScope[] {
  const isRecovery = because === undefined;
  const selected = isRecovery ? podSelectors.map((podSelector) => ({ podSelector, isOfWebhook: false })) : [];
  const others = [...(isDeclared ? [false] : []), ...(isOfWebhook && isRecovery ? [true] : [])];
  return [...selected, ...others.map((each) => ({ podSelector: undefined, isOfWebhook: each }))];
}

function isSameScope(one: DependantsScope, other: DependantsScope): boolean {
  return one.podSelector === other.podSelector && one.isOfWebhook === other.isOfWebhook;
}

function childAt(window: number, place: number, { podSelector, isOfWebhook }: DependantsScope): Child {
  return { id: `dependants-${window}-${place}`, place, podSelector, isOfWebhook, isClosing: false };
}

function inputOf(context: EndpointContext, { podSelector, isOfWebhook }: DependantsScope): DependantsInput {
  const { namespace, service, window, openedAt, closesAt, because, now } = context;
  return { namespace, service, window, podSelector, isOfWebhook, openedAt, closesAt, because, now };
}

function openWindow({ windows, window, closesAt }: EndpointContext): Window | undefined {
  return closesAt === 0 ? undefined : windows.find((each) => each.window === window);
}

function changed({ windows }: EndpointContext, next: Window): readonly Window[] {
  return windows.map((each) => (each.window === next.window ? next : each));
}

function withSkipped(
  context: EndpointContext,
  { window, uid = '' }: { readonly window?: number; readonly uid?: string },
) {
  const own = context.windows.find((each) => each.window === window);
  return own === undefined ? {} : { windows: changed(context, { ...own, skipped: [...own.skipped, uid] }) };
}

/** A child that has failed has no output, but the outcomes up to then. */
function outcomesOf(child: AnyActorRef | undefined): DependantsOutput | undefined {
  return child?.getSnapshot()?.context;
}

function sumOf(one: DependantsOutput, other: DependantsOutput | undefined): DependantsOutput {
  const union = (what: keyof DependantsOutput) => [...new Set([...one[what], ...(other?.[what] ?? [])])];
  return {
    deleted: union('deleted'),
    retried: union('retried'),
    skipped: union('skipped'),
    failed: union('failed'),
  };
}
