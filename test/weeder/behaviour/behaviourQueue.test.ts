import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeletionAnswer, DeletionAttempt } from '../../../src/weeder/deletions/deletePod.ts';
import { backOff, running, terminated } from '../../support/objects/objects.ts';
import { settled } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const names = Array.from({ length: 100 }, (_, index) => `kapi-${index}`);
const crashLooping = (name: string) => ({ name, containers: [backOff()] });

interface SlowWorld {
  readonly at: World;
  /** The deletions without a response so far, oldest first. */
  readonly unanswered: {
    readonly request: DeletionAttempt;
    readonly answer: (answer: DeletionAnswer | Promise<DeletionAnswer>) => void;
  }[];
  /** Completes the oldest deletion. */
  answerOldest(): Promise<void>;
}

/** A hundred crash-looping pods, and an API server that responds on request. */
function slowWorld(concurrentDeletions = 32): SlowWorld {
  const unanswered: SlowWorld['unanswered'] = [];
  const at = world({
    concurrentDeletions,
    answer: (request) => {
      const { promise, resolve } = Promise.withResolvers<DeletionAnswer>();
      unanswered.push({ request, answer: resolve });
      return promise;
    },
  });
  for (const name of names) at.put(crashLooping(name));
  at.slice(up);
  return {
    at,
    unanswered,
    async answerOldest() {
      const oldest = unanswered.shift();
      oldest?.answer(at.answerTo(oldest.request));
      await settled();
    },
  };
}

test('at most 32 deletions are in flight, in first-come order, and every pod gets its turn', async () => {
  const { at, unanswered, answerOldest } = slowWorld();
  await settled();
  assert.deepEqual(at.deletedNames(), names.slice(0, 32));
  assert.equal(at.weeder.counts().inFlight, 32);
  assert.equal(at.weeder.counts().queued, 68);
  while (unanswered.length > 0) {
    assert.ok(unanswered.length <= 32);
    await answerOldest();
  }
  assert.deepEqual(at.deletedNames(), names);
  assert.deepEqual(at.pods(), []);
  await ends(at);
  assert.equal(at.eventsOf('window.closed')[0]?.deleted, 100);
});

test('a recovery requests its deletions at once, before any timer or turn of the event loop', () => {
  const { at } = slowWorld();
  assert.deepEqual(at.deletedNames(), names.slice(0, 32));
});

test('the outcome of a deletion is reported before the next one begins', async () => {
  const log: string[] = [];
  const at = world({
    concurrentDeletions: 1,
    answer: (request) => {
      log.push(`DELETE ${request.name}`);
      return at.answerTo(request);
    },
    report: (event) => {
      if (event.type === 'pod.deleted') log.push(`deleted ${event.pod.name}`);
    },
  });
  for (const name of ['kapi-0', 'kapi-1']) at.put(crashLooping(name));
  at.slice(up);
  await settled();
  assert.deepEqual(log, ['DELETE kapi-0', 'deleted kapi-0', 'DELETE kapi-1', 'deleted kapi-1']);
});

test('an actor that fails releases its slot', async () => {
  const at = world({
    concurrentDeletions: 1,
    report: (event) => {
      if (event.type === 'pod.deleted' && event.pod.name === 'kapi-0') throw new Error('a bug');
    },
  });
  for (const name of ['kapi-0', 'kapi-1']) at.put(crashLooping(name));
  at.slice(up);
  await settled();
  assert.deepEqual(at.deletedNames(), ['kapi-0', 'kapi-1']);
  assert.equal(at.eventsOf('actor.failed').length, 1);
  assert.equal(at.weeder.counts().inFlight, 0);
});

test('a pod never has two attempts at the same time, whatever its stream reports', async () => {
  const { at, unanswered } = slowWorld(200);
  await settled();
  for (let round = 0; round < 5; round += 1) {
    for (const name of names) at.put({ ...crashLooping(name), annotations: { round: `${round}` } });
    at.slice({ ready: [false] });
    at.slice(up);
    await at.clock.pass(1000);
  }
  assert.equal(unanswered.length, 100);
  for (const { request, answer } of unanswered.splice(0)) answer(at.answerTo(request));
  await settled();
  const pending = unanswered.map(({ request }) => request.uid);
  assert.equal(new Set(pending).size, pending.length);
  for (const { request, answer } of unanswered.splice(0)) answer(at.answerTo(request));
  await ends(at);
  assert.deepEqual(at.pods(), []);
});

