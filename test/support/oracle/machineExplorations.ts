import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, initialTransition, transition } from 'xstate';
import { getShortestPaths, getSimplePaths } from 'xstate/graph';
import type { RolloutEnd, RolloutOutput, StoppedRollout } from '../../../machines/restart/rollout.ts';
import { machineFiles } from '../docs/sketch.ts';
import { effectsOf } from './decisions.ts';
import { eventTypesOf, spawnedChildren } from './exploration.ts';
import { isSent } from './restartMachines.ts';

/** The input for exploring a machine. */
export interface Exploration {
  readonly inputs?: readonly object[];
  readonly events: readonly (EventObject & Readonly<Record<string, unknown>>)[];
  /** Whether something can send the event in this state. Default: `canSend`. */
  readonly isPossible?: (state: AnyMachineSnapshot, event: EventObject) => boolean;
  /** Events that simple paths leave out, because there would be too many paths. */
  readonly onlyShortest?: readonly string[];
}

function rolloutDone(end: RolloutEnd, hasRestarted: boolean, stopped?: StoppedRollout) {
  const output: RolloutOutput = { end, hasRestarted, hasStopped: stopped !== undefined, stopped, isDirty: false };
  return { type: 'xstate.done.actor.rollout', actorId: 'rollout', output };
}

const noOutcomes = { deleted: [], skipped: [], failed: [] };
const start = Date.UTC(2026, 0, 1);
const minute = 60_000;

