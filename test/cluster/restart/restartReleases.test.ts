import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { z } from 'zod';
import { inParallel } from '../../../src/base/promises.ts';
import { eventually, KubeObject } from '../support/cluster.ts';
import type { Deployed } from '../support/deploy/deployment.ts';
import { type DeploymentScene, suiteDeploymentScene } from '../support/restart/deploymentScene.ts';

const ReplicaSets = z.looseObject({ items: z.array(KubeObject) });
const image = 'registry.invalid/web:1';
const revision = 'deployment.kubernetes.io/revision';

/** A pod spec with all keys of a ConfigMap as variables. */
function using(name: string, imageName = image): object {
  return { containers: [{ name: 'main', image: imageName, envFrom: [{ configMapRef: { name } }] }] };
}

/** The patch of a rollout by the user. */
function release(pod: object): object {
  return { spec: { template: { spec: pod } } };
}

async function replicaSetsOf({ ns }: DeploymentScene, name: string): Promise<KubeObject[]> {
  const path = `${ns.path('apis/apps/v1', 'replicasets')}?labelSelector=workload%3D${name}`;
  return ReplicaSets.parse(await ns.cluster.api('GET', path)).items;
}

async function templatesOf(scene: DeploymentScene, { name }: Deployed): Promise<object[]> {
  return (await replicaSetsOf(scene, name)).map((each) => objectOf(objectOf(objectOf(each)['spec'])['template']));
}

/** Waits until the pods were created in an earlier second than the next write. */
async function aged(web: Deployed): Promise<void> {
  const [pod] = await web.pods();
  const creationTime = Date.parse(pod?.metadata.creationTimestamp ?? '');
  await eventually(() => Date.now() >= creationTime + 2_000, { what: `a pod of ${web.name} that is 2 s old` });
}

function released(web: Deployed): object {
  return using(web.name, 'registry.invalid/web:2');
}

/** Writes the whole object like `kubectl replace`, without the changes of other clients. */
async function releaseWhole({ ns }: DeploymentScene, web: Deployed): Promise<() => Promise<unknown>> {
  const { metadata, ...whole } = await web.read();
  const { annotations: _, managedFields: _fields, resourceVersion: _version, ...rest } = objectOf(metadata);
  const spec = objectOf(objectOf(whole)['spec']);
  const template = objectOf(spec['template']);
  const next = { ...template, spec: { ...objectOf(template['spec']), ...released(web) } };
  const body = { ...whole, metadata: rest, spec: { ...spec, template: next } };
  return () => ns.cluster.api('PUT', ns.path('apis/apps/v1', 'deployments', web.name), body);
}

/** Restores the previous revision, as `kubectl rollout undo` does. */
async function undo(scene: DeploymentScene, { name }: Deployed): Promise<void> {
  const revisionOf = ({ metadata }: KubeObject) => Number(metadata.annotations?.[revision]);
  const replicaSets = await replicaSetsOf(scene, name);
  const [, target] = replicaSets.sort((one, other) => revisionOf(other) - revisionOf(one));
  assert(target);
  const template = objectOf(objectOf(objectOf(target)['spec'])['template']);
  const { 'pod-template-hash': _hash, ...labels } = objectOf(objectOf(template['metadata'])['labels']);
  const annotations = Object.entries(target.metadata.annotations ?? {}).filter(([key]) => !controllers.has(key));
  const patch = [
    {
      op: 'replace',
      path: '/spec/template',
      value: { ...template, metadata: { ...objectOf(template['metadata']), labels } },
    },
    { op: 'replace', path: '/metadata/annotations', value: Object.fromEntries(annotations) },
  ];
  const path = scene.ns.path('apis/apps/v1', 'deployments', name);
  await scene.ns.cluster.api('PATCH', path, patch, 'application/json-patch+json');
}

/** Annotations that the controller of a ReplicaSet uses, and an undo does not copy. */
const controllers = new Set([
  revision,
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
]);

