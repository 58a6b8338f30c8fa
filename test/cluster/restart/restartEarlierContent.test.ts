import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../support/cluster.ts';
import { suiteDeploymentScene } from '../support/restart/deploymentScene.ts';
import { untilTime } from '../support/scene.ts';

/** A pod spec with all keys of a ConfigMap as variables. */
function using(name: string, image = 'registry.invalid/web:1'): object {
  return { containers: [{ name: 'main', image, envFrom: [{ configMapRef: { name } }] }] };
}

suite('a source that has other content for a while', { concurrency: 4 }, () => {
  const scene = suiteDeploymentScene('returns', { quietPeriod: '6s', quietMax: '30s' });

  test('pods of the user’s rollout in between are restarted once, and have the source’s current content then', async () => {
    const { make, change, deploy, caughtUp } = scene();
    const name = 'with-rollout';
    await make('configmaps', name, { data: { a: 'old' } });
    const web = await deploy(name, using(name), { replicas: 2 });
    await change('configmaps', name, { data: { a: 'between' } });
    await web.patch({ spec: { template: { spec: using(name, 'registry.invalid/web:2') } } });
    await eventually(
      async (saw) => {
        const contents = await web.contents();
        saw(contents);
        return contents.some(({ env }) => env['a'] === 'between');
      },
      { what: 'a pod that started in between' },
    );
    await change('configmaps', name, { data: { a: 'old' } });
    await web.restarted(2);
    await caughtUp();
    assert.equal(await web.rollouts(), 2);
    const contents = await web.contents();
    assert.deepEqual(
      contents.map(({ env }) => env),
      [{ a: 'old' }, { a: 'old' }],
    );
  });

  test('if no pod was started in between, nothing restarts', async () => {
    const { make, change, deploy, caughtUp } = scene();
    const name = 'without';
    await make('configmaps', name, { data: { a: 'old' } });
    const web = await deploy(name, using(name));
    // A write within the second of the start of the container might have preceded it.
    await untilTime(Date.now() + 4_000);
    const before = await web.uids();
    await change('configmaps', name, { data: { a: 'between' } });
    await change('configmaps', name, { data: { a: 'old' } });
    await caughtUp();
    await web.current();
    assert.equal(await web.rollouts(), 0);
    assert.deepEqual(await web.uids(), before);
  });
});
