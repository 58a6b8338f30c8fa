import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pods, statefulSets } from '@weeder/embedded-cluster/resources';
import { type JsonObject, numberOf, objectOf } from '@weeder/kube-runtime/base';
import { restartConfig, settings } from '../support/objects/restartSettings.ts';
import { made } from '../support/world/embedded.ts';
import {
  configMap,
  namespace,
  type RestartWorld,
  restartWorld,
  stateOn,
  withEnv,
} from '../support/world/restartWorld.ts';

const second = 1_000;
const minute = 60 * second;
const source = configMap('settings');
const replace = restartConfig({ rule: { immutableRecreated: 'replace' } });

async function adopted(config = replace, options: Parameters<typeof restartWorld>[1] = {}): Promise<RestartWorld> {
  const world = await restartWorld(config, options);
  world.putSource(source, { a: '1' }, { immutable: true });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  return world;
}

function recreateSource(world: RestartWorld): void {
  world.deleteSource(source);
  world.putSource(source, { a: '2' }, { immutable: true });
}

function replicasOf(world: RestartWorld): number | undefined {
  return numberOf(objectOf(world.workload('web')['spec'])['replicas']);
}

function emptiedOf(world: RestartWorld): unknown {
  return objectOf(objectOf(world.workload('web')['metadata'])['annotations'])['weeder.dev/emptied'];
}

function uidOf(world: RestartWorld): string {
  return String(objectOf(world.workload('web')['metadata'])['uid']);
}

/** Asserts that the workload has its pods again, and that its state is current and has no target. */
function assertReplaced(world: RestartWorld): void {
  assert.deepEqual([replicasOf(world), emptiedOf(world), world.pods('web').length], [1, undefined, 1]);
  assert.doesNotMatch(String(stateOn(world.workload('web'))), /"target":/);
  assert.deepEqual(world.control.counts().states, { current: 1 });
}

test('all pods are deleted, and after a short delay the workload is scaled back to its replicas, once', async () => {
  const world = await adopted();
  recreateSource(world);
  await world.pass(settings.quietPeriod + second);
  assert.equal(replicasOf(world), 0);
  assert.match(String(emptiedOf(world)), new RegExp(`^${uidOf(world)}/1/\\S{8}/\\S{22}$`));
  await world.pass(2 * second);
  assert.deepEqual(world.pods('web'), []);
  const emptyAt = world.clock.monotonic();
  while (world.pods('web').length === 0) await world.pass(100);
  assert.ok(world.clock.monotonic() - emptyAt >= 2 * second + world.rolloutTime - 100);
  await world.pass(5 * minute);
  assertReplaced(world);
  assert.deepEqual(
    world.eventsOf('workload.restarted').map(({ how, attempt }) => [how, attempt]),
    [['replace', 1]],
  );
  assert.equal(world.eventsOf('workload.rolledOut').length, 1);
});

test('a change of a source that is not immutable is an ordinary rollout', async () => {
  const world = await restartWorld(replace);
  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  world.putSource(source, { a: '2' });
  await world.pass(minute);
  assert.deepEqual(
    world.eventsOf('workload.restarted').map(({ how }) => how),
    ['rollout'],
  );
  assert.deepEqual(
    world.rollouts.map(({ workload }) => workload),
    ['web'],
  );
});

test('weeder stops at any moment: another weeder scales the workload back, and the restart is recorded', async () => {
  for (let after = 0; after < 25 * second; after += 500) {
    const world = await adopted();
    recreateSource(world);
    await world.pass(after);
    world.stop();
    await world.pass(3 * second);
    await world.restart();
    await world.pass(5 * minute);
    assertReplaced(world);
    assert.equal(world.eventsOf('workload.restarted').length, 1);
  }
});

test('while pods of other workloads refer to the source the restart is blocked, and is retried', async () => {
  const world = await adopted();
  made(world.store.create(pods, { metadata: { name: 'other-1', namespace }, spec: withEnv('settings', 'a') }));
  recreateSource(world);
  await world.pass(2 * minute);
  assert.equal(replicasOf(world), 1);
  const blocked = world.eventsOf('workload.blocked').filter(({ cause }) => cause === 'immutable');
  assert.match(blocked[0]?.reason ?? '', /pods that are not its own refer to it too: other-1/);
  const over = { status: { phase: 'Succeeded' } };
  made(world.store.patch(pods, namespace, 'other-1', over, { subresource: 'status' }));
  await world.pass(2 * minute);
  assertReplaced(world);
});

/** A StatefulSet with a running pod, as its controller leaves it. */
function putStatefulSet({ store }: RestartWorld, persistentVolumeClaimRetentionPolicy: JsonObject): void {
  const labels = { app: 'db', 'controller-revision-hash': 'db-1' };
  const template = { metadata: { labels: { app: 'db' } }, spec: withEnv('settings', 'a') };
  const spec = {
    replicas: 1,
    selector: { matchLabels: { app: 'db' } },
    template,
    persistentVolumeClaimRetentionPolicy,
  };
  const { kind, apiVersion, metadata } = made(
    store.create(statefulSets, { metadata: { name: 'db', namespace }, spec }),
  );
  const owner = { kind, apiVersion, name: 'db', uid: metadata.uid, controller: true };
  const podMetadata = { name: 'db-0', namespace, labels, ownerReferences: [owner] };
  made(store.create(pods, { metadata: podMetadata, spec: { nodeName: 'node-1', ...template.spec } }));
  const containerStatuses = [{ name: 'app', ready: true, restartCount: 0, state: { running: {} } }];
  const running = { phase: 'Running', containerStatuses, conditions: [{ type: 'Ready', status: 'True' }] };
  made(store.patch(pods, namespace, 'db-0', { status: running }, { subresource: 'status' }));
  const counts = { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1, observedGeneration: 1 };
  const status = { ...counts, currentRevision: 'db-1', updateRevision: 'db-1' };
  made(store.patch(statefulSets, namespace, 'db', { status }, { subresource: 'status' }));
}

