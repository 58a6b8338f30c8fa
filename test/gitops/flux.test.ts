import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { suiteCleanup } from '../cluster/support/cleanup.ts';
import { eventually } from '../cluster/support/eventually.ts';
import { sharedControlPlane } from '../cluster/support/namespace.ts';
import { conditionOf, configMap } from '../cluster/support/observer/observedObjects.ts';
import { applicationOf, setObserverScene } from '../cluster/support/observer/observerScene.ts';
import { startFlux } from './support/flux.ts';
import type { GitOpsTool } from './support/gitOpsTool.ts';
import { testInstallation } from './support/installed.ts';
import { fought, testApplications } from './support/observed.ts';
import { testRestarts } from './support/restarted.ts';

suite('beside Flux', () => {
  const t = suiteCleanup();
  let flux: GitOpsTool;
  before(async () => {
    flux = await startFlux(t, await sharedControlPlane());
  });

  testInstallation(() => flux);
  testRestarts(() => flux);
  testApplications(() => flux, { wait: true });

  test('Degraded names Flux while it reverts a field again and again', async (t) => {
    const { followed, scene } = await fought(t, flux);
    const message = await eventually(
      async (saw) => {
        await followed.compare();
        const condition = await conditionOf(scene, 'shop', 'Degraded');
        saw(condition);
        return condition['status'] === 'True' && String(condition['message']);
      },
      { what: 'that the application is degraded' },
    );
    assert.match(message, /kustomize-controller/);
  });

  for (const [state, spec] of Object.entries({
    paused: { manifests: [configMap('settings', {})], pausedUntil: new Date(Date.now() + 3_600_000).toISOString() },
    Degraded: { manifests: [{ apiVersion: 'example.org/v1', kind: 'Unknown', metadata: { name: 'unknown' } }] },
  }))
    test(`for an Application that is ${state}, Flux waits until its timeout`, async (t) => {
      const scene = await setObserverScene(t, 'timeout');
      const followed = await flux.follow(scene.ns, { wait: true, timeout: '5s' });
      await scene.start(t);
      await followed.commit(applicationOf(scene.ns, spec));
      await followed.untilHealth('failed');
      assert.equal(await scene.condition('shop', 'Stalled'), undefined);
    });

  test('an object of an Application is not pruned, even with the labels of Flux', async (t) => {
    const scene = await setObserverScene(t, 'labelled');
    const { ns } = scene;
    const followed = await flux.follow(ns);
    await scene.watch('api/v1', 'configmaps');
    await scene.start(t);
    const labels = {
      'kustomize.toolkit.fluxcd.io/name': ns.name,
      'kustomize.toolkit.fluxcd.io/namespace': ns.name,
    };
    const labelled = (a: string) => configMap('labelled', { a }, { metadata: { name: 'labelled', labels } });
    for (const value of ['1', '2']) {
      await followed.commit(applicationOf(ns, { manifests: [labelled(value)] }));
      await followed.untilApplied();
      await scene.untilInSync('shop');
    }
    await followed.compare();
    assert.deepEqual(
      new Set(scene.changes.map(({ type, name }) => `${type} ${name}`)),
      new Set(['ADDED labelled', 'MODIFIED labelled']),
    );
  });
});
