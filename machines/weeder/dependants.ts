/**
 * Has the crash-looping dependants deleted, or creations of pods retried that the service refused as a webhook, until
 * the window ends, also after its pod watch has failed, but not while the window is held. It ends when the outcomes of its requests in flight are known, and its output has each pod once.
 * Does not guarantee that a dependant is deleted before the window ends, nor that no other child of the window counts
 * the same pod: the service unites the outputs.
 */

import { type AnyActorRef, type AnyEventObject, assign, fromCallback, sendTo, setup } from 'xstate';

import type { Protection, WithdrawalReason } from './podDeletion.ts';

/** Some of the dependants of a service. */
export interface DependantsScope {
  /**
   * The canonical text of the podSelector. Undefined: the pods that declare the service, or with `isOfWebhook` the
   * objects whose pods could not be created because a webhook could not call the service.
   */
  readonly podSelector: string | undefined;
  readonly isOfWebhook: boolean;
}

/** The dependants of one scope during one window. Times are milliseconds by the clock `now`. */
export interface DependantsInput extends DependantsScope {
  readonly namespace: string;
  readonly service: string;
  /** Counts the windows of the service, from 1. */
  readonly window: number;
  readonly openedAt: number;
  readonly closesAt: number;
  /** Which dependant runs again, if that has opened the window. Undefined: the service has recovered. */
  readonly because: string | undefined;
  readonly now: () => number;
}

/** The outcomes: the uids of pods and of objects that create them, and `namespace/name` of those that failed. */
export interface DependantsOutput {
  readonly retried: readonly string[];
  readonly deleted: readonly string[];
  readonly skipped: readonly string[];
  readonly failed: readonly string[];
}

interface DependantsContext extends DependantsInput, DependantsOutput {}

/** The child as its actors see it. */
export interface DependantsRef extends DependantsInput {
  /** Unique among the children of the service. */
  readonly id: string;
  readonly send: (event: DependantsEvent) => void;
}

export type DependantsEvent =
  /** The service is down again. */
  | { readonly type: 'window.hold' }
  /** The service is down, and the config says now that deletions continue. */
  | { readonly type: 'window.release' }
  /** The next window of the service replaces this one, the config no longer has the podSelector, or weeder stops. */
  | { readonly type: 'window.close'; readonly because?: Exclude<WithdrawalReason, 'held'> }
  /** The config of the service has changed, and with it the end of the window. */
  | { readonly type: 'config.changed'; readonly closesAt?: number }
  /** The API server accepted the deletion of a pod. */
  | { readonly type: 'pod.deleted'; readonly uid?: string }
  /** The controller of an object creates its pods again. */
  | { readonly type: 'creation.retried'; readonly uid?: string }
  /** A pod crash-loops, and is never deleted. */
  | { readonly type: 'pod.protected'; readonly uid?: string; readonly protection?: Protection }
  /**
   * The window has closed before the deletion of a pod, or the retry of an object, succeeded, or it was rejected. `pod`:
   * `namespace/name`.
   */
  | { readonly type: 'deletion.failed'; readonly pod?: string }
  /** No request of this child is in flight any more. */
  | { readonly type: 'outcomes.known' };

const fiveMinutes = 300_000;
const longestDelay = 2 ** 31 - 1;

function unprovided(): never {
  throw new Error(
    'The dependants machine was started without its implementation: use the one that src/weeder provides.',
  );
}

/** The actor of the service. In a visualizer there is none, and the machine ignores what it sends to itself. */
function parentOf({ self }: { readonly self: AnyActorRef }): AnyActorRef {
  return self._parent ?? self;
}

