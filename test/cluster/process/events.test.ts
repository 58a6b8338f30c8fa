import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { loadKubeConfig } from '@weeder/kube-runtime/access';
import { systemClock } from '@weeder/kube-runtime/base';
import { createKubeClient, type RequestOutcome } from '@weeder/kube-runtime/client';
import { createEventRecorder } from '@weeder/kube-runtime/events';
import {
  crashLoopBackOff,
  createReplicaSet,
  createService,
  eventually,
  grant,
  readyEndpoints,
  running,
  setPodStatus,
  startWeeder,
  type TestNamespace,
  testNamespace,
} from '../support/cluster.ts';
import { eventsOf, eventsWith, NewEvent } from '../support/events.ts';
import { startRequestProxy } from '../support/plane/requestProxy.ts';
import { setScene } from '../support/scene.ts';

const eventInstance = 'weeder-0';
const createEvents = { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] };

suite('Kubernetes Events', { concurrency: true }, () => {
  test('both Event APIs find the Events of a deletion and its window by the uids of pod and Service', async (t) => {
    const scene = await setScene(t, 'events', { settings: { watchDuration: '20s' } });
    const { ns, service } = scene;
    await scene.start({ eventInstance });
    const backing = { app: `backing-${ns.name}` };
    await createService(ns, service, { selector: backing });
    const [db] = await createReplicaSet(ns, 'db', { labels: backing, onNode: true });
    assert.ok(db);
    await setPodStatus(ns, db.metadata.name, { containers: { main: crashLoopBackOff(1) }, ip: '10.9.3.1' });
    await readyEndpoints(ns, service, 0);
    const pod = await scene.pod('web', crashLoopBackOff(4));
    await setPodStatus(ns, db.metadata.name, running(2));
    await scene.untilDeleted(pod);

    const [deletion] = await eventsWith(ns, [`involvedObject.uid=${pod.metadata.uid}`], ['PodDeleted']);
    assert.ok(deletion);
    assert.match(
      deletion.message,
      new RegExp(
        `^Deleted, because service ${service} recovered: container main was in CrashLoopBackOff after 4 restarts, with [45]m\\d+s of its back-off left\\. It last ran from \\S+ to \\S+ and ended with exit code 1 \\(Error\\)\\.$`,
      ),
    );
    assert.deepEqual([deletion.reportingInstance, deletion.type, deletion.action], [eventInstance, 'Normal', 'Delete']);
    const path = ns.path('apis/events.k8s.io/v1', 'events', deletion.metadata.name);
    const same = NewEvent.parse(await ns.cluster.api('GET', path));
    assert.deepEqual([same.note, same.regarding.uid], [deletion.message, pod.metadata.uid]);

    const object = await ns.cluster.api('GET', ns.path('api/v1', 'services', service));
    const { uid } = NewEvent.pick({ metadata: true }).parse(object).metadata;
    const sent = await eventsWith(ns, [`involvedObject.uid=${uid}`], ['WindowOpened', 'WindowClosed']);
    assert.deepEqual(sent.map(({ message }) => message).sort(), [
      'Recovered: for 20s, dependants in crash-loop back-off are deleted.',
      'Window closed: 1 pod deleted, 0 skipped.',
    ]);
  });

  test('an Event of a service whose slices have no owner has the name of the Service, and no uid', async (t) => {
    const scene = await setScene(t, 'unowned');
    await scene.start({ eventInstance });
    await scene.endpoints(false);
    await scene.endpoints(true);
    const named = [`involvedObject.kind=Service`, `involvedObject.name=${scene.service}`];
    const [event] = await eventsWith(scene.ns, named, ['WindowOpened']);
    assert.equal(event?.involvedObject.uid, undefined);
  });

  test('repeated recoveries are one Event with a series', async (t) => {
    const scene = await setScene(t, 'series');
    const weeder = await scene.start({ eventInstance });
    for (const window of [1, 2]) {
      await scene.endpoints(false);
      await scene.endpoints(true);
      await eventually(() => weeder.eventsOf('window.opened').length === window, { what: `window ${window}` });
      if (window === 1) await eventsWith(scene.ns, [], ['WindowOpened']);
    }
    await eventsWith(scene.ns, [], ['WindowOpened', 'WindowClosed']);
    await untilSeries(scene.ns, 'WindowOpened', 2);
  });

  test('a dry run reports what would have been deleted', async (t) => {
    const scene = await setScene(t, 'dry');
    await scene.start({ eventInstance, isDryRun: true });
    await scene.endpoints(false);
    const pod = await scene.pod('web');
    await scene.endpoints(true);
    const [event] = await eventsWith(scene.ns, [`involvedObject.uid=${pod.metadata.uid}`], ['PodDeletionDryRun']);
    assert.match(event?.message ?? '', /^Would be deleted \(dry run\), because service /);
    scene.assertDeleted();
  });

  test('without permission for Events deletions continue, and one log line names the rule; with --events=false there is none', async (t) => {
    const scene = await setScene(t, 'forbidden');
    const { cluster } = scene.ns;
    const user = cluster.takeUser();
    const needed = [
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'get', 'delete'] },
    ];
    const granted = await grant(cluster, user, needed);
    t.after(() => granted.revoke());
    await scene.endpoints(false);
    const weeder = startWeeder(t, { cluster, config: scene.config, user });
    const silent = startWeeder(t, { cluster, config: scene.config, user, flags: ['--events=false', '--dry-run'] });
    await Promise.all([weeder.ready(), silent.ready()]);
    const pods = [await scene.pod('web-0'), await scene.pod('web-1')];
    await scene.endpoints(true);
    await scene.untilDeleted(...pods);
    const message = 'Events may not be written; weeder continues without them';
    const line = await weeder.log.until(message, { level: 'warn', namespace: scene.ns.name });
    assert.match(
      String(line['cause']),
      /Grant it in a Role in namespace [\w-]+: \{apiGroups: \["events\.k8s\.io"\], resources: \["events"\], verbs: \["create"\]\}\.$/,
    );
    await scene.untilDeleted(await scene.pod('web-2'));
    await weeder.stop();
    assert.equal(weeder.log.find(message).length, 1);
    assert.deepEqual(silent.log.find(/Events/), []);
    assert.deepEqual(await eventsOf(scene.ns), []);
  });

  test('the permissions in docs/reference/events.md suffice', async (t) => {
    const ns = await testNamespace(t, 'granted');
    const user = ns.cluster.takeUser();
    const granted = await grant(ns.cluster, user, [createEvents], { namespace: ns.name });
    t.after(() => granted.revoke());
    const { record, lost } = recorder(t, ns.cluster.kubeconfigFor(user));
    const regarding = { apiVersion: 'v1', kind: 'Service', namespace: ns.name, name: 'db', uid: 'x' };
    const occurrence = { regarding, type: 'Normal', reason: 'WindowOpened', action: 'Watch', note: 'Once.' } as const;
    record(occurrence);
    await eventsWith(ns, [], ['WindowOpened']);
    record(occurrence);
    await untilSeries(ns, 'WindowOpened', 2);
    assert.equal(lost.forbidden, 0);
  });

  test('the API server accepts the longest Event, and an Event about an object that cannot exist is not sent', async (t) => {
    const ns = await testNamespace(t, 'longest');
    const { record, lost, outcomes } = recorder(t, ns.cluster.kubeconfigFor('admin'));
    const pod = { apiVersion: 'v1', kind: 'Pod', namespace: ns.name, name: 'a'.repeat(253), uid: 'u'.repeat(64) };
    const rest = {
      type: 'Normal',
      reason: 'r'.repeat(500),
      action: 'a'.repeat(500),
      note: '\\'.repeat(1_200_000),
    } as const;
    record({ regarding: { ...pod, name: 'x'.repeat(1_200_000) }, ...rest });
    record({ regarding: { ...pod, apiVersion: `${'g'.repeat(250)}/v1`, kind: 'K'.repeat(63) }, ...rest });
    await eventually(() => outcomes.length > 0, { what: 'the answer' });
    assert.deepEqual([outcomes, lost.impossibleObject], [[201], 1]);
    // What weeder's limits are for: each of these is one more than the API server accepts.
    const path = ns.path('apis/events.k8s.io/v1', 'events');
    const event = {
      metadata: { name: 'too-long' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      ...{ reportingController: 'weeder.dev/weeder', reportingInstance: 'weeder-0', regarding: pod },
      ...{ type: 'Normal', reason: 'PodDeleted', action: 'Delete', note: 'Deleted.' },
    };
    for (const [field, value] of [
      ['reason', 'r'.repeat(129)],
      ['action', 'a'.repeat(129)],
      ['note', 'n'.repeat(1_025)],
      ['reportingInstance', 'i'.repeat(129)],
      ['metadata', { name: 'n'.repeat(254) }],
    ] as const)
      await assert.rejects(ns.cluster.api('POST', path, { ...event, [field]: value }), /422|Invalid|invalid/, field);
    // The object that it names has no limit.
    const regarding = { ...pod, name: 'x'.repeat(300_000) };
    await ns.cluster.api('POST', path, { ...event, metadata: { name: 'too-much' }, regarding });
  });

  test('an Event in a terminating namespace is not logged as lost', async (t) => {
    const ns = await testNamespace(t, 'ending');
    const { cluster } = ns;
    const path = ns.path('api/v1', 'configmaps');
    await cluster.api('POST', path, { metadata: { name: 'finalized', finalizers: ['weeder.dev/test'] } });
    ns.after(() => cluster.api('PATCH', `${path}/finalized`, { metadata: { finalizers: null } }));
    await cluster.api('DELETE', `/api/v1/namespaces/${ns.name}`);
    const { record, lost, logged, outcomes } = recorder(t, cluster.kubeconfigFor('admin'));
    const regarding = { apiVersion: 'v1', kind: 'Pod', namespace: ns.name, name: 'web', uid: 'x' };
    record({ regarding, type: 'Normal', reason: 'PodDeleted', action: 'Delete', note: 'Deleted.' });
    // An attempt without an answer in time is repeated.
    const answers = () => outcomes.filter((outcome) => outcome !== 'timeout');
    await eventually(() => answers().length > 0, { what: 'the answer' });
    assert.deepEqual(answers(), [403]);
    assert.deepEqual(logged, []);
    assert.deepEqual(new Set(Object.values(lost)), new Set([0]));
    assert.deepEqual(await eventsOf(ns), []);
  });

  test('Events wait for at most three seconds while many pods are deleted, and each pod gets one', async (t) => {
    const scene = await setScene(t, 'many');
    const arrived: { readonly method: string; readonly at: number }[] = [];
    const proxy = await startRequestProxy(t, scene.ns.cluster, ({ method }) => {
      arrived.push({ method, at: Date.now() });
    });
    await scene.endpoints(false);
    const pods = await Promise.all(Array.from({ length: 150 }, (_, index) => scene.pod(`web-${index}`)));
    const weeder = await scene.start({ eventInstance, kubeconfig: proxy.kubeconfig });
    await scene.endpoints(true);
    await scene.untilDeleted(...pods);
    const timesOf = (verb: string) => arrived.flatMap(({ method, at }) => (method === verb ? at : []));
    // On a busy machine, lists of so many Events one after the other would delay the Events themselves.
    await eventually(() => timesOf('POST').length > pods.length, { what: 'the requests of all Events' });
    await eventsWith(scene.ns, [], ['WindowOpened', ...pods.map(() => 'PodDeleted')]);
    const sent = await eventsOf(scene.ns, 'reason=PodDeleted');
    const uids = sent.map(({ involvedObject }) => involvedObject.uid);
    assert.deepEqual(uids.sort(), pods.map(({ metadata }) => metadata.uid).sort());
    const [deletions, written] = [timesOf('DELETE'), timesOf('POST')];
    const last = deletions.at(-1) ?? Number.NaN;
    // With its line, weeder records the first Event.
    const opened = Date.parse((await weeder.log.until('service recovered, window opened')).time);
    const early = written.filter((at) => at < last && at - opened < 2_900);
    assert.deepEqual([deletions.length > 0, written.length > 0, early], [true, true, []]);
    await weeder.stop();
  });
});

/** Creates an Event recorder with its own client. */
function recorder(t: { after(cleanup: () => unknown): void }, kubeconfig: string) {
  const access = loadKubeConfig({ kubeconfig }, {});
  assert(access.ok);
  const outcomes: (number | string)[] = [];
  const onRequest = ({ outcome }: RequestOutcome) => void outcomes.push(outcome);
  const client = createKubeClient({ userAgent: 'weeder/test', access: access.value, clock: systemClock, onRequest });
  const logged: object[] = [];
  const log = { warn: (event: object) => void logged.push(event) };
  const source = { controller: 'weeder.dev/weeder', instance: eventInstance };
  const eventRecorder = createEventRecorder({ client, clock: systemClock, log, source });
  t.after(async () => {
    await eventRecorder.close();
    await client.close();
  });
  return { record: eventRecorder.record, lost: eventRecorder.lost, logged, outcomes };
}

async function untilSeries(ns: TestNamespace, reason: string, count: number): Promise<void> {
  await eventually(
    async (saw) => {
      const events = await eventsOf(ns, `reason=${reason}`);
      saw(events);
      return events.length === 1 && events[0]?.series?.count === count;
    },
    { what: `${reason} ${count} times in one Event` },
  );
}
