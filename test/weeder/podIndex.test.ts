import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { readLineMetadata } from '@weeder/kube-runtime/watch';
import { createPodIndex } from '../../src/weeder/pods/createPodIndex.ts';
import type { PodIndex, Scope } from '../../src/weeder/pods/podIndex.ts';
import { backOff, type PodOptions, pod, running, terminated } from '../support/objects/objects.ts';

const crashLooping = (name: string, namespace = 'a'): PodOptions => ({ name, namespace, containers: [backOff()] });
const healthy = (name: string, namespace = 'a'): PodOptions => ({ name, namespace, containers: [running(4)] });

function put(index: PodIndex, options: PodOptions, type: 'ADDED' | 'MODIFIED' | 'DELETED' = 'MODIFIED'): void {
  index.apply(type, pod(options));
}

/** The calls of a listener of this scope. */
function listening(index: PodIndex, scope: Scope) {
  const calls: string[] = [];
  const end = index.subscribe(scope, {
    crashLooping: ({ namespace, name }) => calls.push(`${namespace}/${name}`),
    left: (uid) => calls.push(`left ${uid}`),
  });
  return { calls: () => calls.splice(0), end };
}

test('the index contains the crash-looping pods and no others', () => {
  const index = createPodIndex(virtualClock());
  put(index, healthy('one'));
  put(index, crashLooping('two'));
  put(index, { ...crashLooping('three'), deletionTimestamp: '2026-01-01T00:00:00Z' });
  assert.equal(index.size(), 1);
  assert.equal(index.get('uid-of-a-two')?.name, 'two');
  assert.equal(index.get('uid-of-a-one'), undefined);
});

test('the index lists pods that never started until they start, crash-loop, are deleted or are not listed', () => {
  const index = createPodIndex(virtualClock());
  const stuck = (name: string, reason = 'ImagePullBackOff'): PodOptions => ({
    name,
    namespace: 'a',
    containers: [{ state: { waiting: { reason } } }],
  });
  const names = (scope: Scope = 'all') => [...index.neverStarted(scope)].map(({ name, reason }) => `${name} ${reason}`);
  put(index, stuck('one'));
  put(index, stuck('two', 'CreateContainerConfigError'));
  put(index, stuck('three', 'ContainerCreating'));
  assert.deepEqual(names(), ['one ImagePullBackOff', 'two CreateContainerConfigError']);
  assert.deepEqual([names(['a']).length, names(['b']).length, index.size()], [2, 0, 0]);
  put(index, healthy('one'));
  put(index, crashLooping('two'));
  assert.deepEqual(names(), []);
  put(index, stuck('four'));
  put(index, stuck('four'), 'DELETED');
  put(index, stuck('five'));
  index.begin();
  index.end();
  assert.deepEqual(names(), []);
});

test('an event about a pod that may never start is parsed, one about a pod that is being created is not', () => {
  const index = createPodIndex(virtualClock());
  const isIrrelevant = (reason: string) => {
    const object = pod({ name: 'one', namespace: 'a', containers: [{ state: { waiting: { reason } } }] });
    const line = Buffer.from(JSON.stringify({ type: 'MODIFIED', object }));
    const metadata = readLineMetadata(line);
    assert(metadata !== undefined);
    return index.isIrrelevant?.(line, metadata);
  };
  assert.deepEqual(['ErrImagePull', 'CreateContainerError', 'ContainerCreating'].map(isIrrelevant), [
    false,
    false,
    true,
  ]);
});

test('a subscriber gets the crash-looping pods, and then each newer version', () => {
  const index = createPodIndex(virtualClock());
  put(index, crashLooping('one'));
  const { calls } = listening(index, ['a']);
  assert.deepEqual(calls(), ['a/one']);
  put(index, crashLooping('two'));
  put(index, crashLooping('two'));
  put(index, healthy('three'));
  assert.deepEqual(calls(), ['a/two', 'a/two']);
});

test('the same version again is not delivered', () => {
  const index = createPodIndex(virtualClock());
  const { calls } = listening(index, 'all');
  const same = pod(crashLooping('one'));
  index.apply('ADDED', same);
  index.apply('ADDED', same);
  assert.deepEqual(calls(), ['a/one']);
});

test('a pod is removed once: when it runs, is being deleted, no longer matches or no longer exists', () => {
  const index = createPodIndex(virtualClock());
  const { calls } = listening(index, 'all');
  const endings: (() => void)[] = [
    () => put(index, healthy('one')),
    () => put(index, { ...crashLooping('one'), deletionTimestamp: '2026-01-01T00:00:00Z' }),
    () => put(index, crashLooping('one'), 'DELETED'),
  ];
  for (const end of endings) {
    put(index, crashLooping('one'));
    calls();
    end();
    end();
    assert.deepEqual(calls(), ['left uid-of-a-one']);
    assert.equal(index.size(), 0);
  }
});

