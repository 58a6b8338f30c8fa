import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { RestartSettings } from '../../../src/config/restart.ts';
import { restartConfig } from '../../support/objects/restartSettings.ts';
import { evicting, type LateWorld, lateWorld, withVolumes } from '../../support/world/lateWorld.ts';
import { configMap, namespace } from '../../support/world/restartWorld.ts';

const second = 1_000;
const settings = configMap('settings');
const password = { kind: 'Secret', namespace, name: 'password' } as const;

/** Seconds from the beginning to the start of each container that has started. */
function starts({ kubelet }: LateWorld): number[] {
  return [...kubelet.started.values()].map((time) => Math.round(time / second));
}

/** A Deployment whose pod has waited for `seconds` when its source appears. */
async function appeared(seconds: number, spec = withVolumes([settings]), config = evicting) {
  const world = await lateWorld(config);
  world.putWorkload('web', spec);
  await world.pass(seconds * second);
  world.putSource(settings, { a: '1' });
  return world;
}

test('a pod that has waited for long is evicted once when its source appears, and its replacement never', async () => {
  const world = await appeared(90);
  await world.pass(1_900);
  assert.deepEqual(world.evicted, []);
  await world.pass(600 * second);
  assert.equal(world.evicted.length, 1);
  assert.deepEqual(starts(world), [92]);
  assert.deepEqual(
    world.eventsOf('pod.evicted').map(({ waitedFor, isDryRun }) => ({ waitedFor, isDryRun })),
    [{ waitedFor: [settings], isDryRun: false }],
  );
  assert.deepEqual(world.control().counts().states, { current: 1 });
});

test('without the setting nothing is evicted, and no waiting pods are listed', async () => {
  const world = await appeared(90, withVolumes([settings]), restartConfig());
  await world.pass(600 * second);
  assert.deepEqual([world.evicted, world.lists], [[], 0]);
  assert.deepEqual(starts(world), [128]);
});

test('a pod that the kubelet is about to try again is left to it', async () => {
  const world = await appeared(55);
  await world.pass(600 * second);
  assert.deepEqual(world.evicted, []);
  assert.deepEqual(starts(world), [64]);
});

test('a pod that still waits after an attempt that was near is evicted then', async () => {
  const world = await lateWorld();
  world.putWorkload('web', withVolumes([settings]));
  await world.pass(second);
  const [pod] = world.podsOf('web');
  assert.ok(pod !== undefined);
  // The kubelet has been at it for longer than this: it took the pod before weeder's clock says so.
  world.changePod(pod, { status: { startTime: new Date(world.clock.now() + 30 * second).toISOString() } });
  await world.pass(89 * second);
  world.putSource(settings, { a: '1' });
  await world.pass(4 * second);
  assert.deepEqual(world.evicted, []);
  await world.pass(4 * second);
  assert.equal(world.evicted.length, 1);
});

test('a container whose environment lacked the source is left to the kubelet, which tries every few seconds', async () => {
  const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } }];
  const world = await appeared(90, { containers: [{ name: 'app', image: 'app:1', env }] });
  await world.pass(600 * second);
  assert.deepEqual(world.evicted, []);
  assert.deepEqual(starts(world), [96]);
});

test('a pod that requires more than has appeared waits, and is evicted when the last source appears', async () => {
  const world = await appeared(90, withVolumes([settings, password]));
  await world.pass(100 * second);
  assert.deepEqual(world.evicted, []);
  world.putSource(password, { word: 'secret' });
  await world.pass(3 * second);
  assert.equal(world.evicted.length, 1);
});

test('a source without a key that the pod names changes nothing, and the pod is evicted when the key is added', async () => {
  const items = [{ key: 'b', path: 'b' }];
  const volumes = [{ name: 'volume-0', configMap: { name: 'settings', items } }];
  const world = await appeared(90, withVolumes([settings], { volumes }));
  await world.pass(160 * second);
  assert.deepEqual(world.evicted, []);
  world.putSource(settings, { a: '1', b: '1' });
  await world.pass(10 * second);
  assert.equal(world.evicted.length, 1);
  world.putSource(settings, { a: '1', b: '1', c: '1' });
  await world.pass(300 * second);
  assert.equal(world.evicted.length, 1);
});

test('an environment that lacks its key blocks the eviction: the new pod could not start either', async () => {
  const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'typo' } } }];
  const spec = withVolumes([settings]);
  const container = { ...objectOf(arrayOf(spec['containers'])[0]), env };
  const world = await appeared(90, { ...spec, containers: [container] });
  await world.pass(600 * second);
  assert.deepEqual(world.evicted, []);
});

test('a source that is deleted again at once, or keeps coming and going, evicts nothing', async () => {
  const world = await appeared(90);
  for (let time = 0; time < 20; time += 1) {
    await world.pass(second);
    world.deleteSource(settings);
    await world.pass(second);
    world.putSource(settings, { a: '1' });
  }
  world.deleteSource(settings);
  await world.pass(600 * second);
  assert.deepEqual(world.evicted, []);
});

test('a change of a source that has existed for long evicts nothing', async () => {
  const world = await lateWorld();
  world.putSource(settings, { a: '1' });
  await world.pass(300 * second);
  world.putWorkload('web', withVolumes([settings]));
  await world.pass(60 * second);
  const { lists } = world;
  world.putSource(settings, { a: '2' }, { metadata: { labels: { other: '1' } } });
  await world.pass(10 * second);
  assert.deepEqual([world.evicted, world.lists], [[], lists]);
});

