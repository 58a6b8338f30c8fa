/**
 * A tenant writes objects whose texts Kubernetes does not limit, before the start of weeder and while it runs: it stays
 * within the memory that the manifests grant, and deletes the dependants of others.
 */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setPodStatus, type TestNamespace, testNamespace } from '../cluster/support/cluster.ts';
import { crashLoopBackOff } from '../cluster/support/observer/statuses.ts';
import { measureUsage } from './support/measure.ts';
import { prepareScenario } from './support/scenario.ts';

/** The limit of the manifests. From sources instead of the bundle, weeder takes about 60 MiB more. */
const mebibytes = 256 + 60;
const nodeOptions = '--max-old-space-size=128 --max-semi-space-size=2';
const long = (length: number) => 'x'.repeat(length);

async function create(ns: TestNamespace, path: string, object: object): Promise<void> {
  const { status } = await ns.cluster.send('POST', path, { body: object });
  assert.equal(status, 201, path);
}

/** Pods with the label, twenty services and an owner of 1.2 MB, which crash-loop with messages of 64 KiB. */
async function createPods(ns: TestNamespace, count: number): Promise<void> {
  const services = Array.from({ length: 19 }, (_, index) => `service-${index}`).join();
  for (let number = 0; number < count; number += 1) {
    const name = `hostile-${number}`;
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: long(1_200_000), uid: 'a', controller: true };
    const metadata = {
      name,
      labels: { 'weeder.dev/depends-on': 'db' },
      annotations: { 'weeder.dev/depends-on-services': services },
      ownerReferences: [owner],
    };
    const spec = { containers: [{ name: 'main', image: 'web' }], terminationGracePeriodSeconds: 0 };
    await create(ns, `/api/v1/namespaces/${ns.name}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
    await setPodStatus(ns, name, crashLoopBackOff(3));
  }
}

async function createEvents(ns: TestNamespace, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1)
    await create(ns, `/api/v1/namespaces/${ns.name}/events`, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `hostile-${number}` },
      reason: 'FailedCreate',
      message: `failed calling webhook "policy.example.com": ${long(1_300_000)}`,
      involvedObject: { kind: 'ReplicaSet', namespace: ns.name, name: `web-${number}`, uid: `${number}` },
    });
}

async function createSlices(ns: TestNamespace, count: number): Promise<void> {
  const addresses = Array.from({ length: 85 }, (_, index) => `10.0.0.${index + 1}`);
  const endpoints = Array.from({ length: 900 }, () => ({ addresses, targetRef: { kind: 'Pod', name: 'gone-1/log' } }));
  for (let number = 0; number < count; number += 1)
    await create(ns, `/apis/discovery.k8s.io/v1/namespaces/${ns.name}/endpointslices`, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'IPv4',
      metadata: { name: `hostile-${number}`, labels: { 'kubernetes.io/service-name': 'db' } },
      endpoints,
    });
}

suite('texts that Kubernetes does not limit', () => {
  test('weeder stays within its memory, at its start and while they are written, and deletes the dependants of others', async (t) => {
    const { scene, looping, remote, ports, started } = await prepareScenario(t, 'texts', 'h2');
    const tenant = await testNamespace(t, 'tenant');
    const declared = { declaredDependencies: { watchDuration: '5m' }, podCreation: { watchDuration: '5m' } };
    await createPods(tenant, 12);
    await createEvents(tenant, 20);
    await createSlices(tenant, 12);
    const env = { ...remote.env, NODE_OPTIONS: nodeOptions };
    const weeder = await started({ config: { ...scene.config, ...declared }, env });
    await createEvents(await testNamespace(t, 'second'), 20);
    await createSlices(await testNamespace(t, 'third'), 12);
    await scene.endpoints(true);
    await Promise.all(looping.map(({ metadata }) => scene.observer.untilDeleted(metadata.uid)));
    const rss = (await measureUsage(ports)).rss >> 20;
    assert.ok(rss < mebibytes, `${rss} MiB`);
    for (const line of weeder.log.lines) assert.ok(JSON.stringify(line).length < 16_384, 'a line of the log is short');
  });
});
