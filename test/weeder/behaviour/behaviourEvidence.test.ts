import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadLog } from '../../../src/weeder/deletions/readLog.ts';
import { backOff, running } from '../../support/objects/objects.ts';
import { serviceConfig, settled } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const crashLooping = (name: string) => ({ name, containers: [backOff()] });

/** A read that ends when the test ends it, or is abandoned. */
function heldReads() {
  const held: { readonly name: string; readonly answer: (lines: readonly string[]) => void }[] = [];
  const readLog: ReadLog = ({ name }, _, signal) => {
    const { promise, resolve } = Promise.withResolvers<readonly string[] | undefined>();
    held.push({ name, answer: resolve });
    signal.addEventListener('abort', () => resolve(undefined));
    return promise;
  };
  return { held, readLog };
}

const configOf = (evidence?: { readonly logLines: number }) => ({
  services: new Map([['etcd-main-client', serviceConfig()]]),
  restart: undefined,
  ...(evidence === undefined ? {} : { evidence }),
});

const whatHappened = (at: World) =>
  at.events
    .filter(({ type }) => type.startsWith('pod.'))
    .map((event) => ('pod' in event ? `${event.type} ${event.pod.name}` : event.type));

test('the log is reported before its pod is deleted, and once', async () => {
  const at = world({ readLog: async ({ name }, lines) => [`${lines} of ${name}`] });
  at.put(crashLooping('kapi-0'));
  at.slice(up);
  await settled();
  assert.deepEqual(whatHappened(at), ['pod.logRead kapi-0', 'pod.deleted kapi-0']);
  assert.deepEqual(at.eventsOf('pod.logRead')[0]?.lines, ['20 of kapi-0']);
  await ends(at);
});

test('a log that cannot be read or is empty delays nothing, and is not reported', async () => {
  for (const lines of [undefined, []]) {
    const at = world({ readLog: async () => lines });
    at.put(crashLooping('kapi-0'));
    at.slice(up);
    await settled();
    assert.deepEqual(whatHappened(at), ['pod.deleted kapi-0']);
    assert.deepEqual(at.timeline(), ['kapi-0@0']);
    await ends(at);
  }
});

test('a hundred reads without an answer delay a hundred deletions by 500 ms in total, whatever the number of slots', async () => {
  const { held, readLog } = heldReads();
  const at = world({ readLog, concurrentDeletions: 2 });
  const names = Array.from({ length: 100 }, (_, index) => `kapi-${index}`);
  for (const name of names) at.put(crashLooping(name));
  at.slice(up);
  await settled();
  assert.deepEqual([held.length, at.weeder.counts().inFlight, at.weeder.counts().queued], [100, 0, 0]);
  await at.clock.pass(499);
  assert.deepEqual(at.deletedNames(), []);
  await at.clock.pass(1);
  assert.deepEqual(
    at.timeline(),
    names.map((name) => `${name}@500`),
  );
  await ends(at);
});

test('a slow read delays only its own pod', async () => {
  const { held, readLog } = heldReads();
  const at = world({ readLog, concurrentDeletions: 1 });
  for (const name of ['kapi-0', 'kapi-1']) at.put(crashLooping(name));
  at.slice(up);
  await at.clock.pass(100);
  held[1]?.answer(['down']);
  await settled();
  assert.deepEqual(at.timeline(), ['kapi-1@100']);
  await at.clock.pass(400);
  assert.deepEqual(at.timeline(), ['kapi-1@100', 'kapi-0@500']);
  await ends(at);
});

test('a pod that recovers while its log is read is not deleted, and its log is not reported', async () => {
  const { held, readLog } = heldReads();
  const at = world({ readLog });
  at.put(crashLooping('kapi-0'));
  at.slice(up);
  await at.clock.pass(100);
  at.put({ name: 'kapi-0', containers: [running(4)] });
  held[0]?.answer(['down']);
  await ends(at);
  assert.deepEqual(whatHappened(at), ['pod.recovered kapi-0']);
});

