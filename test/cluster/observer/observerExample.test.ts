import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, type TestContext, test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { parse, parseAllDocuments } from 'yaml';
import { Manifest } from '../support/deploy/kustomize.ts';
import { eventually } from '../support/eventually.ts';
import { create } from '../support/manifests.ts';
import { setObserverScene } from '../support/observer/observerScene.ts';

/** The example of docs/reference/observer.md, unchanged. */
const page = readFileSync(new URL('../../../docs/reference/observer.md', import.meta.url), 'utf8');
const example: unknown = parse(/```yaml\n(# nginx\.yaml\n[\s\S]*?)```/.exec(page)?.[1] ?? '');

/** The account of docs/reference/permissions.md, with its permissions. */
const permissions = readFileSync(new URL('../../../docs/reference/permissions.md', import.meta.url), 'utf8');
const tenant = /```yaml\n(# tenant\.yaml\n[\s\S]*?)```/.exec(permissions)?.[1] ?? '';

/** The example, applied and in sync. */
async function nginx(t: TestContext) {
  const scene = await setObserverScene(t, 'example');
  const { ns } = scene;
  const { cluster, name: namespace } = ns;
  for (const document of parseAllDocuments(tenant.replaceAll('namespace: shop', `namespace: ${namespace}`))) {
    await create(cluster, Manifest.parse(document.toJS()));
  }
  await scene.start(t);
  await scene.apply('nginx', objectOf(objectOf(example)['spec']));
  await scene.untilInSync('nginx');
  const paths = {
    deployment: ns.path('apis/apps/v1', 'deployments', 'nginx'),
    service: ns.path('api/v1', 'services', 'nginx'),
  };
  const strategic = 'application/strategic-merge-patch+json';
  const read = async (path: string) => objectOf(await cluster.api('GET', path));
  const containers = async () => {
    const { template } = objectOf((await read(paths.deployment))['spec']);
    return arrayOf(objectOf(objectOf(template)['spec'])['containers']).map(objectOf);
  };
  const change = (...added: object[]) =>
    cluster.api('PATCH', paths.deployment, { spec: { template: { spec: { containers: added } } } }, strategic);
  return {
    ns,
    read,
    containers,
    paths,
    patch: (path: string, body: object) => cluster.api('PATCH', path, body, strategic),
    change,
    /** An image changed by hand is restored: whatever was due before it has happened. */
    async untilCorrected() {
      await change({ name: 'nginx', image: 'evil:1' });
      await eventually(async () => (await containers()).some(({ image }) => image === 'nginx:1.29.3'), {
        what: 'the image as it was applied',
      });
    },
    labels: async (path: string) => objectOf(objectOf((await read(path))['metadata'])['labels']),
  };
}

suite('the example of docs/reference/observer.md', { concurrency: 2 }, () => {
  test('of the Deployment the image is restored, and scaled replicas are left alone', async (t) => {
    const { patch, paths, read, untilCorrected } = await nginx(t);
    await patch(paths.deployment, { spec: { replicas: 5 } });
    await untilCorrected();
    assert.equal(objectOf((await read(paths.deployment))['spec'])['replicas'], 5);
  });

  test('a second container is left alone, and of a second and a third one the last is removed', async (t) => {
    const { change, containers, untilCorrected } = await nginx(t);
    const names = async () => (await containers()).map(({ name }) => name).sort();
    await change({ name: 'sidecar', image: 'sidecar:1' });
    await untilCorrected();
    assert.deepEqual(await names(), ['nginx', 'sidecar']);
    await change({ name: 'third', image: 'third:1' });
    await eventually(async () => (await names()).length === 2, { what: 'two containers' });
    assert.ok((await names()).includes('nginx'));
  });

  test('of the Service the label is restored, whether changed or removed, and another label is left alone', async (t) => {
    const { patch, paths, labels } = await nginx(t);
    await patch(paths.service, { metadata: { labels: { tier: 'front' } } });
    for (const team of ['ops', null]) {
      await patch(paths.service, { metadata: { labels: { team } } });
      await eventually(async () => (await labels(paths.service))['team'] === 'web', { what: 'team: web' });
    }
    assert.equal((await labels(paths.service))['tier'], 'front');
  });

  test('a deleted Service is recreated, and another ConfigMap is left alone', async (t) => {
    const { ns, paths, untilCorrected } = await nginx(t);
    const added = ns.path('api/v1', 'configmaps');
    await ns.cluster.api('POST', added, { metadata: { name: 'by-hand' }, data: { a: '1' } });
    await ns.cluster.api('DELETE', paths.service);
    await eventually(async () => (await ns.cluster.send('GET', paths.service)).status === 200, {
      what: 'the Service, recreated',
    });
    await untilCorrected();
    const { data, metadata } = objectOf(await ns.cluster.api('GET', `${added}/by-hand`));
    assert.deepEqual(data, { a: '1' });
    assert.equal(objectOf(metadata)['labels'], undefined);
  });
});
