import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventDraft } from '../../src/kube/events/event.ts';
import type { ObserverFact } from '../../src/observer/model/facts.ts';
import type { Drift } from '../../src/observer/model/projection.ts';
import { observerEventTable } from '../../src/observer/report/eventTable.ts';
import { reportObserverEvents } from '../../src/observer/report/observerEvents.ts';
import { application, contested, drifted, image, quiet, told } from '../support/objects/observerFacts.ts';

function toldOf(...facts: readonly ObserverFact[]): EventDraft[] {
  const events: EventDraft[] = [];
  const tell = reportObserverEvents((event) => events.push(event));
  for (const fact of facts) tell(fact);
  return events;
}

test('a drift is told on the application, with the field and who changed it, and without a value', () => {
  assert.deepEqual(toldOf(drifted), [
    {
      regarding: { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', ...application },
      type: 'Normal',
      reason: 'DriftDetected',
      action: 'Notice',
      note: `Deployment shop/nginx is not as it was applied: ${image}, by kubectl-edit/Update.`,
    },
  ]);
});

test('no Event holds a wanted or a found value: whoever may read Events may not read Secrets', () => {
  for (const { note } of toldOf(...told)) assert.doesNotMatch(note, /nginx:1|evil:1/);
});

test('a rival without a name is somebody, and the wait is told in seconds', () => {
  const [event] = toldOf(contested);
  assert.equal(event?.note, 'Somebody keeps changing Deployment shop/nginx back: its next correction waits for 4s.');
});

test('a correction says what was put back, and of what was not to be there that it was removed', () => {
  const drift = (path: string, is: Drift['is']): Drift => ({ path, desired: undefined, found: undefined, is });
  const correct = (...drifts: Drift[]) =>
    toldOf({ ...drifted, type: 'resource.corrected', drifts, took: 10 }).map(({ note }) => note);
  const [changed, excess, twice] = [drift('a', 'changed'), drift('b', 'excess'), drift('c', 'duplicate')];
  assert.deepEqual(correct(changed), ['Deployment shop/nginx: a restored.']);
  assert.deepEqual(correct(excess), ['Deployment shop/nginx: b removed.']);
  assert.deepEqual(correct(changed, excess, twice), ['Deployment shop/nginx: a restored; b, c removed.']);
});

test('what passes by itself is in the log alone', () => {
  assert.deepEqual(toldOf(...quiet), []);
});

test('the table says of each reason what is told, and of nothing else', () => {
  const events = toldOf(...told);
  const listed = Object.entries(observerEventTable).flatMap(([reason, { types, actions }]) => [
    ...types.map((type) => `${reason} ${type}`),
    ...actions.map((action) => `${reason} ${action}`),
  ]);
  const seen = events.flatMap(({ reason, type, action }) => [`${reason} ${type}`, `${reason} ${action}`]);
  assert.deepEqual([...new Set(seen)].sort(), [...listed].sort());
});