for (const isKilled of [true, false])
  test(`weeder is ${isKilled ? 'killed' : 'stopped'} while a log is read: the next process deletes the pod in the rest of the window`, async () => {
    const startTime = Date.UTC(2026, 0, 1);
    const first = heldReads();
    const before = world({ readLog: first.readLog, startTime });
    before.put(crashLooping('kapi-0'));
    before.slice(up);
    await before.clock.pass(100);
    assert.deepEqual([first.held.length, before.deletions.length], [1, 0]);
    if (!isKilled) {
      before.weeder.stop();
      await before.weeder.drained();
      first.held[0]?.answer(['down']);
      await ends(before);
      assert.deepEqual([before.deletions, before.eventsOf('pod.logRead')], [[], []]);
    }

    /** The next process begins after this time. */
    const next = (later: number) => {
      const { held, readLog } = heldReads();
      const at = world({ readLog, startTime: startTime + later, readySince: () => startTime }, (early) => {
        early.slice({ ...up, withTargets: true }, 'ADDED');
        early.put(crashLooping('kapi-0'));
      });
      return { at, held };
    };
    const { at, held } = next(100_000);
    await at.clock.pass(400);
    assert.deepEqual([held.length, at.eventsOf('window.opened').map(({ duration }) => duration)], [1, [20_000]]);
    await ends(at);
    assert.deepEqual(at.timeline(), ['kapi-0@500']);

    const late = next(119_700);
    await ends(late.at);
    assert.deepEqual([late.held.length, late.at.timeline()], [0, ['kapi-0@0']], 'a read would last too long');
    const tooLate = next(120_000);
    await ends(tooLate.at);
    assert.deepEqual(tooLate.at.deletions, []);
  });

test('in the last 500 ms of a window no log is read, because the deletion would fail', async () => {
  const { held, readLog } = heldReads();
  const at = world({ readLog });
  at.slice(up);
  await at.clock.pass(119_499);
  at.put(crashLooping('kapi-0'));
  await at.clock.pass(1);
  at.put(crashLooping('kapi-1'));
  await ends(at);
  assert.deepEqual([held.map(({ name }) => name), at.timeline()], [['kapi-0'], ['kapi-1@119500', 'kapi-0@119999']]);
});

test('a refused deletion is retried without a second read', async () => {
  const { held, readLog } = heldReads();
  let refusals = 2;
  const at = world({
    readLog,
    answer: (request) => {
      refusals -= 1;
      return refusals < 0 ? at.answerTo(request) : { type: 'delete.failed' };
    },
  });
  at.put(crashLooping('kapi-0'));
  at.slice(up);
  held[0]?.answer(['down']);
  await ends(at);
  assert.deepEqual([at.deletions.length, held.length], [3, 1]);
});

test('a dry run reads the same logs, and deletes nothing', async () => {
  const at = world({ isDryRun: true, readLog: async () => ['down'] });
  at.put(crashLooping('kapi-0'));
  at.slice(up);
  await settled();
  assert.deepEqual(whatHappened(at), ['pod.logRead kapi-0', 'pod.deleted kapi-0']);
  assert.deepEqual(at.deletions, []);
});

test('a new config turns the reads off and on', async () => {
  const at = world({ readLog: async () => ['down'] });
  at.slice(up);
  const namesRead = () => at.eventsOf('pod.logRead').map(({ pod }) => pod.name);
  for (const [name, evidence] of [
    ['kapi-0', undefined],
    ['kapi-1', { logLines: 5 }],
    ['kapi-2', undefined],
  ] as const) {
    at.weeder.configure(configOf(evidence));
    at.put(crashLooping(name));
    await settled();
  }
  assert.deepEqual(at.deletedNames(), ['kapi-0', 'kapi-1', 'kapi-2']);
  assert.deepEqual(namesRead(), ['kapi-1']);
  await ends(at);
});
