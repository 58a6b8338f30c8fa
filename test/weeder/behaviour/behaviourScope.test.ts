import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeletionAnswer } from '../../../src/weeder/deletions/deletePod.ts';
import { backOff, pod, running, terminated } from '../../support/objects/objects.ts';
import { apiserver, minute } from '../../support/world/simulation.ts';
import { ends, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const controller = { matchLabels: { role: 'controller' } };
const crashLooping = (name: string, namespace = 'shoot-1', labels = { role: 'apiserver' }) => ({
  name,
  namespace,
  labels,
  containers: [backOff()],
});

test('the same service in two namespaces is two services, each with dependants in its own namespace', async () => {
  const at = world();
  at.put(crashLooping('one', 'shoot-1'));
  at.put(crashLooping('two', 'shoot-2'));
  at.slice({ ...up, namespace: 'shoot-1' });
  await at.clock.pass(1000);
  assert.deepEqual(at.timeline(), ['one@0']);
  at.slice({ ...up, namespace: 'shoot-2' });
  await ends(at);
  assert.deepEqual(at.timeline(), ['one@0', 'two@1000']);
  assert.deepEqual(
    at.eventsOf('window.closed').map(({ namespace, window, deleted }) => [namespace, window, deleted]),
    [
      ['shoot-1', 1, 1],
      ['shoot-2', 1, 1],
    ],
  );
});

test('a list of dependantNamespaces selects only these namespaces, not the service’s own', async () => {
  const at = world({ service: { dependantNamespaces: ['shoot-2', 'shoot-3'] } });
  for (const namespace of ['shoot-1', 'shoot-2', 'shoot-3', 'shoot-4']) at.put(crashLooping('kapi', namespace));
  at.slice(up);
  await ends(at);
  assert.deepEqual(
    at.deletions.map((each) => each.namespace),
    ['shoot-2', 'shoot-3'],
  );
});

test('dependantNamespaces: all includes a namespace that appears while the window is open', async () => {
  const at = world({ service: { dependantNamespaces: 'all' } });
  at.put(crashLooping('kapi', 'shoot-2'));
  at.slice(up);
  await at.clock.pass(1000);
  at.put(crashLooping('kapi', 'shoot-3'));
  await ends(at);
  assert.deepEqual(
    at.deletions.map((each) => each.namespace),
    ['shoot-2', 'shoot-3'],
  );
});

test('failed deletions of pods of the same name in two namespaces are counted separately', async () => {
  const answer = () => ({ type: 'delete.rejected', reason: 'bad request' }) as const;
  const at = world({ service: { dependantNamespaces: 'all' }, answer });
  at.put(crashLooping('kapi', 'shoot-1'));
  at.put(crashLooping('kapi', 'shoot-2'));
  at.slice(up);
  await ends(at);
  assert.equal(at.eventsOf('window.closed')[0]?.failed.length, 2);
});

test('a service that is configured for some namespaces is watched only there', async () => {
  const at = world({ service: { namespaces: ['shoot-2'] } });
  at.put(crashLooping('one', 'shoot-1'));
  at.put(crashLooping('two', 'shoot-2'));
  at.slice({ ...up, namespace: 'shoot-1' });
  at.slice({ ...up, namespace: 'shoot-2' });
  await ends(at);
  assert.deepEqual(at.timeline(), ['two@0']);
});

test('every podSelector of a service applies, and pods that no selector matches are not deleted', async () => {
  const at = world({ service: { podSelectors: [apiserver, controller] } });
  at.put(crashLooping('a'));
  at.put(crashLooping('b', 'shoot-1', { role: 'controller' }));
  at.put(crashLooping('c', 'shoot-1', { role: 'database' }));
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['a@0', 'b@0']);
});

test('a pod that two podSelectors of one service match is deleted once and counted once', async () => {
  const at = world({
    service: { podSelectors: [apiserver, { matchExpressions: [{ key: 'role', operator: 'Exists' }] }] },
  });
  at.put(crashLooping('kapi'));
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi@0']);
  assert.equal(at.eventsOf('pod.deleted').length, 1);
  assert.equal(at.eventsOf('window.closed')[0]?.deleted, 1);
});

const twoServices = [
  { name: 'etcd', watchDuration: minute },
  { name: 'dns', watchDuration: 3 * minute },
];

