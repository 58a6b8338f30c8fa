import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observerStates, workloadStates } from '@weeder/live-page';
import type { AnyStateNode } from 'xstate';
import { application } from '../../machines/observer/application.ts';
import { resource, resourceStates } from '../../machines/observer/resource.ts';
import { rollout } from '../../machines/restart/rollout.ts';
import { workload } from '../../machines/restart/workload.ts';
import { applicationStateOf } from '../../src/observer/status/applicationState.ts';

/** The paths of the states without substates. */
function leavesOf(node: AnyStateNode): string[] {
  const below = Object.values(node.states);
  return below.length === 0 ? [node.path.join('.')] : below.flatMap(leavesOf);
}

const innermost = (path: string) => path.split('.').at(-1) ?? path;

test('the page has words for each state of a workload', () => {
  // While a rollout is under way, its states are shown.
  const states = [...leavesOf(workload.root), ...leavesOf(rollout.root)].map(innermost);
  assert.deepEqual(
    states.filter((state) => state !== 'restarting' && workloadStates[state] === undefined),
    [],
  );
});

test('the page has words for each state of an Application and of a resource', () => {
  const reasons = ['DeletionBlocked', 'OwnershipConflict', 'CorrectionBackOff', 'SpecInvalid', 'DriftDetected', 'None'];
  const states = [
    ...[...leavesOf(application.root), ...leavesOf(resource.root)],
    ...[...resourceStates, ...reasons.map(applicationStateOf)],
  ];
  assert.deepEqual(
    states.filter((state) => observerStates[state] === undefined),
    [],
  );
});

test('no words are the id of a state', () => {
  const words = [...Object.values(workloadStates), ...Object.values(observerStates)].map((state) => state.words);
  assert.deepEqual(
    words.filter((text) => /^[a-z]|\w[.›]\w|[a-z][A-Z]/.test(text)),
    [],
  );
});
