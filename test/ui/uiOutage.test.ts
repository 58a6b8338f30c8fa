import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointSlices, namespaces } from '@weeder/embedded-cluster/resources';
import { until } from '@weeder/kube-runtime/testing';
import { freePort } from '../support/api/freePort.ts';
import { sampleValue, scraped } from '../support/api/scraped.ts';
import { file, startCli } from '../support/cli.ts';
import { openPage } from '../support/page/openPage.ts';
import { embedded, made } from '../support/world/embedded.ts';

const selectors = '{podSelectors: [{matchLabels: {app: web}}]}';
const config = file('outage.yaml', `servicesAndDependantSelectors: {redis: ${selectors}, typo: ${selectors}}`);

function slice(namespace: string, ready: boolean) {
  const labels = { 'kubernetes.io/service-name': 'redis' };
  const endpoints = [{ addresses: ['10.0.0.1'], conditions: { ready } }];
  return { metadata: { name: 'redis', namespace, labels }, addressType: 'IPv4', endpoints };
}

test('a weeder that starts in an outage says so on the page, in /readyz and in the metrics, by namespace', async (t) => {
  await using cluster = await embedded();
  const { store } = cluster.server;
  for (const namespace of ['team-01', 'team-02', 'team-05']) {
    made(store.create(namespaces, { metadata: { name: namespace } }));
    made(store.create(endpointSlices, slice(namespace, namespace !== 'team-05')));
  }
  const [health, metrics] = [await freePort(), await freePort()];
  const flags = [
    `--kubeconfig=${cluster.kubeconfig}`,
    `--health-bind-addr=127.0.0.1:${health}`,
    `--metrics-bind-addr=127.0.0.1:${metrics}`,
    '--ui-bind-addr=:0',
  ];
  const weeder = startCli(['--config-file', config, ...flags]);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
  await using viewer = await openPage(/http:\/\/127\.0\.0\.1:\d+\//.exec(weeder.stdout())?.[0] ?? '');
  const counts = async () => {
    const families = scraped(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text());
    return ['ready', 'not_ready', 'absent'].map((state) => sampleValue(families, 'weeder_services', { state }));
  };
  const readyz = async () => (await fetch(`http://127.0.0.1:${health}/readyz?verbose`)).text();
  const { services } = await viewer.received('services');
  assert.deepEqual(
    services.filter(({ isReady }) => !isReady).map(({ namespace, service }) => `${namespace}/${service}`),
    ['team-05/redis', '/typo'],
  );
  assert.deepEqual(await counts(), [2, 1, 1]);
  assert.match(
    await readyz(),
    /services ok: down, not ready since weeder started: team-05\/redis; in no watched namespace: typo\n/,
  );
  store.delete(endpointSlices, 'team-02', 'redis', {});
  await viewer.received('service', ({ service }) => service.namespace === 'team-02' && !service.exists);
  assert.deepEqual(await counts(), [1, 1, 2]);
  assert.match(await readyz(), /team-05\/redis; no EndpointSlice: team-02\/redis; in no watched namespace: typo\n/);
});
