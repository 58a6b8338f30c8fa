import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PodDeletionEvent, type PodDeletionInput, podDeletion } from '../../machines/weeder/podDeletion.ts';
import { decide, type InternalEvent } from '../support/oracle/decisions.ts';

const pod = { uid: 'a', namespace: 'shoot-1', name: 'kapi-0', resourceVersion: '10' };
const turn: PodDeletionEvent = { type: 'slot.granted' };
const left: PodDeletionEvent = { type: 'pod.recovered' };
const removed: PodDeletionEvent = { type: 'pod.removed' };
/** The time of every decision, by the clock of the input. */
const now = 60_000;
const closesAt = now + 300_000;
const pending = { pausedUntil: now + 5000 };
const settling = (ms: number) => ({ unreportedSince: now - 2000 + ms });
const withdrawn: PodDeletionEvent = { type: 'deletion.withdrawn' };
const requestedAgain: PodDeletionEvent = { type: 'deletion.requested' };
const logRead: PodDeletionEvent = { type: 'log.read' };
const accepted: PodDeletionEvent = { type: 'delete.accepted' };
const notFound: PodDeletionEvent = { type: 'delete.notFound' };
const conflicted: PodDeletionEvent = { type: 'delete.conflicted', jitter: 1 };
const failed = (jitter = 1, retryAfter = 0): PodDeletionEvent => ({ type: 'delete.failed', jitter, retryAfter });
const updated = (part: Partial<PodDeletionInput> = {}): PodDeletionEvent => ({
  type: 'pod.crashLooping',
  resourceVersion: '11',
  ...part,
});
const internal = (type: string): InternalEvent => ({ type: `xstate.${type}` });
const settled = internal('after.settleTime.podDeletion.waiting.settling');
const waited = internal('after.waitTime.podDeletion.waiting.coolingDown');
const logTimeout = internal('after.logTimeout.podDeletion.readingLog');
const retry = internal('after.retryDelay.podDeletion.backingOff');
const retryConflict = internal('after.retryDelay.podDeletion.conflicted');

function decided(events: readonly (PodDeletionEvent | InternalEvent)[], input: Partial<PodDeletionInput> = {}) {
  const { state, effects } = decide(podDeletion, { ...pod, closesAt, now: () => now, ...input }, events);
  return { state, effects: effects.filter((effect) => effect !== 'stop deletePod') };
}

const triedVersion = (events: readonly (PodDeletionEvent | InternalEvent)[]) =>
  decide(podDeletion, pod, events).snapshot.context.triedVersion;

test('a pod in CrashLoopBackOff enters the queue at once', () => {
  assert.deepEqual(decided([]), { state: 'attempting.queued', effects: ['requestSlot'] });
});

test('an unreported back-off waits 2 s first, recalculated with each update', () => {
  assert.deepEqual(decided([], settling(1500)), { state: 'waiting.settling', effects: ['wait 1500'] });
  assert.deepEqual(decided([settled], settling(1500)), {
    state: 'attempting.queued',
    effects: ['requestSlot'],
  });
  assert.deepEqual(decided([updated(settling(700))], settling(1500)), {
    state: 'waiting.settling',
    effects: ['wait 700'],
  });
  assert.equal(decided([updated()], settling(1500)).state, 'attempting.queued');
});

test('a pod with a slot is deleted by one request, and the outcome is reported', () => {
  assert.deepEqual(decided([turn]), { state: 'attempting.deleting', effects: ['spawn deletePod'] });
  assert.deepEqual(decided([turn, accepted]), { state: 'deleted', effects: ['reportDeleted'] });
  assert.deepEqual(decided([turn, notFound]), { state: 'removed', effects: ['reportRemoved'] });
  assert.deepEqual(decided([turn, { type: 'delete.rejected' }]), { state: 'abandoned', effects: ['reportAbandoned'] });
});

test('the log is read before the first attempt, without a slot, and the deletion follows however the read ends', () => {
  const wanted = { logLines: 20 };
  assert.deepEqual(decided([], wanted), { state: 'readingLog', effects: ['wait 500', 'spawn readLog'] });
  for (const end of [logRead, logTimeout, internal('error.actor.readLog')])
    assert.equal(decided([end], wanted).state, 'attempting.queued', end.type);
  assert.equal(decided([logRead, turn, failed(), retry], wanted).state, 'attempting.queued');
  assert.equal(decided([logRead, turn, conflicted, updated()], wanted).state, 'attempting.queued');
});

