import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { endpointSlices, namespaces } from '@weeder/embedded-cluster/resources';
import { failed, ok } from '@weeder/kube-runtime/base';
import { misbehavingServer, until } from '@weeder/kube-runtime/testing';
import { codedError } from '../../src/base/errors.ts';
import { toOpenMetrics } from '../../src/metrics/metricsPage.ts';
import { freePort } from '../support/api/freePort.ts';
import { type Family, sampleValue, scraped } from '../support/api/scraped.ts';
import { config, file, kubeconfig, startCli } from '../support/cli.ts';
import { documentedMetrics } from '../support/docs/metricsTable.ts';
import { slice } from '../support/objects/objects.ts';
import { observed } from '../support/objects/observed.ts';
import { embedded, startEmbeddedWeeder } from '../support/world/embedded.ts';
import { serviceConfig } from '../support/world/simulation.ts';

const documented = documentedMetrics(readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8'));

/** Series that exist only after certain events. */
const eventful = new Set(['nodejs_active_requests', 'nodejs_gc_duration_seconds']);

function kindsOf(families: ReadonlyMap<string, Family>): string[] {
  return [...families].map(([name, { type }]) => `${name} ${type}`).sort();
}

test('a process serves exactly the documented metrics with the documented labels', async (t) => {
  const server = await misbehavingServer('http');
  t.after(() => server.close());
  const path = file('metrics.kubeconfig', kubeconfig(server.url));
  const receiver = 'notifications: {bus: {url: "http://127.0.0.1:1"}}\n';
  const ownConfig = file('metrics.yaml', `${readFileSync(config, 'utf8')}${receiver}`);
  const words = [`--config-file=${ownConfig}`, `--kubeconfig=${path}`, '--health-bind-addr=0'];
  const port = await freePort();
  const weeder = startCli([...words, `--metrics-bind-addr=127.0.0.1:${port}`]);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes('caches synced, starting controller'));
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.equal(answer.status, 200);
  const families = scraped(await answer.text());
  assert.deepEqual(kindsOf(families), documented.map(({ name, type }) => `${name} ${type}`).sort());
  for (const { name, labels, help } of documented) {
    const family = families.get(name) ?? assert.fail(name);
    assert.equal(help.startsWith(family.help.trim()), true, name);
    if (!eventful.has(name)) assert.ok(family.samples.length > 0, `${name} has no sample`);
    for (const sample of family.samples) {
      const labelNames = Object.keys(sample.labels).filter((label) => label !== 'le');
      assert.deepEqual(labelNames.sort(), [...labels].sort(), name);
    }
  }
  const value = (name: string, labels = {}) => sampleValue(families, name, labels);
  assert.equal(value('weeder_ready'), 1);
  assert.equal(value('weeder_leader', { lease: '' }), 1);
  assert.equal(value('weeder_events_lost_total', { cause: 'forbidden' }), 0);
  assert.equal(value('weeder_actors', { machine: 'reflector' }), 2);
  assert.equal(value('weeder_actors', { machine: 'manager' }), 1);
  assert.equal(value('weeder_actors', { machine: 'receiver' }), 1);
  assert.equal(value('weeder_notifications_sent_total', { receiver: 'bus' }), 0);
  assert.equal(value('weeder_streams', { resource: 'pods', state: 'watching' }), 1);
  assert.equal(value('weeder_streams', { resource: 'pods', state: 'backing_off' }), 0);
  assert.ok((value('weeder_stream_received_bytes_total', { resource: 'pods' }) ?? 0) > 0);
  assert.equal(value('weeder_stream_restarts_total', { resource: 'pods', reason: 'lost' }), 0);
  assert.equal(value('weeder_windows_opened_total', { service: 'db' }), 0);
  assert.equal(value('weeder_api_requests_total', { verb: 'get', resource: 'discovery', code: '200' }), 1);
  weeder.child.kill('SIGTERM');
  assert.equal((await weeder.ended).code, 0);
});

