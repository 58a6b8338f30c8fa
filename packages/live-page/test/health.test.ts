import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthRank } from '../protocol/health.ts';
import { healthOfService, serviceRank } from '../protocol/serviceFilter.ts';
import { observerDisplay, workloadDisplay } from '../protocol/states.ts';
import { applicationScene, serviceView, unseenView, workloadScene } from '../scenes/index.ts';

const window = { number: 1, openedAt: 0, closesAt: 1 };
/** From the worst to a calm one. */
const services = [
  serviceView('down', { isReady: false, failed: 1, crashLooping: 1, window }),
  unseenView('absent', 0, { exists: false }),
  serviceView('failed', { failed: 1, crashLooping: 1, window }),
  serviceView('crashing', { crashLooping: 1, window }),
  serviceView('open', { window }),
  serviceView('calm', { deleted: 1, skipped: 1 }),
];

test('the rank and the health of a service are those of the worst in it: a failed deletion before an open window', () => {
  assert.deepEqual(services.map(serviceRank), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(services.map(healthOfService), [
    'degraded',
    'degraded',
    'degraded',
    'progressing',
    'progressing',
    'healthy',
  ]);
});

test('a state that needs attention ranks before one in progress, and this before one that is well', () => {
  const ofObserver = [
    'unverified',
    'refused',
    'drifted.detectOnly',
    'missing.detectOnly',
    'deleting.waiting',
    'paused',
    'observing',
  ];
  const ranks = [
    ...ofObserver.map((state) => healthRank(observerDisplay(state).health)),
    ...['blocked', 'rolling', 'current'].map((state) => healthRank(workloadDisplay(state).health)),
  ];
  assert.deepEqual(ranks, [0, 0, 0, 0, 0, 2, 3, 0, 2, 3]);
});

test('in the pictures no application is healthy that has errors or a resource that is not, and one without is', () => {
  for (const { id, state, errors, resources } of applicationScene(0)) {
    const isWell = errors.length === 0 && resources.every((each) => observerDisplay(each.state).health === 'healthy');
    assert.equal(observerDisplay(state).health === 'healthy', isWell, id);
  }
  assert.ok(
    workloadScene(0).every(({ state }) => (workloadDisplay(state).health === 'healthy') === (state === 'current')),
  );
});
