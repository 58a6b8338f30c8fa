import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observerStates, type StateDisplay, serviceStates, workloadStates } from '@weeder/live-page';
import type { AnyStateNode } from 'xstate';
import { application } from '../../machines/observer/application.ts';
import { resource, resourceStates } from '../../machines/observer/resource.ts';
import { rollout } from '../../machines/restart/rollout.ts';
import { workload } from '../../machines/restart/workload.ts';
import { endpoint } from '../../machines/weeder/endpoint.ts';
import { applicationStateOf } from '../../src/observer/status/applicationState.ts';

interface Leaf {
  readonly path: string;
  /** A timer ends it, or a state around it. */
  readonly hasTimer: boolean;
}

/** The states without substates. */
function leavesOf(node: AnyStateNode): Leaf[] {
  const below = Object.values(node.states);
  return below.length === 0 ? [{ path: node.path.join('.'), hasTimer: hasTimer(node) }] : below.flatMap(leavesOf);
}

function hasTimer(node: AnyStateNode | undefined): boolean {
  return node !== undefined && (node.after.length > 0 || hasTimer(node.parent));
}

/** The id of the words: as in the machine, or without its outer or inner states. */
function idIn(table: Readonly<Record<string, StateDisplay>>, path: string): string | undefined {
  const names = path.split('.');
  const inner = names.map((_, index) => names.slice(index).join('.'));
  const outer = names.map((_, index) => names.slice(0, names.length - index).join('.'));
  return [...inner, ...outer].find((id) => table[id] !== undefined);
}

const reasons = ['DeletionBlocked', 'OwnershipConflict', 'CorrectionBackOff', 'SpecInvalid', 'DriftDetected', 'None'];
const named = (ids: Iterable<string>) => [...ids].map((path) => ({ path, hasTimer: false }));

/** What is shown of each machine; `same`: words that stand for several of its states, which differ only for the machine. */
const shown: readonly {
  readonly name: string;
  readonly table: Readonly<Record<string, StateDisplay>>;
  readonly leaves: readonly Leaf[];
  readonly same: Readonly<Record<string, readonly string[]>>;
}[] = [
  {
    name: 'service',
    table: serviceStates,
    // A service that the config no longer has is not shown.
    leaves: leavesOf(endpoint.root).filter(({ path }) => !['closing', 'closed'].includes(path)),
    same: { 'Window open': ['notReady.assumedReady', 'ready.windowOpen'] },
  },
  {
    name: 'workload',
    table: workloadStates,
    // While a rollout is under way, its states are shown.
    leaves: [...leavesOf(workload.root).filter(({ path }) => path !== 'restarting'), ...leavesOf(rollout.root)],
    same: { 'Restart pending': ['beginning', 'waiting'] },
  },
  {
    name: 'Application',
    table: observerStates,
    leaves: [...leavesOf(application.root), ...named(reasons.map(applicationStateOf))],
    same: {},
  },
  {
    name: 'resource',
    table: observerStates,
    leaves: [...leavesOf(resource.root), ...named(resourceStates)],
    same: { Drifted: ['drifted', 'drifted.detected'], Missing: ['missing', 'missing.detected'] },
  },
];

for (const { name, table, leaves, same } of shown) {
  test(`each state of the machines of a ${name} has words of its own`, () => {
    assert.deepEqual(
      leaves.filter(({ path }) => idIn(table, path) === undefined),
      [],
    );
    const ids = new Set(leaves.flatMap(({ path }) => idIn(table, path) ?? []));
    const byWords = Map.groupBy(ids, (id) => table[id]?.words ?? '');
    const several = [...byWords].filter(([, group]) => group.length > 1).map(([words, group]) => [words, group.sort()]);
    assert.deepEqual(Object.fromEntries(several), same);
  });

  test(`each state of the machines of a ${name} with a timer says what comes next, and no other does`, () => {
    // The deadline of a rollout does not say how long it takes; that of a window is the timer of another machine.
    const differ = ['rolling', 'ready.windowOpen', 'notReady.windowOpen', 'notReady.assumedReady', 'notReady.holding'];
    for (const { path, hasTimer: isTimed } of leaves) {
      const id = idIn(table, path) ?? '';
      const isNamed = leaves.some((each) => each.hasTimer && idIn(table, each.path) === id);
      if (!differ.includes(id)) assert.equal(table[id]?.next !== '', isTimed || isNamed, path);
    }
  });
}

test('no words are the id of a state', () => {
  const words = [serviceStates, workloadStates, observerStates].flatMap((states) =>
    Object.values(states).map((state) => state.words),
  );
  // The name of a kind of Kubernetes is one word.
  const withoutKinds = words.map((text) => text.replace('EndpointSlice', 'slice'));
  assert.deepEqual(
    withoutKinds.filter((text) => /^[a-z]|\w[.›]\w|[a-z][A-Z]/.test(text)),
    [],
  );
});
