import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaledClock, simulatedClock } from '@weeder/embedded-cluster';
import { replicaSets } from '@weeder/embedded-cluster/resources';
import { comparison } from '../../src/demo/comparison.ts';
import type { Downtime } from '../../src/demo/downtime.ts';
import { home } from '../../src/demo/objects.ts';
import { playWithoutWeeder } from '../../src/demo/run.ts';
import { startScenario } from '../../src/demo/scenario.ts';
import { cpuTime } from '../support/cpuTime.ts';
import { virtualClock } from '../support/world/virtualClock.ts';

const scenario = { replicas: 3, outage: 100_000, seed: 1, kubelet: '1.36', timeout: 600_000 } as const;

test('without weeder every replica sits out its back-off, and one seed always gives the same downtimes', async () => {
  const all = await playWithoutWeeder(scenario);
  assert.equal(all.length, 3);
  for (const { total, isDown } of all) {
    assert.ok(!isDown);
    assert.ok(total > 150_000 && total < 190_000, String(total));
  }
  assert.deepEqual(await playWithoutWeeder(scenario), all);
  assert.notDeepEqual(await playWithoutWeeder({ ...scenario, seed: 2 }), all);
});

test('an outage of an hour without weeder takes no time to play', async () => {
  const used = cpuTime();
  const all = await playWithoutWeeder({ ...scenario, outage: 3_600_000, replicas: 50 });
  assert.ok(all.every(({ isDown, total }) => !isDown && total > 3_500_000));
  assert.ok(used() < 5_000);
});

test('the scenario waits to begin, and pods that cannot come back end it all the same, with no', async () => {
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

test('the two tables stand side by side, aligned', () => {
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

test('whoever is not back is marked, and nobody knows what it saved', () => {
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

test('a scaled clock runs as many times as fast, its timers too', async () => {
  const clock = scaledClock(50);
  /** Both clocks, with the real one before and after: nobody knows how long the process waits in between. */
  const look = () => {
    const earliest = performance.now();
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    return { earliest, now, monotonic, latest: performance.now() };
  };
  assert.ok(Math.abs(clock.now() - Date.now()) < 60_000);
  const before = look();
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.clearTimeout(clock.setTimeout(() => assert.fail('cleared'), 100));
  clock.setTimeout(resolve, 2_000);
  await promise;
  const after = look();
  const [least, most] = [(after.earliest - before.latest) * 50, (after.latest - before.earliest) * 50];
  assert.ok(least >= 1_900 && least < 80_000, String(least));
  for (const which of ['now', 'monotonic'] as const) {
    const passed = after[which] - before[which];
    assert.ok(passed >= least - 1 && passed <= most + 1, `${which}: ${least}, ${passed}, ${most}`);
  }
});

test('a skipping clock takes each timer at its own time, those armed on the way included', async () => {
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
