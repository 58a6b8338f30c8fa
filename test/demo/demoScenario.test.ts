import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulatedClock } from '@weeder/embedded-cluster';
import { replicaSets } from '@weeder/embedded-cluster/resources';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { comparison } from '../../src/demo/comparison.ts';
import type { Downtime } from '../../src/demo/downtime.ts';
import { home } from '../../src/demo/objects.ts';
import { playWithoutWeeder } from '../../src/demo/run.ts';
import { startScenario } from '../../src/demo/scenario.ts';
import { cpuTime } from '../support/cpuTime.ts';

const scenario = { replicas: 3, outage: 100_000, seed: 1, kubelet: '1.36', timeout: 600_000 } as const;

test('without weeder every replica waits for its back-off, and one seed always gives the same downtimes', async () => {
  const downtimes = await playWithoutWeeder(scenario);
  assert.equal(downtimes.length, 3);
  for (const { total, isDown } of downtimes) {
    assert.ok(!isDown);
    assert.ok(total > 150_000 && total < 190_000, String(total));
  }
  assert.deepEqual(await playWithoutWeeder(scenario), downtimes);
  assert.notDeepEqual(await playWithoutWeeder({ ...scenario, seed: 2 }), downtimes);
});

test('an outage of an hour without weeder takes no time to play', async () => {
  const used = cpuTime();
  const downtimes = await playWithoutWeeder({ ...scenario, outage: 3_600_000, replicas: 50 });
  assert.ok(downtimes.every(({ isDown, total }) => !isDown && total > 3_500_000));
  assert.ok(used() < 5_000);
});

test('the scenario waits for its start, and ends without success if pods cannot become ready', async () => {
  const clock = virtualClock();
  const play = startScenario(clock, scenario);
  await clock.pass(10_000);
  assert.ok(play.isReady());
  assert.equal(play.time(), undefined);
  play.begin();
  await clock.pass(50_000);
  assert.equal(play.time(), 48_000);
  assert.ok(play.downtimes().every(({ isDown }) => isDown));
  play.server.store.patch(replicaSets, home, 'etcd-main', { spec: { replicas: 0 } });
  await clock.pass(600_000);
  assert.ok(!play.isOver());
  await clock.pass(60_000);
  assert.equal(await play.ended, false);
  play.stop();
  assert.equal(clock.pending, 0);
});

test('the two tables are printed side by side, aligned', () => {
  const downtime = (pod: string, total: number): Downtime => ({ pod, total, isDown: false });
  const lines = comparison(
    [downtime('web-aaaaa', 9_120), downtime('web-bb', 12_000)],
    [downtime('web-aaaaa', 100_000), downtime('web-bb', 11_000)],
  );
  assert.deepEqual(lines, [
    'downtime    with weeder   without    saved',
    'web-aaaaa         9.1 s   100.0 s   90.9 s',
    'web-bb           12.0 s    11.0 s    0.0 s',
  ]);
});

test('a replica that is not ready is marked, without a time saved', () => {
  const lines = comparison(
    [
      { pod: 'a', total: 5_000, isDown: true },
      { pod: 'b', total: 5_000, isDown: false },
    ],
    [
      { pod: 'x', total: 9_000, isDown: false },
      { pod: 'y', total: 9_000, isDown: true },
    ],
  );
  assert.deepEqual(lines, [
    'downtime   with weeder   without     saved',
    'a              > 5.0 s     9.0 s',
    'b                5.0 s   > 9.0 s   > 4.0 s',
  ]);
});

test('a skipping clock runs each timer at its own time, including timers that are set on the way', async () => {
  const clock = simulatedClock(1_000);
  const seen: [string, number][] = [];
  clock.setTimeout(() => seen.push(['late', clock.now()]), 500);
  clock.clearTimeout(clock.setTimeout(() => assert.fail('cleared'), 10));
  clock.setTimeout(() => {
    seen.push(['early', clock.now()]);
    clock.setTimeout(() => seen.push(['between', clock.now()]), 100);
  }, 200);
  await clock.run(() => seen.length === 2);
  assert.deepEqual(seen, [
    ['early', 1_200],
    ['between', 1_300],
  ]);
  await clock.run(() => false);
  assert.deepEqual(seen.at(-1), ['late', 1_500]);
});
