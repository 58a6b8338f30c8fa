import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PodDeletionEvent, type PodDeletionInput, podDeletion } from '../../machines/weeder/podDeletion.ts';
import { decide, type InternalEvent } from '../support/oracle/decisions.ts';

const pod = { uid: 'a', namespace: 'shoot-1', name: 'kapi-0', resourceVersion: '10' };
const turn: PodDeletionEvent = { type: 'slot.granted' };
const left: PodDeletionEvent = { type: 'pod.left' };
const gone: PodDeletionEvent = { type: 'pod.gone' };
const pending = { waitIn: 5000, waitReason: 'restartIsSooner' } as const;
const closed: PodDeletionEvent = { type: 'windows.closed' };
const wanted: PodDeletionEvent = { type: 'windows.open' };
const accepted: PodDeletionEvent = { type: 'delete.accepted' };
const notFound: PodDeletionEvent = { type: 'delete.notFound' };
const conflicted: PodDeletionEvent = { type: 'delete.conflicted', jitter: 1 };
const refused = (jitter = 1, retryAfter = 0): PodDeletionEvent => ({ type: 'delete.refused', jitter, retryAfter });
const news = (part: Partial<PodDeletionInput> = {}): PodDeletionEvent => ({
  type: 'pod.crashLooping',
  resourceVersion: '11',
  settleIn: 0,
  protection: 'none',
  ...part,
});
const internal = (type: string): InternalEvent => ({ type: `xstate.${type}` });
const settled = internal('after.settleTime.podDeletion.settling');
const waited = internal('after.waitTime.podDeletion.coolingDown');
const retry = internal('after.retryDelay.podDeletion.backingOff');
const askAgain = internal('after.retryDelay.podDeletion.conflicted');

function decided(events: readonly (PodDeletionEvent | InternalEvent)[], input: Partial<PodDeletionInput> = {}) {
  const { state, effects } = decide(podDeletion, { ...pod, ...input }, events);
  return { state, effects: effects.filter((effect) => !/^stop (semaphoreSlot|deletePod)$/.test(effect)) };
}

const triedVersion = (events: readonly (PodDeletionEvent | InternalEvent)[]) =>
  decide(podDeletion, pod, events).snapshot.context.triedVersion;

test('a pod in CrashLoopBackOff takes its place in the queue at once', () => {
  assert.deepEqual(decided([]), { state: 'attempting.queued', effects: ['spawn semaphoreSlot'] });
});

test('a silent back-off is given its 2 s first, counted anew with newer news', () => {
  assert.deepEqual(decided([], { settleIn: 1500 }), { state: 'settling', effects: ['wait 1500'] });
  assert.deepEqual(decided([settled], { settleIn: 1500 }), {
    state: 'attempting.queued',
    effects: ['spawn semaphoreSlot'],
  });
  assert.deepEqual(decided([news({ settleIn: 700 })], { settleIn: 1500 }), {
    state: 'settling',
    effects: ['wait 700'],
  });
  assert.equal(decided([news()], { settleIn: 1500 }).state, 'attempting.queued');
});

test('one DELETE when its turn comes, and the outcome', () => {
  assert.deepEqual(decided([turn]), { state: 'attempting.deleting', effects: ['spawn deletePod'] });
  assert.deepEqual(decided([turn, accepted]), { state: 'deleted', effects: ['reportDeleted'] });
  assert.deepEqual(decided([turn, notFound]), { state: 'gone', effects: ['reportGone'] });
  assert.deepEqual(decided([turn, { type: 'delete.rejected' }]), { state: 'abandoned', effects: ['reportAbandoned'] });
});

test('a pod that recovers or leaves is dropped wherever it waits', () => {
  const waits = [[], [turn, refused()], [turn, conflicted]];
  for (const events of waits) {
    assert.deepEqual(decided([...events, left]), { state: 'recovered', effects: ['reportRecovered'] });
  }
  assert.equal(decided([left], { settleIn: 1500 }).state, 'recovered');
  assert.equal(decided([left], { protection: 'barePod' }).state, 'recovered');
});

test('a pod that no window wants any more is given up wherever it waits', () => {
  const waits = [[], [turn, refused()], [turn, conflicted]];
  for (const events of waits) {
    assert.deepEqual(decided([...events, closed]), { state: 'abandoned', effects: ['reportAbandoned'] });
  }
});

test('a pod for which no deletion was due when its window closed is skipped, and nothing was given up', () => {
  assert.deepEqual(decided([closed], { settleIn: 1500 }), { state: 'skipped', effects: ['reportSkipped'] });
  assert.deepEqual(decided([closed], pending), { state: 'skipped', effects: ['reportSkipped'] });
  const settlesAgain = [turn, refused(), news({ settleIn: 1500 }), retry];
  assert.equal(decided(settlesAgain).state, 'settling');
  assert.equal(decided([...settlesAgain, closed]).state, 'abandoned');
  assert.equal(decided([turn, refused(), news(pending), retry, closed]).state, 'abandoned');
});

