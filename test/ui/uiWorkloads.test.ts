import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weeder/kube-runtime/base';
import { virtualClock } from '@weeder/kube-runtime/testing';
import type { WorkloadList, WorkloadView } from '@weeder/live-page';
import { createActorTimes } from '../../src/actors/actorTimes.ts';
import { createLivePage } from '../../src/ui/livePage.ts';
import { serveLivePage } from '../../src/ui/serve.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { shownOf } from '../support/page/servedPage.ts';
import { configMap, type RestartWorld, restartWorld, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const minute = 60 * second;

interface ShownWorkloads extends AsyncDisposable {
  readonly world: RestartWorld;
  readonly url: string;
  list(): Promise<readonly WorkloadView[]>;
  viewOf(name: string): Promise<WorkloadView>;
}

/** The live page of restart control in simulated time; `fill` adds objects before it starts. */
async function shownWorkloads(config = restartConfig()): Promise<ShownWorkloads> {
  const clock = virtualClock();
  const times = createActorTimes(clock);
  const onBroken = (error: unknown) => assert.fail(String(error));
  const live = createLivePage({ clock, pace: systemClock, onBroken });
  const world = await restartWorld(config, { clock, inspect: times.inspect });
  live.watch({
    actors: () => world.control.actors(),
    since: times.since,
    shown: shownOf({ restart: world.control }),
  });
  const served = await serveLivePage({ host: '127.0.0.1', port: 0 }, { live, onBroken, onRefused: onBroken });
  if (!served.ok) throw new Error(served.error.message);
  const url = `${served.value.url}workloads`;
  async function list(): Promise<readonly WorkloadView[]> {
    const { workloads }: WorkloadList = JSON.parse(await (await fetch(url)).text());
    return workloads;
  }
  const viewOf = async (name: string) =>
    (await list()).find(({ id }) => id === `deployment/shop/${name}`) ?? assert.fail(`${name} is not shown`);
  return { world, url, list, viewOf, [Symbol.asyncDispose]: () => served.value.close() };
}

test('each state of a workload is shown with its start, its end and its reason', async () => {
  await using shown = await shownWorkloads();
  const { world, viewOf } = shown;
  const { clock } = world;
  world.putSource(configMap('settings'), { a: 'first-value', b: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * minute);
  const current = await viewOf('web');
  assert.deepEqual([current.state, current.reason, current.until], ['current', '', undefined]);
  assert.deepEqual([current.sources, current.restarts, current.cause], [['ConfigMap settings#a'], [], '']);
  world.putSource(configMap('settings'), { a: 'second-value', b: '1' });
  await world.pass(second);
  const stale = await viewOf('web');
  assert.deepEqual([stale.state, stale.until], ['stale', clock.now() + 4 * second]);
  assert.equal(stale.since, clock.now() - second);
  await world.pass(5 * second);
  const rolling = await viewOf('web');
  assert.deepEqual([rolling.state, rolling.cause], ['rolling', 'ConfigMap settings (a)']);
  await world.pass(10 * second);
  const done = await viewOf('web');
  assert.deepEqual([done.state, done.restarts], ['current', rolling.restarts]);
});

test('a blocked workload shows the reason, with an end only if it is known; a pending one shows why it waits', async () => {
  await using shown = await shownWorkloads();
  const { world, viewOf } = shown;
  for (const name of ['missing', 'paused', 'often']) {
    world.putSource(configMap(name), { a: '0' });
    world.putWorkload(name, withEnv(name, 'a'));
  }
  await world.pass(minute);
  world.deleteSource(configMap('missing'));
  world.annotate('paused', { 'weeder.dev/paused-until': 'tomorrow' });
  world.putSource(configMap('paused'), { a: '1' });
  world.putSource(configMap('often'), { a: '1' });
  await world.pass(15 * second);
  world.putSource(configMap('often'), { a: '2' });
  await world.pass(15 * second);
  const [missing, paused, often] = [await viewOf('missing'), await viewOf('paused'), await viewOf('often')];
  assert.deepEqual([missing.state, missing.reason], ['blocked', 'ConfigMap shop/missing is missing']);
  assert.deepEqual([missing.until, paused.until], [undefined, undefined]);
  assert.match(paused.reason, /paused-until is not a time/);
  assert.equal(often.state, 'waiting');
  assert.match(often.reason, /minInterval 1m0s/);
});

test('a blocked workload comes before those whose restart waits, and these before the others', async () => {
  await using shown = await shownWorkloads();
  const { world } = shown;
  for (const name of ['calm', 'missing', 'often']) {
    world.putSource(configMap(name), { a: '0' });
    world.putWorkload(name, withEnv(name, 'a'));
  }
  await world.pass(minute);
  assert.deepEqual(
    (await shown.list()).map(({ id }) => id),
    ['deployment/shop/calm', 'deployment/shop/missing', 'deployment/shop/often'],
  );
  world.deleteSource(configMap('missing'));
  for (const a of ['1', '2']) {
    world.putSource(configMap('often'), { a });
    await world.pass(15 * second);
  }
  assert.deepEqual(
    (await shown.list()).map(({ id, state }) => [id, state]),
    [
      ['deployment/shop/missing', 'blocked'],
      ['deployment/shop/often', 'waiting'],
      ['deployment/shop/calm', 'current'],
    ],
  );
});

test('five hundred workloads arrive in the order of their names, compressed, and without a value or a tag', async () => {
  await using shown = await shownWorkloads(restartConfig({ maxAdoptionsPerMinute: 100_000 }));
  const { world } = shown;
  world.putSource(configMap('settings'), { a: 'hush-hush' });
  for (let n = 0; n < 500; n += 1) world.putWorkload(`web-${n}`, withEnv('settings', 'a'));
  await world.pass(minute);
  const listed = await shown.list();
  const ids = listed.map(({ id }) => id);
  assert.deepEqual(
    ids,
    Array.from({ length: 500 }, (_, n) => `deployment/shop/web-${n}`),
  );
  assert.ok(listed.every(({ state }) => state === 'current'));
  const response = await fetch(shown.url);
  assert.equal(response.headers.get('content-encoding'), 'gzip');
  const text = await response.text();
  assert.doesNotMatch(text, /hush-hush|rolledOut|"tag"/);
  assert.equal((await fetch(shown.url, { method: 'POST' })).status, 405);
});
