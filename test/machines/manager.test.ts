import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ManagerEvent, manager } from '../../machines/process/manager.ts';
import { decide, type InternalEvent } from '../support/oracle/decisions.ts';

const acquired: ManagerEvent = { type: 'leadership.acquired' };
const lost: ManagerEvent = { type: 'leadership.lost' };
const shutdown: ManagerEvent = { type: 'shutdown.requested' };
const drained: ManagerEvent = { type: 'requests.drained' };
const synced = (name: string): ManagerEvent => ({ type: 'reflector.synced', name });
const ended = (kind: 'done' | 'error', id: string): InternalEvent => ({
  type: `xstate.${kind}.actor.${id}`,
  actorId: id,
});
const released: ManagerEvent = { type: 'leadership.released' };
const releaseTimeout: InternalEvent = { type: 'xstate.after.releaseTimeout.manager.releasing' };
const drainTimeout: InternalEvent = { type: 'xstate.after.drainTimeout.manager.draining' };

const running = [acquired, synced('slices'), synced('pods')];
const drain = ['stopControllers', 'wait 1500', 'spawn drain'];
const release = ['send leadership release.requested', 'wait 3000'];
const stopAll = ['stop leadership', 'stop slices', 'stop pods'];

function decided(events: readonly (ManagerEvent | InternalEvent)[], streams: readonly string[] = ['slices', 'pods']) {
  const { state, effects } = decide(manager, { streams }, events);
  return { state, effects };
}

test('nothing is read before this replica leads', () => {
  assert.deepEqual(decided([]), { state: 'electing', effects: ['spawn leadership'] });
  assert.deepEqual(decided([acquired]), { state: 'syncing', effects: ['spawn slices', 'spawn pods'] });
});

test('each synced stream may start a controller; with the last one all run', () => {
  const effects = ['startSynced'];
  assert.deepEqual(decided([acquired, synced('pods')]), { state: 'syncing', effects });
  assert.deepEqual(decided([acquired, synced('pods'), synced('pods')]), { state: 'syncing', effects });
  assert.deepEqual(decided([acquired, synced('pods'), synced('slices')]), {
    state: 'running',
    effects: ['startSynced', 'startSynced'],
  });
});

test('if no stream is needed, the controllers run at once', () => {
  assert.deepEqual(decided([acquired], []), { state: 'running', effects: ['startSynced'] });
});

test('a stream that syncs again while the controllers run changes nothing', () => {
  assert.deepEqual(decided([...running, synced('pods')]), { state: 'running', effects: [] });
});

test('a stream that fails or ends is reported and restarted, before and while the controllers run', () => {
  for (const kind of ['done', 'error'] as const) {
    for (const before of [[acquired], running]) {
      const { state, effects } = decided([...before, ended(kind, 'pods')]);
      assert.equal(state, before === running ? 'running' : 'syncing');
      assert.deepEqual(effects, ['reportReflectorFailed', 'stop pods', 'spawn pods']);
    }
  }
});

test('a change of the config closes and opens only the streams that differ, before and while the controllers run', () => {
  const changed: ManagerEvent = { type: 'streams.changed', streams: ['pods', 'slices 2'] };
  const effects = ['stop slices', 'spawn slices 2'];
  assert.deepEqual(decided([...running, changed]), { state: 'running', effects });
  assert.deepEqual(decided([acquired, synced('pods'), changed]), {
    state: 'syncing',
    effects: [...effects, 'startSynced'],
  });
  assert.deepEqual(decided([acquired, synced('pods'), changed, synced('slices 2')]), {
    state: 'running',
    effects: ['startSynced', 'startSynced'],
  });
  const fewer: ManagerEvent = { type: 'streams.changed', streams: ['pods'] };
  assert.deepEqual(decided([acquired, synced('pods'), fewer]), {
    state: 'running',
    effects: ['stop slices', 'startSynced', 'startSynced'],
  });
});

