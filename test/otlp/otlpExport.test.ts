import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointSlices, namespaces, pods, replicaSets } from '@weeder/embedded-cluster/resources';
import { type Clock, systemClock } from '@weeder/kube-runtime/base';
import { until } from '@weeder/kube-runtime/testing';
import packageJson from '../../package.json' with { type: 'json' };
import { openShop } from '../../src/demo/restart/shop.ts';
import { freePort } from '../support/api/freePort.ts';
import { scraped } from '../support/api/scraped.ts';
import { type Ended, file, kubeconfig, logOf, type Running, startCli } from '../support/cli.ts';
import { type Collector, collector } from '../support/otlp/collector.ts';
import { type Embedded, embedded, made } from '../support/world/embedded.ts';

const config = file(
  'recovery.yaml',
  'watchDuration: 1s\nservicesAndDependantSelectors:\n  db:\n    podSelectors:\n      - matchLabels: {app: web}\n',
);
const running = 'caches synced, starting controller';

/** A namespace with a service that is down, and a ReplicaSet without pods. */
function shop({ server: { store } }: Embedded) {
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  const { metadata } = made(store.create(replicaSets, { metadata: { name: 'web', namespace: 'shop' }, spec }));
  const slice = (ready: boolean) => ({
    metadata: { name: 'db-a', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'db' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
  });
  made(store.create(endpointSlices, slice(true)));
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: metadata.uid, controller: true };
  return {
    become: (ready: boolean) => made(store.patch(endpointSlices, 'shop', 'db-a', slice(ready))),
    crash(name: string) {
      const meta = { name, namespace: 'shop', labels, ownerReferences: [owner] };
      made(store.create(pods, { metadata: meta, spec: template.spec }));
      const state = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } };
      const status = { phase: 'Running', containerStatuses: [{ name: 'web', restartCount: 3, state }] };
      made(store.patch(pods, 'shop', name, { status }, { subresource: 'status' }));
    },
    pods: () => store.list(pods, { namespace: 'shop' }).length,
  };
}

function start(cluster: Embedded, env: Record<string, string>, ...more: readonly string[]): Running {
  const words = ['--config-file', config, `--kubeconfig=${cluster.kubeconfig}`, '--health-bind-addr=0', ...more];
  return startCli(words, { env });
}

async function stop(weeder: Running): Promise<Ended> {
  weeder.child.kill('SIGTERM');
  const ended = await weeder.ended;
  assert.deepEqual([ended.code, ended.stderr], [0, '']);
  return ended;
}

/** An outage with a crash-looping pod, and the end of the window after it. */
async function recover(scene: ReturnType<typeof shop>, weeder: Running): Promise<void> {
  const count = (text: string) => weeder.stdout().split(`"${text}"`).length - 1;
  await until('weeder runs', () => weeder.stdout().includes(running));
  scene.become(false);
  await until('the service is down', () => count('service is down') === 1);
  scene.crash('web-0');
  const closed = count('window closed');
  scene.become(true);
  await until('the pod is deleted', () => scene.pods() === 0);
  await until('the window is closed', () => count('window closed') > closed);
}

/** When its exports begin to fail, and succeed again, by signal. */
function changesIn(ended: Ended): string[] {
  return logOf(ended).flatMap(({ msg, signal }) => {
    const [, change] = /^the export over OTLP (fails|succeeds again)$/.exec(String(msg)) ?? [];
    return change === undefined ? [] : [`${signal} ${change}`];
  });
}

