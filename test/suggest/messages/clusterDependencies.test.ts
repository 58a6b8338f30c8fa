import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { clusterDependencies } from '../../../src/suggest/messages/clusterDependencies.ts';
import { failingPod } from '../../../src/suggest/messages/failingPods.ts';
import { readObjects } from '../../../src/suggest/observed.ts';
import { inShort, service, workload } from '../support.ts';

const address = { clusterIP: '10.96.0.10' };
const dns = service('kube-dns', { namespace: 'kube-system', ports: [53], spec: address });
const policy = service('policy', { namespace: 'guard', ports: [443], spec: { clusterIP: '10.96.3.4' } });
const registry = service('registry', { namespace: 'infra', ports: [5000], spec: { clusterIP: '10.96.7.7' } });
const db = service('db', { ports: [5432], spec: { clusterIPs: ['10.96.9.9'] } });
const services = [dns, policy, registry, db];

const timeout = 'lookup db on 10.96.0.10:53: i/o timeout';
const unnamed = 'Temporary failure in name resolution';
const refused = (url: string) => `Head "${url}": dial tcp 10.96.0.1:1: connect: connection refused`;
const webhook = `failed calling webhook "a.b": ${refused('https://policy.guard.svc:443/x')}`;

interface PodOptions {
  readonly name?: string;
  readonly owner?: readonly [kind: string, name: string];
  readonly state?: object;
  readonly message?: string;
  readonly spec?: object;
  readonly status?: object;
}

/** A pod that crash-loops, of the Deployment web by its ReplicaSet. */
function pod(options: PodOptions = {}): JsonObject {
  const { name = 'web-1', owner = ['ReplicaSet', 'web-5c9'], message, spec = {}, status = {} } = options;
  const { state = { waiting: { reason: 'CrashLoopBackOff' } } } = options;
  const lastState = { terminated: { exitCode: 1, message } };
  return {
    kind: 'Pod',
    metadata: { namespace: 'shop', name, uid: name, resourceVersion: '1', ownerReferences: [controller(...owner)] },
    spec: { containers: [{ name: 'main' }], ...spec },
    status: { phase: 'Running', containerStatuses: [{ name: 'main', restartCount: 5, state, lastState }], ...status },
  };
}

function controller(kind: string, name: string) {
  return { kind, name, controller: true };
}

function owned(object: JsonObject, kind: string, name: string): JsonObject {
  return { ...object, metadata: { ...Object(object['metadata']), ownerReferences: [controller(kind, name)] } };
}

const web = [workload('web'), owned(workload('web-5c9', { kind: 'ReplicaSet' }), 'Deployment', 'web')];

/** Searches pods, of which the logs have these lines. */
async function search(pods: readonly JsonObject[], logs: readonly string[] = [], others: readonly JsonObject[] = web) {
  const objects = [...services, ...others];
  const failingPods = pods.flatMap((each) => failingPod(each) ?? []);
  const read: string[] = [];
  const found = await clusterDependencies({ objects, observed: readObjects(objects), failingPods }, async (target) => {
    read.push(`${target.namespace}/${target.name} ${target.container}`);
    return logs;
  });
  return { found, read, short: inShort(found) };
}

