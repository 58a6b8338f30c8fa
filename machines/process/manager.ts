/**
 * Opens streams and runs controllers only while this replica leads, starts each one when the streams that it waits for
 * are synced, and releases the Lease only when no request of a controller is in flight. Does not guarantee that every
 * request has ended when it stops: after the drain timeout, or if leadership is lost, the API server may still execute
 * one. Then the Lease is not released, and expires.
 */

import {
  type AnyActorLogic,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  enqueueActions,
  fromCallback,
  sendTo,
  setup,
} from 'xstate';

interface ManagerInput {
  /** The names of the streams; each has a reflector. */
  readonly streams: readonly string[];
  /** Streams that are not waited for. Default: none. */
  readonly optional?: readonly string[] | undefined;
  /** The input of the `leadership` actor. */
  readonly election?: object | undefined;
}

/** Why the manager stopped: shutdown was requested, another replica may lead, or a bug in weeder ended an actor. */
export type ManagerEnd = 'shutdown' | 'leadershipLost' | 'broken';

interface ManagerContext extends ManagerInput {
  readonly unsynced: readonly string[];
  /** Why it stops, if it does now. */
  readonly end: ManagerEnd;
}

export type ManagerEvent =
  | { readonly type: 'leadership.acquired' }
  | { readonly type: 'leadership.lost' }
  /** The streams that are needed now; the `optional` ones are not waited for. */
  | {
      readonly type: 'streams.changed';
      readonly streams?: readonly string[];
      readonly optional?: readonly string[];
    }
  /** The Lease was released, or was never held. */
  | { readonly type: 'leadership.released' }
  /** A reflector has read its complete state for the first time. */
  | { readonly type: 'reflector.synced'; readonly name?: string }
  /** SIGTERM or SIGINT. */
  | { readonly type: 'shutdown.requested' }
  /** No controller has a request in flight any more. */
  | { readonly type: 'requests.drained' }
  | DoneActorEvent
  | ErrorActorEvent;

function unprovided(): never {
  throw new Error(
    'The manager machine was started without its implementation: use the one that src/process/manager.ts provides.',
  );
}

const unprovidedChild: AnyActorLogic = fromCallback(unprovided);

