import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointSlices, namespaces, pods, replicaSets } from '@weeder/embedded-cluster/resources';
import { until } from '@weeder/kube-runtime/testing';
import { freePort } from '../support/api/freePort.ts';
import { file, startCli } from '../support/cli.ts';
import { embedded, made } from '../support/world/embedded.ts';
import { visit } from './support/browser.ts';

const labels = { app: 'api' };
const config = {
  servicesAndDependantSelectors: { db: { podSelectors: [{ matchLabels: labels }], watchDuration: '4s' } },
};

test('a dry run is shown in the log, on the page, in a probe and in the metrics, and counts nothing as deleted', async (t) => {
  await using cluster = await embedded();
  const { store } = cluster.server;
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  const spec = {
    replicas: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
  };
  const { metadata } = made(store.create(replicaSets, { metadata: { name: 'api', namespace: 'shop' }, spec }));
  const ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'api', uid: metadata.uid, controller: true },
  ];
  made(
    store.create(pods, {
      metadata: { name: 'api-1', namespace: 'shop', labels, ownerReferences },
      spec: { containers: [{ name: 'a', image: 'a:1' }] },
    }),
  );
  const state = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } };
  made(
    store.patch(
      pods,
      'shop',
      'api-1',
      { status: { phase: 'Running', containerStatuses: [{ name: 'a', restartCount: 6, state }] } },
      { subresource: 'status' },
    ),
  );
  const slice = (ready: boolean) => ({
    metadata: { name: 'db-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'db' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
  });
  made(store.create(endpointSlices, slice(false)));

  const [health, metrics, ui] = await Promise.all([freePort(), freePort(), freePort()]);
  const addresses = [
    `--health-bind-addr=127.0.0.1:${health}`,
    `--metrics-bind-addr=127.0.0.1:${metrics}`,
    `--ui-bind-addr=127.0.0.1:${ui}`,
  ];
  const args = [
    '--config-file',
    file('weeder.yaml', JSON.stringify(config)),
    '--kubeconfig',
    cluster.kubeconfig,
    '--dry-run',
  ];
  const weeder = startCli([...args, ...addresses]);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
  const { page, consoleLines } = await visit(t, `http://127.0.0.1:${ui}/#services`);
  await page.getByText('This weeder is a dry run: it decides, but changes nothing in the cluster.').waitFor();
  await page.locator('#mode').getByText('dry run', { exact: true }).waitFor();
  await page.getByRole('columnheader', { name: 'Would be deleted' }).waitFor();
  made(store.patch(endpointSlices, 'shop', 'db-1', slice(true)));
  await until('the window is closed', () => weeder.stdout().includes('window closed'));

  const line =
    weeder
      .stdout()
      .split('\n')
      .find((each) => each.includes('window closed')) ?? '{}';
  assert.partialDeepStrictEqual(JSON.parse(line), { msg: 'window closed (dry run)', deleted: 0, wouldBeDeleted: 1 });
  const text = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  assert.match(await text(health, '/readyz?verbose'), /\[\+\]dry-run ok: nothing in the cluster is changed/);
  const measured = await text(metrics, '/metrics');
  assert.match(measured, /^weeder_dry_run 1$/m);
  assert.doesNotMatch(measured, /^weeder_\w*delet\w*\{[^}]*result="deleted"[^}]*\} [1-9]/m);
  assert.deepEqual(
    store.list(pods, { namespace: 'shop' }).map((pod) => pod.metadata.name),
    ['api-1'],
  );
  assert.deepEqual(consoleLines, []);
});