test('a deletion that would come too soon or save too little waits, and is weighed again by the newest state', () => {
  assert.deepEqual(decided([], pending), { state: 'coolingDown', effects: ['reportPending', 'wait 5000'] });
  assert.equal(decided([news()], pending).state, 'attempting.queued');
  assert.equal(decided([news(pending)]).state, 'coolingDown');
  assert.deepEqual(decided([news({ ...pending, settleIn: 700 })], pending), {
    state: 'settling',
    effects: ['wait 700'],
  });
  assert.equal(decided([waited], pending).state, 'coolingDown');
  assert.equal(decided([left], pending).state, 'recovered');
});

test('a pod that another client deletes has not recovered, wherever it waits', () => {
  for (const events of [[], [turn, refused()], [turn, conflicted]])
    assert.deepEqual(decided([...events, gone]), { state: 'gone', effects: ['reportGone'] });
  for (const answer of [refused(), conflicted]) assert.equal(decided([turn, gone, answer]).state, 'gone');
  assert.equal(decided([turn, gone, accepted]).state, 'deleted');
  assert.equal(decided([gone], pending).state, 'gone');
});

test('what is in flight ends by itself: it counts when accepted, and is not tried again when refused', () => {
  assert.equal(decided([turn, closed]).state, 'attempting.deleting');
  assert.equal(decided([turn, closed, accepted]).state, 'deleted');
  assert.equal(decided([turn, left, accepted]).state, 'deleted');
  for (const answer of [refused(), conflicted]) {
    assert.equal(decided([turn, closed, answer]).state, 'abandoned');
    assert.equal(decided([turn, left, answer]).state, 'recovered');
    assert.notEqual(decided([turn, closed, wanted, answer]).state, 'abandoned');
    assert.notEqual(decided([turn, left, news(), answer]).state, 'recovered');
  }
});

test('newer news while queued keep the place, and the try insists on the newest state', () => {
  assert.deepEqual(decided([news()]), { state: 'attempting.queued', effects: [] });
  assert.equal(triedVersion([turn]), '10');
  assert.equal(triedVersion([news(), turn]), '11');
});

test('a queued pod that has just ended again, or is protected now, loses its place', () => {
  assert.deepEqual(decided([news({ settleIn: 2000 })]), { state: 'settling', effects: ['wait 2000'] });
  assert.deepEqual(decided([news({ protection: 'ignored' })]), { state: 'protected', effects: ['reportProtected'] });
});

test('409 with newer news tries again at once with those, otherwise after a pause', () => {
  assert.equal(decided([turn, news(), conflicted]).state, 'attempting.queued');
  assert.deepEqual(decided([turn, conflicted]), { state: 'conflicted', effects: ['wait 200'] });
  assert.equal(decided([turn, conflicted, news()]).state, 'attempting.queued');
  assert.equal(decided([turn, conflicted, askAgain]).state, 'attempting.queued');
  assert.equal(triedVersion([turn, conflicted, news(), turn]), '11');
});

test('pauses double from 200 ms to 10 s', () => {
  const pauses: (string | undefined)[] = [];
  for (let refusals = 1; refusals <= 9; refusals += 1) {
    const tries = Array.from({ length: refusals }, () => [turn, refused()]).flatMap((each) => [...each, retry]);
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

test('jitter takes off up to a half, and Retry-After is the least that is waited', () => {
  const pause = (event: PodDeletionEvent) => decided([turn, event]).effects;
  assert.deepEqual(pause(refused(0)), ['reportRefused', 'wait 100']);
  assert.deepEqual(pause(refused(0.5)), ['reportRefused', 'wait 150']);
  assert.deepEqual(pause(refused(0, 7000)), ['reportRefused', 'wait 7000']);
  assert.deepEqual(pause(refused(1, 50)), ['reportRefused', 'wait 200']);
  assert.deepEqual(pause(refused(1, 2 ** 40)), ['reportRefused', `wait ${2 ** 31 - 1}`]);
});

test('news while backing off do not shorten the pause, and are what the next try insists on', () => {
  assert.deepEqual(decided([turn, refused(), news()]), { state: 'backingOff', effects: [] });
  assert.equal(triedVersion([turn, refused(), news(), retry, turn]), '11');
});

test('an effect that breaks counts as refused', () => {
  for (const [events, broke] of [
    [[], internal('error.actor.semaphoreSlot')],
    [[turn], internal('error.actor.deletePod')],
  ] as const) {
    assert.deepEqual(decided([...events, broke]), { state: 'backingOff', effects: ['reportRefused', 'wait 200'] });
  }
});

test('a protected pod is kept whatever its state, and deleted once it is protected no more', () => {
  for (const protection of ['barePod', 'mirrorPod', 'ignored'] as const) {
    assert.deepEqual(decided([], { protection, settleIn: 1500 }), { state: 'protected', effects: ['reportProtected'] });
    assert.equal(decided([turn], { protection }).state, 'protected');
    assert.equal(decided([news()], { protection }).state, 'attempting.queued');
    assert.equal(decided([news({ settleIn: 900 })], { protection }).state, 'settling');
  }
});

test('one more window that wants a kept pod is told of it too', () => {
  assert.deepEqual(decided([wanted], { protection: 'barePod' }), { state: 'protected', effects: ['reportProtected'] });
});
