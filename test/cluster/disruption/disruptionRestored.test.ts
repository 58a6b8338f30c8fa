import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { crashLoopBackOff, eventually, getPod, setPodStatus, setSlice } from '../support/cluster.ts';
import { at, configMap, pathOf, read, untilObject } from '../support/observer/observedObjects.ts';
import { edit, everythingAllowed, type ObserverScene, setObserverScene } from '../support/observer/observerScene.ts';
import type { ControlPlane } from '../support/plane/controlPlane.ts';
import { ownControlPlane } from '../support/plane/ownControlPlane.ts';
import { specOf, templateOf } from '../support/restart/workloadOptions.ts';
import { ownedPod } from '../support/restart/workloads.ts';
import type { WeederProcess } from '../support/weeder.ts';

const service = 'db';
const labels = { app: 'uses-db' };

interface Restored {
  readonly plane: ControlPlane;
  readonly scene: ObserverScene;
  readonly weeder: WeederProcess;
}

/** The content of the ConfigMap that the Application has, and of the one that the CronJob uses. */
async function put({ ns }: ObserverScene, name: string, a: string): Promise<void> {
  await edit(ns, pathOf(ns, 'ConfigMap', name), { data: { a } });
}

async function apply(scene: ObserverScene, a: string): Promise<void> {
  await scene.apply('shop', { manifests: [configMap('settings', { a })] });
}

function cronJobPath({ ns }: ObserverScene): string {
  return ns.path('apis/batch/v1', 'cronjobs', 'nightly');
}

/** The hash that restart control has written into the template. */
async function hashOf(scene: ObserverScene): Promise<string> {
  const { metadata } = templateOf({ ...((await scene.ns.cluster.api('GET', cronJobPath(scene))) as object) });
  return JSON.stringify(at(metadata, 'annotations') ?? {});
}

async function versionNow({ ns }: ObserverScene): Promise<number> {
  const answer = await ns.cluster.api('POST', ns.path('api/v1', 'configmaps'), { metadata: { generateName: 'now-' } });
  return Number(at(answer, 'metadata', 'resourceVersion'));
}

/** All three controllers have seen versions that are no longer in etcd. */
async function restore(t: TestContext, prefix: string, isKilled: boolean): Promise<Restored> {
  const plane = await ownControlPlane(t);
  const scene = await setObserverScene(t, prefix, plane);
  const { ns } = scene;
  const configMaps = ns.path('api/v1', 'configmaps');
  await plane.api('POST', configMaps, { metadata: { name: 'nightly' }, data: { a: '1' } });
  await plane.api('POST', ns.path('apis/batch/v1', 'cronjobs'), {
    metadata: { name: 'nightly' },
    spec: specOf('CronJob', 'nightly', ns, {}),
  });
  await setSlice(ns, service, { ready: [true] });
  const pace = { quietPeriod: '300ms', quietMax: '5s', minInterval: '0s', maxRestartsPerMinute: 1_000, burst: 1_000 };
  const weeder = await scene.start(t, {
    // The keys are read again while the API server is down.
    expects: { errorLines: /no hash key: nothing is restarted/ },
    config: {
      ...everythingAllowed,
      restartControl: { rules: [{}], ...pace, hashKey: { namespace: ns.name } },
      servicesAndDependantSelectors: { [service]: { podSelectors: [{ matchLabels: labels }], watchDuration: '5m' } },
    },
  });
  await apply(scene, '1');
  await scene.untilInSync('shop');
  await weeder.log.until('workload adopted, nothing restarts');
  await plane.backUpEtcd();

  const adopted = await hashOf(scene);
  await put(scene, 'nightly', '2');
  await eventually(async () => (await hashOf(scene)) !== adopted, { what: 'the restart after the backup' });
  await apply(scene, '2');
  await scene.untilInSync('shop');
  await setSlice(ns, service, { ready: [false] });
  await weeder.log.until('service is down');
  for (let count = 0; count < 400; count += 1) await put(scene, 'nightly', `2, write ${count}`);
  const last = await versionNow(scene);
  if (isKilled) await plane.killApiServer();
  await plane.restoreEtcd();
  if (isKilled) await plane.startApiServer();
  const restored = await versionNow(scene);
  assert.ok(restored < last - 200, `${restored} is not far before ${last}`);
  return { plane, scene, weeder };
}

/** Each controller sees what happens now, although every version is below those that it has seen. */
async function assertAtWork({ scene, weeder }: Restored): Promise<void> {
  const { ns } = scene;
  await scene.untilInSync('shop');
  await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: 'theirs' } });
  await untilObject(ns, 'ConfigMap', 'settings', 'the correction', (object) => at(object, 'data', 'a') === '1');
  await apply(scene, '3');
  await untilObject(ns, 'ConfigMap', 'settings', 'the new manifest', (object) => at(object, 'data', 'a') === '3');

  const before = await hashOf(scene);
  await put(scene, 'nightly', '3');
  await eventually(async () => (await hashOf(scene)) !== before, { what: 'the restart after the restore' });

  // The service was ready in the backup: each stream lists again at its own time.
  await weeder.log.until('service recovered, window opened');
  const outages = weeder.log.find('service is down').length;
  await setSlice(ns, service, { ready: [false] });
  await weeder.log.until('service is down', {}, { count: outages + 1 });
  await ownedPod(ns, 'web', { labels });
  const { metadata } = await setPodStatus(ns, 'web', crashLoopBackOff(3));
  await setSlice(ns, service, { ready: [true] });
  await eventually(async () => (await getPod(ns, 'web'))?.metadata.uid !== metadata.uid, { what: 'the deletion' });
  assert.equal(at(await read(ns, 'ConfigMap', 'settings'), 'data', 'a'), '3');
}

suite('a cluster whose etcd is restored from an older backup', { concurrency: 1 }, () => {
  test('with an API server that restarts, all controllers continue at once', async (t) => {
    const restored = await restore(t, 'restored', true);
    const { weeder } = restored;
    await weeder.log.until('stream rewound');
    await assertAtWork(restored);
    const rewound = weeder.log.find('stream rewound').map(({ stream }) => stream);
    assert.equal(new Set(rewound).size, rewound.length, 'one line a stream');
  });

  test('with an API server that serves its old cache, weeder says so, and continues when it restarts', async (t) => {
    const restored = await restore(t, 'kept', false);
    const { plane, weeder } = restored;
    const { cause } = await weeder.log.until('stream rewound');
    assert.match(String(cause), /etcd was restored from a backup/);
    await plane.killApiServer();
    await plane.startApiServer();
    await assertAtWork(restored);
  });
});
