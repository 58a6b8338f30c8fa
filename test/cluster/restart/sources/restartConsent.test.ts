import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../../support/cluster.ts';
import { suiteDeploymentScene } from '../../support/restart/deploymentScene.ts';

const image = 'registry.invalid/web:1';

function using(...names: string[]): object {
  return { containers: [{ name: 'main', image, envFrom: names.map((name) => ({ configMapRef: { name } })) }] };
}

suite('opt-outs and opt-ins of sources, keys and workloads', { concurrency: 8 }, () => {
  const scene = suiteDeploymentScene('consent');

  for (const [whose, annotation] of [
    ['ours', { 'weeder.dev/skip-hash-calculation': 'true' }],
    ['KUDO’s', { 'kudo.dev/skip-hash-calculation': '' }],
    ['Reloader’s', { 'reloader.stakater.com/ignore': 'true' }],
  ] as const) {
    test(`a source that an annotation (${whose}) excludes restarts nothing; included again, its next change does`, async () => {
      const { make, change, deploy, caughtUp } = scene();
      const name = `excluded-${Object.keys(annotation).join().replace(/\W/g, '-')}`;
      await make('configmaps', name, { data: { a: '1' } }, annotation);
      const web = await deploy(name, using(name));
      await change('configmaps', name, { data: { a: '2' } });
      await caughtUp();
      const none = Object.fromEntries(Object.keys(annotation).map((key) => [key, null]));
      await change('configmaps', name, { metadata: { annotations: none } });
      await caughtUp();
      assert.equal(await web.rollouts(), 0);
      await change('configmaps', name, { data: { a: '3' } });
      await web.restarted(1);
    });
  }

  test('an excluded key restarts nothing, the others do', async () => {
    const { make, change, deploy, caughtUp } = scene();
    await make('configmaps', 'one-key', { data: { a: '1', b: '1' } }, { 'weeder.dev/skip-hash-calculation': 'b' });
    const web = await deploy('one-key', using('one-key'));
    await change('configmaps', 'one-key', { data: { b: '2' } });
    await caughtUp();
    assert.equal(await web.rollouts(), 0);
    await change('configmaps', 'one-key', { data: { a: '2' } });
    await web.restarted(1);
  });

  test('a workload that no rule matches is managed by its own annotation, and released without a rollout', async () => {
    const { make, change, deploy, create, caughtUp } = scene();
    await make('configmaps', 'opt-in', { data: { a: '1' } });
    const optIn = 'weeder.dev/restart-on-change';
    const web = await deploy('opts-in', using('opt-in'), { labels: {}, annotations: { [optIn]: 'true' } });
    const [silent, refuses] = [
      await create('silent', using('opt-in'), { labels: {} }),
      await create('refuses', using('opt-in'), { annotations: { [optIn]: 'false' } }),
    ];
    await change('configmaps', 'opt-in', { data: { a: '2' } });
    await web.restarted(1);
    await caughtUp();
    assert.deepEqual([await silent.rollouts(), await refuses.rollouts()], [0, 0]);
    assert.deepEqual([await silent.state(), await refuses.state()], [undefined, undefined]);
    const before = await web.uids();
    await web.patch({ metadata: { annotations: { [optIn]: 'false' } } });
    await eventually(async () => (await web.state()) === undefined, { what: 'the removal of the state' });
    await change('configmaps', 'opt-in', { data: { a: '3' } });
    await caughtUp();
    assert.deepEqual([await web.rollouts(), await web.uids()], [1, before]);
    await web.patch({ metadata: { annotations: { [optIn]: 'true' } } });
    await web.current();
    await caughtUp();
    assert.equal(await web.rollouts(), 1);
  });

  test('workloads with one source are adopted without a rollout, and each is restarted once', async () => {
    const { make, change, deploy, caughtUp } = scene();
    await make('configmaps', 'shared', { data: { a: '1' } });
    const names = ['many-1', 'many-2', 'many-3', 'many-4', 'many-5', 'many-6'];
    const workloads = await Promise.all(names.map((name) => deploy(name, using('shared'))));
    await caughtUp();
    assert.deepEqual(await Promise.all(workloads.map((web) => web.rollouts())), [0, 0, 0, 0, 0, 0]);
    await change('configmaps', 'shared', { data: { a: '2' } });
    await Promise.all(workloads.map((web) => web.restarted(1)));
    await caughtUp();
    assert.deepEqual(await Promise.all(workloads.map((web) => web.rollouts())), [1, 1, 1, 1, 1, 1]);
  });

  test('a copy of a workload has the state of the other one, and is adopted', async () => {
    const { make, change, deploy, create, caughtUp } = scene();
    await make('configmaps', 'copied', { data: { a: '1' } });
    const web = await deploy('original', using('copied'));
    const { annotations = {} } = (await web.read()).metadata;
    const { 'deployment.kubernetes.io/revision': _revision, ...copied } = annotations;
    await change('configmaps', 'copied', { data: { a: '2' } });
    await web.restarted(1);
    const copy = await create('copy', using('copied'), { annotations: copied });
    await copy.current();
    await caughtUp();
    assert.equal(await copy.rollouts(), 0);
    assert.equal((await copy.state())?.workloadUid, (await copy.read()).metadata.uid);
  });
});