/** By the machine's name: events with a payload, ends of actors, and what else is not found in the machine itself. */
const given: Readonly<Record<string, Partial<Exploration>>> = {
  manager: {
    inputs: [{ streams: ['pods'] }],
    events: [
      { type: 'reflector.synced', name: 'pods' },
      { type: 'streams.changed', streams: ['pods', 'slices'] },
    ],
  },
  receiver: {
    events: [
      { type: 'delivery.accepted', hasMore: true },
      { type: 'delivery.accepted', hasMore: false },
      { type: 'delivery.rejected', hasMore: true },
      { type: 'delivery.rejected', hasMore: false },
      { type: 'delivery.failed', reason: 'no' },
      { type: 'xstate.error.actor.deliver', actorId: 'deliver', error: new Error('a bug') },
    ],
    // Longer paths differ from shorter ones only by the number of failures.
    onlyShortest: ['receiver.changed', 'delivery.rejected'],
  },
  lease: {
    inputs: [{ identity: 'me', random: () => 0 }],
    events: [
      { type: 'lease.found', holder: '', version: '1', record: 'none', now: 0 },
      { type: 'lease.found', holder: 'other', version: '2', record: 'other', now: 0 },
      { type: 'lease.found', holder: 'me', version: '3', record: 'me', now: 0 },
      { type: 'lease.missing', now: 0 },
      { type: 'lease.written', version: '3', tookMs: 5 },
      { type: 'watch.ended', hasSettled: true },
    ],
  },
  reflector: {
    events: [
      { type: 'stream.synced', resourceVersion: '1' },
      { type: 'stream.expired', livedMs: 9000 },
    ],
  },
  endpoint: {
    inputs: [{}, { whileNotReady: 'delete', podSelectors: [], isDeclared: true }],
    events: [
      { type: 'dependant.recovered', because: 'Deployment shop/web runs again' },
      { type: 'recovery.timeKnown', readySince: start - 10 * minute, now: start },
      { type: 'recovery.timeKnown', readySince: start - minute, now: start },
      { type: 'config.changed', whileNotReady: 'delete' },
      { type: 'config.changed', whileNotReady: 'hold' },
      { type: 'window.expired', window: 1 },
      { type: 'xstate.done.actor.dependants-1-1', actorId: 'dependants-1-1', output: noOutcomes },
    ],
    onlyShortest: ['xstate.done.actor.dependants-1-1', 'recovery.timeUnknown'],
    // One window is enough, because those that follow differ only by their number. A service that comes back is a new one.
    isPossible: (state, event) =>
      state.can(event) &&
      !(state.matches('closing') && event.type.startsWith('endpoint.')) &&
      (spawnedChildren(state).length === 0 || !/^(endpoint\.ready|dependant|recovery)/.test(event.type)),
  },
  dependants: {
    events: [
      { type: 'config.changed', closesAt: minute },
      { type: 'config.changed', closesAt: 0 },
      { type: 'pod.deleted', uid: 'a-pod' },
      { type: 'pod.protected', uid: 'another' },
      { type: 'deletion.failed', pod: 'a/pod' },
      { type: 'xstate.error.actor.podWatch' },
      { type: 'xstate.error.actor.pendingOutcomes' },
    ],
  },
  workload: {
    events: [
      { type: 'assessed.changed', changedAt: 9_000, quietIn: 4_000 },
      { type: 'assessed.stalled', reason: 'no progress' },
      { type: 'assessed.blocked', reason: 'a source is missing' },
      { type: 'assessed.blocked', reason: 'a source is missing', reportIn: 1_000 },
      rolloutDone({ type: 'rollout.complete' }, true),
      rolloutDone({ type: 'rollout.cancelled' }, true, { type: 'stalled', reason: 'no progress' }),
      rolloutDone({ type: 'rollout.cancelled' }, false, { type: 'suspended', reason: 'paused' }),
      rolloutDone({ type: 'rollout.reverted' }, true),
      rolloutDone({ type: 'rollout.restored' }, true),
      rolloutDone({ type: 'rollout.skipped' }, false),
      rolloutDone({ type: 'rollout.blocked', reason: 'it is paused' }, false),
      rolloutDone({ type: 'rollout.cancelled' }, false),
      rolloutDone({ type: 'effect.failed' }, false),
      rolloutDone({ type: 'effect.conflicted' }, false),
    ],
    isPossible: isSent,
  },
  rollout: {
    inputs: [
      {},
      { isOverdue: true },
      { beginsAt: 'rolling' },
      { beginsAt: 'stopped', stopped: { type: 'suspended', reason: 'paused' } },
    ],
    events: [
      { type: 'slot.pending', reason: 'its interval' },
      { type: 'slot.blocked', reason: 'it is paused' },
      { type: 'verified.blocked', reason: 'a source is immutable' },
      { type: 'rollout.stalled', reason: 'no progress' },
      { type: 'rollout.suspended', reason: 'paused' },
    ],
    isPossible: isSent,
  },
  latePods: {
    events: [{ type: 'pods.later', checkIn: 5_000 }],
  },
  application: {
    events: [
      { type: 'spec.invalid', reason: 'two resources have one name' },
      { type: 'spec.paused', pausedFor: minute },
    ],
  },
  resource: {
    inputs: [{}, { memory: { corrections: new Map([['.spec', { count: 1, last: 0 }]]) } }],
    events: [
      { type: 'object.changed' },
      { type: 'object.changed', isInSync: true },
      { type: 'check.drifted' },
      { type: 'check.drifted', paths: ['.spec'] },
      { type: 'check.drifted', mayCorrect: false },
      { type: 'check.drifted', paths: ['.spec'], opensIn: 60_000, pending: 'none is open' },
      { type: 'check.missing' },
      { type: 'check.missing', paths: ['.spec'] },
      { type: 'check.missing', mayCorrect: false },
      { type: 'check.missing', paths: ['.spec'], opensIn: 60_000, pending: 'none is open' },
    ],
  },
  podCreation: {
    inputs: [{}, { isCanary: true }, { pausedUntil: 5000 }, { canaryUntil: 1000 }],
    events: [{ type: 'retry.accepted', existing: 0 }],
  },
  podDeletion: {
    inputs: [{}, { unreportedSince: 0 }, { heldBy: 'shop/db' }, { pausedUntil: 5000 }, { logLines: 20 }],
    events: [
      { type: 'pod.crashLooping', resourceVersion: '2' },
      { type: 'slot.granted' },
      { type: 'slot.granted', isWanted: false },
    ],
  },
};