test('a pod that two windows select is deleted once', async () => {
  const at = world({ services: twoServices });
  at.put(crashLooping('kapi'));
  at.slice({ ...up, service: 'etcd' });
  at.slice({ ...up, service: 'dns' });
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi@0']);
});

test('a deletion counts for the window that requested it first, whether the response or the stream arrives first', async () => {
  for (const isStreamFirst of [true, false]) {
    const late = Promise.withResolvers<DeletionAnswer>();
    const at = world({ services: twoServices, answer: () => late.promise });
    at.slice({ ...up, service: 'etcd' });
    at.slice({ ...up, service: 'dns' });
    at.put(crashLooping('kapi'));
    await at.clock.pass(2 * minute);
    assert.deepEqual(at.eventsOf('window.closed'), [], 'the stats wait for the response');
    if (isStreamFirst) at.remove('kapi');
    late.resolve({ type: 'delete.accepted' });
    await at.clock.pass(10);
    if (!isStreamFirst) at.remove('kapi');
    await ends(at);
    const counts = at.eventsOf('window.closed').map(({ service, deleted, failed }) => [service, deleted, failed]);
    assert.deepEqual(counts, [
      ['etcd', 1, []],
      ['dns', 0, []],
    ]);
    assert.equal(at.eventsOf('pod.deleted').length, 1);
  }
});

test('a deletion does not count for a later window, or for one that skips such pods', async () => {
  const services = [{ name: 'etcd', barePods: 'delete' as const }, { name: 'dns' }, { name: 'late' }];
  const at = world({ services });
  at.slice({ ...up, service: 'etcd' });
  at.slice({ ...up, service: 'dns' });
  at.put({ ...crashLooping('bare'), isBare: true });
  await at.clock.pass(10);
  at.slice({ ...up, service: 'late' });
  await ends(at);
  const counts = at.eventsOf('window.closed').map(({ service, deleted }) => [service, deleted]);
  assert.deepEqual(counts, [
    ['etcd', 1],
    ['dns', 0],
    ['late', 0],
  ]);
});

test('an event about a pod names the window that observed it first', async () => {
  const answers: DeletionAnswer[] = [{ type: 'delete.failed' }, { type: 'delete.rejected' }];
  const at = world({ services: twoServices, answer: () => answers.shift() ?? { type: 'delete.accepted' } });
  at.slice({ ...up, service: 'etcd' });
  at.slice({ ...up, service: 'dns' });
  at.put(crashLooping('rejected'));
  await at.clock.pass(10_000);
  at.put(crashLooping('accepted'));
  await at.clock.pass(10_000);
  const seen = () =>
    at.events.flatMap((event) => ('pod' in event ? `${event.type} ${event.pod.name} ${event.service}` : []));
  const ofFirst = ['deletion.refused rejected etcd', 'deletion.failed rejected etcd', 'pod.deleted accepted etcd'];
  assert.deepEqual(seen(), ofFirst);
  await ends(at);
  assert.deepEqual(seen(), [...ofFirst, 'pod.deleted rejected dns'], 'the second window tries once more');
});

test('a pod is to be deleted as long as one window selects it: the first window to close does not cancel the deletion', async () => {
  let isRefused = true;
  const at = world({
    services: twoServices,
    answer: (request) => (isRefused ? { type: 'delete.failed' } : at.answerTo(request)),
  });
  at.put(crashLooping('kapi'));
  at.slice({ ...up, service: 'etcd' });
  at.slice({ ...up, service: 'dns' });
  await at.clock.pass(2 * minute);
  assert.deepEqual(at.eventsOf('deletion.failed'), []);
  isRefused = false;
  await at.clock.pass(10_000);
  assert.equal(at.eventsOf('pod.deleted').length, 1);
  assert.equal(at.eventsOf('pod.deleted')[0]?.service, 'dns');
  await ends(at);
});

test('a pod that two services select waits in the window of one while the other is down, and no longer', async () => {
  const at = world({ services: twoServices });
  at.slice({ ...up, service: 'etcd' });
  at.slice({ ...up, service: 'dns' });
  at.slice({ ready: [false], service: 'etcd' });
  at.put(crashLooping('kapi'));
  await at.clock.pass(10_000);
  assert.deepEqual(at.timeline(), []);
  assert.partialDeepStrictEqual(at.eventsOf('deletion.pending'), [
    { service: 'dns', reason: 'dependencyNotReady', heldBy: 'shoot-1/etcd', waitIn: 180_000 },
  ]);
  at.slice({ ...up, service: 'etcd' });
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi@10000']);
});