test('while the log is read, a newer state counts: the pod is dropped, waits or continues', () => {
  const wanted = { logLines: 20 };
  assert.equal(decided([left], wanted).state, 'recovered');
  assert.equal(decided([removed], wanted).state, 'removed');
  assert.equal(decided([withdrawn], wanted).state, 'abandoned');
  assert.deepEqual(decided([updated()], wanted), { state: 'readingLog', effects: [] });
  assert.equal(decided([updated({ heldBy: 'shop/db' })], wanted).state, 'waiting.held');
  const settlesAgain = [updated(settling(700)), settled];
  assert.equal(decided(settlesAgain.slice(0, 1), wanted).state, 'waiting.settling');
  assert.equal(decided(settlesAgain, wanted).state, 'attempting.queued', 'it is read once');
});

test('no log is read of a pod whose deletion is not due', () => {
  assert.equal(decided([], { logLines: 20, ...settling(1500) }).state, 'waiting.settling');
  assert.equal(decided([settled], { logLines: 20, ...settling(1500) }).state, 'readingLog');
  assert.equal(decided([], { logLines: 20, ...pending }).state, 'waiting.coolingDown');
});

test('a pod that recovers or is removed is dropped in any waiting state', () => {
  const waits = [[], [turn, failed()], [turn, conflicted]];
  for (const events of waits) {
    assert.deepEqual(decided([...events, left]), { state: 'recovered', effects: ['reportRecovered'] });
  }
  assert.equal(decided([left], settling(1500)).state, 'recovered');
});

test('a pod that no window selects any more is abandoned in any waiting state', () => {
  const waits = [[], [turn, failed()], [turn, conflicted]];
  for (const events of waits) {
    assert.deepEqual(decided([...events, withdrawn]), { state: 'abandoned', effects: ['reportAbandoned'] });
  }
});

test('a pod without a due deletion when its window closes is skipped, not abandoned', () => {
  assert.deepEqual(decided([withdrawn], settling(1500)), { state: 'skipped', effects: ['reportSkipped'] });
  assert.deepEqual(decided([withdrawn], pending), { state: 'skipped', effects: ['reportSkipped'] });
  const backToSettling = [turn, failed(), updated(settling(1500)), retry];
  assert.equal(decided(backToSettling).state, 'waiting.settling');
  assert.equal(decided([...backToSettling, withdrawn]).state, 'abandoned');
  assert.equal(decided([turn, failed(), updated(pending), retry, withdrawn]).state, 'abandoned');
});

test('a deletion that would be too early or too expensive waits, and is reconsidered with the newest state', () => {
  assert.deepEqual(decided([], pending), { state: 'waiting.coolingDown', effects: ['reportPending', 'wait 5000'] });
  assert.equal(decided([updated()], pending).state, 'attempting.queued');
  assert.equal(decided([updated(pending)]).state, 'waiting.coolingDown');
  assert.deepEqual(decided([updated({ ...pending, ...settling(700) })], pending), {
    state: 'waiting.settling',
    effects: ['wait 700'],
  });
  assert.equal(decided([waited], pending).state, 'waiting.coolingDown', 'its timer was early');
  assert.equal(decided([left], pending).state, 'recovered');
});

test('a pod that another client deletes has not recovered, in any waiting state', () => {
  for (const events of [[], [turn, failed()], [turn, conflicted]])
    assert.deepEqual(decided([...events, removed]), { state: 'removed', effects: ['reportRemoved'] });
  for (const answer of [failed(), conflicted]) assert.equal(decided([turn, removed, answer]).state, 'removed');
  assert.equal(decided([turn, removed, accepted]).state, 'deleted');
  assert.equal(decided([removed], pending).state, 'removed');
});

test('a deletion in flight completes: it counts when accepted, and is not retried when failed', () => {
  assert.equal(decided([turn, withdrawn]).state, 'attempting.deleting');
  assert.equal(decided([turn, withdrawn, accepted]).state, 'deleted');
  assert.equal(decided([turn, left, accepted]).state, 'deleted');
  for (const answer of [failed(), conflicted]) {
    assert.equal(decided([turn, withdrawn, answer]).state, 'abandoned');
    assert.equal(decided([turn, left, answer]).state, 'recovered');
    assert.notEqual(decided([turn, withdrawn, requestedAgain, answer]).state, 'abandoned');
    assert.notEqual(decided([turn, left, updated(), answer]).state, 'recovered');
  }
});

