import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointSlices, namespaces } from '@weeder/embedded-cluster/resources';
import { objectOf } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { until } from '@weeder/kube-runtime/testing';
import { freePort } from '../support/api/freePort.ts';
import { sampleValue, scraped } from '../support/api/scraped.ts';
import { config, startCli } from '../support/cli.ts';
import { slice } from '../support/objects/objects.ts';
import { embedded } from '../support/world/embedded.ts';

const name = 'dwd-weeder-leader-election';
const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${name}`;

/** Writes another holder into the Lease; '' for none. It is retried, because a renewal may conflict. */
async function giveLease(client: KubeClient, holderIdentity: string): Promise<void> {
  for (let isWritten = false; !isWritten; ) {
    const result = await client.call({ method: 'GET', path });
    assert.ok(result.ok);
    const object = objectOf(result.body);
    const body = { ...object, spec: { ...objectOf(object['spec']), holderIdentity, leaseDurationSeconds: 3600 } };
    isWritten = (await client.call({ method: 'PUT', path, body })).ok;
  }
}

test('a process that loses leadership and leads again continues its counters, and shows that it stands by in between', async (t) => {
  await using cluster = await embedded();
  assert.ok(cluster.server.store.create(namespaces, { metadata: { name: 'shoot-1' } }).ok);
  const { metadata, addressType, endpoints } = slice({ service: 'db', ready: [true] });
  const { name: sliceName, namespace, labels } = metadata;
  const object = { metadata: { name: sliceName, namespace, labels }, addressType, endpoints };
  assert.ok(cluster.server.store.create(endpointSlices, object).ok);
  const [health, metrics] = [await freePort(), await freePort()];
  const weeder = startCli([
    `--config-file=${config}`,
    `--kubeconfig=${cluster.kubeconfig}`,
    `--health-bind-addr=127.0.0.1:${health}`,
    `--metrics-bind-addr=127.0.0.1:${metrics}`,
    '--enable-leader-election',
    '--leader-election-namespace=default',
    '--leader-elect-retry-period=200ms',
  ]);
  t.after(() => weeder.child.kill('SIGKILL'));
  const get = async (page: string) => {
    const answer = await fetch(`http://127.0.0.1:${health}${page}`);
    return `${answer.status} ${await answer.text()}`;
  };
  const scrape = async () => {
    const families = scraped(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text());
    const value = (metric: string, labels = {}) => sampleValue(families, `weeder_${metric}`, labels);
    const changes = ['acquired', 'lost', 'released'].map((change) => value('leadership_changes_total', { change }));
    return {
      leader: value('leader', { lease: name }),
      ready: value('ready'),
      opened: value('windows_opened_total', { service: 'db' }),
      open: value('windows_open', { service: 'db' }),
      watching: value('streams', { resource: 'pods', state: 'watching' }),
      down: value('stream_down_seconds', { resource: 'pods' }),
      leases: value('actors', { machine: 'lease' }),
      changes,
      bytes: value('stream_received_bytes_total', { resource: 'endpointslices' }) ?? 0,
    };
  };
  const hasRecovered = (times: number) => () =>
    weeder.stdout().split('service recovered, window opened').length === times + 1;

  await until('it leads', hasRecovered(1));
  const { bytes: firstBytes, ...first } = await scrape();
  const leads = { leader: 1, ready: 1, watching: 1, down: 0, leases: 1 };
  assert.deepEqual(first, { ...leads, opened: 1, open: 1, changes: [1, 0, 0] });
  assert.ok(firstBytes > 0);
  assert.match(await get('/readyz?verbose'), /^200 [\s\S]*\[\+\]lease\/default\/\S+ ok: this replica leads, as \S+\n/);

  await giveLease(cluster.client(), 'another');
  await until('it stands by', () => weeder.stdout().includes('another replica leads, standing by'));
  const { bytes: secondBytes, ...second } = await scrape();
  const standsBy = { leader: 0, ready: 1, watching: undefined, down: undefined, leases: 1 };
  assert.deepEqual(second, { ...standsBy, opened: 1, open: 0, changes: [1, 1, 0] });
  assert.ok(secondBytes >= firstBytes, `${secondBytes} after ${firstBytes}`);
  const standby = `200 [+]ping ok\n[+]manager ok: standing by\n[+]lease/default/${name} ok: another leads\n`;
  assert.ok((await get('/readyz?verbose')).startsWith(standby));
  assert.match(await get('/debug/actors?machine=lease'), /"id":"leadership","parent":"manager","state":\{"candidate":/);

  await giveLease(cluster.client(), '');
  await until('it leads again', hasRecovered(2));
  const { bytes: thirdBytes, ...third } = await scrape();
  assert.deepEqual(third, { ...leads, opened: 2, open: 1, changes: [2, 1, 0] });
  assert.ok(thirdBytes > secondBytes, `${thirdBytes} after ${secondBytes}`);
  weeder.child.kill('SIGTERM');
  assert.equal((await weeder.ended).code, 0);
});
