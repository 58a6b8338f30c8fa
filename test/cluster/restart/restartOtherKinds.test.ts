import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { type JsonObject, objectOf, timeOf } from '@weeder/kube-runtime/base';
import { decodeState } from '../../../src/restart/content/state.ts';
import { temporaryFile } from '../support/cluster.ts';
import { eventsWith } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { installCrd } from '../support/observer/applicationCrd.ts';
import {
  cloneSets,
  definitionOf,
  reconcileCloneSet,
  reconcileRollout,
  rollouts,
  startController,
} from '../support/restart/otherKinds.ts';
import { type RestartScene, setRestartScene } from '../support/restart/restartScene.ts';
import { specOf } from '../support/restart/workloadOptions.ts';

const run = promisify(execFile);
const strategicPatch = 'application/strategic-merge-patch+json';
const workloadKinds = [{ kind: 'Rollout.argoproj.io' }, { kind: 'CloneSet.apps.kruise.io' }];

/** The collections of the scene. */
const pathOf = {
  Rollout: (scene: RestartScene) => scene.ns.path('apis/argoproj.io/v1alpha1', 'rollouts'),
  CloneSet: (scene: RestartScene) => scene.ns.path('apis/apps.kruise.io/v1alpha1', 'clonesets'),
};

async function created(scene: RestartScene, kind: keyof typeof pathOf, name: string, more: object = {}) {
  const path = `${pathOf[kind](scene)}/${name}`;
  const { cluster } = scene.ns;
  await scene.put(name, { word: 'one' });
  const apiVersion = kind === 'Rollout' ? 'argoproj.io/v1alpha1' : 'apps.kruise.io/v1alpha1';
  await cluster.api('POST', pathOf[kind](scene), {
    apiVersion,
    kind,
    metadata: { name },
    spec: specOf('Deployment', name, scene.ns, { spec: more }),
  });
  await untilAvailable(scene, name, 2);
  await untilSettled(scene, path);
  return { path, uids: await uidsOf(scene, name), before: objectOf(await cluster.api('GET', path)) };
}

function stateOf(object: JsonObject) {
  const { annotations } = objectOf(object['metadata']);
  const text = objectOf(annotations)['weeder.dev/dependencies'];
  const state = decodeState(typeof text === 'string' ? text : undefined);
  return typeof state === 'object' ? state : undefined;
}

/** Waits until a state is stored, and no restart is in progress. */
function untilSettled(scene: RestartScene, path: string, restarts = 0): Promise<JsonObject> {
  return eventually(
    async (saw) => {
      const object = objectOf(await scene.ns.cluster.api('GET', path));
      const state = stateOf(object);
      saw([state, object['status']]);
      return state !== undefined && state.target === undefined && state.restarts.length === restarts && object;
    },
    { what: `${restarts} restarts of ${path}, recorded` },
  );
}

function untilAvailable(scene: RestartScene, name: string, count: number) {
  return eventually(
    async () => (await scene.pods(name)).filter(({ status }) => status?.phase === 'Running').length === count,
    { what: `the pods of ${name}` },
  );
}

async function uidsOf(scene: RestartScene, name: string): Promise<string[]> {
  return (await scene.pods(name)).map(({ metadata }) => metadata.uid);
}

/** Runs `weeder explain workload`, which must succeed, and returns the lines of its output. */
async function explain(scene: RestartScene, name: string): Promise<string[]> {
  const config = temporaryFile('weeder.yaml');
  writeFileSync(config, JSON.stringify(scene.config({ workloadKinds: workloadKinds.slice(0, 1) })));
  const kubeconfig = scene.ns.cluster.kubeconfigFor('admin');
  const flags = ['-n', scene.ns.name, `--config-file=${config}`, `--kubeconfig=${kubeconfig}`];
  const args = ['src/cli/weeder.ts', 'explain', 'workload', name, ...flags];
  const { stdout } = await run(process.execPath, args, { cwd: join(import.meta.dirname, '../../..') });
  return stdout.trimEnd().split('\n');
}

const templateOf = (object: JsonObject) => objectOf(object['spec'])['template'];