test('OpenMetrics and gzip are served if the client accepts them, and otherwise the plain text format', async () => {
  await using seen = await observed();
  const plain = await seen.metrics({ headers: { accept: '*/*' } });
  assert.equal(plain.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await plain.text();
  assert.match(text, /^# TYPE weeder_windows_opened_total counter$/m);
  assert.doesNotMatch(text, /# EOF/);

  const accept = 'application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5';
  const open = await seen.metrics({ headers: { accept, 'accept-encoding': 'gzip' } });
  assert.equal(open.headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  assert.equal(open.headers.get('content-encoding'), 'gzip');
  const said = await open.text();
  assert.match(said, /^# TYPE weeder_windows_opened counter$/m);
  assert.match(said, /^weeder_windows_opened_total\{service="etcd-main-client"\} 0$/m);
  assert.match(said, /\n# EOF\n$/);
  assert.doesNotMatch(said, /\n\n/);

  const refused = { accept: 'application/openmetrics-text;q=0', 'accept-encoding': 'identity, gzip;q=0' };
  const again = await seen.metrics({ headers: refused });
  assert.equal(again.headers.get('content-encoding'), null);
  assert.deepEqual(kindsOf(scraped(await again.text())), kindsOf(scraped(text)));
});

test('only counters lose their suffix in OpenMetrics', () => {
  const text =
    '# HELP a_total Counts.\n# TYPE a_total counter\na_total 1\n\n# HELP b_total No counter.\n# TYPE b_total gauge\nb_total 2\n';
  assert.equal(
    toOpenMetrics(text),
    '# HELP a Counts.\n# TYPE a counter\na_total 1\n# HELP b_total No counter.\n# TYPE b_total gauge\nb_total 2\n# EOF\n',
  );
});

test('the metrics can be read, and nothing else: HEAD has no body, other methods and pages are refused', async () => {
  await using seen = await observed();
  const head = await seen.metrics({ method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  assert.ok(Number(head.headers.get('content-length')) > 1000);
  const posted = await seen.metrics({ method: 'POST' });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  const other = await fetch(`http://127.0.0.1:${seen.served.metricsPort}/`);
  assert.deepEqual([other.status, await other.text()], [404, 'not found: this server has /metrics\n']);
});

test('before there is a cluster weeder is not ready, and serves all its metrics', async () => {
  await using seen = await observed();
  const families = await seen.scrape();
  assert.equal(sampleValue(families, 'weeder_ready'), 0);
  assert.equal(sampleValue(families, 'weeder_actors', { machine: 'endpoint' }), 0);
  assert.deepEqual(kindsOf(families), documented.map(({ name, type }) => `${name} ${type}`).sort());
  seen.observation.recordingFailed();
  assert.equal(sampleValue(await seen.scrape(), 'weeder_recording_failures_total'), 1);
});

test('the counts of a controller since the last scrape are added when the next controller replaces it', async () => {
  await using cluster = await embedded();
  await using seen = await observed(['db']);
  let bytes = 0;
  for (let term = 1; term <= 2; term += 1) {
    await using weeder = startEmbeddedWeeder(cluster, readFileSync(config, 'utf8'));
    const { manager } = weeder;
    seen.observation.watch(manager);
    await until('weeder runs', () => manager.state() === 'running');
    manager.shutdown();
    await manager.stopped;
    bytes += manager.streamTotals().get('pods')?.bytes ?? 0;
  }
  assert.ok(bytes > 0);
  assert.equal(sampleValue(await seen.scrape(), 'weeder_stream_received_bytes_total', { resource: 'pods' }), bytes);
});

test('the running actors are counted by machine, including the children of open windows', async () => {
  await using cluster = await embedded();
  await using weeder = startEmbeddedWeeder(cluster, readFileSync(config, 'utf8'));
  await using seen = await observed(['db']);
  seen.observation.watch(weeder.manager);
  await until('weeder runs', () => weeder.manager.state() === 'running');
  const outcome = cluster.server.store.create(namespaces, { metadata: { name: 'shoot-1' } });
  assert.ok(outcome.ok);
  const { metadata, addressType, endpoints } = slice({ service: 'db', ready: [true] });
  const { name, namespace, labels } = metadata;
  cluster.server.store.create(endpointSlices, { metadata: { name, namespace, labels }, addressType, endpoints });
  await until('a window is open', () => weeder.manager.controllers.weeder.shown().counts().windows === 1);
  const families = await seen.scrape();
  const counts = families.get('weeder_actors')?.samples.map(({ labels: { machine }, value }) => `${machine} ${value}`);
  const others = ['pod_deletion 0', 'pod_creation 0', 'receiver 0'];
  assert.deepEqual(counts, ['manager 1', 'lease 0', 'reflector 2', 'endpoint 1', 'dependants 1', ...others]);
  weeder.manager.shutdown();
  await weeder.manager.stopped;
  const after = (await seen.scrape()).get('weeder_actors')?.samples ?? [];
  assert.deepEqual(
    after.map(({ value }) => value),
    [0, 0, 0, 0, 0, 0, 0, 0],
  );
});

test('the metrics show the config in effect, a rejected and an applied one, and new services begin at 0', async () => {
  await using seen = await observed(['db']);
  const values = async () => {
    const families = await seen.scrape();
    const of = (name: string, labels = {}) => sampleValue(families, `weeder_${name}`, labels);
    return {
      generation: of('config_generation'),
      successful: of('config_last_reload_successful'),
      since: of('config_last_reload_timestamp_seconds'),
      added: of('windows_opened_total', { service: 'cache' }),
    };
  };
  const since = () => seen.reload.status().appliedAt / 1000;
  assert.deepEqual(await values(), { generation: 1, successful: 1, since: since(), added: undefined });
  const first = since();
  seen.reload.take(failed(codedError('CONFIG_INVALID', 'a.yaml:1:1 x.')));
  assert.deepEqual(await values(), { generation: 2, successful: 0, since: first, added: undefined });
  const services = ['db', 'cache'].map((name) => [name, serviceConfig({ name })] as const);
  seen.reload.take(ok({ services: new Map(services), restart: undefined }));
  assert.deepEqual(await values(), { generation: 3, successful: 1, since: since(), added: 0 });
});
