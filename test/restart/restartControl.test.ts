import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMaps } from '@weeder/embedded-cluster/resources';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { restartConfig, settings } from '../support/objects/restartSettings.ts';
import { configMap, restartWorld, stateOn, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const source = configMap('settings');

async function adopted(config = restartConfig()) {
  const world = await restartWorld(config);
  world.putSource(source, { a: '1', b: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  return world;
}

test('a new workload is adopted: its state is written, and nothing restarts', async () => {
  const world = await adopted();
  assert.ok(stateOn(world.workload('web')));
  assert.deepEqual(world.rollouts, []);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a change of a used key is one rollout, after the quiet period', async () => {
  const world = await adopted();
  const before = world.clock.monotonic();
  world.putSource(source, { a: '2', b: '1' });
  await world.pass(30 * second);
  assert.deepEqual(
    world.rollouts.map(({ workload }) => workload),
    ['web'],
  );
  assert.equal((world.rollouts[0]?.at ?? 0) - before, settings.quietPeriod);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  await world.pass(600 * second);
  assert.equal(world.rollouts.length, 1);
});

test('a change of an unused key restarts nothing and writes nothing', async () => {
  const world = await adopted();
  const state = stateOn(world.workload('web'));
  const { resourceVersion } = objectOf(world.workload('web')['metadata']);
  world.putSource(source, { a: '1', b: '2' });
  await world.pass(60 * second);
  assert.deepEqual(world.rollouts, []);
  assert.equal(stateOn(world.workload('web')), state);
  assert.equal(objectOf(world.workload('web')['metadata'])['resourceVersion'], resourceVersion);
});

test('with sourceKinds: [ConfigMap] a Secret restarts nothing, and is never read, even if it is missing', async () => {
  const world = await restartWorld(restartConfig({ sourceKinds: new Set(['ConfigMap']) }));
  const secretKeyRef = { name: 'password', key: 'word' };
  const container = objectOf(arrayOf(withEnv('settings', 'a')['containers'])[0]);
  const env = [...arrayOf(container['env']), { name: 'WORD', valueFrom: { secretKeyRef } }];
  world.putSource(source, { a: '1' });
  await world.pass(10 * second);
  const annotations = { 'weeder.dev/also-depends-on': 'secret/shop/other' };
  world.putWorkload('web', { containers: [{ ...container, env }] }, { annotations });
  await world.pass(10 * second);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  assert.equal(stateOn(world.workload('web'))?.includes('secret'), false);
  world.putSource(source, { a: '2' });
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 1);
});

test('ten changes in a second are one rollout', async () => {
  const world = await adopted();
  for (let change = 2; change < 12; change += 1) {
    world.putSource(source, { a: String(change) });
    await world.pass(100);
  }
  await world.pass(120 * second);
  assert.equal(world.rollouts.length, 1);
});

test('a source that changes continuously still causes a rollout, one minute after its first change', async () => {
  const world = await adopted();
  const before = world.clock.monotonic();
  for (let change = 2; change < 22; change += 1) {
    world.putSource(source, { a: String(change) });
    // Nothing changes in between, so only the timer can end the wait.
    await world.pass(3_700);
  }
  assert.equal(world.rollouts.length, 1);
  assert.equal((world.rollouts[0]?.at ?? 0) - before, settings.quietMax);
});

test('a change that is reverted within the quiet period is not a change', async () => {
  const world = await adopted();
  world.putSource(source, { a: '2' });
  await world.pass(2 * second);
  world.putSource(source, { a: '1' });
  await world.pass(120 * second);
  assert.deepEqual(world.rollouts, []);
});

test('a change while weeder was down is found once, and a restart of weeder alone restarts nothing', async () => {
  const world = await adopted();
  await world.restart();
  await world.pass(120 * second);
  assert.deepEqual(world.rollouts, []);
  world.control.stop();
  world.putSource(source, { a: '2' });
  await world.pass(60 * second);
  await world.restart();
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 1);
  await world.restart();
  await world.pass(120 * second);
  assert.equal(world.rollouts.length, 1);
});

test('a change while weeder was down needs no restart if the pods were created after it', async () => {
  const world = await adopted();
  world.control.stop();
  world.putSource(source, { a: '2' });
  await world.pass(10 * second);
  world.patchTemplate('web', { spec: { terminationGracePeriodSeconds: 5 } });
  await world.pass(10 * second);
  await world.restart();
  await world.pass(120 * second);
  assert.equal(world.rollouts.length, 1, 'the rollout of the user');
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

for (const first of ['source', 'template'] as const) {
  test(`a release that changes a source and the template, the ${first} first, is one rollout`, async () => {
    const world = await adopted();
    const changes = [
      () => world.putSource(source, { a: '2' }),
      () => world.patchTemplate('web', { metadata: { annotations: { release: '2' } } }),
    ];
    for (const change of first === 'source' ? changes : changes.toReversed()) {
      change();
      await world.pass(50);
    }
    await world.pass(180 * second);
    assert.equal(world.rollouts.length, 1);
    assert.deepEqual(world.control.counts().states, { current: 1 });
  });
}

test('a restart waits for a release still in progress after the quiet period, and both are one rollout', async () => {
  const world = await adopted();
  world.rolloutTime = 20 * second;
  world.putSource(source, { a: '2' });
  await world.pass(2_500);
  world.patchTemplate('web', { metadata: { annotations: { release: '2' } } });
  await world.pass(10 * second);
  assert.deepEqual(
    world.eventsOf('workload.pending').map(({ cause }) => cause),
    ['rollout'],
  );
  await world.pass(180 * second);
  assert.equal(world.rollouts.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a restart does not wait for a stalled release, because the change may fix it', async () => {
  const world = await adopted();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.patchTemplate('web', { metadata: { annotations: { release: '2' } } });
  await world.pass(10 * second);
  world.putSource(source, { a: '2' });
  await world.pass(settings.stallAfter - 11 * second);
  assert.equal(world.rollouts.length, 1);
  await world.pass(10 * second);
  assert.equal(world.rollouts.length, 2);
});

test('a restart does not wait for a release whose pods cannot start', async () => {
  const world = await adopted();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.patchTemplate('web', { metadata: { annotations: { release: '2' } } });
  world.breakPods('web');
  world.putSource(source, { a: '2' });
  await world.pass(settings.quietPeriod + 2 * second);
  assert.equal(world.rollouts.length, 2);
});

test('a template that begins to use another source causes only the user’s rollout', async () => {
  const world = await adopted();
  world.putSource(configMap('other'), { a: 'x' });
  world.patchTemplate('web', { spec: withEnv('other', 'a') });
  await world.pass(180 * second);
  assert.equal(world.rollouts.length, 1);
  world.putSource(configMap('other'), { a: 'y' });
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 2);
});

test('deleting a required source restarts nothing; equal content afterwards restarts nothing, other content restarts once', async () => {
  const world = await adopted();
  world.deleteSource(source);
  await world.pass(60 * second);
  assert.deepEqual(world.rollouts, []);
  assert.deepEqual(world.control.counts().states, { blocked: 1 });
  world.putSource(source, { a: '1' });
  await world.pass(60 * second);
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { current: 1 }]);
  world.deleteSource(source);
  world.putSource(source, { a: '1' });
  await world.pass(60 * second);
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { current: 1 }], 'recreated at once');
  world.deleteSource(source);
  await world.pass(10 * second);
  world.putSource(source, { a: '3' });
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 1);
});