test('a workload whose volumes would be deleted with its pods is blocked', async () => {
  const world = await adopted();
  putStatefulSet(world, { whenScaled: 'Delete' });
  await world.pass(10 * second);
  recreateSource(world);
  await world.pass(2 * minute);
  assert.equal(objectOf(world.store.get(statefulSets, namespace, 'db')?.['spec'])['replicas'], 1);
  const blocked = world.eventsOf('workload.blocked').filter(({ workload }) => workload.name === 'db');
  assert.match(blocked.at(-1)?.reason ?? '', /volumes/);
});

test('without pods no pod has to be deleted, and the restart is recorded', async () => {
  const world = await adopted();
  world.change('web', { spec: { replicas: 0 } });
  await world.pass(10 * second);
  recreateSource(world);
  await world.pass(minute);
  assert.deepEqual([replicasOf(world), emptiedOf(world)], [0, undefined]);
  assert.equal(world.eventsOf('workload.skipped').length, 1);
});

test('if a user scales the workload while it is empty, the user’s replicas stay, and the restart is not recorded as done', async () => {
  const world = await adopted();
  world.rolloutTime = 20 * second;
  recreateSource(world);
  await world.pass(settings.quietPeriod + 2 * second);
  assert.equal(replicasOf(world), 0);
  world.change('web', { spec: { replicas: 2 } });
  await world.pass(30 * second);
  assert.deepEqual([replicasOf(world), emptiedOf(world)], [2, undefined]);
  assert.equal(world.eventsOf('workload.rolledOut').length, 0);
  await world.pass(5 * minute);
  assert.equal(world.eventsOf('workload.restarted').length, 2);
  assert.deepEqual([replicasOf(world), world.control.counts().states], [2, { current: 1 }]);
});

test('the workload is scaled back even if it is no longer managed or its source is missing', async () => {
  for (const what of ['opted out', 'no rule', 'source missing'] as const) {
    const world = await adopted();
    recreateSource(world);
    await world.pass(settings.quietPeriod + second);
    assert.equal(replicasOf(world), 0);
    if (what === 'opted out') world.annotate('web', { 'weeder.dev/restart-on-change': 'false' });
    else if (what === 'no rule') world.configure({ ...replace, rules: [] });
    else world.deleteSource(source);
    await world.pass(2 * minute);
    assert.deepEqual([replicasOf(world), emptiedOf(world)], [1, undefined], what);
    if (what !== 'source missing') assert.equal(stateOn(world.workload('web')), undefined, what);
  }
});

test('a state that is removed while the workload is empty does not prevent scaling back', async () => {
  const world = await adopted();
  recreateSource(world);
  await world.pass(settings.quietPeriod + second);
  world.stop();
  world.annotate('web', { 'weeder.dev/dependencies': null });
  await world.restart();
  await world.pass(minute);
  assertReplaced(world);
});

test('if scaling back is refused, it happens as soon as it is allowed', async () => {
  const world = await adopted();
  recreateSource(world);
  await world.pass(settings.quietPeriod + second);
  world.fault = ({ method }) => (method === 'GET' ? undefined : { status: 503 });
  await world.pass(5 * minute);
  assert.equal(replicasOf(world), 0);
  assert.ok(world.eventsOf('workload.refused').length > 1);
  world.fault = () => undefined;
  await world.pass(3 * minute);
  assertReplaced(world);
});

test('pods that remain terminating are reported, and the workload is scaled back when they are deleted', async () => {
  const world = await adopted();
  world.rolloutTime = 3 * minute;
  recreateSource(world);
  await world.pass(2 * minute);
  assert.match(world.eventsOf('workload.stalled')[0]?.reason ?? '', /^these pods do not terminate: web-/);
  await world.pass(10 * minute);
  assertReplaced(world);
});

test('a copy of an emptied workload is not scaled', async () => {
  const world = await adopted();
  world.putWorkload('copy', withEnv('settings', 'a'), { annotations: { 'weeder.dev/emptied': `${uidOf(world)}/3` } });
  await world.pass(minute);
  assert.equal(numberOf(objectOf(world.workload('copy')['spec'])['replicas']), 1);
  assert.deepEqual(world.control.counts().states, { current: 2 });
});

test('a dry run reports the restart, and scales nothing', async () => {
  const world = await adopted(replace, { isDryRun: true });
  recreateSource(world);
  await world.pass(2 * minute);
  assert.deepEqual([replicasOf(world), emptiedOf(world)], [1, undefined]);
  assert.equal(world.eventsOf('workload.restarted')[0]?.how, 'dryRun');
});