export const manager = setup({
  types: {
    context: {} as ManagerContext,
    events: {} as ManagerEvent,
    input: {} as Partial<ManagerInput> | undefined,
    output: {} as ManagerEnd,
  },
  actors: {
    leadership: unprovidedChild,
    reflector: unprovidedChild,
    drain: fromCallback<ManagerEvent>(unprovided),
  },
  actions: {
    spawnReflectors: enqueueActions(({ context, enqueue }) => {
      for (const name of context.streams) enqueue.spawnChild('reflector', { id: name, input: { name } });
    }),
    restartReflector: enqueueActions(({ event, enqueue }) => {
      if (!('actorId' in event)) return;
      enqueue.stopChild(event.actorId);
      enqueue.spawnChild('reflector', { id: event.actorId, input: { name: event.actorId } });
    }),
    recordStreams: assign(({ context, event }) => (event.type === 'streams.changed' ? streamsOf(context, event) : {})),
    replaceReflectors: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'streams.changed') return;
      const { streams } = streamsOf(context, event);
      for (const name of context.streams) if (!streams.includes(name)) enqueue.stopChild(name);
      for (const name of streams) {
        if (!context.streams.includes(name)) enqueue.spawnChild('reflector', { id: name, input: { name } });
      }
    }),
    recordSynced: assign({
      unsynced: ({ context, event }) =>
        context.unsynced.filter((name) => event.type !== 'reflector.synced' || name !== event.name),
    }),
    recordLeadershipLost: assign(({ event }) => ({ end: 'error' in event ? 'broken' : 'leadershipLost' })),
    releaseLeadership: sendTo('leadership', { type: 'release.requested' }),
    startSynced: unprovided,
    stopControllers: unprovided,
    dropRequests: unprovided,
    reportReflectorFailed: unprovided,
    reportLeadershipLost: unprovided,
    reportDrainOverdue: unprovided,
    reportReleaseOverdue: unprovided,
  },
  guards: {
    isReflector: ({ context, event }) => 'actorId' in event && context.streams.includes(event.actorId),
    isSynced: ({ context }) => context.unsynced.length === 0,
    /** Then there is no Lease to release. */
    hasLostLeadership: ({ context }) => context.end !== 'shutdown',
  },
  delays: { drainTimeout: 1500, releaseTimeout: 3000 },
}).createMachine({
  id: 'manager',
  description:
    'The process: it acquires leadership, fills the caches, runs the controllers, and shuts down gracefully.',
  options: { maxIterations: 1000 },
  context: ({ input }) => {
    const streams = input?.streams ?? ['endpointslices', 'pods'];
    const unsynced = streams.filter((name) => input?.optional?.includes(name) !== true);
    return { streams, election: input?.election, unsynced, end: 'shutdown' };
  },
  output: ({ context }) => context.end,
  invoke: {
    id: 'leadership',
    src: 'leadership',
    input: ({ context }: { readonly context: ManagerContext }) => context.election,
    onDone: { target: '.draining', actions: ['recordLeadershipLost', 'dropRequests', 'reportLeadershipLost'] },
    onError: { target: '.draining', actions: ['recordLeadershipLost', 'dropRequests', 'reportLeadershipLost'] },
  },
  initial: 'electing',
  states: {
    electing: {
      description: 'Stands by until this replica leads. Without leader election it leads at once.',
      on: {
        'leadership.acquired': { target: 'syncing' },
        'streams.changed': { actions: 'recordStreams' },
        'shutdown.requested': { target: 'releasing' },
      },
    },
    syncing: {
      description:
        'Reads the complete state of every stream. Each controller starts as soon as its own streams are synced.',
      entry: 'spawnReflectors',
      always: { guard: 'isSynced', target: 'running' },
      on: {
        'reflector.synced': { actions: ['recordSynced', 'startSynced'] },
        'streams.changed': {
          actions: ['replaceReflectors', 'recordStreams', 'startSynced'],
          description: 'The config has changed: new streams have to be synced as well.',
        },
        'leadership.lost': {
          target: 'draining',
          actions: ['recordLeadershipLost', 'dropRequests', 'reportLeadershipLost'],
        },
        'shutdown.requested': { target: 'draining' },
        'xstate.done.actor.*': { guard: 'isReflector', actions: ['reportReflectorFailed', 'restartReflector'] },
        'xstate.error.actor.*': { guard: 'isReflector', actions: ['reportReflectorFailed', 'restartReflector'] },
      },
    },
    running: {
      description: 'All controllers are running.',
      entry: 'startSynced',
      on: {
        'streams.changed': {
          actions: ['replaceReflectors', 'recordStreams'],
          description: 'The config has changed: only the streams that differ are closed and opened.',
        },
        'leadership.lost': {
          target: 'draining',
          actions: ['recordLeadershipLost', 'dropRequests', 'reportLeadershipLost'],
        },
        'shutdown.requested': { target: 'draining' },
        'xstate.done.actor.*': { guard: 'isReflector', actions: ['reportReflectorFailed', 'restartReflector'] },
        'xstate.error.actor.*': { guard: 'isReflector', actions: ['reportReflectorFailed', 'restartReflector'] },
      },
    },
    draining: {
      description: 'The controllers send no more requests. Waits for the requests in flight.',
      entry: 'stopControllers',
      invoke: { id: 'drain', src: 'drain', onError: { target: 'stopped', actions: 'reportDrainOverdue' } },
      on: {
        'requests.drained': [{ guard: 'hasLostLeadership', target: 'stopped' }, { target: 'releasing' }],
        'leadership.lost': {
          description: 'The requests in flight are dropped as well.',
          actions: ['recordLeadershipLost', 'dropRequests', 'reportLeadershipLost'],
        },
        'xstate.done.actor.*': { description: 'The end of a stream or of leadership has no effect now.' },
        'xstate.error.actor.*': { description: 'A failure of a stream or of leadership has no effect now.' },
      },
      after: {
        drainTimeout: {
          description: 'Requests in flight may still be executed, so the Lease is not released before it expires.',
          target: 'stopped',
          actions: 'reportDrainOverdue',
        },
      },
    },
    releasing: {
      description: 'No request is in flight, so another replica may lead.',
      entry: 'releaseLeadership',
      on: {
        'leadership.released': { target: 'stopped' },
        'leadership.lost': { target: 'stopped' },
        'xstate.done.actor.*': { description: 'The end of a stream or of leadership has no effect now.' },
        'xstate.error.actor.*': [
          { guard: 'isReflector', description: 'A failure of a stream has no effect now.' },
          { target: 'stopped', actions: 'reportReleaseOverdue' },
        ],
      },
      after: { releaseTimeout: { target: 'stopped', actions: 'reportReleaseOverdue' } },
    },
    stopped: {
      type: 'final',
      description: 'Streams, actors and timers have ended: the process can exit.',
    },
  },
});

/** The streams by name, and which of them have not been read yet; existing streams keep their state. */
function streamsOf(
  context: ManagerContext,
  { streams = context.streams, optional = [] }: Extract<ManagerEvent, { readonly type: 'streams.changed' }>,
) {
  const isUnsynced = (name: string) =>
    !optional.includes(name) && (context.unsynced.includes(name) || !context.streams.includes(name));
  return { streams, unsynced: streams.filter(isUnsynced) };
}