suite('dependencies on cluster services, by the messages of failing pods', () => {
  test('the last message names the service, and the log is not read', async () => {
    const { found, read } = await search([pod({ message: timeout }), pod({ name: 'web-2', message: timeout })]);
    const [dependency = assert.fail(), ...others] = found;
    assert.deepEqual([others, read], [[], []]);
    assert.deepEqual(dependency.workload, { kind: 'Deployment', namespace: 'shop', name: 'web' });
    assert.deepEqual(dependency.service, { namespace: 'kube-system', name: 'kube-dns' });
    assert.deepEqual(dependency.evidence, [
      {
        confidence: 'high',
        where: 'last message of container main',
        found: '10.96.0.10:53: i/o timeout',
        because: 'the DNS server failed',
      },
    ]);
  });

  test('a message that names none: the log is read, of three pods of a workload', async () => {
    const pods = ['web-1', 'web-2', 'web-3', 'web-4'].map((name) => pod({ name, message: 'bye' }));
    const { read, short } = await search(pods, ['starting', webhook, 'bye']);
    assert.deepEqual(read, ['shop/web-1 main', 'shop/web-2 main', 'shop/web-3 main']);
    assert.deepEqual(short, [
      'high policy: log of container main: webhook "a.b": https://policy.guard.svc:443: connection refused',
    ]);
  });

  test('DNS without an address is that of the pod: of the cluster, or that of its host', async () => {
    const named = async (spec: object) => (await search([pod({ message: unnamed, spec })])).short.length;
    assert.equal(await named({}), 1);
    assert.equal(await named({ dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }), 1);
    assert.equal(await named({ dnsPolicy: 'None', dnsConfig: { nameservers: ['8.8.8.8'] } }), 0);
    assert.equal(await named({ hostNetwork: true }), 0);
    assert.equal(await named({ dnsPolicy: 'Default' }), 0);
  });

  test('a named DNS server counts only if it is a Service with port 53', async () => {
    for (const server of ['8.8.8.8', '169.254.20.10', '10.96.9.9'])
      assert.deepEqual((await search([pod({ message: `lookup db on ${server}:53: i/o timeout` })])).short, []);
  });

  test('only a named server that did not answer gives a high confidence', async () => {
    const of = async (message: string) => (await search([pod({ message })])).found.map(({ confidence }) => confidence);
    assert.deepEqual(await of(timeout), ['high']);
    assert.deepEqual(await of('lookup db on 10.96.0.10:53: server misbehaving'), ['medium']);
    assert.deepEqual(await of(unnamed), ['medium']);
  });

  test('a registry is named by a pull that failed, with its full name or its address', async () => {
    const pull = async (message: string) =>
      (await search([pod({ state: { waiting: { reason: 'ImagePullBackOff', message } } })])).short;
    const named = (host: string) => [
      `high registry: image pull of container main: http://${host}:5000: connection refused`,
    ];
    for (const host of ['registry.infra.svc.cluster.local', '10.96.7.7'])
      assert.deepEqual(await pull(refused(`http://${host}:5000/v2/`)), named(host));
    for (const host of ['registry.infra', 'registry', 'docker.io'])
      assert.deepEqual(await pull(refused(`http://${host}:5000/v2/`)), []);
    assert.deepEqual(await pull(unnamed), []);
    assert.deepEqual((await search([pod({ message: refused('http://10.96.7.7:5000/v2/') })])).short, []);
  });

  test('a CSI driver is named by a short name, too; another port lowers the confidence', async () => {
    const named = async (url: string) => (await search([pod({ message: `CSI: ${refused(url)}` })])).short;
    assert.deepEqual(await named('http://db:5432/v1'), [
      'high db: last message of container main: http://db:5432: connection refused',
    ]);
    assert.match((await named('http://db/v1'))[0] ?? '', /^medium db:/);
    assert.deepEqual(await named('http://gone:5432/v1'), []);
  });

  test('pods that do not fail, containers that run, and the own pods of a Service count for nothing', async () => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    assert.deepEqual((await search([pod({ message: timeout, status: { conditions } })], [timeout])).read, []);
    const running = { name: 'proxy', state: { running: {} }, lastState: { terminated: { message: webhook } } };
    const waiting = { name: 'main', restartCount: 5, state: { waiting: { reason: 'CrashLoopBackOff' } } };
    const { short, read } = await search([pod({ status: { containerStatuses: [running, waiting] } })]);
    assert.deepEqual([short, read], [[], ['shop/web-1 main']]);
    const own = workload('db', { kind: 'StatefulSet' });
    const message = `CSI: ${refused('http://db:5432/v1')}`;
    assert.deepEqual((await search([pod({ message, owner: ['StatefulSet', 'db'] })], [], [own])).short, []);
  });

  test('the workload is found by the controllers: the CronJob of a Job; none, or a cycle, has no suggestion', async () => {
    const job = owned(workload('nightly-1', { kind: 'Job' }), 'CronJob', 'nightly');
    const nightly = [workload('nightly', { kind: 'CronJob' }), job];
    const { found } = await search([pod({ message: timeout, owner: ['Job', 'nightly-1'] })], [], nightly);
    assert.deepEqual(
      found.map(({ workload: { kind, name } }) => `${kind} ${name}`),
      ['CronJob nightly'],
    );
    const cycle = owned(workload('a', { kind: 'ReplicaSet' }), 'ReplicaSet', 'a');
    for (const owner of [
      ['ReplicaSet', 'a'],
      ['Rollout', 'a'],
    ] as const)
      assert.deepEqual((await search([pod({ message: timeout, owner })], [], [cycle])).found, []);
  });
});
