import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { grant, type Rule } from '../../support/cluster.ts';
import { denials } from '../../support/deploy/denials.ts';
import { setRestartScene } from '../../support/restart/restartScene.ts';

const readAlways = ['get', 'list', 'watch'];
/** The rules that restart control needs in the Role of a namespace. */
const rules: readonly Rule[] = [
  { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: readAlways },
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: [...readAlways, 'patch'] },
  { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: [...readAlways, 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'update'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

suite('the scope of restart control', { concurrency: true }, () => {
  test('with Roles in its namespaces alone it restarts there, and sends no request for any other', async (t) => {
    const scene = await setRestartScene(t, 'inside');
    const other = await setRestartScene(t, 'outside');
    const { cluster, name: namespace } = scene.ns;
    const user = cluster.takeUser();
    await grant(cluster, user, rules, { namespace });
    for (const restartScene of [scene, other]) {
      await restartScene.put('web', { word: 'one' });
      await restartScene.make('Deployment', 'web', { spec: { replicas: 1 } });
    }
    const weeder = await scene.start(t, { user });
    await scene.untilAdopted('Deployment', 'web');
    await other.put('web', { word: 'two' });
    await scene.put('web', { word: 'two' });
    await scene.untilDone('Deployment', 'web', 1);
    assert.deepEqual(
      [await other.rollouts('Deployment', 'web'), await other.state('Deployment', 'web')],
      [0, undefined],
    );
    assert.deepEqual(denials(weeder), []);
  });

  test('a Secret of 1 MiB is followed like any other', async (t) => {
    const scene = await setRestartScene(t, 'large');
    const uses = { envFrom: [{ secretRef: { name: 'web' } }] };
    const filling = 'x'.repeat(2 ** 20 - 200);
    await scene.put('web', { word: `one${filling}` }, 'Secret');
    await scene.make('Deployment', 'web', { spec: { replicas: 1 }, uses });
    await scene.start(t);
    await scene.untilAdopted('Deployment', 'web');
    // Changes one character of a million.
    await scene.put('web', { word: `two${filling}` }, 'Secret');
    await scene.untilDone('Deployment', 'web', 1);
    assert.ok(((await scene.summary('Deployment', 'web')).stateText ?? '').length < 1_000);
  });
});
