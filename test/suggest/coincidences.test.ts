import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coincidencesIn } from '../../src/suggest/coincidences.ts';
import { ownerOf } from '../../src/suggest/podOwner.ts';
import type { RecordedChange } from '../../src/suggest/recordedChanges.ts';

const minute = 60_000;

function slice(at: number, ready: boolean, name = 'postgres', namespace = 'shop'): RecordedChange {
  const endpoints = [{ conditions: { ready }, targetRef: { kind: 'Pod', name: `${name}-0` } }];
  const labels = { 'kubernetes.io/service-name': name };
  return {
    at,
    kind: 'EndpointSlice',
    isOver: false,
    object: { metadata: { namespace, name: `${name}-x`, labels }, endpoints },
  };
}

function pod(at: number, isOver: boolean, name = 'web-5c5d9545d8-r299k', namespace = 'shop'): RecordedChange {
  const labels = { 'pod-template-hash': '5c5d9545d8' };
  const ownerReferences = [{ kind: 'ReplicaSet', controller: true }];
  return { at, kind: 'Pod', isOver, object: { metadata: { namespace, name, labels, ownerReferences } } };
}

/** The service is down from `from` to `to`, in minutes. */
const outage = (from: number, to: number) => [slice(from * minute, false), slice(to * minute, true)];
const crashes = (from: number, to: number) => [pod(from * minute, false), pod(to * minute, true)];
const recorded = (...changes: RecordedChange[][]) =>
  [slice(0, true), ...changes.flat(), slice(100 * minute, true)].toSorted((a, b) => a.at - b.at);

function found(...changes: RecordedChange[][]): string[] {
  return coincidencesIn(recorded(...changes)).map(
    ({ workload, service, confidence, evidence }) =>
      `${confidence} ${workload.kind} ${workload.name} ${service.name}: ${evidence[0]?.found}, ${evidence[0]?.because}`,
  );
}

test('a workload that crash-loops in two outages of a service, and not otherwise, depends on it', () => {
  assert.deepEqual(found(outage(10, 12), crashes(11, 13), outage(50, 52), crashes(51, 53)), [
    'high Deployment web postgres: crash-looping began 2 times, 2 of them during the 2 outages of the service, it was down for 4 % of 1h40m0s',
  ]);
});

test('crash loops outside of outages lower the confidence', () => {
  const inside = [1, 2, 3, 4].flatMap((n) => [outage(n * 20, n * 20 + 2), crashes(n * 20 + 1, n * 20 + 3)]);
  assert.match(found(...inside, crashes(5, 6))[0] ?? '', /^medium .* began 5 times, 4 of them during the 4 outages/);
  assert.match(found(...inside, crashes(5, 6), crashes(94, 95))[0] ?? '', /^low .* began 6 times, 4 of them/);
});

test('one coincidence counts only if the service was rarely down', () => {
  assert.match(
    found(outage(10, 15), crashes(11, 13))[0] ?? '',
    /^medium .* began once, 1 of them during the 1 outage .* 5 %/,
  );
  assert.match(found(outage(10, 30), crashes(11, 13))[0] ?? '', /^low /);
});

test('a service that is down most of the time proves nothing', () => {
  assert.match(found(outage(1, 49), crashes(2, 3), outage(50, 90), crashes(51, 52))[0] ?? '', /^low /);
});

test('without a crash loop during an outage there is no evidence', () => {
  assert.deepEqual(found(outage(10, 12), crashes(20, 22)), []);
  assert.deepEqual(found(crashes(20, 22)), []);
  assert.deepEqual(found(outage(10, 12)), []);
});

test('a crash loop that began before the outage is not caused by it', () => {
  assert.deepEqual(found(crashes(9, 30), outage(10, 12), outage(20, 22)), []);
});

test('the pods of the service itself, and pods of other namespaces, are not dependants', () => {
  const two = [outage(10, 12), outage(50, 52)];
  const begin = (name: string, namespace?: string) =>
    [11, 51].map((at) => [pod(at * minute, false, name, namespace), pod((at + 2) * minute, true, name, namespace)]);
  assert.deepEqual(found(...two, ...begin('postgres-0')), []);
  assert.deepEqual(found(...two, ...begin('web-5c5d9545d8-r299k', 'other')), []);
  assert.equal(found(...two, ...begin('other-5c5d9545d8-r299k')).length, 1);
});

test('several pods of a workload that crash-loop at once began once', () => {
  const second = [pod(11.5 * minute, false, 'web-5c5d9545d8-aaaaa'), pod(13 * minute, true, 'web-5c5d9545d8-aaaaa')];
  assert.match(found(outage(10, 12), crashes(11, 13), second)[0] ?? '', /began once/);
});

test('a pod that crashes again within ten minutes crash-loops once, however often its container is restarted', () => {
  assert.match(found(outage(10, 14), crashes(11, 11.5), crashes(12, 12.5), crashes(13, 15))[0] ?? '', /began once/);
  assert.match(found(outage(10, 14), crashes(11, 13), crashes(22, 23))[0] ?? '', /began once/);
  assert.match(found(outage(10, 14), crashes(11, 13), crashes(23, 24))[0] ?? '', /began 2 times, 1 of them/);
});

test('the workload of a pod is known by the names that controllers give', () => {
  const owned = (kind: string | undefined, name: string, labels: object = {}) => {
    const { kind: is, name: of } = ownerOf({
      metadata: {
        namespace: 'shop',
        name,
        labels,
        ownerReferences: kind === undefined ? [] : [{ kind, controller: true }],
      },
    });
    return `${is} ${of}`;
  };
  assert.equal(owned('ReplicaSet', 'web-5c5d9545d8-r299k', { 'pod-template-hash': '5c5d9545d8' }), 'Deployment web');
  assert.equal(owned('ReplicaSet', 'web-r299k'), 'ReplicaSet web');
  assert.equal(owned('StatefulSet', 'kafka-12'), 'StatefulSet kafka');
  assert.equal(owned('DaemonSet', 'agent-r299k'), 'DaemonSet agent');
  assert.equal(owned('Job', 'import-r299k', { 'job-name': 'import' }), 'Job import');
  assert.equal(owned(undefined, 'debug'), 'Pod debug');
});
