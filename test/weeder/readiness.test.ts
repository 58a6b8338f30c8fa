import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { slice } from '../support/objects/objects.ts';
import { recorded, startTime } from '../support/recording/readinessRecorder.ts';

const ready = ['shoot-1/etcd-main-client ready'];
const notReady = ['shoot-1/etcd-main-client notReady'];
const removed = ['shoot-1/etcd-main-client notReady gone'];

test('one ready endpoint in any slice makes the service ready; none makes it notReady', () => {
  const { put, changes } = recorded();
  put({ name: 'a', ready: [false, false] });
  assert.deepEqual(changes(), []);
  put({ name: 'b', ready: [false, true] });
  assert.deepEqual(changes(), ready);
  put({ name: 'a', ready: [true] });
  put({ name: 'b', ready: [false, false] });
  assert.deepEqual(changes(), []);
  put({ name: 'a', ready: [false] });
  assert.deepEqual(changes(), notReady);
});

test('IPv4 and IPv6 slices form one service', () => {
  const { readiness, changes } = recorded();
  const of = (addressType: string, isReady: boolean) =>
    readiness.apply('MODIFIED', { ...slice({ name: addressType, ready: [isReady] }), addressType });
  of('IPv4', true);
  of('IPv6', false);
  of('IPv4', false);
  of('IPv6', true);
  assert.deepEqual(changes(), [...ready, ...notReady, ...ready]);
});

test('an unset condition counts as ready; empty slices and null endpoints have no ready endpoint', () => {
  const { readiness, put, changes } = recorded();
  put({ ready: [null] });
  assert.deepEqual(changes(), ready);
  put({ ready: [] });
  assert.deepEqual(changes(), notReady);
  put({ ready: [true] });
  readiness.apply('MODIFIED', { ...slice(), endpoints: null });
  assert.deepEqual(changes(), [...ready, ...notReady]);
  const endpointsThat = (value: unknown) => [{ addresses: ['10.0.0.1'], conditions: { ready: value } }];
  readiness.apply('MODIFIED', { ...slice(), endpoints: endpointsThat(null) });
  assert.deepEqual(changes(), ready);
  for (const value of ['true', 1, {}]) {
    readiness.apply('MODIFIED', { ...slice(), endpoints: endpointsThat(value) });
    assert.deepEqual(changes(), notReady, `no boolean: ${JSON.stringify(value)}`);
    readiness.apply('MODIFIED', { ...slice(), endpoints: endpointsThat(true) });
    assert.deepEqual(changes(), ready);
  }
  readiness.apply('MODIFIED', { ...slice(), endpoints: undefined });
  assert.deepEqual(changes(), notReady);
});

/** The changes when a ready service has one endpoint with these conditions, and when that is ready again. */
function changesWith(conditions: object): string[] {
  const { readiness, put, changes } = recorded();
  put({ ready: [true] });
  readiness.apply('MODIFIED', { ...slice(), endpoints: [{ addresses: ['10.0.0.1'], conditions }] });
  put({ ready: [true] });
  return changes();
}

test('a terminating endpoint that still serves is not ready', () => {
  const terminating = { serving: true, terminating: true };
  assert.deepEqual(changesWith({ ready: false, ...terminating }), [...ready, ...notReady, ...ready]);
  assert.deepEqual(changesWith({ ready: true, ...terminating }), [...ready, ...notReady, ...ready], 'published');
});

test('an address that is published although its pod is not ready does not make the service ready', () => {
  for (const serving of [false, 'true', 1])
    assert.deepEqual(changesWith({ ready: true, serving, terminating: false }), [...ready, ...notReady, ...ready]);
  for (const conditions of [{ serving: true, terminating: false }, { serving: null, terminating: null }, {}])
    assert.deepEqual(changesWith({ ready: true, ...conditions }), ready, JSON.stringify(conditions));
  assert.deepEqual(changesWith({ serving: false }), [...ready, ...notReady, ...ready]);
});

test('one write that replaces all ready addresses is an outage and a recovery', () => {
  const { put, changes } = recorded();
  put({ ready: [true, false] });
  put({ ready: [false, true] });
  assert.deepEqual(changes(), [...ready, ...notReady, ...ready]);
  put({ ready: [false, true, true] });
  put({ ready: [true, false, false] });
  assert.deepEqual(changes(), [...notReady, ...ready]);
});

test('addresses that are replaced one after the other, or in another slice, are neither outage nor recovery', () => {
  const { put, list, changes } = recorded();
  for (const endpoints of [
    [true, false],
    [true, true],
    [false, true],
  ])
    put({ ready: endpoints });
  put({ name: 'moved', ready: [false, true, true] });
  put({ ready: [false, false] });
  assert.deepEqual(changes(), ready);
  put({ name: 'moved', ready: [false, false, true] });
  assert.deepEqual(changes(), []);
  list(() => put({ name: 'moved', ready: [false, false, true] }));
  list(() => put({ ready: [true] }));
  assert.deepEqual(changes(), ['shoot-1/etcd-main-client ready after gap since 0'], 'what happened is unknown');
});

test('slices without addresses, as in older recordings, are never replaced', () => {
  const { readiness, changes } = recorded();
  for (const name of ['db-0', 'db-1']) {
    const endpoints = [{ conditions: { ready: true }, targetRef: { kind: 'Pod', name } }];
    readiness.apply('MODIFIED', { ...slice(), endpoints });
  }
  assert.deepEqual(changes(), ready);
});