suite('rollouts of the user together with those of weeder', { concurrency: 8 }, () => {
  // The start time of a slow node: if a pod starts within the second of the write, or before weeder on a busy machine
  // has listed the pods, their order is unknown. The quiet period is longer than both writes of a release take.
  const scene = suiteDeploymentScene('releases', { quietPeriod: '3s' }, 5_000);

  test('a release by PUT or PATCH right after its source is one rollout, in each of thirty runs', async () => {
    const { make, change, deploy, caughtUp } = scene();
    const names = Array.from({ length: 30 }, (_, index) => `release-${index}`);
    const webs = await Promise.all(
      names.map(async (name) => {
        await make('configmaps', name, { data: { a: 'old' } });
        return deploy(name, using(name));
      }),
    );
    for (const [index, web] of webs.entries()) {
      await aged(web);
      const send = index % 2 === 0 ? await releaseWhole(scene(), web) : () => web.patch(release(released(web)));
      await change('configmaps', web.name, { data: { a: 'new' } });
      await send();
    }
    for (const web of webs) await web.restarted(1);
    await caughtUp();
    for (const web of webs) await web.current();
    const counted = await Promise.all(
      webs.map(async (web) => [web.name, await web.rollouts(), (await templatesOf(scene(), web)).length]),
    );
    assert.deepEqual(
      counted,
      webs.map(({ name }) => [name, 1, 2]),
    );
    const contents = await Promise.all(webs.map((web) => web.contents()));
    assert.ok(contents.flat().every(({ env }) => env['a'] === 'new'));
  });

  test('evicted pods that were not cleaned up cause no second rollout', async () => {
    const { ns, make, change, deploy, caughtUp } = scene();
    await make('configmaps', 'evicted', { data: { a: 'old' } });
    const web = await deploy('evicted', using('evicted'), { replicas: 2 });
    const [pod] = await web.pods();
    const path = ns.path('api/v1', 'pods', pod?.metadata.name ?? '');
    const status = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' };
    await ns.cluster.api('PATCH', `${path}/status`, { status });
    await web.current();
    await aged(web);
    for (const [value, rollouts] of [
      ['new', 1],
      ['newer', 2],
    ] as const) {
      await change('configmaps', 'evicted', { data: { a: value } });
      await web.restarted(rollouts);
      await caughtUp();
      await web.current();
      assert.equal(await web.rollouts(), rollouts);
    }
    assert.equal((await ns.cluster.send('GET', path)).status, 200, 'the evicted pod still exists');
  });

  test('two containers that use three hundred sources converge, and a change of one of them is one rollout', async () => {
    const { make, change, deploy, caughtUp } = scene();
    const names = Array.from({ length: 300 }, (_, index) => `many-${index}`);
    await inParallel(names, 16, async (name) => {
      await make('configmaps', name, { data: { [name]: 'old' } });
    });
    const envFrom = names.map((name) => ({ configMapRef: { name } }));
    const containers = [
      { name: 'main', image, envFrom: envFrom.slice(0, 150) },
      { name: 'other', image, envFrom: envFrom.slice(150) },
    ];
    const web = await deploy('many', { containers });
    await aged(web);
    await change('configmaps', 'many-299', { data: { 'many-299': 'new' } });
    await web.restarted(1);
    await caughtUp();
    await web.current();
    assert.equal(await web.rollouts(), 1);
  });

  test('a template with a new source is the user’s rollout alone, and changes of that source count from then on', async () => {
    const { make, change, deploy, caughtUp } = scene();
    for (const name of ['before', 'after']) await make('configmaps', name, { data: { a: 'old' } });
    const web = await deploy('moves', using('before'));
    await web.patch(release(using('after')));
    await web.restarted(1);
    await caughtUp();
    await change('configmaps', 'before', { data: { a: 'new' } });
    await caughtUp();
    assert.equal(await web.rollouts(), 1);
    await change('configmaps', 'after', { data: { a: 'new' } });
    await web.restarted(2);
    assert.deepEqual([...(await web.current()).rolledOut.keys()], [`configmap/${scene().ns.name}/after`]);
  });

  test('an undo after a restart restores the old hash, and restarts nothing: its pods are new', async () => {
    const { make, change, deploy, caughtUp } = scene();
    await make('configmaps', 'undone', { data: { a: '1' } });
    const web = await deploy('undone', using('undone'));
    await web.patch(release(using('undone', 'registry.invalid/web:2')));
    await web.restarted(1);
    await aged(web);
    await change('configmaps', 'undone', { data: { a: '2' } });
    await web.restarted(2);
    await aged(web);
    await undo(scene(), web);
    await web.restarted(3);
    await caughtUp();
    await web.current();
    assert.equal(await web.rollouts(), 3);
    assert.deepEqual((await web.content())?.env, { a: '2' });
    await change('configmaps', 'undone', { data: { a: '3' } });
    await web.restarted(4);
    assert.deepEqual((await web.content())?.env, { a: '3' });
  });

  test('scaling, labels and annotations restart nothing', async () => {
    const { make, deploy, caughtUp } = scene();
    await make('configmaps', 'scaled', { data: { a: '1' } });
    const web = await deploy('scaled', using('scaled'));
    const [pod] = await web.pods();
    const before = await web.current();
    await web.patch({ metadata: { labels: { own: 'one' }, annotations: { own: 'one' } }, spec: { replicas: 3 } });
    await caughtUp();
    const after = await web.current();
    const uids = (await web.pods()).map(({ metadata }) => metadata.uid);
    assert.deepEqual([await web.rollouts(), uids.length, uids.includes(pod?.metadata.uid ?? '')], [0, 3, true]);
    assert.deepEqual(after, before);
  });

  test('after a scale-up from 0 the pods have the new content: nothing restarts', async () => {
    const { make, change, deploy, caughtUp } = scene();
    await make('configmaps', 'asleep', { data: { a: '1' } });
    const web = await deploy('asleep', using('asleep'), { replicas: 0 });
    await change('configmaps', 'asleep', { data: { a: '2' } });
    await caughtUp();
    await web.patch({ spec: { replicas: 1 } });
    await web.current();
    await caughtUp();
    assert.deepEqual([await web.rollouts(), (await web.content())?.env], [0, { a: '2' }]);
  });
});
