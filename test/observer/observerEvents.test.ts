import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventDraft } from '@weeder/kube-runtime/events';
import type { ObserverEvent } from '../../src/observer/objects/events.ts';
import type { Drift } from '../../src/observer/objects/projection.ts';
import { observerReasons } from '../../src/observer/report/reasons.ts';
import { recordObserverEvents } from '../../src/observer/report/reportObserver.ts';
import { application, contested, drifted, image, reported, withoutEvent } from '../support/objects/observerEvents.ts';

function eventsOf(...domainEvents: readonly ObserverEvent[]): EventDraft[] {
  const events: EventDraft[] = [];
  const report = recordObserverEvents((event) => events.push(event));
  for (const event of domainEvents) report(event);
  return events;
}

test('a drift is reported on the application, with the field and who changed it, but no value', () => {
  assert.deepEqual(eventsOf(drifted), [
    {
      regarding: { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', ...application },
      type: 'Normal',
      reason: 'DriftDetected',
      action: 'Notice',
      note: `Deployment shop/nginx is not as it was applied: ${image}, by kubectl-edit/Update.`,
    },
  ]);
});

test('no Event contains a desired or found value, because readers of Events may not be allowed to read Secrets', () => {
  for (const { note } of eventsOf(...reported)) assert.doesNotMatch(note, /nginx:1|evil:1/);
});

test('an unnamed conflicting manager is reported as another client, with the delay in seconds', () => {
  const [event] = eventsOf(contested);
  assert.equal(
    event?.note,
    'Another client repeatedly overwrites corrections of Deployment shop/nginx: the next one waits for 4s.',
  );
});

test('a correction reports what was restored and what was removed', () => {
  const drift = (path: string, type: Drift['type']): Drift => ({ path, desired: undefined, found: undefined, type });
  const correct = (...drifts: Drift[]) =>
    eventsOf({ ...drifted, type: 'resource.corrected', drifts, took: 10 }).map(({ note }) => note);
  const [changed, excess, twice] = [drift('a', 'changed'), drift('b', 'excess'), drift('c', 'duplicate')];
  assert.deepEqual(correct(changed), ['Deployment shop/nginx: a restored.']);
  assert.deepEqual(correct(excess), ['Deployment shop/nginx: b removed.']);
  assert.deepEqual(correct(changed, excess, twice), ['Deployment shop/nginx: a restored; b, c removed.']);
});

test('transient conditions are only logged', () => {
  assert.deepEqual(eventsOf(...withoutEvent), []);
});

test('the table lists exactly the reasons, types and actions of the Events', () => {
  const events = eventsOf(...reported);
  const listed = Object.entries(observerReasons).flatMap(([reason, { types, actions }]) => [
    ...types.map((type) => `${reason} ${type}`),
    ...actions.map((action) => `${reason} ${action}`),
  ]);
  const seen = events.flatMap(({ reason, type, action }) => [`${reason} ${type}`, `${reason} ${action}`]);
  assert.deepEqual([...new Set(seen)].sort(), [...listed].sort());
});