test('an update while queued does not change the place in the queue, and the attempt uses the newest version', () => {
  assert.deepEqual(decided([updated()]), { state: 'attempting.queued', effects: [] });
  assert.equal(triedVersion([turn]), '10');
  assert.equal(triedVersion([updated(), turn]), '11');
});

test('a queued pod that has just ended again, or must wait for another service, leaves the queue', () => {
  assert.deepEqual(decided([updated(settling(2000))]), { state: 'waiting.settling', effects: ['wait 2000'] });
  assert.deepEqual(decided([updated({ heldBy: 'shop/db' })]), { state: 'waiting.held', effects: ['reportPending'] });
});

test('a 409 after an update is retried at once with the newer version, and any other after a pause', () => {
  assert.equal(decided([turn, updated(), conflicted]).state, 'attempting.queued');
  assert.deepEqual(decided([turn, conflicted]), { state: 'conflicted', effects: ['wait 200'] });
  assert.equal(decided([turn, conflicted, updated()]).state, 'attempting.queued');
  assert.equal(decided([turn, conflicted, retryConflict]).state, 'attempting.queued');
  assert.equal(triedVersion([turn, conflicted, updated(), turn]), '11');
});

test('pauses double from 200 ms to 10 s', () => {
  const pauses: (string | undefined)[] = [];
  for (let failures = 1; failures <= 9; failures += 1) {
    const tries = Array.from({ length: failures }, () => [turn, failed()]).flatMap((each) => [...each, retry]);
    const { state, effects } = decided(tries.slice(0, -1));
    assert.equal(state, 'backingOff');
    pauses.push(effects.find((effect) => effect.startsWith('wait')));
  }
  const expected = [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000];
  assert.deepEqual(
    pauses,
    expected.map((ms) => `wait ${ms}`),
  );
});

test('jitter reduces the pause by up to a half, and Retry-After is the minimum', () => {
  const pause = (event: PodDeletionEvent) => decided([turn, event]).effects;
  assert.deepEqual(pause(failed(0)), ['reportFailed', 'wait 100']);
  assert.deepEqual(pause(failed(0.5)), ['reportFailed', 'wait 150']);
  assert.deepEqual(pause(failed(0, 7000)), ['reportFailed', 'wait 7000']);
  assert.deepEqual(pause(failed(1, 50)), ['reportFailed', 'wait 200']);
  assert.deepEqual(pause(failed(1, 2 ** 40)), ['reportFailed', `wait ${2 ** 31 - 1}`]);
});

test('an update while backing off does not shorten the pause, and the next attempt uses its version', () => {
  assert.deepEqual(decided([turn, failed(), updated()]), { state: 'backingOff', effects: [] });
  assert.equal(triedVersion([turn, failed(), updated(), retry, turn]), '11');
});

test('a failed effect counts as a refusal', () => {
  assert.deepEqual(decided([turn, internal('error.actor.deletePod')]), {
    state: 'backingOff',
    effects: ['reportFailed', 'wait 200'],
  });
});

test('a pod waits while another service on which it depends is down, and is deleted when that recovers', () => {
  const held = { heldBy: 'shop/db' };
  assert.deepEqual(decided([], { ...held, ...settling(1500) }), { state: 'waiting.held', effects: ['reportPending'] });
  assert.equal(decided([updated(held)], held).state, 'waiting.held');
  assert.deepEqual(decided([updated()], held), { state: 'attempting.queued', effects: ['requestSlot'] });
  assert.equal(decided([updated(settling(700))], held).state, 'waiting.settling');
  assert.equal(decided([left], held).state, 'recovered');
  assert.equal(decided([removed], held).state, 'removed');
  assert.deepEqual(decided([withdrawn], held), { state: 'skipped', effects: ['reportSkipped'] });
  assert.equal(decided([turn, failed(), updated(held), retry, withdrawn]).state, 'abandoned');
  assert.equal(decided([turn, updated(held), failed(), retry]).state, 'waiting.held');
});

test('no log is read in the last 500 ms of the window', () => {
  assert.equal(decided([], { logLines: 20, closesAt: now + 501 }).state, 'readingLog');
  assert.equal(decided([], { logLines: 20, closesAt: now + 500 }).state, 'attempting.queued');
});
