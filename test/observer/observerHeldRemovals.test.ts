import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { configMap, deployment, type ObserverWorld, observerWorld, refusal } from '../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;
const finalizer = 'example.org/cleanup';
const globe = { apiVersion: 'example.org/v1', kind: 'Globe', metadata: { name: 'earth' } };
const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'own' } };
const operator = deployment('operator');

/** An Application with an operator and a custom resource, which has its finalizer. */
async function operated(): Promise<ObserverWorld> {
  const world = await observerWorld();
  world.apply('web', { manifests: [globe, operator, configMap('one'), account] });
  await world.pass(5 * second);
  world.edit('Globe/earth', { metadata: { finalizers: [finalizer] } }, { manager: 'operator' });
  await world.pass(5 * second);
  return world;
}

/** What the operator does with a custom resource that is being deleted. */
function cleanUp(world: ObserverWorld): void {
  world.edit('Globe/earth', { metadata: { finalizers: null } }, { manager: 'operator' });
}

function conditionOf(world: ObserverWorld, type: string): readonly [status: unknown, reason: unknown, message: string] {
  const conditions = arrayOf(objectOf(world.application('web')?.['status'])['conditions']).map(objectOf);
  const { status, reason, message } = conditions.find((each) => each['type'] === type) ?? {};
  return [status, reason, String(message)];
}

const exists = (world: ObserverWorld, ...names: string[]) => names.map((name) => world.object(name) !== undefined);

suite('removals that wait for the controller of a custom resource', () => {
  test('when the application is deleted, its workloads end after its custom resources', async () => {
    const world = await operated();
    world.deleteApplication('web');
    await world.pass(30 * second);
    assert.deepEqual(exists(world, 'Globe/earth', 'Deployment/operator', 'ConfigMap/one'), [true, true, true]);
    const [status, , message] = conditionOf(world, 'Applied');
    assert.equal(status, 'False');
    assert.match(
      message,
      /Globe\.example\.org earth \(waits for its finalizers example\.org\/cleanup, set by operator\/Update; holds/,
    );
    assert.match(message, /holds up other deletions until \d{4}-\d\d-\d\dT\d\d:\d\dZ\)/);
    cleanUp(world);
    await world.pass(30 * second);
    assert.deepEqual(exists(world, 'Globe/earth', 'Deployment/operator', 'ConfigMap/one'), [false, false, false]);
    assert.equal(world.application('web'), undefined);
    world.stop();
  });

  test('the same when all of them leave the manifests, which counts in Ready', async () => {
    const world = await operated();
    assert.equal(conditionOf(world, 'Ready')[0], 'True');
    world.apply('web', { manifests: [configMap('one')] });
    await world.pass(20 * second);
    assert.deepEqual(exists(world, 'Globe/earth', 'Deployment/operator'), [true, true]);
    assert.deepEqual(conditionOf(world, 'Ready').slice(0, 2), ['False', 'Pruning']);
    assert.equal(conditionOf(world, 'Reconciling')[0], 'True');
    cleanUp(world);
    await world.pass(15 * second);
    assert.deepEqual(exists(world, 'Globe/earth', 'Deployment/operator', 'ConfigMap/one'), [false, false, true]);
    await world.pass(5 * second);
    assert.equal(conditionOf(world, 'Ready')[0], 'True');
    world.stop();
  });

  test('an object that still terminates after a minute is reported once, with the client that set its finalizer', async () => {
    for (const remove of ['from the manifests', 'with the application']) {
      const world = await operated();
      if (remove === 'with the application') world.deleteApplication('web');
      else world.apply('web', { manifests: [configMap('one')] });
      await world.pass(50 * second);
      assert.equal(conditionOf(world, 'Degraded')[0], 'False', remove);
      assert.deepEqual(world.eventsOf('resource.deletionDelayed'), []);
      await world.pass(minute);
      assert.deepEqual(conditionOf(world, 'Degraded').slice(0, 2), ['True', 'DeletionDelayed'], remove);
      assert.equal(conditionOf(world, 'Stalled')[0], undefined, 'it may end by itself');
      await world.pass(2 * minute);
      const [delayed, ...others] = world.eventsOf('resource.deletionDelayed');
      assert.deepEqual(others, []);
      assert.equal(delayed?.resource.kind, 'Globe');
      assert.match(
        delayed.reason,
        /^waits for its finalizers example\.org\/cleanup, set by operator\/Update; holds up/,
      );
      world.stop();
    }
  });

  test('after 15 minutes everything is deleted except what grants permissions', async () => {
    const world = await operated();
    world.deleteApplication('web');
    await world.pass(14 * minute);
    assert.deepEqual(exists(world, 'Globe/earth', 'Deployment/operator'), [true, true]);
    await world.pass(2 * minute);
    assert.deepEqual(exists(world, 'Deployment/operator', 'ConfigMap/one'), [false, false]);
    assert.deepEqual(exists(world, 'Globe/earth', 'ServiceAccount/own'), [true, true]);
    assert.match(
      conditionOf(world, 'Degraded')[2],
      /holds up only the deletion of definitions, namespaces and permissions/,
    );
    cleanUp(world);
    await world.pass(30 * second);
    assert.equal(world.application('web'), undefined);
    world.stop();
  });

  test('a custom resource whose deletion fails holds up workloads for a minute', async () => {
    const world = await operated();
    world.refusals.set('delete Globe/earth', refusal('forbidden'));
    world.deleteApplication('web');
    await world.pass(50 * second);
    assert.deepEqual(exists(world, 'Deployment/operator', 'ConfigMap/one'), [true, true]);
    await world.pass(2 * minute);
    assert.deepEqual(exists(world, 'Globe/earth', 'Deployment/operator', 'ConfigMap/one'), [true, false, false]);
    assert.deepEqual(exists(world, 'ServiceAccount/own'), [true]);
    world.stop();
  });

  test('an object of a built-in kind with a finalizer holds up no workload', async () => {
    const world = await operated();
    cleanUp(world);
    world.edit('ConfigMap/one', { metadata: { finalizers: [finalizer] } });
    await world.pass(second);
    world.deleteApplication('web');
    await world.pass(30 * second);
    assert.deepEqual(exists(world, 'Globe/earth', 'Deployment/operator', 'ConfigMap/one'), [false, false, true]);
    assert.deepEqual(exists(world, 'ServiceAccount/own'), [true]);
    assert.match(
      conditionOf(world, 'Applied')[2],
      /ConfigMap shop\/one \(waits for its finalizers \S+, set by editor\/Update\)/,
    );
    world.stop();
  });
});