test('a listener gets only the pods of its namespaces, or all pods if it selects all namespaces', () => {
  const index = createPodIndex(virtualClock());
  const some = listening(index, ['a', 'c', 'a']);
  const listener = listening(index, 'all');
  const none = listening(index, []);
  for (const namespace of ['a', 'b', 'c']) put(index, crashLooping('one', namespace));
  put(index, healthy('one', 'b'));
  assert.deepEqual(some.calls(), ['a/one', 'c/one']);
  assert.deepEqual(listener.calls(), ['a/one', 'b/one', 'c/one', 'left uid-of-b-one']);
  assert.deepEqual(none.calls(), []);
  assert.deepEqual(listening(index, ['b', 'c']).calls(), ['c/one']);
  assert.deepEqual(listening(index, 'all').calls(), ['a/one', 'c/one']);
});

test('after unsubscribing a listener gets nothing more, and the others still do', () => {
  const index = createPodIndex(virtualClock());
  const one = listening(index, ['a']);
  const other = listening(index, ['a']);
  one.end();
  one.end();
  put(index, crashLooping('one'));
  assert.deepEqual([one.calls(), other.calls()], [[], ['a/one']]);
});

test('a new list removes the pods that it does not contain, and delivers nothing for unchanged ones', () => {
  const index = createPodIndex(virtualClock());
  const [remaining, vanishes, recovers] = ['remaining', 'vanishes', 'recovers'].map((name) => pod(crashLooping(name)));
  for (const object of [remaining, vanishes, recovers]) index.apply('ADDED', object);
  const { calls } = listening(index, 'all');
  calls();
  index.begin();
  index.apply('ADDED', remaining);
  put(index, healthy('recovers'), 'ADDED');
  assert.deepEqual(calls(), ['left uid-of-a-recovers']);
  index.end();
  assert.deepEqual(calls(), ['left uid-of-a-vanishes']);
  assert.equal(index.size(), 1);
});

test('an interrupted list that begins again counts from the beginning', () => {
  const index = createPodIndex(virtualClock());
  const [one, two] = [pod(crashLooping('one')), pod(crashLooping('two'))];
  index.begin();
  index.apply('ADDED', one);
  index.begin();
  index.apply('ADDED', two);
  index.end();
  assert.deepEqual(listening(index, 'all').calls(), ['a/two']);
});

test('several streams feed one index, and the list of one does not affect the others', () => {
  const index = createPodIndex(virtualClock());
  const [inA, inB] = [index.createSink(), index.createSink()];
  inA.begin();
  inA.apply('ADDED', pod(crashLooping('one', 'a')));
  inA.end();
  inB.begin();
  inB.apply('ADDED', pod(crashLooping('two', 'b')));
  inB.end();
  assert.equal(index.size(), 2);
  inA.begin();
  inA.end();
  assert.deepEqual(listening(index, 'all').calls(), ['b/two']);
});

test('an unreported back-off counts from its first observation', () => {
  const clock = virtualClock();
  const index = createPodIndex(clock);
  const state = (restarts: number): PodOptions => ({ containers: [terminated(clock.now() + 60_000, restarts)] });
  put(index, state(1));
  const uid = 'uid-of-shoot-1-kapi-0';
  clock.advance(500);
  put(index, state(1));
  const began = clock.monotonic() - 500;
  assert.equal(index.unreportedSince(uid), began);
  put(index, state(2));
  assert.equal(index.unreportedSince(uid), began + 500);
  clock.advance(5000);
  assert.equal(index.unreportedSince(uid), began + 500);
  assert.equal(index.unreportedSince('unknown'), undefined);
});

test('an event is not parsed if the pod is unknown and the event cannot make it crash-looping', () => {
  const index = createPodIndex(virtualClock());
  const isIrrelevant = (options: PodOptions, type = 'MODIFIED') => {
    const line = Buffer.from(JSON.stringify({ type, object: ordered(options) }));
    const metadata = readLineMetadata(line);
    assert.ok(metadata !== undefined);
    return index.isIrrelevant?.(line, metadata);
  };
  assert.equal(isIrrelevant(healthy('one')), true);
  assert.equal(isIrrelevant(crashLooping('one')), false);
  assert.equal(isIrrelevant({ ...crashLooping('one'), containers: [terminated(0)] }), false);
  assert.equal(isIrrelevant(crashLooping('one'), 'ADDED'), false);
  assert.equal(isIrrelevant(crashLooping('one'), 'DELETED'), true);
  put(index, crashLooping('one'));
  assert.equal(isIrrelevant(healthy('one')), false);
  assert.equal(isIrrelevant(crashLooping('one'), 'DELETED'), false);
  put(index, healthy('one'));
  assert.equal(isIrrelevant(healthy('one')), true);
});

/** As the API server writes it: uid and resourceVersion right after the name. */
function ordered(options: PodOptions) {
  const { kind, apiVersion, metadata, spec, status } = pod(options);
  const { name, namespace, uid, resourceVersion, ...rest } = metadata;
  return { kind, apiVersion, metadata: { name, namespace, uid, resourceVersion, ...rest }, spec, status };
}
