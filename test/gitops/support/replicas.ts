import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import type { Cleanup } from '../../cluster/support/cleanup.ts';
import { eventually } from '../../cluster/support/eventually.ts';
import { at } from '../../cluster/support/observer/observedObjects.ts';
import { type RestartScene, setRestartScene } from '../../cluster/support/restart/restartScene.ts';
import type { GitOpsTool } from './gitOpsTool.ts';
import { workloadOf } from './restarted.ts';

/** A workload with two pods in Git, of which weeder deletes all pods before new ones start. */
async function toReplace(t: Cleanup, { follow }: GitOpsTool, spec: JsonObject) {
  const scene = await setRestartScene(t, 'replicas');
  const { ns } = scene;
  const configMaps = ns.path('api/v1', 'configmaps');
  const make = (word: string) =>
    ns.cluster.api('POST', configMaps, { metadata: { name: 'web' }, immutable: true, data: { word } });
  const followed = await follow(ns, spec);
  await make('one');
  await followed.commit(workloadOf(ns, 'Deployment', 'web'));
  await followed.untilApplied();
  await scene.start(t, { config: scene.config({ immutableRecreated: 'replace' }) });
  await scene.untilAdopted('Deployment', 'web');
  return {
    scene,
    followed,
    /** Recreates the immutable ConfigMap, so that weeder scales the workload to 0. */
    async recreate() {
      await ns.cluster.api('DELETE', `${configMaps}/web`);
      await make('two');
    },
  };
}

/** The numbers of replicas that the workload has had, without repetitions. */
async function replicasOf(scene: RestartScene): Promise<readonly unknown[]> {
  const counts = (await scene.versions('Deployment', 'web')).map((object) => at(object, 'spec', 'replicas'));
  return counts.filter((replicas, index) => index === 0 || replicas !== counts[index - 1]);
}

/** Registers the tests of a number of replicas that is in Git and that weeder changes. */
export function testReplicas(tool: () => GitOpsTool): void {
  test('a self-heal scales a workload up while its old pods terminate, and the restart begins again', async (t) => {
    const { scene, recreate } = await toReplace(t, tool(), {});
    const { cluster, path } = scene.ns;
    // They terminate until the test ends.
    for (const { metadata } of await scene.pods('web')) {
      const patch = { metadata: { finalizers: ['example.org/held'] } };
      await cluster.api('PATCH', path('api/v1', 'pods', metadata.name), patch);
    }
    await recreate();
    await eventually(
      async (saw) => {
        const replicas = await replicasOf(scene);
        saw(replicas);
        return replicas.length >= 4;
      },
      { what: 'that the workload is scaled to 0 again' },
    );
    assert.deepEqual((await replicasOf(scene)).slice(0, 4), [2, 0, 2, 0]);
  });

  test('with ignoreDifferences for the replicas, the restart is not a difference', async (t) => {
    const ignored = { group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] };
    const { scene, followed, recreate } = await toReplace(t, tool(), { ignoreDifferences: [ignored] });
    await recreate();
    await scene.untilDone('Deployment', 'web', 1);
    await followed.compare();
    await followed.untilApplied();
    assert.deepEqual(await replicasOf(scene), [2, 0, 2]);
  });
}
