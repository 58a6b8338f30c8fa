import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import {
  eventually,
  getPod,
  grant,
  type Pod,
  patchPodMetadata,
  patchPodStatus,
  podsOf,
  type Rule,
  remainsTrue,
  startWeeder,
  type TestNamespace,
  testNamespace,
} from '../support/cluster.ts';
import { eventsOf } from '../support/events.ts';
import { ensureTestNode, podTemplate } from '../support/restart/podTemplate.ts';

const labels = { workload: 'web' };

/** A Deployment whose pods are on a node, where no kubelet acts, and have a Secret as a volume and another variable. */
async function waitingPods(t: TestContext, prefix: string, replicas: number) {
  const ns = await testNamespace(t, prefix);
  await ensureTestNode(ns);
  const { metadata, spec } = podTemplate({ labels, onNode: true }, 'web');
  const volumes = [{ name: 'password', secret: { secretName: 'password' } }];
  const template = { metadata, spec: { ...spec, volumes } };
  await ns.cluster.api('POST', ns.path('apis/apps/v1', 'deployments'), {
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
  return { ns, pods: await podsOf(ns, labels, replicas) };
}

/** Writes what a kubelet reports that has tried to mount the volumes for this time, in milliseconds. */
async function report(
  ns: TestNamespace,
  { metadata: { name } }: Pod,
  waited: number,
  more: object = {},
): Promise<void> {
  await patchPodStatus(ns, name, {
    phase: 'Pending',
    startTime: new Date(Date.now() - waited).toISOString(),
    conditions: [{ type: 'PodReadyToStartContainers', status: 'False' }],
    containerStatuses: [
      {
        name: 'main',
        image: '',
        imageID: '',
        restartCount: 0,
        ready: false,
        state: { waiting: { reason: 'ContainerCreating' } },
      },
    ],
    ...more,
  });
}

/** Creates the Secret in a later second than that of the last pod. */
async function createSecret(ns: TestNamespace): Promise<void> {
  const created = Math.max(
    ...(await podsOf(ns, labels)).map(({ metadata }) => Date.parse(String(metadata['creationTimestamp']))),
  );
  await eventually(() => Promise.resolve(Date.now() >= created + 1_000), { what: 'the next second' });
  await ns.cluster.api('POST', ns.path('api/v1', 'secrets'), {
    metadata: { name: 'password' },
    stringData: { word: 'secret' },
  });
}

function begin(t: TestContext, ns: TestNamespace, user = 'admin', flags: readonly string[] = []) {
  const restartControl = { rules: [{ lateSources: 'evict' }], hashKey: { namespace: ns.name } };
  const { cluster } = ns;
  return startWeeder(t, { cluster, user, config: { restartControl }, flags: [`--namespaces=${ns.name}`, ...flags] });
}

const running = {
  state: { running: { startedAt: new Date().toISOString() } },
  restartCount: 0,
  image: '',
  imageID: '',
};
const pod = { resources: ['pods'], apiGroups: [''], verbs: ['list'] };
const rules: readonly Rule[] = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['list', 'watch', 'get', 'create', 'update'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  pod,
];

suite('pods that wait for a Secret that appears late', { concurrency: true }, () => {
  test('each is evicted once and its replacement never; one that has started or is protected stays', async (t) => {
    const { ns, pods } = await waitingPods(t, 'late', 4);
    const [first, second, started, ignored] = pods;
    assert(first && second && started && ignored);
    for (const each of [first, second, ignored]) await report(ns, each, 66_000);
    await report(ns, started, 66_000, { containerStatuses: [{ name: 'main', ready: true, ...running }] });
    await patchPodMetadata(ns, ignored.metadata.name, { annotations: { 'weeder.dev/ignore': 'true' } });
    const weeder = begin(t, ns);
    await weeder.log.until('restart blocked');
    await createSecret(ns);
    for (const { metadata } of [first, second]) {
      const line = await weeder.log.until(/^pod evicted/, { pod: metadata.name });
      assert.deepEqual(line['waitedFor'], [`secret/${ns.name}/password`]);
    }
    const [event] = await eventually(
      async () => {
        const events = await eventsOf(ns, 'reason=WaitingPodEvicted', 'involvedObject.kind=Deployment');
        return events.length > 0 && events;
      },
      { what: 'the Event on the Deployment' },
    );
    assert.match(event?.message ?? '', /its volumes waited for Secret password/);
    const now = await podsOf(ns, labels, 4);
    const isNew = ({ metadata }: Pod) => !pods.some((each) => each.metadata.uid === metadata.uid);
    assert.equal(now.filter(isNew).length, 2);
    for (const each of now.filter(isNew)) await report(ns, each, 66_000);
    // Another change of the Secret leads to another check.
    const more = { stringData: { other: 'word' } };
    await ns.cluster.api('PATCH', ns.path('api/v1', 'secrets', 'password'), more);
    const there = async () => (await podsOf(ns, labels)).map(({ metadata }) => metadata.uid).sort();
    const uids = now.map(({ metadata }) => metadata.uid).sort();
    await remainsTrue(async () => (await there()).join() === uids.join(), { what: 'the same pods', for: 4_000 });
  });

  test('without the permission the refusal is reported, and the pod is evicted once it is granted', async (t) => {
    const { ns, pods } = await waitingPods(t, 'late-refused', 1);
    const [waiting] = pods;
    assert(waiting);
    await report(ns, waiting, 66_000);
    const user = ns.cluster.takeUser();
    await grant(ns.cluster, user, rules, { namespace: ns.name });
    const weeder = begin(t, ns, user);
    await weeder.log.until('restart blocked');
    await createSecret(ns);
    await weeder.log.until('restart control request refused, retrying', { failure: 'forbidden' });
    assert.equal((await getPod(ns, waiting.metadata.name))?.metadata.uid, waiting.metadata.uid);
    const eviction: Rule = { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] };
    await grant(ns.cluster, user, [eviction], { namespace: ns.name });
    await weeder.log.until(/^pod evicted/, { pod: waiting.metadata.name });
  });

  test('a dry run reports the pod, and leaves it', async (t) => {
    const { ns, pods } = await waitingPods(t, 'late-dry', 1);
    const [waiting] = pods;
    assert(waiting);
    await report(ns, waiting, 66_000);
    const weeder = begin(t, ns, 'admin', ['--dry-run']);
    await weeder.log.until('restart blocked');
    await createSecret(ns);
    await weeder.log.until(/^pod would be evicted \(dry run\)/, { pod: waiting.metadata.name });
    assert.equal((await getPod(ns, waiting.metadata.name))?.metadata.uid, waiting.metadata.uid);
  });
});