test('a recovery is one trace in a collector, with the names of the semantic conventions', async (t) => {
  await using cluster = await embedded();
  await using receiver = await collector();
  const scene = shop(cluster);
  const weeder = start(cluster, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer secret',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    POD_NAME: 'weeder-0',
    POD_NAMESPACE: 'weeder',
  });
  t.after(() => weeder.child.kill('SIGKILL'));
  await recover(scene, weeder);
  const ended = await stop(weeder);
  assert.deepEqual(
    receiver.traces().filter(([, second]) => second === '  outage'),
    [['recovery', '  outage', '  window', '    delete pod web-0 deleted']],
  );
  const deletion = receiver.spans.find(({ name }) => name === 'delete pod') ?? assert.fail();
  const { 'k8s.pod.uid': uid, ...attributes } = deletion.attributes;
  assert.match(String(uid), /^[-0-9a-f]{36}$/);
  assert.deepEqual(attributes, {
    'k8s.namespace.name': 'shop',
    'k8s.replicaset.name': 'web',
    'k8s.pod.name': 'web-0',
    'k8s.container.name': 'web',
    'k8s.container.restart_count': 3,
    'weeder.cause': 'CrashLoopBackOff',
    'weeder.result': 'deleted',
    'weeder.attempts': 1,
    'weeder.back_off.saved': 0,
  });
  for (const { resource } of [deletion, ...receiver.metrics])
    assert.deepEqual(Object.fromEntries(Object.entries(resource).filter(([key]) => !key.startsWith('telemetry.'))), {
      'service.name': 'weeder',
      'service.version': packageJson.version,
      'service.instance.id': 'weeder-0',
      'k8s.pod.name': 'weeder-0',
      'k8s.namespace.name': 'weeder',
      'deployment.environment.name': 'test',
    });
  assert.ok(deletion.start <= deletion.end && Math.abs(deletion.end - Date.now()) < 600_000);
  assert.deepEqual(new Set(receiver.requests.map(({ path }) => path)), new Set(['/v1/traces', '/v1/metrics']));
  for (const { headers } of receiver.requests)
    assert.deepEqual(
      [headers.authorization, headers['content-type'], headers['content-encoding']],
      ['Bearer secret', 'application/x-protobuf', 'gzip'],
    );
  const warnings = logOf(ended).filter(({ level }) => level === 'warn');
  assert.deepEqual([changesIn(ended), warnings], [[], []]);
});

test('the metrics are those of /metrics, with the same values', async (t) => {
  await using cluster = await embedded();
  await using receiver = await collector();
  const scene = shop(cluster);
  const env = {
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${receiver.url}/v1/metrics`,
    OTEL_METRIC_EXPORT_INTERVAL: '100',
    OTEL_SERVICE_NAME: 'mine',
  };
  const port = await freePort();
  const weeder = start(cluster, env, `--metrics-bind-addr=127.0.0.1:${port}`);
  t.after(() => weeder.child.kill('SIGKILL'));
  await recover(scene, weeder);
  const families = scraped(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  const before = receiver.metrics.length;
  await until('metrics arrive after that', () => receiver.metrics.length > before + 1);
  await stop(weeder);
  const { resource, types, samples } = receiver.metrics.at(-2) ?? assert.fail();
  assert.equal(resource['service.name'], 'mine');
  // The event loop may not be measured yet.
  const own = [...families].filter(([name, family]) => name.startsWith('weeder_') && family.samples.length > 0);
  assert.deepEqual(
    Object.fromEntries(Object.entries(types).filter(([name]) => name.startsWith('weeder_'))),
    Object.fromEntries(own.map(([name, { type }]) => [name, type])),
  );
  // The others go on after the scrape.
  for (const name of [
    'weeder_pod_deletions_total',
    'weeder_windows_opened_total',
    'weeder_recovery_to_deletion_seconds',
  ]) {
    const scrapedSamples = families.get(name)?.samples ?? [];
    assert.deepEqual(
      samples.filter((each) => each.name.startsWith(name)),
      scrapedSamples,
    );
    assert.ok(
      scrapedSamples.some(({ value }) => value > 0),
      name,
    );
  }
  assert.deepEqual(receiver.traces(), []);
});

/** In the cluster everything takes a tenth of its time, with the real times of day: weeder knows no other. */
const fastClock: Clock = {
  ...systemClock,
  setTimeout: (callback, delay) => systemClock.setTimeout(callback, delay / 10),
};

test('a restart of a workload is one trace', async (t) => {
  await using receiver = await collector();
  const world = openShop(fastClock, 1);
  t.after(() => world.stop());
  const listening = await world.server.listen();
  t.after(() => listening.close());
  await until('the shop is open', () => world.isSettled());
  const restartControl = [{ namespaces: ['shop'], quietPeriod: '1s', minInterval: '1s' }];
  const words = ['--config-file', file('shop.yaml', JSON.stringify({ restartControl }))];
  const access = ['--kubeconfig', file('shop.kubeconfig', kubeconfig(listening.url))];
  const env = { POD_NAMESPACE: 'weeder', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces` };
  const weeder = startCli([...words, ...access, '--health-bind-addr=0', '--metrics-bind-addr=0'], { env });
  t.after(() => weeder.child.kill('SIGKILL'));
  const count = (text: string) => weeder.stdout().split(text).length - 1;
  await until('all five are adopted', () => count('workload adopted') === 5);
  world.change('ConfigMap', 'features', { discounts: 'all' });
  await until('the change is rolled out', () => count('workload rolled out') === 1);
  await stop(weeder);
  assert.deepEqual(receiver.traces(), [['restart rolled_out', '  quiet period', '  patch', '  rollout']]);
  assert.deepEqual(receiver.metrics, []);
});

