import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { namespace, type RestartWorld, restartWorld } from '../../support/world/restartWorld.ts';

const second = 1_000;
const minute = 60 * second;
/** The Secret that the Secrets Store driver creates after it has mounted the class for the first pod. */
const synced = { kind: 'Secret', namespace, name: 'database' } as const;
const annotations = { 'weeder.dev/also-depends-on': 'secret/database' };

const template: JsonObject = {
  containers: [{ name: 'app', image: 'app:1', volumeMounts: [{ name: 'store', mountPath: '/store' }] }],
  volumes: [
    {
      name: 'store',
      csi: { driver: 'secrets-store.csi.k8s.io', volumeAttributes: { secretProviderClass: 'database' } },
    },
  ],
};

/** The driver rotates what is mounted in three pods one after the other, and writes the Secret with the first. */
async function rotate(world: RestartWorld, password: string): Promise<void> {
  for (let pod = 0; pod < 3; pod += 1) {
    world.putSource(synced, { password });
    await world.pass(40 * second);
  }
  await world.pass(10 * minute);
}

async function deployed(given: object = annotations): Promise<RestartWorld> {
  const world = await restartWorld();
  world.putWorkload('web', template, { annotations: given });
  world.change('web', { spec: { replicas: 3 } });
  await world.pass(3 * second);
  world.putSource(synced, { password: 'one' });
  await world.pass(5 * minute);
  return world;
}

/** The workload has no pods, and the driver's Secret is deleted with them; then it is scaled up again. */
async function scaleDownAndUp(world: RestartWorld, password: string): Promise<void> {
  world.change('web', { spec: { replicas: 0 } });
  await world.pass(second);
  world.deleteSource(synced);
  await world.pass(10 * minute);
  // Longer than the mount, and the Secret that follows from it.
  world.rolloutTime = 8 * second;
  world.createPod('web');
  world.change('web', { spec: { replicas: 1 } });
  await world.pass(3 * second);
  world.putSource(synced, { password });
  await world.pass(10 * minute);
}

test('a Secret that is synced only after the first pods have started restarts nothing', async () => {
  const world = await deployed();
  assert.deepEqual(world.rollouts, []);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('a rotation that reaches pod by pod is one restart, also for another weeder', async () => {
  const world = await deployed();
  await rotate(world, 'two');
  assert.equal(world.rollouts.length, 1);
  await world.restart();
  await world.pass(10 * minute);
  assert.equal(world.rollouts.length, 1);
  await rotate(world, 'three');
  assert.equal(world.rollouts.length, 2);
  assert.deepEqual(world.control.counts().states, { current: 1 });
});

test('what the driver mounts is followed only by the annotation', async () => {
  const world = await deployed({});
  await rotate(world, 'two');
  assert.deepEqual(world.rollouts, []);
});

for (const password of ['one', 'two'])
  test(`a Secret that is deleted without pods and is there before the containers of new ones start restarts nothing: ${password}`, async () => {
    const world = await deployed();
    await scaleDownAndUp(world, password);
    assert.deepEqual(world.rollouts, []);
    assert.deepEqual(world.control.counts().states, { current: 1 });
    await rotate(world, 'three');
    assert.equal(world.rollouts.length, 1);
  });