test('a change of the config in stand-by, or while draining, opens no streams', () => {
  const changed: ManagerEvent = { type: 'streams.changed', streams: ['pods', 'slices 2'] };
  assert.deepEqual(decided([changed]), { state: 'electing', effects: [] });
  assert.deepEqual(decided([changed, acquired]), { state: 'syncing', effects: ['spawn pods', 'spawn slices 2'] });
  assert.deepEqual(decided([...running, shutdown, changed]), { state: 'draining', effects: [] });
});

test('lost leadership drops requests in flight and stops the controllers, however the loss is reported', () => {
  for (const event of [lost, ended('done', 'leadership'), ended('error', 'leadership')]) {
    const { state, effects } = decided([...running, event]);
    assert.equal(state, 'draining');
    assert.deepEqual(
      effects.filter((effect) => effect !== 'stop leadership'),
      ['dropRequests', 'reportLeadershipLost', ...drain],
    );
  }
});

test('a lost Lease is not released', () => {
  assert.equal(decided([...running, lost, drained]).state, 'stopped');
  assert.equal(decided([...running, shutdown, lost, drained]).state, 'stopped');
  assert.deepEqual(decided([...running, shutdown, lost]).effects, ['dropRequests', 'reportLeadershipLost']);
});

test('the output says why the manager has stopped', () => {
  const broken: InternalEvent = { ...ended('error', 'leadership'), error: new Error('broken') };
  const endOf = (...events: readonly (ManagerEvent | InternalEvent)[]) =>
    decide(manager, { streams: ['slices', 'pods'] }, [...running, ...events]).snapshot.output;
  assert.equal(endOf(shutdown, drained, released), 'shutdown');
  assert.equal(endOf(shutdown, drainTimeout), 'shutdown');
  for (const loss of [lost, ended('done', 'leadership')]) assert.equal(endOf(loss, drained), 'leadershipLost');
  assert.equal(endOf(shutdown, lost, drained), 'leadershipLost');
  assert.equal(endOf(broken, drained), 'broken');
});

test('a shutdown lets deletions in flight complete, and then releases the Lease', () => {
  assert.deepEqual(decided([...running, shutdown]), { state: 'draining', effects: drain });
  assert.deepEqual(decided([...running, shutdown, drained]), {
    state: 'releasing',
    effects: ['stop drain', ...release],
  });
  assert.deepEqual(decided([...running, shutdown, drained, released]), { state: 'stopped', effects: stopAll });
});

test('a Lease that cannot be released does not delay the end', () => {
  for (const event of [releaseTimeout, ended('error', 'leadership')]) {
    const { state, effects } = decided([...running, shutdown, drained, event]);
    assert.equal(state, 'stopped');
    assert.ok(effects.includes('reportReleaseOverdue'));
  }
  assert.equal(decided([...running, shutdown, drained, ended('error', 'pods')]).state, 'releasing');
});

test('a shutdown waits at most for the drain timeout, and then does not release the Lease', () => {
  const { state, effects } = decided([...running, shutdown, drainTimeout]);
  assert.equal(state, 'stopped');
  assert.ok(effects.includes('reportDrainOverdue'));
});

test('a shutdown before the streams are synced still stops in order, and one in stand-by releases at once', () => {
  assert.equal(decided([acquired, shutdown]).state, 'draining');
  assert.deepEqual(decided([shutdown]), { state: 'releasing', effects: release });
  assert.deepEqual(decided([shutdown, released]), { state: 'stopped', effects: ['stop leadership'] });
});

test('actors that fail or end while draining cause no failure and no second drain', () => {
  for (const event of [ended('error', 'pods'), ended('done', 'pods'), ended('error', 'leadership'), shutdown]) {
    assert.deepEqual(decided([...running, shutdown, event]), { state: 'draining', effects: [] });
  }
  assert.equal(decided([...running, shutdown, ended('error', 'drain')]).state, 'stopped');
});