/** By the machine's name. All events that a machine takes without a payload are found in it. */
export const explorations: Readonly<Record<string, Exploration>> = Object.fromEntries(
  machineFiles().flatMap(({ name, machines: [machine] }) =>
    machine === undefined ? [] : [[name, { ...given[name], events: eventsOf(machine, given[name]) }]],
  ),
);

function eventsOf(machine: AnyStateMachine, { events = [] }: Partial<Exploration> = {}): Exploration['events'] {
  const isGiven = (type: string) => events.some((each) => each.type === type);
  // An actor ends, or fails, with a payload.
  const types = eventTypesOf(machine).filter((type) => !/^xstate\.(done|error)\./.test(type) && !isGiven(type));
  return [...events, ...types.map((type) => ({ type }))];
}

const generators = { shortest: getShortestPaths, simple: getSimplePaths };

/** The paths through a machine, one for each distinguishable state, or every path that visits no state twice. */
export function pathsOf(
  machine: AnyStateMachine,
  { inputs = [{}], events, isPossible = canSend, onlyShortest = [] }: Exploration,
  kind: keyof typeof generators = 'shortest',
) {
  return inputs.flatMap((input) =>
    generators[kind](machine, {
      input,
      events: kind === 'simple' ? events.filter(({ type }) => !onlyShortest.includes(type)) : events,
      serializeState: keyOf,
      filterEvents: (state, event) => state.status === 'active' && isPossible(state, event),
      limit: 2000,
    }).map((path) => ({ ...path, input })),
  );
}

const keys = new WeakMap<AnyMachineSnapshot, string>();

/** What distinguishes a state from others. XState asks for it at each step of each path. */
function keyOf(state: AnyMachineSnapshot): string {
  const known = keys.get(state);
  if (known !== undefined) return known;
  const { whileNotReady, isDirty, hasChanged } = state.context;
  const key = `${state.status} ${JSON.stringify(state.value)} ${spawnedChildren(state).length} ${whileNotReady ?? isDirty ?? hasChanged ?? ''}`;
  keys.set(state, key);
  return key;
}

/** The root of a machine answers the results of its effects, which arrive only while one runs. */
function canSend(state: AnyMachineSnapshot, event: EventObject): boolean {
  const isOfEffect = event.type.startsWith('effect.');
  return state.can(event) && (!isOfEffect || Object.keys(state.children).length > 0);
}

/** One step of a path: the event, and the machine's decision. */
interface PathStep {
  readonly event: string;
  readonly effects: readonly string[];
  readonly snapshot: AnyMachineSnapshot;
}

/** The steps from the start of a machine on. */
export type Walked = readonly PathStep[];

/**
 * Follows paths and records the decided effects; the first step is the machine's start. Returns every beginning of a
 * path once: paths share most of their beginnings, and a machine decides the same after the same events.
 */
export function walkAll(machine: AnyStateMachine, paths: ReturnType<typeof pathsOf>): Walked[] {
  const found: Walked[] = [];
  const starts = new Map<object, Beginning>();
  for (const { input, steps } of paths) {
    let here = starts.get(input) ?? begin(found, [], 'start', initialTransition(machine, input));
    starts.set(input, here);
    for (const { event } of steps) {
      if (event.type === 'xstate.init') continue;
      const { walked, snapshot, next } = here;
      here = next.get(event) ?? begin(found, walked, event.type, transition(machine, snapshot, event));
      next.set(event, here);
    }
  }
  return found;
}

/** The beginning of paths, and how they go on. */
interface Beginning {
  readonly walked: Walked;
  readonly snapshot: AnyMachineSnapshot;
  readonly next: Map<EventObject, Beginning>;
}

function begin(
  found: Walked[],
  before: Walked,
  event: string,
  [snapshot, actions]: ReturnType<typeof initialTransition<AnyStateMachine>>,
): Beginning {
  const walked = [...before, { event, effects: effectsOf(actions), snapshot }];
  found.push(walked);
  return { walked, snapshot, next: new Map() };
}