suite('workloads of kinds of other groups', { concurrency: true }, () => {
  test('a Rollout is restarted by its time, once, and without a new template', async (t) => {
    const scene = await setRestartScene(t, 'rollout');
    await installCrd(scene.ns.cluster, rollouts);
    await installCrd(scene.ns.cluster, cloneSets);
    startController(t, scene.ns, pathOf.Rollout(scene), reconcileRollout);
    const weeder = await scene.start(t, { config: scene.config({ workloadKinds }) });
    const { path, uids, before } = await created(scene, 'Rollout', 'web');
    await scene.put('web', { word: 'two' });
    const after = await untilSettled(scene, path, 1);
    assert.deepEqual(templateOf(after), templateOf(before));
    const { restartAt } = objectOf(after['spec']);
    assert.equal(timeOf(objectOf(after['status'])['restartedAt']), timeOf(restartAt));
    const now = await uidsOf(scene, 'web');
    assert.deepEqual([now.length, now.filter((uid) => uids.includes(uid))], [2, []]);
    await weeder.log.until('workload rolled out: its pods have the new content', {
      workload: 'rollout.argoproj.io/web',
    });
    for (const reason of ['DependencyChanged', 'Restarted', 'RolledOut']) {
      const [event] = await eventsWith(scene.ns, ['involvedObject.kind=Rollout', `reason=${reason}`], [reason]);
      assert.equal(event?.involvedObject['apiVersion'], 'argoproj.io/v1alpha1');
    }
    for (const name of ['web', 'rollout/web', 'rollouts.argoproj.io/web']) {
      const [first, ...more] = await explain(scene, name);
      assert.match(first ?? '', new RegExp(`^Rollout\\.argoproj\\.io ${scene.ns.name}/web`));
      assert.match(more.join('\n'), /Restarted/);
    }
  });

  test('a Rollout with the template of a Deployment is restarted in its place, and the Deployment without it', async (t) => {
    const scene = await setRestartScene(t, 'workloadref');
    const { cluster } = scene.ns;
    await installCrd(cluster, rollouts);
    startController(t, scene.ns, pathOf.Rollout(scene), reconcileRollout);
    await scene.put('web', { word: 'one' });
    await scene.put('other', { word: 'one' });
    const { template } = specOf('Deployment', 'web', scene.ns);
    const deployments = scene.ns.path('apis/apps/v1', 'deployments');
    const path = `${deployments}/web`;
    const selector = { matchLabels: { workload: 'web' } };
    const kind = 'Deployment';
    await cluster.api('POST', deployments, { metadata: { name: 'web' }, spec: { replicas: 0, selector, template } });
    const config = scene.config({ workloadKinds: workloadKinds.slice(0, 1) });
    const first = await scene.start(t, { config });
    await scene.untilAdopted(kind, 'web');
    const rollout = `${pathOf.Rollout(scene)}/web`;
    await cluster.api('POST', pathOf.Rollout(scene), {
      ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'web' } },
      spec: { replicas: 2, workloadRef: { apiVersion: 'apps/v1', kind, name: 'web' } },
    });
    await untilSettled(scene, rollout);
    await eventually(async () => (await scene.state(kind, 'web')) === undefined, { what: 'the removal of its state' });
    await untilAvailable(scene, 'web', 2);

    const uids = await uidsOf(scene, 'web');
    await scene.put('web', { word: 'two' });
    await untilSettled(scene, rollout, 1);
    assert.deepEqual(
      (await uidsOf(scene, 'web')).filter((uid) => uids.includes(uid)),
      [],
    );
    const [line] = await explain(scene, 'deployment/web');
    assert.match(line ?? '', /has the template of Rollout\.argoproj\.io .*\/web, which is restarted in its place/);

    // What changes without weeder is found by the next one, which reads Deployments and Rollouts in any order.
    await first.stop();
    await scene.put('web', { word: 'three' });
    await scene.start(t, { config });
    await untilSettled(scene, rollout, 2);

    const containers = [{ name: 'main', envFrom: [{ configMapRef: { name: 'other' } }] }];
    await cluster.api('PATCH', path, { spec: { template: { spec: { containers } } } }, strategicPatch);
    await eventually(
      async (saw) => {
        const { rolledOut } = stateOf(objectOf(await cluster.api('GET', rollout))) ?? {};
        saw([...(rolledOut?.keys() ?? [])]);
        return rolledOut?.has(`configmap/${scene.ns.name}/other`);
      },
      { what: 'the use of the other ConfigMap' },
    );
    await scene.put('other', { word: 'two' });
    await untilSettled(scene, rollout, 3);
    // Only the patch of this test has changed the template of the Deployment.
    assert.equal(await scene.rollouts(kind, 'web'), 1);

    await cluster.api('DELETE', rollout);
    await scene.untilAdopted(kind, 'web');
  });

  test('a paused Rollout waits until it is resumed', async (t) => {
    const scene = await setRestartScene(t, 'rollout');
    await installCrd(scene.ns.cluster, rollouts);
    startController(t, scene.ns, pathOf.Rollout(scene), reconcileRollout);
    const weeder = await scene.start(t, { config: scene.config({ workloadKinds: workloadKinds.slice(0, 1) }) });
    const { path } = await created(scene, 'Rollout', 'web', { paused: true });
    await scene.put('web', { word: 'two' });
    const line = await weeder.log.until('restart pending', { workload: 'rollout.argoproj.io/web' });
    assert.equal(line['cause'], 'paused');
    assert.equal(objectOf(objectOf(await scene.ns.cluster.api('GET', path))['spec'])['restartAt'], undefined);
    await scene.ns.cluster.api('PATCH', path, { spec: { paused: false } });
    await untilSettled(scene, path, 1);
  });

  test('a CloneSet gets a new template, and its partition keeps one pod', async (t) => {
    const scene = await setRestartScene(t, 'cloneset');
    await installCrd(scene.ns.cluster, rollouts);
    await installCrd(scene.ns.cluster, cloneSets);
    startController(t, scene.ns, pathOf.CloneSet(scene), reconcileCloneSet);
    await scene.start(t, { config: scene.config({ workloadKinds }) });
    const whole = await created(scene, 'CloneSet', 'whole');
    const parted = await created(scene, 'CloneSet', 'parted', { updateStrategy: { partition: 1 } });
    await scene.put('whole', { word: 'two' });
    await scene.put('parted', { word: 'two' });
    const after = await untilSettled(scene, whole.path, 1);
    assert.notDeepEqual(templateOf(after), templateOf(whole.before));
    assert.deepEqual(
      (await uidsOf(scene, 'whole')).filter((uid) => whole.uids.includes(uid)),
      [],
    );
    await untilSettled(scene, parted.path, 1);
    assert.equal((await uidsOf(scene, 'parted')).filter((uid) => parted.uids.includes(uid)).length, 1);
  });

  test('a kind that is not served delays no other kind, and is managed when its CRD is installed', async (t) => {
    const scene = await setRestartScene(t, 'late');
    const { ns } = scene;
    const group = `${ns.name}.example.org`;
    const section = { workloadKinds: [{ kind: `Server.${group}`, templatePath: 'spec.pods.template' }] };
    const weeder = await scene.start(t, { config: scene.config(section) });
    const line = await weeder.log.until('stream lost', { stream: `server.${group} in ${ns.name}` });
    assert.match(String(line['cause']), /^The API server has no kind Server\./);
    await scene.put('web', { word: 'one' });
    await scene.make('Deployment', 'web');
    await scene.untilAdopted('Deployment', 'web');
    await installCrd(ns.cluster, definitionOf(group, 'v2', 'Server'));
    const path = ns.path(`apis/${group}/v2`, 'servers');
    const { template, ...rest } = specOf('Deployment', 'web', scene.ns);
    const object = { apiVersion: `${group}/v2`, kind: 'Server', metadata: { name: 'db' } };
    await ns.cluster.api('POST', path, { ...object, spec: { ...rest, pods: { template } } });
    const adopted = await untilSettled(scene, `${path}/db`);
    assert.deepEqual([...(stateOf(adopted)?.rolledOut.keys() ?? [])], [`configmap/${ns.name}/web`]);
  });
});