const troubles: readonly (readonly [what: string, mode: Collector['mode'] | 'down'])[] = [
  ['refuses everything', 'fails'],
  ['is busy', 'isBusy'],
  ['does not answer', 'hangs'],
  ['is down', 'down'],
];

for (const [what, mode] of troubles)
  test(`a collector that ${what} is one log line for each signal, and neither delays a deletion nor the end`, async (t) => {
    await using cluster = await embedded();
    const receiver = await collector();
    await using open = new AsyncDisposableStack();
    if (mode === 'down') await receiver[Symbol.asyncDispose]();
    else {
      open.use(receiver);
      receiver.mode = mode;
    }
    const scene = shop(cluster);
    const weeder = start(
      cluster,
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_TIMEOUT: '50',
        OTEL_METRIC_EXPORT_INTERVAL: '100',
      },
      '--metrics-bind-addr=0',
    );
    t.after(() => weeder.child.kill('SIGKILL'));
    await recover(scene, weeder);
    await until('it is logged', () => weeder.stdout().includes('the export over OTLP fails'));
    const changes = changesIn(await stop(weeder));
    assert.ok(changes.length > 0 && changes.length <= 2, changes.join());
    assert.deepEqual(
      new Set(changes),
      new Set(['metrics fails', ...changes.filter((each) => each === 'traces fails')]),
    );
  });

test('an export that fails and succeeds again is one line each', async (t) => {
  await using cluster = await embedded();
  await using receiver = await collector();
  receiver.mode = 'fails';
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRIC_EXPORT_INTERVAL: '1000' };
  const weeder = start(cluster, env, '--metrics-bind-addr=0');
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('it has failed thrice', () => receiver.requests.length > 2);
  receiver.mode = 'accepts';
  await until('metrics arrive', () => receiver.metrics.length > 1);
  assert.deepEqual(changesIn(await stop(weeder)), ['metrics fails', 'metrics succeeds again']);
});

test('metrics that are sent again while the collector is busy never arrive after newer ones', async (t) => {
  await using cluster = await embedded();
  await using receiver = await collector();
  receiver.mode = 'isBusy';
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRIC_EXPORT_INTERVAL: '500' };
  const weeder = start(cluster, env, '--metrics-bind-addr=0');
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('some are refused', () => receiver.requests.length > 4);
  receiver.mode = 'accepts';
  await until('metrics arrive', () => receiver.metrics.length > 8);
  await stop(weeder);
  // It never decreases, and always increases within half a second.
  const used = receiver.metrics.map(({ samples }) => samples.find(({ name }) => name === 'process_cpu_seconds_total'));
  const seconds = used.map((sample) => sample?.value ?? assert.fail());
  assert.deepEqual(
    seconds,
    seconds.toSorted((a, b) => a - b),
  );
});

test('what the environment asks for and weeder cannot export is one log line, and weeder runs', async (t) => {
  await using cluster = await embedded();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  const weeder = start(cluster, env, '--metrics-bind-addr=0');
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('weeder runs', () => weeder.stdout().includes(running));
  const log = logOf(await stop(weeder)).filter(({ msg }) => String(msg).includes('OTLP'));
  assert.deepEqual(
    log.map(({ level, msg, problem }) => [level, msg, problem]),
    [
      [
        'warn',
        'not exported over OTLP',
        'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": weeder speaks http/protobuf only, for which a collector listens on port 4318 by default.',
      ],
    ],
  );
});
