import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeletionAnswer, DeletionAttempt } from '../../../src/weeder/deletions/deletePod.ts';
import { backOff, running, terminated } from '../../support/objects/objects.ts';
import { minute, settled } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const refused: DeletionAnswer = { type: 'delete.failed', reason: '500: etcd is slow' };
const crashLooping = { containers: [backOff()] };
const times = (at: World) => at.deletions.map((each) => each.at);

test('a 404 means that the pod no longer exists, and nothing is reported', async () => {
  const at = world({ answer: () => ({ type: 'delete.notFound' }) });
  at.put(crashLooping);
  at.slice(up);
  await ends(at);
  assert.deepEqual(times(at), [0]);
  assert.deepEqual(at.eventsOf('pod.deleted'), []);
  assert.deepEqual(at.eventsOf('deletion.failed'), []);
});

test('after a 409 with a newer state from the stream, the deletion is decided with that state', async () => {
  const at = world();
  at.put(crashLooping);
  at.putUnseen({ ...crashLooping, annotations: { touched: 'yes' } });
  at.slice(up);
  await at.clock.pass(50);
  assert.equal(at.pods().length, 1);
  const { metadata } = at.put({ ...crashLooping, annotations: { touched: 'again' } });
  await ends(at);
  assert.deepEqual(times(at), [0, 50]);
  assert.equal(at.deletions[1]?.resourceVersion, metadata.resourceVersion);
});

test('a 409 without a newer state is retried after a pause, and never deletes a pod in an unobserved state', async () => {
  const at = world();
  at.put(crashLooping);
  at.putUnseen({ containers: [running(4)] });
  at.slice(up);
  await ends(at);
  assert.equal(at.pods().length, 1);
  assert.deepEqual(times(at).slice(0, 3), [0, 150, 450]);
});

test('a pod that recovers while its DELETE is in flight and conflicts is not deleted again', async () => {
  const late = Promise.withResolvers<DeletionAnswer>();
  const at = world({ answer: () => late.promise });
  at.put(crashLooping);
  at.slice(up);
  await at.clock.pass(10);
  at.put({ containers: [running(4)] });
  late.resolve({ type: 'delete.conflicted' });
  await ends(at);
  assert.deepEqual(times(at), [0]);
  assert.equal(at.eventsOf('pod.recovered').length, 1);
});

test('a pod that recovers while its deletion backs off is not deleted', async () => {
  const at: World = world({ answer: () => refused });
  at.put(crashLooping);
  at.slice(up);
  await at.clock.pass(100);
  at.put({ containers: [running(4)] });
  await ends(at);
  assert.deepEqual(times(at), [0]);
});

test('a successor of the same name is another pod, and is deleted too when it crash-loops', async () => {
  const at = world();
  at.put({ ...crashLooping, uid: 'first' });
  at.slice(up);
  await at.clock.pass(1000);
  at.put({ uid: 'second', containers: [running()] });
  await at.clock.pass(1000);
  at.put({ uid: 'second', ...crashLooping });
  await ends(at);
  assert.deepEqual(
    at.deletions.map(({ uid, at: time }) => [uid, time]),
    [
      ['first', 0],
      ['second', 2000],
    ],
  );
});

test('a response that arrives after the pod has left the stream still counts as a deletion', async () => {
  const late = Promise.withResolvers<DeletionAnswer>();
  const at = world({ answer: () => late.promise });
  at.put(crashLooping);
  at.slice(up);
  await settled();
  at.remove('kapi-0');
  late.resolve({ type: 'delete.accepted' });
  await ends(at);
  assert.equal(at.eventsOf('pod.deleted').length, 1);
  assert.equal(at.eventsOf('window.closed')[0]?.deleted, 1);
});

test('a deletion that outlasts its window counts for it, although the next one waits for the same pod', async () => {
  const late = Promise.withResolvers<DeletionAnswer>();
  const at = world({ answer: () => late.promise });
  at.put(crashLooping);
  at.slice(up);
  await at.clock.pass(minute);
  at.slice({ ready: [false] });
  await at.clock.pass(2 * minute);
  assert.equal(at.eventsOf('window.closed').length, 0);
  at.slice(up);
  await at.clock.pass(10);
  assert.equal(at.eventsOf('window.closed').length, 0);
  late.resolve({ type: 'delete.accepted' });
  at.remove('kapi-0');
  await ends(at);
  assert.partialDeepStrictEqual(at.eventsOf('window.closed'), [
    { window: 1, deleted: 1, failed: [] },
    { window: 2, deleted: 0, failed: [] },
  ]);
  assert.deepEqual(
    at.eventsOf('pod.deleted').map(({ window }) => window),
    [1],
  );
});

test('a window that is replaced during a deletion counts the deletion', async () => {
  const late = Promise.withResolvers<DeletionAnswer>();
  const at = world({ service: { whileNotReady: 'delete' }, answer: () => late.promise });
  at.put(crashLooping);
  at.slice(up);
  await settled();
  at.slice({ ready: [false] });
  at.slice(up);
  await settled();
  assert.equal(at.eventsOf('window.closed').length, 0);
  late.resolve({ type: 'delete.accepted' });
  at.remove('kapi-0');
  await ends(at);
  assert.partialDeepStrictEqual(at.eventsOf('window.closed'), [
    { window: 1, deleted: 1 },
    { window: 2, deleted: 0 },
  ]);
});

test('a pod that was in unreported back-off while its deletion was refused does not wait again', async () => {
  const at: World = world({ answer: (request) => (at.deletions.length > 1 ? at.answerTo(request) : refused) });
  at.put(crashLooping);
  at.slice(up);
  await settled();
  at.put({ containers: [terminated(at.clock.now())] });
  await ends(at);
  assert.deepEqual(times(at), [0, 2000]);
});

test('a pod that its stream removed for a moment, still crash-looping, is tried again', async () => {
  const late = Promise.withResolvers<DeletionAnswer>();
  const at: World = world({ answer: (request) => (at.deletions.length > 1 ? at.answerTo(request) : late.promise) });
  const storedPod = at.put(crashLooping);
  at.slice(up);
  await settled();
  for (const sink of at.weeder.pods.values()) {
    sink.apply('DELETED', storedPod);
    sink.apply('ADDED', storedPod);
  }
  late.resolve(refused);
  await ends(at);
  assert.equal(at.deletions.length, 2);
  assert.equal(at.eventsOf('pod.deleted').length, 1);
});

test('a deletion in flight when the window closes completes, and its outcome counts for the window', async () => {
  for (const [answer, type, counts] of [
    [{ type: 'delete.accepted' }, 'pod.deleted', { deleted: 1, failed: [] }],
    [refused, 'deletion.failed', { deleted: 0, failed: ['shoot-1/kapi-0'] }],
  ] as const) {
    const late = Promise.withResolvers<DeletionAnswer>();
    const requests: DeletionAttempt[] = [];
    const at = world({
      answer: (request) => {
        requests.push(request);
        return late.promise;
      },
    });
    at.put(crashLooping);
    at.slice(up);
    await at.clock.pass(3 * minute);
    assert.equal(at.weeder.counts().inFlight, 1);
    assert.equal(at.weeder.counts().windows, 0);
    assert.equal(at.eventsOf('window.closed').length, 0);
    late.resolve(answer);
    await ends(at);
    assert.equal(requests.length, 1);
    assert.equal(at.eventsOf(type).length, 1);
    assert.partialDeepStrictEqual(at.eventsOf('window.closed'), [counts]);
  }
});
