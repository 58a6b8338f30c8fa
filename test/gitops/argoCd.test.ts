import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { parse } from 'yaml';
import { suiteCleanup } from '../cluster/support/cleanup.ts';
import { eventually } from '../cluster/support/eventually.ts';
import { sharedControlPlane, type TestNamespace } from '../cluster/support/namespace.ts';
import { at, configMap } from '../cluster/support/observer/observedObjects.ts';
import { applicationOf, setObserverScene } from '../cluster/support/observer/observerScene.ts';
import { setRestartScene } from '../cluster/support/restart/restartScene.ts';
import { specOf } from '../cluster/support/restart/workloadOptions.ts';
import { startArgoCd } from './support/argoCd.ts';
import type { GitOpsTool } from './support/gitOpsTool.ts';
import { hashKeyIn, testInstallation } from './support/installed.ts';
import { testApplications } from './support/observed.ts';
import { testReplicas } from './support/replicas.ts';
import { marksOf, restartBeside, testRestarts, workloadOf } from './support/restarted.ts';

const reference = readFileSync(join(import.meta.dirname, '../../docs/reference/observer.md'), 'utf8');

/** The health check of Applications that the docs have for the ConfigMap `argocd-cm`. */
function documentedHealthCheck() {
  const [, block = ''] =
    /```yaml\n(data:\n {2}resource\.customizations\.health\.weeder\.dev_Application[\s\S]*?)```/.exec(reference) ?? [];
  return objectOf(objectOf(parse(block))['data']);
}

const hashKeySecret = ({ name: namespace }: TestNamespace) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'weeder-hash-key', namespace },
  type: 'Opaque',
});

suite('beside Argo CD', () => {
  const t = suiteCleanup();
  let argoCd: GitOpsTool;
  before(async () => {
    argoCd = await startArgoCd(t, await sharedControlPlane(), documentedHealthCheck());
  });

  testInstallation(() => argoCd);
  testRestarts(() => argoCd);
  testReplicas(() => argoCd);
  testApplications(() => argoCd, {});

  test('the same with ServerSideApply=true', (t) =>
    restartBeside(t, argoCd, { syncPolicy: { syncOptions: ['ServerSideApply=true'] } }));

  test('after a restart, empty annotations in the pod template in Git are a difference that stays, and is harmless', async (t) => {
    const scene = await setRestartScene(t, 'empty');
    const { ns } = scene;
    const followed = await argoCd.follow(ns);
    await scene.put('web', { word: 'one' });
    const spec = specOf('Deployment', 'web', ns, { podAnnotations: {} });
    await followed.commit({ ...workloadOf(ns, 'Deployment', 'web'), spec });
    await followed.untilApplied();
    await scene.start(t);
    await scene.untilAdopted('Deployment', 'web');
    await scene.put('web', { word: 'two' });
    await scene.untilDone('Deployment', 'web', 1);
    const restarted = await marksOf(scene, 'web');
    const application = `/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/${ns.name}`;
    await eventually(
      async (saw) => {
        const { status } = objectOf(await ns.cluster.api('GET', application));
        saw(status);
        const heals = at(status, 'operationState', 'operation', 'sync', 'autoHealAttemptsCount');
        return Number(heals) >= 2 && at(status, 'sync', 'status') === 'OutOfSync';
      },
      { what: 'that two self-heals have not ended the difference' },
    );
    assert.deepEqual(await marksOf(scene, 'web'), restarted);
    await followed.commit(workloadOf(ns, 'Deployment', 'web'));
    await followed.untilApplied();
  });

  test('an Application that is paused is suspended, and one with drift in mode detect has failed', async (t) => {
    const scene = await setObserverScene(t, 'paused');
    const { ns } = scene;
    const followed = await argoCd.follow(ns);
    await scene.start(t);
    const manifests = [configMap('settings', { a: '1' })];
    await followed.commit(applicationOf(ns, { manifests }));
    await followed.untilHealth('healthy');
    const pausedUntil = new Date(Date.now() + 3_600_000).toISOString();
    await followed.commit(applicationOf(ns, { manifests, pausedUntil }));
    await followed.untilHealth('suspended');
    await followed.commit(applicationOf(ns, { manifests: [configMap('settings', { a: '2' })], mode: 'detect' }));
    await followed.untilHealth('failed');
  });

  test('Replace=true removes what restart control has written, which is a rollout, and empties the hash key', async (t) => {
    const scene = await setRestartScene(t, 'replaced');
    const { ns } = scene;
    const followed = await argoCd.follow(ns, { syncPolicy: { syncOptions: ['Replace=true'] } });
    await scene.put('web', { word: 'one' });
    await followed.commit(workloadOf(ns, 'Deployment', 'web'), hashKeySecret(ns));
    await followed.untilApplied();
    const weeder = await scene.start(t);
    await scene.untilAdopted('Deployment', 'web');
    await scene.put('web', { word: 'two' });
    await scene.untilDone('Deployment', 'web', 1);
    assert.ok((await marksOf(scene, 'web')).hash);
    assert.ok(await hashKeyIn(ns));
    await weeder.stop();
    await followed.compare();
    await followed.untilApplied();
    assert.ok((await marksOf(scene, 'web')).hash, 'a comparison alone replaces nothing');

    await followed.commit(workloadOf(ns, 'Deployment', 'web', { release: 'two' }), hashKeySecret(ns));
    await followed.untilApplied();
    const { state, hash } = await marksOf(scene, 'web');
    assert.deepEqual([state, hash], [undefined, undefined]);
    assert.equal(await scene.rollouts('Deployment', 'web'), 2);
    assert.equal(await hashKeyIn(ns), undefined);
  });

  test('with ApplyOutOfSyncOnly=true beside Replace=true, the hash key stays', async (t) => {
    const scene = await setRestartScene(t, 'out-of-sync-only');
    const { ns } = scene;
    const syncOptions = ['Replace=true', 'ApplyOutOfSyncOnly=true'];
    const followed = await argoCd.follow(ns, { syncPolicy: { syncOptions } });
    const other = (value: string) => configMap('other', { a: value });
    await followed.commit(other('1'), hashKeySecret(ns));
    await followed.untilApplied();
    await scene.start(t);
    const key = await eventually(() => hashKeyIn(ns), { what: 'the hash key' });
    await followed.commit(other('2'), hashKeySecret(ns));
    await followed.untilApplied();
    assert.deepEqual(await hashKeyIn(ns), key);
  });

  test('an object of an Application that has the annotation by which Argo CD tracks is pruned, one with the label is not', async (t) => {
    const scene = await setObserverScene(t, 'tracked');
    const { ns } = scene;
    const followed = await argoCd.follow(ns);
    await scene.watch('api/v1', 'configmaps');
    await scene.start(t);
    const trackingId = `${ns.name}:/ConfigMap:${ns.name}/annotated`;
    const manifests = [
      configMap(
        'annotated',
        {},
        { metadata: { name: 'annotated', annotations: { 'argocd.argoproj.io/tracking-id': trackingId } } },
      ),
      configMap('labelled', {}, { metadata: { name: 'labelled', labels: { 'app.kubernetes.io/instance': ns.name } } }),
    ];
    await followed.commit(applicationOf(ns, { manifests }));
    const deleted = () => scene.changes.filter(({ type }) => type === 'DELETED').map(({ name }) => name);
    await eventually(() => deleted().includes('annotated'), { what: 'that Argo CD prunes it' });
    await followed.compare();
    assert.ok(!deleted().includes('labelled'));
  });
});
