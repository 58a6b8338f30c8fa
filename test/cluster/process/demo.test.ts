import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { apiserverLabels, etcdService } from '../../../src/demo/objects.ts';
import { demoPrograms } from '../../support/world/demoPrograms.ts';
import type { Cleanup } from '../support/cleanup.ts';
import {
  type Cluster,
  crashLoopBackOff,
  eventually,
  grant,
  ownedPod,
  podsOf,
  setPodStatus,
  setSlice,
  sharedControlPlane,
  type TestNamespace,
  testNamespace,
  watchDeletions,
} from '../support/cluster.ts';
import { type DemoProcess, startDemo } from '../support/demoProcess.ts';

import { startRemoteKubelet } from '../support/plane/remoteKubelet.ts';
import { untilTime } from '../support/scene.ts';

const serviceReady = /etcd-main-client is ready$/m;
/** An outage long enough for pods to crash-loop on a busy machine. */
const longer = '--outage=60s';
const crashLoops = /exited \(restarts: 1\), back-off 10s$/m;

/** Starts `weeder demo` and a simulated kubelet for its namespace. */
async function startDemoWithKubelet(t: Cleanup, flags: readonly string[], needs?: () => string) {
  const cluster = await sharedControlPlane();
  const demo = startDemo(t, cluster, ['--outage=15s', ...flags]);
  const namespace = await demo.namespace();
  await startRemoteKubelet(t, { cluster, namespace, program: demoPrograms(needs) });
  return { cluster, demo, namespace };
}

async function namespaceExists(cluster: Cluster, namespace: string): Promise<boolean> {
  const { status } = await cluster.send('GET', `/api/v1/namespaces/${namespace}`);
  assert.ok(status === 200 || status === 404, String(status));
  return status === 200;
}