test('a service without slices is notReady and does not exist', () => {
  const { readiness, put, changes } = recorded();
  put({ name: 'a' });
  put({ name: 'b' });
  put({ name: 'a' }, 'DELETED');
  assert.deepEqual(changes(), ready);
  put({ name: 'b' }, 'DELETED');
  assert.deepEqual(changes(), removed);
  assert.deepEqual(readiness.services(), []);
  put({ name: 'never-seen' }, 'DELETED');
  assert.deepEqual(changes(), []);
});

test('replacing a slice with another changes nothing', () => {
  const { put, changes } = recorded();
  put({ name: 'old' });
  put({ name: 'new' });
  put({ name: 'old' }, 'DELETED');
  assert.deepEqual(changes(), ready);
});

test('a slice that is moved to another service counts only there', () => {
  const { put, changes } = recorded();
  put({ name: 'a', service: 'one' });
  put({ name: 'a', service: 'two' });
  assert.deepEqual(changes(), ['shoot-1/one ready', 'shoot-1/one notReady gone', 'shoot-1/two ready']);
});

test('services of the same name in two namespaces are two; unselected services are ignored', () => {
  const { put, changes } = recorded((namespace, service) => namespace !== 'kube-system' && service !== 'other');
  put({ namespace: 'a' });
  put({ namespace: 'b' });
  put({ namespace: 'kube-system' });
  put({ service: 'other' });
  assert.deepEqual(changes(), ['a/etcd-main-client ready', 'b/etcd-main-client ready']);
});

test('the evidence for the ready time: the ready backing pods, if all are named, and the newest write', () => {
  const { readiness, put } = recorded();
  const evidence = () => readiness.evidence('shoot-1', 'etcd-main-client');
  put({ name: 'a', ready: [true, false], withTargets: true, written: startTime });
  put({ name: 'b', ready: [false], withTargets: true, written: startTime + 1000 });
  const namespace = 'shoot-1';
  assert.deepEqual(evidence(), { namespace, backingPods: ['etcd-main-client-0'], lastWrite: startTime + 1000 });
  put({ name: 'b', ready: [true] });
  assert.deepEqual(evidence(), { namespace, backingPods: undefined, lastWrite: undefined });
});

test('at most ten backing pods are evidence, and only those of the namespace of the slice', () => {
  const { readiness, put } = recorded();
  const backingPods = () => readiness.evidence('shoot-1', 'etcd-main-client').backingPods;
  const ready = Array.from({ length: 8 }, () => true);
  put({ name: 'a', ready, withTargets: true });
  put({ name: 'b', ready, withTargets: true });
  assert.equal(backingPods()?.length, 10);
  for (const targetRef of [
    { kind: 'Pod', namespace: 'other', name: 'db-0' },
    { kind: 'Pod', name: 'gone-1/log' },
    { kind: 'Pod', name: 'd'.repeat(254) },
    { kind: 'Node', name: 'db-0' },
  ]) {
    readiness.apply('MODIFIED', { ...slice({ name: 'a' }), endpoints: [{ addresses: ['10.0.0.1'], targetRef }] });
    assert.equal(backingPods(), undefined, JSON.stringify(targetRef));
  }
});

test('the replacement of more addresses than are kept is no outage', () => {
  const { readiness, changes } = recorded();
  const put = (first: number, count: number) => {
    const endpoints = Array.from({ length: count }, (_, index) => ({ addresses: [`10.0.${first}.${index}`] }));
    readiness.apply('MODIFIED', { ...slice(), endpoints });
  };
  put(0, 100);
  put(1, 100);
  assert.deepEqual(changes(), [...ready, ...notReady, ...ready]);
  put(2, 400);
  put(3, 400);
  assert.deepEqual(changes(), []);
});

test('any value in place of a slice: nothing throws', () => {
  const { readiness, put, changes } = recorded();
  put({});
  changes();
  fc.assert(fc.property(fc.anything(), (garbage) => readiness.apply('MODIFIED', garbage)));
  fc.assert(
    fc.property(fc.constantFrom('metadata', 'endpoints', 'kind', 'addressType'), fc.anything(), (key, garbage) => {
      readiness.apply('MODIFIED', { ...slice({ service: 'garbled', name: 'garbled' }), [key]: garbage });
    }),
  );
  assert.deepEqual(
    changes().filter((each) => each.startsWith('shoot-1/etcd')),
    [],
  );
});

test('the uid of a service is read from a slice that it owns, and from no other owner', () => {
  const { readiness, put } = recorded();
  const owned = (name: string, ...ownerReferences: object[]) => {
    const object = slice({ name });
    readiness.apply('MODIFIED', { ...object, metadata: { ...object.metadata, ownerReferences } });
  };
  const uid = () => readiness.serviceUid('shoot-1', 'etcd-main-client');
  assert.equal(uid(), undefined);
  put({ name: 'by-hand' });
  owned('mirrored', { apiVersion: 'v1', kind: 'Endpoints', name: 'etcd-main-client', uid: 'uid-of-endpoints' });
  assert.equal(uid(), undefined);
  owned('controlled', { apiVersion: 'v1', kind: 'Service', name: 'etcd-main-client', uid: 'uid-of-service' });
  assert.equal(uid(), 'uid-of-service');
  put({ name: 'controlled' }, 'DELETED');
  assert.equal(uid(), undefined);
});
