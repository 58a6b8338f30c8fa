import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startWeeder, type TestNamespace } from '../support/cluster.ts';
import { at, configMap, pathOf, read, untilObject } from '../support/observer/observedObjects.ts';
import { edit, everythingAllowed, setObserverScene } from '../support/observer/observerScene.ts';
import { setRestartScene } from '../support/restart/restartScene.ts';
import { type Scene, setScene } from '../support/scene.ts';

const label = 'weeder.test/selected';

/** Sets the label of a namespace, or removes it. */
async function select({ name, cluster }: TestNamespace, value: string | null): Promise<void> {
  const body = { metadata: { labels: { [label]: value } } };
  const answer = await cluster.send('PATCH', `/api/v1/namespaces/${name}`, { body });
  assert.equal(answer.status, 200);
}

async function recover({ endpoints }: Scene): Promise<void> {
  await endpoints(false);
  await endpoints(true);
}

suite('selected namespaces', { concurrency: true }, () => {
  test('a recovery deletes pods only in namespaces that are selected at the time', async (t) => {
    const scenes = [await setScene(t, 'in'), await setScene(t, 'out')] as const;
    const [inside, outside] = scenes;
    const { cluster, name: value } = inside.ns;
    await select(inside.ns, value);
    const services = Object.fromEntries(
      scenes.map(({ service, labels }) => [service, { podSelectors: [{ matchLabels: labels }] }]),
    );
    const config = { servicesAndDependantSelectors: services };
    const weeder = startWeeder(t, { cluster, config, flags: [`--namespace-selector=${label}=${value}`] });
    await weeder.ready();
    const [first, other] = [await inside.pod('web'), await outside.pod('web')];
    await recover(outside);
    await recover(inside);
    await inside.untilDeleted(first);

    await select(outside.ns, value);
    await weeder.log.until('stream synced', { stream: 'endpointslices' }, { count: 2 });
    await recover(outside);
    await outside.untilDeleted(other);

    await select(inside.ns, null);
    await weeder.log.until('stream synced', { stream: 'endpointslices' }, { count: 3 });
    await inside.pod('api');
    await recover(inside);
    const late = await outside.pod('late');
    await recover(outside);
    await outside.untilDeleted(late);
    await inside.observer.caughtUp();
    inside.assertDeleted(first);
  });

  test('a dependant in a namespace that is excepted is not deleted, whatever it declares', async (t) => {
    const scene = await setScene(t, 'home');
    const system = await setScene(t, 'system');
    const { cluster, name } = scene.ns;
    const weeder = startWeeder(t, {
      cluster,
      config: { declaredDependencies: { namespaces: [name, system.ns.name] } },
      flags: [`--except-namespaces=${system.ns.name}`],
    });
    await weeder.ready();
    const dependsOn = (labels: object) => ({
      labels: { ...labels, 'weeder.dev/depends-on': `${scene.service}.${name}` },
    });
    await system.pod('agent', undefined, dependsOn(system.labels));
    const own = await scene.pod('web', undefined, dependsOn(scene.labels));
    await recover(scene);
    await scene.untilDeleted(own);
    await system.observer.caughtUp();
    system.assertDeleted();
  });

  test('a workload is managed while its namespace is selected', async (t) => {
    const [inside, outside] = [await setRestartScene(t, 'in'), await setRestartScene(t, 'out')];
    const { cluster, name: value } = inside.ns;
    await select(inside.ns, value);
    const flags = [`--namespace-selector=${label}=${value}`];
    const weeder = startWeeder(t, { cluster, config: inside.config(), flags });
    await weeder.log.until('caches synced, starting restart control');
    for (const scene of [outside, inside]) {
      await scene.put('web', { word: 'one' });
      await scene.make('Deployment', 'web', { spec: { replicas: 1 } });
    }
    await inside.untilAdopted('Deployment', 'web');
    assert.equal(await outside.state('Deployment', 'web'), undefined);

    await select(outside.ns, value);
    await outside.untilAdopted('Deployment', 'web');
    await select(inside.ns, null);
    await weeder.log.until('stream synced', { stream: 'deployments' }, { count: 3 });
    for (const scene of [inside, outside]) await scene.put('web', { word: 'two' });
    await outside.untilDone('Deployment', 'web', 1);
    assert.equal(await inside.rollouts('Deployment', 'web'), 0);
  });

  test('an Application that is not selected any more keeps its objects, and is corrected again later', async (t) => {
    const [scene, other] = [await setObserverScene(t, 'app'), await setObserverScene(t, 'other')];
    const { cluster, name: value } = scene.ns;
    for (const { ns } of [scene, other]) await select(ns, value);
    const flags = [`--namespace-selector=${label}=${value}`];
    const weeder = startWeeder(t, { cluster, config: everythingAllowed, flags });
    await weeder.log.until('the application observer starts');
    for (const each of [scene, other]) {
      await each.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
      await each.untilInSync('shop');
    }
    await select(scene.ns, null);
    await weeder.log.until('stream synced', { stream: 'applications' }, { count: 2 });
    for (const { ns } of [scene, other]) await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: 'theirs' } });
    await untilObject(other.ns, 'ConfigMap', 'settings', 'the correction', (object) => at(object, 'data', 'a') === '1');
    assert.equal(at(await read(scene.ns, 'ConfigMap', 'settings'), 'data', 'a'), 'theirs');

    await select(scene.ns, value);
    await untilObject(scene.ns, 'ConfigMap', 'settings', 'the correction', (object) => at(object, 'data', 'a') === '1');
  });
});
