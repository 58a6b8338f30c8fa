import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { applicationsPath } from '../../../src/observer/status/applicationApi.ts';
import { eventually } from '../support/cluster.ts';
import { chartFolder, helm, withValues } from '../support/deploy/helm.ts';
import { previousChart } from '../support/deploy/previousChart.ts';
import type { Cluster } from '../support/plane/access.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';

const KubeObject = z.looseObject({
  metadata: z.looseObject({ uid: z.string(), labels: z.record(z.string(), z.string()).optional() }),
  data: z.record(z.string(), z.string()).optional(),
});
const ours = '/api/v1/namespaces/weeder';
const deployment = '/apis/apps/v1/namespaces/weeder/deployments/weeder';
const budget = '/apis/policy/v1/namespaces/weeder/poddisruptionbudgets/weeder';
const lease = '/apis/rbac.authorization.k8s.io/v1/namespaces/weeder/roles/weeder-lease';
const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/applications.weeder.dev';
const application = `${applicationsPath('default')}/settings`;

async function read(cluster: Cluster, path: string) {
  return KubeObject.parse(await cluster.api('GET', path));
}

async function configOf(cluster: Cluster): Promise<unknown> {
  return parse((await read(cluster, `${ours}/configmaps/weeder`)).data?.['weeder.yaml'] ?? '');
}

/** Runs Helm on the release `weeder`, which has the observer and restart control unless `values` say otherwise. */
async function release(cluster: Cluster, verb: 'install' | 'upgrade', values: object, chart = chartFolder) {
  const releaseValues = { restartControl: { enabled: true }, observer: { enabled: true }, ...values };
  const place = ['--namespace', 'weeder', '--kubeconfig', cluster.kubeconfigFor('admin')];
  const create = verb === 'install' ? ['--create-namespace'] : [];
  await helm(verb, 'weeder', chart, ...place, ...create, ...withValues(releaseValues));
}

suite('a release of the chart on the API server', () => {
  const plane = suiteControlPlane();

  test('an upgrade from the previous chart changes the config, and keeps the hash key, the CRD and the Applications; so does the removal', async () => {
    const cluster = plane();
    // The chart adds it to the config of the user.
    const declared = { declaredDependencies: {} };
    const first = { ...declared, restartControl: { rules: [{ namespaces: ['shop'] }] }, observer: {} };
    await release(cluster, 'install', { config: first }, previousChart());
    assert.deepEqual(await configOf(cluster), first);
    const before = await read(cluster, deployment);
    // As weeder fills it.
    const key = Buffer.from('key of the hashes').toString('base64');
    const secret = `${ours}/secrets/weeder-hash-key`;
    await cluster.api('PATCH', secret, { data: { key } });
    const body = {
      apiVersion: 'weeder.dev/v1alpha1',
      kind: 'Application',
      metadata: { name: 'settings' },
      spec: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }] },
    };
    await eventually(async () => (await cluster.send('POST', applicationsPath('default'), { body })).status === 201, {
      what: 'that the new kind is served',
    });
    const [kind, settings] = [await read(cluster, crd), await read(cluster, application)];
    const areKept = async () => {
      assert.equal((await read(cluster, crd)).metadata.uid, kind.metadata.uid);
      assert.equal((await read(cluster, application)).metadata.uid, settings.metadata.uid);
    };

    const second = { ...declared, restartControl: { burst: 5 }, observer: {} };
    await release(cluster, 'upgrade', { config: second, mode: 'highlyAvailable' });
    assert.deepEqual(await configOf(cluster), second);
    assert.deepEqual((await read(cluster, secret)).data, { key });
    // The same Deployment, which would have to be replaced if its selector had the version.
    const { uid, labels } = (await read(cluster, deployment)).metadata;
    assert.equal(uid, before.metadata.uid);
    assert.notEqual(labels?.['helm.sh/chart'], before.metadata.labels?.['helm.sh/chart']);
    for (const path of [budget, lease]) await read(cluster, path);
    await areKept();

    await release(cluster, 'upgrade', { config: {}, observer: { enabled: false } });
    assert.deepEqual(await configOf(cluster), declared);
    for (const path of [budget, lease]) assert.equal((await cluster.send('GET', path)).status, 404, path);
    await areKept();

    await helm('uninstall', 'weeder', '--namespace', 'weeder', '--kubeconfig', cluster.kubeconfigFor('admin'));
    assert.equal((await cluster.send('GET', `${ours}/configmaps/weeder`)).status, 404);
    await areKept();

    await release(cluster, 'install', { config: first });
    assert.deepEqual(await configOf(cluster), first);
    await areKept();
  });
});