test('a recreated immutable source blocks the restart, and is never recorded as done', async () => {
  const world = await restartWorld();
  world.putSource(source, { a: '1' }, { immutable: true });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  world.deleteSource(source);
  world.putSource(source, { a: '2' }, { immutable: true });
  await world.pass(60 * second);
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { blocked: 1 }]);
  await world.restart();
  await world.pass(60 * second);
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { blocked: 1 }]);
});

test('an opted-out source restarts nothing, nor does opting out and in', async () => {
  const world = await adopted();
  const annotations = { 'weeder.dev/skip-hash-calculation': 'true' };
  world.putSource(source, { a: '1' }, { metadata: { annotations } });
  await world.pass(30 * second);
  world.putSource(source, { a: '2' }, { metadata: { annotations } });
  await world.pass(60 * second);
  world.putSource(source, { a: '2' }, { metadata: { annotations: {} } });
  await world.pass(60 * second);
  assert.deepEqual(world.rollouts, []);
  world.putSource(source, { a: '3' });
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 1);
});

test('a changed use of the same source is adopted: another key is named, or a key is omitted', async () => {
  const world = await restartWorld();
  const skip = (keys: string) => ({ metadata: { annotations: { 'weeder.dev/skip-hash-calculation': keys } } });
  const dependsOn = (key: string) => ({ 'weeder.dev/also-depends-on': `configmap/settings#${key}` });
  world.putSource(source, { a: '1', b: '2' });
  await world.pass(10 * second);
  world.putWorkload('named', { containers: [{ name: 'app', image: 'app:1' }] }, { annotations: dependsOn('a') });
  world.putWorkload('whole', {
    containers: [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'settings' } }] }],
  });
  await world.pass(10 * second);
  world.annotate('named', dependsOn('b'));
  world.putSource(source, { a: '1', b: '2' }, skip('b'));
  await world.pass(60 * second);
  world.putSource(source, { a: '1', b: '2' });
  await world.pass(60 * second);
  assert.deepEqual([world.rollouts, world.eventsOf('workload.changed')], [[], []]);
  world.putSource(source, { a: '1', b: '3' });
  await world.pass(60 * second);
  assert.deepEqual(world.rollouts.map(({ workload }) => workload).toSorted(), ['named', 'whole']);
});