test('a queued deletion waits when another service of the pod goes down, and expires with its window', async () => {
  const late = Promise.withResolvers<DeletionAnswer>();
  const at = world({ services: twoServices, concurrentDeletions: 1, answer: () => late.promise });
  at.slice({ ...up, service: 'etcd' });
  at.slice({ ...up, service: 'dns' });
  at.put(crashLooping('first'));
  at.put(crashLooping('kapi'));
  at.slice({ ready: [false], service: 'etcd' });
  late.resolve({ type: 'delete.accepted' });
  await ends(at);
  assert.deepEqual(at.deletedNames(), ['first']);
  assert.partialDeepStrictEqual(at.eventsOf('deletion.expired'), [
    { pod: { name: 'kapi' }, service: 'dns', reason: 'dependencyNotReady' },
  ]);
});

test('a service holds no pods of others that says delete, was never ready, does not exist, or selects other pods', async () => {
  const other = { name: 'etcd', watchDuration: minute };
  const cases = [
    { etcd: { ...other, whileNotReady: 'delete' as const }, isSeenReady: true, isRemoved: false },
    { etcd: other, isSeenReady: false, isRemoved: false },
    { etcd: other, isSeenReady: true, isRemoved: true },
    { etcd: { ...other, podSelectors: [controller] }, isSeenReady: true, isRemoved: false },
    { etcd: { ...other, dependantNamespaces: ['shoot-2'] }, isSeenReady: true, isRemoved: false },
  ];
  for (const { etcd, isSeenReady, isRemoved } of cases) {
    const at = world({ services: [etcd, { name: 'dns' }] });
    if (isSeenReady) at.slice({ ...up, service: 'etcd' });
    await at.clock.pass(2 * minute);
    at.slice({ ready: [false], service: 'etcd' });
    if (isRemoved) at.slice({ ready: [false], service: 'etcd' }, 'DELETED');
    at.put(crashLooping('kapi'));
    at.slice({ ...up, service: 'dns' });
    await at.clock.pass(1000);
    assert.deepEqual(at.deletedNames(), ['kapi'], JSON.stringify({ etcd, isSeenReady, isRemoved }));
    await ends(at);
  }
});

test('a pod that is relabelled while the window is open is subject to the selectors that match it now', async () => {
  const at = world({ service: { podSelectors: [apiserver, controller] }, answer: () => ({ type: 'delete.failed' }) });
  at.put(crashLooping('kapi'));
  at.slice(up);
  await at.clock.pass(1000);
  at.put(crashLooping('kapi', 'shoot-1', { role: 'controller' }));
  const before = at.deletions.length;
  await at.clock.pass(20_000);
  assert.ok(at.deletions.length > before);
  at.put(crashLooping('kapi', 'shoot-1', { role: 'database' }));
  const after = at.deletions.length;
  await ends(at);
  assert.equal(at.deletions.length, after);
});

test('running and pending pods of other namespaces are not deleted', async () => {
  const at = world({ service: { dependantNamespaces: 'all' } });
  at.slice(up);
  at.put({ name: 'healthy', containers: [running(7)] });
  at.put({ name: 'pending', phase: 'Pending', containers: [] });
  await ends(at);
  assert.deepEqual(at.timeline(), []);
});

test('if two streams know a pod, the more recent version determines when its back-off began', async () => {
  const at = world({ service: { podSelectors: [apiserver, controller] }, answer: () => ({ type: 'delete.failed' }) });
  const [apiservers, controllers] = [...at.weeder.pods.values()];
  at.slice(up);
  const common = { name: 'kapi', isBare: true };
  apiservers?.apply('ADDED', pod({ ...common, containers: [backOff()] }));
  await at.clock.pass(1000);
  const ended = [terminated(at.clock.now())];
  controllers?.apply('ADDED', pod({ ...common, isBare: false, labels: { role: 'controller' }, containers: ended }));
  await at.clock.pass(1999);
  assert.deepEqual(at.timeline(), []);
  await at.clock.pass(1);
  assert.deepEqual(at.timeline(), ['kapi@3000']);
  await ends(at);
});
