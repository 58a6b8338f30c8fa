import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import {
  crashLoopBackOff,
  createReplicaSet,
  createService,
  EndpointSlice,
  onePod,
  type Pod,
  readyEndpoints,
  running,
  setPodStatus,
  superviseWeeder,
  type TestNamespace,
  temporaryFile,
  testNamespace,
  watchDeletions,
} from '../support/cluster.ts';
import { watchCollection } from '../support/plane/watching.ts';

/** The example config in the documentation of the Go original. */
const config = `
watchDuration: 2m0s
servicesAndDependantSelectors:
  etcd-main-client: # name of the service/endpoint for etcd statefulset that weeder will receive events for.
    podSelectors: # all pods matching the label selector are direct dependencies for etcd service
      - matchExpressions:
          - key: gardener.cloud/role
            operator: In
            values:
              - controlplane
          - key: role
            operator: In
            values:
              - apiserver
  kube-apiserver: # name of the service/endpoint for kube-api-server pods that weeder will receive events for.
    podSelectors: # all pods matching the label selector are direct dependencies for kube-api-server service
      - matchExpressions:
          - key: gardener.cloud/role
            operator: In
            values:
              - controlplane
          - key: role
            operator: NotIn
            values:
              - main
              - apiserver
`;

const component = (role: string) => ({ 'gardener.cloud/role': 'controlplane', role });

/** Creates a workload whose pods have been ready for ten minutes. */
async function startComponent(ns: TestNamespace, name: string, role: string, replicas: number): Promise<Pod[]> {
  const pods = await createReplicaSet(ns, name, { labels: component(role), replicas, onNode: true });
  const readySince = new Date(Date.now() - 600_000);
  for (const [index, { metadata }] of pods.entries()) {
    const ip = `10.7.${role.length}.${index + 1}`;
    await setPodStatus(ns, metadata.name, { containers: { main: running() }, readySince, ip });
  }
  return pods;
}

/** Resolves `at` with the time of the first event with a ready endpoint of the service. */
async function followRecovery(ns: TestNamespace, service: string): Promise<{ readonly at: Promise<number> }> {
  const selector = encodeURIComponent(`kubernetes.io/service-name=${service}`);
  const path = `${ns.path('apis/discovery.k8s.io/v1', 'endpointslices')}?labelSelector=${selector}`;
  const end = new AbortController();
  const { changes } = await watchCollection(ns.cluster, path, end.signal);
  const follow = async () => {
    for await (const { object } of changes) {
      const { endpoints } = EndpointSlice.parse(object);
      if (endpoints?.some(({ conditions }) => conditions?.ready !== false))
        return performance.timeOrigin + performance.now();
    }
    throw new Error('the stream of slices ended');
  };
  return { at: follow().finally(() => end.abort()) };
}

suite('the timeline of the original’s documentation', () => {
  test('etcd fails and recovers, and its dependants recover one after the other', async (t) => {
    const ns = await testNamespace(t, 'timeline');
    const observer = await watchDeletions(ns);
    const assertDeleted = async (...pods: (Pod | undefined)[]) => {
      await observer.caughtUp();
      assert.deepEqual(
        observer.deletions().map(({ uid }) => uid),
        pods.map((pod) => pod?.metadata.uid),
      );
    };
    await createService(ns, 'etcd-main-client', { selector: component('main') });
    await createService(ns, 'kube-apiserver', { selector: component('apiserver') });
    const etcd = await startComponent(ns, 'etcd-main', 'main', 2);
    const [apiServer] = await startComponent(ns, 'kube-apiserver', 'apiserver', 1);
    const [manager] = await startComponent(ns, 'kube-controller-manager', 'controller-manager', 1);
    assert.ok(apiServer && manager);
    await readyEndpoints(ns, 'etcd-main-client', 2);
    await readyEndpoints(ns, 'kube-apiserver', 1);

    const configFile = temporaryFile('config.yaml');
    writeFileSync(configFile, config);
    const flags = [`--config-file=${configFile}`, '--kubeconfig', ns.cluster.kubeconfigFor('admin')];
    const others = [`--namespaces=${ns.name}`, '--health-bind-addr=0', '--metrics-bind-addr=0'];
    const weeder = superviseWeeder(t, 'npm', ['start', '--silent', '--', ...flags, ...others]);
    await weeder.ready();
    await weeder.log.until('service is ready, and no window is due', { service: 'etcd-main-client' });
    await weeder.log.until('service is ready, and no window is due', { service: 'kube-apiserver' });

    // t=0: both etcd pods are down. t=10: their dependants crash-loop.
    for (const { metadata } of etcd) await setPodStatus(ns, metadata.name, crashLoopBackOff(1));
    await readyEndpoints(ns, 'etcd-main-client', 0);
    await setPodStatus(ns, apiServer.metadata.name, crashLoopBackOff(4));
    await readyEndpoints(ns, 'kube-apiserver', 0);
    await setPodStatus(ns, manager.metadata.name, crashLoopBackOff(4));
    await weeder.log.until('service is down', { service: 'etcd-main-client' });
    await weeder.log.until('service is down', { service: 'kube-apiserver' });
    await assertDeleted();

    // t=100: both recover. t=103: the pod of the API server is deleted. t=104: its ReplicaSet has replaced it.
    const etcdRecovery = await followRecovery(ns, 'etcd-main-client');
    for (const { metadata } of etcd) await setPodStatus(ns, metadata.name, running(2));
    const deletion = await observer.untilDeleted(apiServer.metadata.uid);
    const successor = await onePod(ns, component('apiserver'), { not: apiServer.metadata.uid });
    const first = Math.round(deletion.at - (await etcdRecovery.at));
    await assertDeleted(apiServer);

    // The new pod becomes ready, which opens the next window.
    const apiServerRecovery = await followRecovery(ns, 'kube-apiserver');
    await setPodStatus(ns, successor.metadata.name, { containers: { main: running() }, ip: '10.7.9.9' });
    const second = await observer.untilDeleted(manager.metadata.uid);
    await onePod(ns, component('controller-manager'), { not: manager.metadata.uid });
    const later = Math.round(second.at - (await apiServerRecovery.at));
    await assertDeleted(apiServer, manager);

    t.diagnostic(`from the recovery to the DELETED event: ${first} ms, and in the second window ${later} ms`);
    // Without weeder, the back-off would be 80 s. On an idle machine it takes less than a second.
    assert.ok(first < 60_000 && later < 60_000);
    await weeder.stop();
    assert.equal(weeder.log.lines.at(-1)?.msg, 'weeder stopped');
  });
});