test('an image pull Secret counts only if the config includes it', async () => {
  const pull = { kind: 'Secret', namespace: 'shop', name: 'registry' } as const;
  for (const [imagePullSecrets, rollouts] of [
    ['ignore', 0],
    ['hash', 1],
  ] as const) {
    const world = await restartWorld(restartConfig({ rule: { imagePullSecrets } }));
    world.putSource(pull, { '.dockerconfigjson': '{"auths":{}}' });
    await world.pass(10 * second);
    world.putWorkload('web', {
      containers: [{ name: 'app', image: 'app:1' }],
      imagePullSecrets: [{ name: 'registry' }],
    });
    await world.pass(10 * second);
    world.putSource(pull, { '.dockerconfigjson': '{"auths":{"a":{}}}' });
    await world.pass(60 * second);
    assert.equal(world.rollouts.length, rollouts, imagePullSecrets);
  }
});

test('a copied state does not belong to the copy: the copy is adopted', async () => {
  const world = await adopted();
  const state = stateOn(world.workload('web')) ?? '';
  world.putSource(source, { a: '2' });
  await world.pass(60 * second);
  const changes = world.eventsOf('workload.changed').length;
  world.putWorkload('copy', withEnv('settings', 'a'), { annotations: { 'weeder.dev/dependencies': state } });
  await world.pass(60 * second);
  assert.deepEqual(
    world.eventsOf('workload.adopted').map(({ workload }) => workload.name),
    ['web', 'copy'],
  );
  assert.deepEqual([world.eventsOf('workload.changed').length, world.rollouts.length], [changes, 1]);
  const { uid } = objectOf(world.workload('copy')['metadata']);
  assert.ok(stateOn(world.workload('copy'))?.includes(`"uid":"${uid}"`));
});

test('when a workload opts out, its state is removed, and its template does not change', async () => {
  const world = await adopted();
  world.putSource(source, { a: '2' });
  await world.pass(60 * second);
  const template = objectOf(objectOf(world.workload('web')['spec'])['template']);
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(30 * second);
  assert.ok(stateOn(world.workload('web')));
  const metadata = objectOf(world.workload('web')['metadata']);
  const annotations = { ...objectOf(metadata['annotations']), 'weeder.dev/restart-on-change': 'false' };
  assert.ok(template);
  world.annotate('web', annotations);
  await world.pass(30 * second);
  assert.equal(stateOn(world.workload('web')), undefined);
  const rollouts = world.rollouts.length;
  world.putSource(source, { a: '3' });
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, rollouts);
  assert.equal(world.control.counts().workloads, 0);
});

test('after the hash key is lost every workload is adopted again, and nothing restarts', async () => {
  const world = await adopted();
  world.control.stop();
  world.changeKey(9);
  world.putSource(source, { a: '2' });
  await world.restart();
  await world.pass(120 * second);
  assert.deepEqual([world.rollouts, world.control.counts().states], [[], { current: 1 }]);
});

test('a dry run reports what it would restart, and writes nothing', async () => {
  const world = await restartWorld(restartConfig(), { isDryRun: true });
  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  world.putSource(source, { a: '2' });
  await world.pass(600 * second);
  assert.deepEqual([world.rollouts, stateOn(world.workload('web'))], [[], undefined]);
  assert.equal(world.eventsOf('workload.restarted').length, 1);
});

test('a removed key is a change, although managedFields do not show it', async () => {
  const world = await restartWorld();
  world.putSource(source, { a: '1', b: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', {
    containers: [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'settings' } }] }],
  });
  await world.pass(10 * second);
  const timesOf = () =>
    arrayOf(world.store.get(configMaps, 'shop', 'settings')?.metadata.managedFields).map(
      (each) => objectOf(each)['time'],
    );
  const times = timesOf();
  world.putSource(source, { a: '1' });
  assert.deepEqual(timesOf(), times);
  await world.pass(60 * second);
  assert.equal(world.rollouts.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('deleting an optional source is a change, and so is creating it', async () => {
  const world = await restartWorld();
  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a', true));
  await world.pass(60 * second);
  world.deleteSource(source);
  await world.pass(90 * second);
  assert.equal(world.rollouts.length, 1);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  world.putSource(source, { a: '1' });
  await world.pass(90 * second);
  assert.equal(world.rollouts.length, 2);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('the deletion of an optional source while weeder was down is found, and its rollout completes', async () => {
  const world = await restartWorld();
  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a', true));
  await world.pass(60 * second);
  world.control.stop();
  world.deleteSource(source);
  await world.restart();
  await world.pass(90 * second);
  assert.deepEqual([world.rollouts.length, world.control.counts().states], [1, { current: 1 }]);
});

test('a source with an excluded key is recreated with another value of a used key: that is a change', async () => {
  const world = await restartWorld();
  const metadata = { annotations: { 'weeder.dev/skip-hash-calculation': 'b' } };
  world.putSource(source, { a: '1', b: '1' }, { metadata });
  world.putWorkload('web', {
    containers: [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'settings', optional: true } }] }],
  });
  await world.pass(60 * second);
  world.deleteSource(source);
  await world.pass(2 * second);
  world.putSource(source, { a: '2', b: '2' }, { metadata });
  await world.pass(90 * second);
  assert.equal(world.rollouts.length, 1);
});
