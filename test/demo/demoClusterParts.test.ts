import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, objectOf } from '../../src/base/json.ts';
import { returnAfter, watchExits } from '../../src/demo/cluster/exits.ts';
import { manifests } from '../../src/demo/cluster/manifests.ts';
import { podSink } from '../../src/demo/cluster/podStream.ts';
import { defaultImage } from '../../src/demo/cluster/scripts.ts';
import { waitFor } from '../../src/demo/cluster/wait.ts';
import { countDowntimes } from '../../src/demo/downtime.ts';
import { configText } from '../../src/demo/objects.ts';
import { podView } from '../../src/demo/podView.ts';
import { virtualClock } from '../support/world/virtualClock.ts';

const pod = (uid: string, state: object = { running: {} }, restartCount = 0) => ({
  metadata: { uid, name: `pod-${uid}` },
  status: { containerStatuses: [{ name: 'main', state, restartCount }] },
});

test('a restarted stream reports each change once, and the pods that were deleted in between', () => {
  const received: string[] = [];
  const sink = podSink((type, { uid }) => received.push(`${type} ${uid}`));
  const list = (...uids: string[]) => {
    sink.begin();
    for (const uid of uids) sink.apply('ADDED', pod(uid));
    sink.end();
    return received.splice(0);
  };
  assert.deepEqual(list('a', 'b'), ['ADDED a', 'ADDED b']);
  sink.apply('MODIFIED', pod('b'));
  sink.apply('DELETED', pod('a'));
  sink.apply('DELETED', pod('a'));
  assert.deepEqual(received.splice(0), ['MODIFIED b', 'DELETED a']);
  assert.deepEqual(list('c', 'd'), ['ADDED c', 'ADDED d', 'DELETED b']);
  // The stream is restarted.
  sink.begin();
  sink.apply('ADDED', pod('c'));
  assert.deepEqual(list('d'), ['MODIFIED c', 'MODIFIED d', 'DELETED c']);
});

test('each exit is reported once, in every form of the kubelet, with its back-off', () => {
  const received: (readonly number[])[] = [];
  const see = watchExits(({ restarts, backOff }) => received.push([restarts, backOff]));
  const ended = { terminated: { exitCode: 1 } };
  const waiting = { waiting: { reason: 'CrashLoopBackOff' } };
  see(podView(pod('a', { waiting: { reason: 'ContainerCreating' } })));
  see(podView(pod('a')));
  see(podView(pod('a', ended)));
  see(podView(pod('a', ended)));
  see(podView(pod('a', { running: {} }, 1)));
  see(podView(pod('a', waiting, 1)));
  see(podView(pod('a', ended, 1)));
  see(podView(pod('a', { running: {} }, 3)));
  see(podView(pod('b', ended)));
  assert.deepEqual(received, [
    [0, 0],
    [1, 10_000],
    [2, 20_000],
    [0, 0],
  ]);
});

test('a dependant without weeder is ready at the first restart after the outage', () => {
  const restarts = [10_000, 25_000, 50_000, 95_000, 180_000, 345_000];
  for (const [index, at] of restarts.entries()) {
    assert.equal(returnAfter(at - 1_000), at);
    assert.ok(returnAfter(at + 1_000) === restarts[index + 1] || index === restarts.length - 1);
  }
});

test('the pods on a cluster match the selectors of the config, and meet the restricted Pod Security Standard', () => {
  const { etcd, dependants } = manifests('here', defaultImage, 3);
  const all = [...etcd, ...dependants];
  const selector = /key: role, operator: In, values: \[apiserver\]/;
  assert.match(configText, selector);
  const sets = all.slice(1).map(({ body }) => objectOf(body['spec']));
  assert.deepEqual(
    sets.map(({ replicas }) => replicas),
    [2, 3, 3],
  );
  for (const [index, { template }] of sets.entries()) {
    const { metadata, spec } = objectOf(template);
    assert.equal(objectOf(objectOf(metadata)['labels'])['role'], index === 0 ? 'main' : 'apiserver');
    const ignore = objectOf(objectOf(metadata)['annotations'])['weeder.dev/ignore'];
    assert.equal(ignore, index === 2 ? 'true' : undefined);
    const { containers, securityContext } = objectOf(spec);
    assert.partialDeepStrictEqual(securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    const [container] = Array.isArray(containers) ? containers.filter(isObject) : [];
    assert.partialDeepStrictEqual(container, {
      image: defaultImage,
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    });
  }
});

test('a wait ends when its condition holds, at its timeout, or with the signal', async () => {
  const clock = virtualClock();
  const stop = new AbortController();
  const options = { clock, signal: stop.signal };
  let isMet = false;
  const waits = [
    waitFor(options, 1_000, () => isMet),
    waitFor(options, 200, () => false),
    waitFor(options, 0, () => true),
  ];
  await clock.pass(300);
  isMet = true;
  await clock.pass(100);
  assert.deepEqual(await Promise.all(waits), ['met', 'late', 'met']);
  const stopped = waitFor(options, 1_000, () => false);
  await clock.pass(100);
  stop.abort();
  await clock.pass(100);
  assert.equal(await stopped, 'stopped');
  assert.equal(clock.pending, 0);
});

test('downtimes count from the beginning of the outage, under the names that the pods have then', () => {
  const clock = virtualClock();
  const count = countDowntimes(clock, () => {});
  const observe = (type: 'ADDED' | 'MODIFIED' | 'DELETED', uid: string, isReady: boolean) =>
    count.observe(type, { ...podView(pod(uid)), isReady });
  observe('ADDED', 'first', true);
  observe('ADDED', 'other', true);
  observe('DELETED', 'first', false);
  clock.advance(5_000);
  observe('ADDED', 'second', true);
  assert.deepEqual(
    count.all().map(({ pod: name, total }) => [name, total]),
    [
      ['pod-first', 5_000],
      ['pod-other', 0],
    ],
  );
  observe('MODIFIED', 'other', false);
  clock.advance(1_000);
  count.begin();
  clock.advance(2_000);
  assert.deepEqual(count.all(), [
    { pod: 'pod-second', total: 0, isDown: false },
    { pod: 'pod-other', total: 2_000, isDown: true },
  ]);
});