function deletedBy(demo: DemoProcess): string[] {
  return [...demo.stdout().matchAll(/weeder {3}deletes (\S+) \(/g)].map(([, name = '']) => name);
}

/** Creates another namespace with a service of the same name and a crash-looping dependant. */
async function similarNamespace(t: Cleanup): Promise<TestNamespace> {
  const ns = await testNamespace(t, 'similar');
  await setSlice(ns, etcdService, { ready: [false] });
  await ownedPod(ns, 'similar', { labels: apiserverLabels });
  await setPodStatus(ns, 'similar', crashLoopBackOff(5));
  return ns;
}

suite('weeder demo on a real API server', { concurrency: true }, () => {
  test('the demo shows the earlier recovery of one half of the pods, changes nothing else, and removes what it created', async (t) => {
    const other = await similarNamespace(t);
    const observer = await watchDeletions(other);
    const { cluster, demo, namespace } = await startDemoWithKubelet(t, ['--replicas=2', longer]);
    await demo.untilPrinted(crashLoops);
    assert.ok(await namespaceExists(cluster, namespace));
    await demo.untilPrinted(serviceReady);
    await setSlice(other, etcdService, { ready: [true] });
    await demo.untilPrinted(/^The same outage \(1m0s\) with weeder, and without/m);
    assert.deepEqual(await demo.exited, { code: 0, signal: null }, demo.stdout() + demo.stderr());
    assert.equal(demo.stderr(), '');

    const deleted = deletedBy(demo);
    assert.equal(deleted.length, 2, demo.stdout());
    for (const name of deleted) assert.match(name, /^kube-apiserver-/);
    assert.equal(demo.stdout().match(/skips apiserver-ignored-\w{5} \(weeder\.dev\/ignore\)$/gm)?.length, 2);
    const table = demo.stdout().matchAll(/^ {2}replica \d +([\d.]+) s +([\d.]+) s +([\d.]+) s$/gm);
    const rows = [...table].map((row) => row.slice(1).map(Number));
    assert.equal(rows.length, 2);
    for (const [withWeeder = 0, without = 0] of rows) assert.ok(without > withWeeder + 3, JSON.stringify(rows));

    assert.equal(await namespaceExists(cluster, namespace), false);
    await observer.caughtUp();
    assert.deepEqual(observer.deletions(), []);
    assert.equal((await podsOf(other, apiserverLabels)).length, 1);
  });

  test('the demo exits with code 1 if the pods do not become ready, and removes what it created', async (t) => {
    let service = etcdService;
    const { cluster, demo, namespace } = await startDemoWithKubelet(
      t,
      ['--replicas=1', '--timeout=40s', longer],
      () => service,
    );
    await demo.untilPrinted(crashLoops);
    service = 'missing';
    assert.deepEqual(await demo.exited, { code: 1, signal: null });
    assert.match(demo.stdout(), serviceReady);
    assert.match(demo.stdout(), /^ {2}replica 1 +> [\d.]+ s +> [\d.]+ s$/m);
    assert.match(demo.stdout(), /^Not all pods were ready 40s after the outage\.$/m);
    assert.equal(await namespaceExists(cluster, namespace), false);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`the demo removes what it created on ${signal}`, async (t) => {
      const { cluster, demo, namespace } = await startDemoWithKubelet(t, ['--replicas=1']);
      await demo.untilPrinted(/both pods fail/);
      demo.signal(signal);
      assert.deepEqual(await demo.exited, { code: 1, signal: null });
      assert.match(demo.stdout(), /^Stopped before the end\.$/m);
      assert.equal(demo.stderr(), '');
      assert.equal(await namespaceExists(cluster, namespace), false);
    });
  }

  test('the demo counts two immediate SIGINTs as one, because npm forwards Ctrl-C, and exits at once on a later one', async (t) => {
    const { cluster, demo, namespace } = await startDemoWithKubelet(t, ['--replicas=1']);
    await demo.untilPrinted(/both pods fail/);
    demo.signal('SIGINT');
    demo.signal('SIGINT');
    await demo.untilPrinted(/^Removing the namespace/m);
    await untilTime(Date.now() + 1_100);
    demo.signal('SIGINT');
    const { code } = await demo.exited;
    assert.equal(code, 130, demo.stdout());
    assert.doesNotMatch(demo.stdout(), /The namespace is removed/);
    const isDeleted = async () => !(await namespaceExists(cluster, namespace));
    await eventually(isDeleted, { what: `the end of ${namespace}` });
  });

  test('the demo removes what it created if the pods never run', async (t) => {
    const cluster = await sharedControlPlane();
    const demo = startDemo(t, cluster, ['--timeout=1s']);
    const namespace = await demo.namespace();
    assert.deepEqual(await demo.exited, { code: 1, signal: null });
    assert.match(demo.stderr(), /^weeder: The demo's pods did not become ready in time \(.+\)\. Choose an image /);
    assert.equal(await namespaceExists(cluster, namespace), false);
  });

  test('the demo reports a missing permission, and creates nothing if it may not create a namespace', async (t) => {
    const cluster = await sharedControlPlane();
    const demo = startDemo(t, cluster, [], cluster.takeUser());
    const namespace = await demo.namespace();
    assert.deepEqual(await demo.exited, { code: 1, signal: null });
    assert.match(
      demo.stderr(),
      /^weeder: The demo cannot be played on this cluster: .*cannot create resource "namespaces"/,
    );
    assert.equal(await namespaceExists(cluster, namespace), false);
  });

  test('the demo reports that it may not remove the namespace', async (t) => {
    const cluster = await sharedControlPlane();
    const user = cluster.takeUser();
    const granted = await grant(cluster, user, [{ apiGroups: [''], resources: ['namespaces'], verbs: ['create'] }]);
    const demo = startDemo(t, cluster, [], user);
    const namespace = await demo.namespace();
    t.after(async () => {
      await granted.revoke();
      await cluster.send('DELETE', `/api/v1/namespaces/${namespace}`);
    });
    assert.deepEqual(await demo.exited, { code: 1, signal: null });
    assert.match(demo.stderr(), /cannot create resource "services"/);
    const message = `^weeder: The namespace ${namespace} could not be removed: .*cannot delete resource "namespaces".*`;
    assert.match(demo.stderr(), new RegExp(`${message} Remove it with: kubectl delete namespace ${namespace}$`, 'm'));
    assert.ok(await eventually(() => namespaceExists(cluster, namespace), { what: namespace }));
  });
});
