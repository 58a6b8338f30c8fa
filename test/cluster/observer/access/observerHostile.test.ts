import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { freePort } from '../../../support/api/freePort.ts';
import { scraped } from '../../../support/api/scraped.ts';
import { eventually } from '../../support/eventually.ts';
import { configMap, read } from '../../support/observer/observedObjects.ts';
import { setObserverScene } from '../../support/observer/observerScene.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

suite('hostile applications on a real API server', { concurrency: 1 }, () => {
  test('twenty applications with five hundred unknown kinds and refused manifests cost little, delay no other one, and a kind is found once it exists', async (t) => {
    const scene = await setObserverScene(t, 'hostile');
    const { ns } = scene;
    const port = await freePort();
    const weeder = await scene.start(t, { flags: [`--metrics-bind-addr=127.0.0.1:${port}`] });
    const group = `g${ns.name.replace(/^hostile-/, '')}.example.org`;
    const unknownKinds = Array.from({ length: 500 }, (_, index) => ({
      apiVersion: `${index % 2 === 0 ? 'apps' : group}/v1`,
      kind: `Made${index}`,
      metadata: { name: `made-${index}` },
    }));
    const refused = Array.from({ length: 20 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `refused-${index}` },
      spec: { ports: [{ port: 700_000 }] },
    }));
    const perApplication = 50;
    const manifests = Array.from({ length: 20 }, (_, index) =>
      index < unknownKinds.length / perApplication
        ? unknownKinds.slice(index * perApplication, (index + 1) * perApplication)
        : refused,
    );
    for (const [index, batch] of manifests.entries()) await scene.apply(`hostile-${index}`, { manifests: batch });
    for (const index of manifests.keys()) {
      const has = async () => (await scene.condition(`hostile-${index}`, 'InSync')) !== undefined;
      await eventually(has, { what: `the status of hostile-${index}` });
    }
    await scene.apply('honest', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('honest');

    const names = { plural: 'made1s', singular: 'made1', kind: 'Made1' };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    t.after(() => ns.cluster.send('DELETE', `${crds}/made1s.${group}`));
    await ns.cluster.api('POST', crds, {
      metadata: { name: `made1s.${group}` },
      spec: { group, scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true, schema }] },
    });
    const path = ns.path(`apis/${group}/v1`, 'made1s', 'made-1');
    await eventually(async () => (await ns.cluster.send('GET', path)).status === 200, {
      what: 'the object of its kind',
    });
    assert.notEqual(await read(ns, 'ConfigMap', 'settings'), undefined);

    const families = scraped(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    const samples = families.get('weeder_api_requests_total')?.samples ?? assert.fail('no requests are counted');
    const discovery = samples.filter(({ labels }) => labels['resource'] === 'discovery');
    const requests = discovery.reduce((sum, { value }) => sum + value, 0);
    assert(requests > 0 && requests < 150, `${requests} requests of discovery`);
    const total = samples.reduce((sum, { value }) => sum + value, 0);
    assert(total < 5_000, `${total} requests in total`);
    await weeder.stop();
  });
});