const protections: Readonly<Record<string, JsonObject>> = {
  'the pod is to be ignored': { metadata: { annotations: { 'weeder.dev/ignore': 'true' } } },
  'the pod has lost its controller': { metadata: { ownerReferences: null } },
  'a container of it has run': {
    status: { initContainerStatuses: [{ name: 'init', restartCount: 0, state: { terminated: { exitCode: 0 } } }] },
  },
};
for (const [what, patch] of Object.entries(protections)) {
  test(`nothing is evicted if ${what}`, async () => {
    const world = await lateWorld();
    world.putWorkload('web', withVolumes([settings]));
    await world.pass(30 * second);
    const [pod] = world.podsOf('web');
    assert.ok(pod !== undefined);
    world.changePod(pod, patch);
    await world.pass(60 * second);
    world.putSource(settings, { a: '1' });
    await world.pass(20 * second);
    assert.equal(world.evicted.filter(({ metadata }) => metadata.uid === pod.metadata.uid).length, 0);
  });
}

test('a paused workload is left alone, and so are one that is not managed and a pod of another workload', async () => {
  const world = await lateWorld();
  const spec = withVolumes([settings]);
  world.putWorkload('paused', spec, { annotations: { 'weeder.dev/paused-until': '2030-01-01T00:00:00Z' } });
  world.putWorkload('unmanaged', spec, { annotations: { 'weeder.dev/restart-on-change': 'false' } });
  world.putWorkload('web', spec);
  await world.pass(90 * second);
  const [pod] = world.podsOf('unmanaged');
  assert.ok(pod !== undefined);
  // It matches the selector of `web`, too.
  world.changePod(pod, { metadata: { labels: { app: 'web' } } });
  await world.pass(second);
  world.putSource(settings, { a: '1' });
  await world.pass(20 * second);
  assert.deepEqual(
    world.evicted.map(({ metadata }) => metadata.name.split('-')[0]),
    ['web'],
  );
});

test('another weeder finishes the work, and does not evict the replacement', async () => {
  const world = await appeared(90);
  await world.pass(second);
  await world.restart();
  await world.pass(5 * second);
  assert.equal(world.evicted.length, 1);
  for (let times = 0; times < 5; times += 1) {
    await world.restart();
    await world.pass(20 * second);
  }
  assert.equal(world.evicted.length, 1);
  assert.equal(starts(world).length, 1);
});

test('a replacement that waits although its source exists is not evicted, by any weeder or change', async () => {
  const world = await appeared(90);
  world.kubelet.isStuck = true;
  for (let times = 0; times < 6; times += 1) {
    await world.pass(20 * second);
    world.putSource(settings, { a: String(times) });
    await world.restart();
  }
  assert.equal(world.evicted.length, 1);
});

test('a source that is deleted while pods are evicted ends the evictions', async () => {
  const world = await lateWorld();
  world.putWorkload('web', withVolumes([settings]));
  world.change('web', { spec: { replicas: 5 } });
  await world.pass(90 * second);
  world.onRequest(({ path }) => {
    if (path.endsWith('/eviction') && world.evicted.length === 2) world.deleteSource(settings);
    return undefined;
  });
  world.putSource(settings, { a: '1' });
  await world.pass(120 * second);
  assert.equal(world.evicted.length, 2);
});

test('a replacement that waits for another source is evicted only for that one', async () => {
  const world = await appeared(90);
  await world.pass(2_100);
  assert.equal(world.evicted.length, 1);
  world.deleteSource(settings);
  await world.pass(90 * second);
  assert.equal(world.evicted.length, 1);
  world.putSource(settings, { a: '1' });
  await world.pass(20 * second);
  const pods = new Set(world.evicted.map(({ metadata }) => metadata.uid));
  assert.equal(pods.size, world.evicted.length);
});

test('a dry run reports each pod once, and evicts nothing', async () => {
  const world = await lateWorld(evicting, { isDryRun: true });
  world.onRequest(({ path }) => (path.endsWith('/eviction') ? { body: {} } : undefined));
  world.putWorkload('web', withVolumes([settings]));
  await world.pass(90 * second);
  world.putSource(settings, { a: '1' });
  await world.pass(30 * second);
  assert.deepEqual(
    world.eventsOf('pod.evicted').map(({ isDryRun }) => isDryRun),
    [true],
  );
});

test('a refused eviction is reported and repeated, and given up when the kubelet has tried again', async () => {
  const world = await appeared(130);
  const refused = { status: 403, message: 'pods/eviction is forbidden' };
  world.onRequest(({ path }) => (path.endsWith('/eviction') ? refused : undefined));
  await world.pass(20 * second);
  const [first] = world.eventsOf('workload.refused');
  assert.equal(first?.failure, 'forbidden');
  assert.ok(world.evicted.length > 2);
  await world.pass(130 * second);
  const tried = world.evicted.length;
  assert.deepEqual(starts(world), [250]);
  await world.pass(300 * second);
  assert.equal(world.evicted.length, tried);
});

async function manyWaiting(rule: Partial<RestartSettings>, limits: object) {
  const world = await lateWorld(restartConfig({ rule, ...limits }));
  for (let nr = 0; nr < 6; nr += 1) world.putWorkload(`web-${nr}`, withVolumes([settings]));
  await world.pass(130 * second);
  world.putSource(settings, { a: '1' });
  return world;
}

test('the limits of restarts apply: a burst at once, and then so many workloads a minute', async () => {
  const world = await manyWaiting({ lateSources: 'evict' }, { burst: 2, maxRestartsPerMinute: 4 });
  await world.pass(5 * second);
  assert.equal(world.evicted.length, 2);
  await world.pass(31 * second);
  assert.equal(world.evicted.length, 4);
});