test('a pod that recovers while it is queued is not deleted, and does not delay others', async () => {
  const { at, unanswered, answerOldest } = slowWorld();
  await settled();
  for (const name of names.slice(40, 90)) at.put({ name, containers: [running(4)] });
  while (unanswered.length > 0) await answerOldest();
  assert.deepEqual(at.deletedNames(), [...names.slice(0, 40), ...names.slice(90)]);
  await ends(at);
});

test('a pod that another client deletes or relabels while it is queued is not deleted', async () => {
  const { at, unanswered, answerOldest } = slowWorld(1);
  await settled();
  at.remove('kapi-1');
  at.put({ ...crashLooping('kapi-2'), labels: { role: 'database' } });
  at.put({ ...crashLooping('kapi-3'), deletionTimestamp: '2026-01-01T00:00:00Z' });
  while (unanswered.length > 0) await answerOldest();
  assert.deepEqual(at.deletedNames(), ['kapi-0', ...names.slice(4)]);
  await ends(at);
});

test('queued deletions fail when the window closes, each by name, and are never started', async () => {
  const { at, unanswered, answerOldest } = slowWorld();
  await at.clock.pass(120_000);
  assert.equal(at.weeder.counts().queued, 0);
  assert.equal(at.eventsOf('deletion.failed').length, 68);
  while (unanswered.length > 0) await answerOldest();
  await ends(at);
  assert.equal(at.eventsOf('window.closed')[0]?.failed.length, 68);
  assert.equal(at.eventsOf('window.closed')[0]?.deleted, 32);
  assert.equal(at.deletions.length, 32);
  assert.equal(at.eventsOf('deletion.failed').length, 68);
});

test('a pod with a refused deletion lets others proceed while it backs off', async () => {
  const { at, unanswered, answerOldest } = slowWorld(1);
  await settled();
  unanswered.shift()?.answer({ type: 'delete.failed' });
  await settled();
  assert.deepEqual(at.deletedNames(), ['kapi-0', 'kapi-1']);
  await at.clock.pass(150);
  while (unanswered.length > 0) await answerOldest();
  assert.deepEqual(at.deletedNames(), [...names, 'kapi-0']);
  await ends(at);
});

test('stop() starts no further deletion, and drained() waits for those in flight', async () => {
  const { at, unanswered, answerOldest } = slowWorld();
  await settled();
  at.weeder.stop();
  let isDrained = false;
  void at.weeder.drained().then(() => {
    isDrained = true;
  });
  while (unanswered.length > 0) {
    assert.equal(isDrained, false);
    await answerOldest();
  }
  assert.equal(isDrained, true);
  assert.equal(at.deletions.length, 32);
  at.put(crashLooping('late'));
  at.slice({ ready: [false] });
  at.slice(up);
  await ends(at);
  assert.equal(at.deletions.length, 32);
  assert.equal(at.weeder.counts().endpoints, 0);
});

const unfinished = ['deletion.failed', 'deletion.expired', 'deletion.refused'] as const;

test('stop() hands the open windows over: a deletion that the next weeder makes has not failed', async () => {
  const { at, unanswered, answerOldest } = slowWorld();
  // Not due yet at the end, and unable to start.
  at.put({ name: 'ended', containers: [terminated(at.clock.now())] });
  at.put({ name: 'unstarted', containers: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] });
  await settled();
  at.weeder.stop();
  // Refused while weeder waits for the outcomes.
  unanswered.shift()?.answer({ type: 'delete.failed' });
  unanswered.shift()?.answer({ type: 'delete.rejected', reason: 'never' });
  while (unanswered.length > 0) await answerOldest();
  await ends(at);
  assert.equal(at.eventsOf('pod.deleted').length, 30);
  for (const type of unfinished) assert.deepEqual(at.eventsOf(type), [], type);
  const [closed, ...others] = at.eventsOf('window.closed');
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(closed, { deleted: 30, failed: [], handedOverTo: 'the next weeder' });
  assert.equal(closed?.neverStarted, undefined);
});

test('drained() resolves at once if nothing is in flight', async () => {
  const at = world();
  at.weeder.stop();
  let isDrained = false;
  void at.weeder.drained().then(() => {
    isDrained = true;
  });
  await settled();
  assert.equal(isDrained, true);
});
