import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { shapes } from '../../../src/cli/data/shapes.ts';
import { grant, startWeeder, testNamespace } from '../support/cluster.ts';
import { startForwardKubelet } from '../support/plane/forwardKubelet.ts';
import { freePorts } from '../support/plane/ports.ts';
import { setSlice } from '../support/services.ts';

const checkout = join(import.meta.dirname, '../../..');
const reading = [
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] },
];
const forwarding = [{ apiGroups: [''], resources: ['pods/portforward'], verbs: ['get', 'create'] }];

/** A running weeder that leads, and the pod as which the cluster knows it; its service is down. */
async function scene(t: TestContext, prefix: string, livePage: boolean) {
  const ns = await testNamespace(t, prefix);
  const { cluster, name } = ns;
  const [health = 0, metrics = 0, page = 0] = await freePorts(3);
  const served = { 9644: health, 9643: metrics, ...(livePage ? { 9645: page } : {}) };
  const nodeName = await startForwardKubelet(t, ns, served);
  const podName = 'weeder-0';
  const containers = [{ name: 'weeder', image: 'registry.example/weeder:0.1.0' }];
  for (const each of [podName, 'weeder-1']) {
    const metadata = { name: each, labels: { 'app.kubernetes.io/name': 'weeder' } };
    const spec = { nodeName, containers, terminationGracePeriodSeconds: 0 };
    await cluster.api('POST', ns.path('api/v1', 'pods'), { metadata, spec });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const path = `${ns.path('api/v1', 'pods', each)}/status`;
    await cluster.api('PATCH', path, { status });
  }
  await setSlice(ns, 'db', { ready: [false] });
  const flags = [
    `--namespaces=${name}`,
    '--events=false',
    `--health-bind-addr=127.0.0.1:${health}`,
    `--metrics-bind-addr=127.0.0.1:${metrics}`,
    ...(livePage ? [`--ui-bind-addr=127.0.0.1:${page}`] : []),
  ];
  const config = { servicesAndDependantSelectors: { db: { podSelectors: [{ matchLabels: { app: 'web' } }] } } };
  const weeder = startWeeder(t, { cluster, config, flags });
  await weeder.ready();
  const now = new Date().toISOString().replace('Z', '000Z');
  await cluster.api('POST', ns.path('apis/coordination.k8s.io/v1', 'leases'), {
    metadata: { name: 'dwd-weeder-leader-election' },
    spec: { holderIdentity: `${podName}_1`, acquireTime: now, renewTime: now, leaseDurationSeconds: 15 },
  });
  const user = cluster.takeUser();
  await grant(cluster, user, reading, { namespace: name });
  const kubeconfig = cluster.kubeconfigFor(user);
  return {
    name,
    mayForward: () => grant(cluster, user, forwarding, { namespace: name }),
    status(...flags: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
      const args = ['src/cli/weeder.ts', 'status', '-n', name, `--kubeconfig=${kubeconfig}`, ...flags];
      return new Promise((resolve) => {
        execFile(process.execPath, args, { cwd: checkout }, (_error, stdout, stderr) => resolve({ stdout, stderr }));
      });
    },
  };
}

suite('weeder status', { concurrency: true }, () => {
  test('status shows the leader, its streams, and by the live page on loopback what needs attention', async (t) => {
    const at = await scene(t, 'status', true);
    await at.mayForward();
    const { stdout, stderr } = await at.status();
    assert.equal(stderr, '');
    const [leader = '', standby = ''] = stdout.split('\n\n');
    const pod = `Pod ${at.name}/weeder-0: leads by dwd-weeder-leader-election since`;
    assert.match(
      leader,
      new RegExp(`^${pod} \\S+Z, Running, Ready, 0 restarts, image registry.example/weeder:0.1.0\n`),
    );
    assert.match(leader, /\n {2}manager: at work\n/);
    assert.match(leader, /\n {2}streams: 2 of 2 are read\n/);
    assert.match(leader, /\n {2}weeder: 0 of 1 service ready\n/);
    assert.match(leader, new RegExp(`\n  needs attention:\n    Service ${at.name}/db: Down, not ready since`));
    assert.match(standby, /\/weeder-1: stands by, Running, Ready, /);

    const data = await at.status('-o', 'json');
    assert.equal(data.stderr, '');
    const { pods, remarks } = shapes.Status.parse(JSON.parse(data.stdout));
    assert.deepEqual(remarks, []);
    const overview = {
      dryRun: false,
      controllers: [{ name: 'weeder', state: 'on', summary: '0 of 1 service ready' }],
      needsAttention: [{ total: 1, lines: [{ object: `Service ${at.name}/db` }] }],
    };
    assert.partialDeepStrictEqual(pods, [
      { name: 'weeder-0', ready: true, leases: [{ name: 'dwd-weeder-leader-election' }], standsBy: false, overview },
      { name: 'weeder-1', ready: true, leases: [], standsBy: true },
    ]);
    assert.partialDeepStrictEqual(pods[0]?.checks, [{ name: 'manager', ok: true, detail: 'at work' }]);
  });

  test('status shows numbers while the page is off, and without a permission what the API server knows', async (t) => {
    const at = await scene(t, 'status-off', false);
    const refused = await at.status();
    assert.match(refused.stdout, /^Pod \S+\/weeder-0: leads by [^\n]+\n\nPod \S+\/weeder-1: stands by, [^\n]+\n$/);
    assert.match(
      refused.stderr,
      /what weeder itself knows is left out: .*you may not get and create pods\/portforward/,
    );
    await at.mayForward();
    const { stdout, stderr } = await at.status();
    assert.match(stdout, /\n {2}services: down, not ready since weeder started: \S+\/db\n/);
    assert.match(stdout, /\n {2}services: 1 \(not_ready 1\)\n/);
    const yaml = await at.status('-o', 'yaml');
    assert.equal(yaml.stderr, '');
    const { pods, remarks } = shapes.Status.parse(parse(yaml.stdout));
    assert.deepEqual(pods[0]?.numbers?.[0], {
      metric: 'weeder_services',
      total: 1,
      parts: [{ label: 'not_ready', value: 1 }],
    });
    assert.match(remarks.join(), /^the names of objects are on the live page, which is off/);
    assert.match(
      stderr,
      /^weeder: the names of objects are on the live page, which is off: set livePage: true in the chart/,
    );
  });
});