export const dependants = setup({
  types: {
    context: {} as DependantsContext,
    events: {} as DependantsEvent,
    input: {} as Partial<DependantsInput> | undefined,
    output: {} as DependantsOutput,
  },
  actors: {
    podWatch: fromCallback<AnyEventObject, DependantsRef>(unprovided),
    pendingOutcomes: fromCallback<AnyEventObject, DependantsRef>(unprovided),
  },
  actions: {
    recordConfig: assign({
      closesAt: ({ context, event }) => (event.type === 'config.changed' ? (event.closesAt ?? 0) : context.closesAt),
    }),
    recordDeleted: assign({
      deleted: ({ context: { deleted }, event }) =>
        event.type === 'pod.deleted' ? withOne(deleted, event.uid) : deleted,
    }),
    recordRetried: assign({
      retried: ({ context: { retried }, event }) =>
        event.type === 'creation.retried' ? withOne(retried, event.uid) : retried,
    }),
    recordSkipped: assign({
      skipped: ({ context: { skipped }, event }) =>
        event.type === 'pod.protected' ? withOne(skipped, event.uid) : skipped,
    }),
    recordFailed: assign({
      failed: ({ context: { failed }, event }) =>
        event.type === 'deletion.failed' ? withOne(failed, event.pod) : failed,
    }),
    /** The service reports the pod once, even if several of its podSelectors select it. */
    announceSkipped: sendTo(parentOf, ({ context: { window }, event }) => {
      const { uid, protection } = event.type === 'pod.protected' ? event : {};
      return { type: 'pod.skipped', window, uid, protection };
    }),
    announceEnd: sendTo(parentOf, ({ context: { window } }) => ({ type: 'window.expired', window })),
    /** For the reason that `withdrawalReasonOf` gives. */
    withdrawDeletions: unprovided,
    /** The pod watch continues with the new config, so that no deletion loses its place in the queue. */
    reconfigurePodWatch: unprovided,
    reportPodWatchFailed: unprovided,
  },
  guards: {
    isNewlySkipped: ({ context, event }) =>
      event.type === 'pod.protected' && !context.skipped.includes(event.uid ?? ''),
    hasTimeLeft: ({ context, event }) => event.type === 'config.changed' && (event.closesAt ?? 0) > context.now(),
  },
  delays: {
    watchDuration: ({ context }) => Math.min(Math.max(0, context.closesAt - context.now()), longestDelay),
    restartDelay: 1000,
  },
}).createMachine({
  id: 'dependants',
  description:
    'The dependants of a service that one podSelector selects, that declare it, or that it refused as a webhook, ' +
    'during one window.',
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    namespace: 'default',
    service: 'etcd-main-client',
    window: 1,
    podSelector: 'role=apiserver',
    isOfWebhook: false,
    openedAt: 0,
    closesAt: fiveMinutes,
    because: undefined,
    now: () => 0,
    ...input,
    deleted: [],
    retried: [],
    skipped: [],
    failed: [],
  }),
  output: ({ context: { deleted, retried, skipped, failed } }) => ({ deleted, retried, skipped, failed }),
  initial: 'open',
  on: {
    'pod.deleted': { actions: 'recordDeleted' },
    'creation.retried': { actions: 'recordRetried' },
    'deletion.failed': { actions: 'recordFailed' },
    'pod.protected': { guard: 'isNewlySkipped', actions: ['recordSkipped', 'announceSkipped'] },
  },
  states: {
    open: {
      description: 'Lasts for the whole watchDuration, whatever happens to the pods.',
      type: 'parallel',
      on: { 'window.close': { target: 'closing', description: 'A new window, another config, or the end of weeder.' } },
      states: {
        timer: {
          description: 'Counts down the watchDuration.',
          initial: 'running',
          states: {
            running: {
              description: 'The window is not over.',
              after: {
                watchDuration: {
                  target: '#dependants.closing',
                  actions: 'announceEnd',
                  description: 'The time is over.',
                },
              },
              on: {
                'config.changed': [
                  {
                    guard: 'hasTimeLeft',
                    target: 'running',
                    reenter: true,
                    actions: 'recordConfig',
                    description: 'The new config applies to the rest of the window.',
                  },
                  {
                    target: '#dependants.closing',
                    actions: 'announceEnd',
                    description: 'By the new config the window is over.',
                  },
                ],
              },
            },
          },
        },
        pods: {
          description: 'Observes which dependants crash-loop, and has them deleted.',
          initial: 'watching',
          states: {
            watching: {
              description:
                'The pod watch requests the deletion of each dependant that crash-loops, or the retry of each object ' +
                'that lacks pods.',
              invoke: {
                id: 'podWatch',
                src: 'podWatch',
                input: ({ context, self: { id, send } }) => ({ ...context, id, send }),
                onError: { target: 'backingOff', actions: 'reportPodWatchFailed' },
              },
              on: {
                'window.hold': { target: 'held' },
                'config.changed': { guard: 'hasTimeLeft', actions: 'reconfigurePodWatch' },
              },
            },
            held: {
              description:
                'The service is down again: a pod that starts now would crash again. Pods that still crash-loop ' +
                'when the service recovers belong to the next window.',
              entry: 'withdrawDeletions',
              on: { 'window.release': { target: 'watching' } },
            },
            backingOff: {
              description: 'The pod watch failed: it is restarted, and the window continues.',
              after: { restartDelay: { target: 'watching' } },
              on: { 'window.hold': { target: 'held' } },
            },
          },
        },
      },
    },
    closing: {
      description: 'Nothing more is deleted. The outcomes of the requests in flight still count for this window.',
      entry: 'withdrawDeletions',
      invoke: {
        id: 'pendingOutcomes',
        src: 'pendingOutcomes',
        input: ({ context, self: { id, send } }) => ({ ...context, id, send }),
        onError: { target: 'closed' },
      },
      on: { 'outcomes.known': { target: 'closed' } },
    },
    closed: {
      type: 'final',
      description: 'The outcomes are known: the output counts them.',
    },
  },
});

/** Why the machine withdraws its deletions with this event. */
export function withdrawalReasonOf(event: DependantsEvent | AnyEventObject): WithdrawalReason {
  if (event.type === 'window.hold') return 'held';
  if (event.type === 'config.changed') return 'reconfigured';
  return event.type === 'window.close' ? (event.because ?? 'over') : 'over';
}

function withOne(texts: readonly string[], text = ''): readonly string[] {
  return texts.includes(text) ? texts : [...texts, text];
}
