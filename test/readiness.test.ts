import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createReadiness, type ServiceReadiness } from '../src/weeder/readiness.ts';
import { type SliceOptions, slice } from './support/objects.ts';
import { virtualClock } from './support/virtualClock.ts';

const startTime = Date.UTC(2026, 0, 1);

/** A readiness that writes down what it tells. */
function recorded(isWanted: (namespace: string, service: string) => boolean = () => true) {
  const told: string[] = [];
  const clock = virtualClock(startTime);
  const words = ({ namespace, service, isReady, exists }: ServiceReadiness) =>
    `${namespace}/${service} ${isReady ? 'ready' : 'notReady'}${exists ? '' : ' gone'}`;
  const readiness = createReadiness(clock, isWanted, {
    changed: (service) => told.push(words(service)),
    readyAfterGap: (service, seenUntil) => told.push(`${words(service)} after gap since ${seenUntil - startTime}`),
  });
  const put = (options: SliceOptions, type: 'ADDED' | 'MODIFIED' | 'DELETED' = 'MODIFIED') =>
    readiness.apply(type, slice(options));
  return {
    readiness,
    clock,
    put,
    /** What was told since it was last asked. */
    told: () => told.splice(0),
    list(content: () => void) {
      readiness.begin();
      content();
      readiness.end();
    },
  };
}

const ready = ['shoot-1/etcd-main-client ready'];
const notReady = ['shoot-1/etcd-main-client notReady'];
const gone = ['shoot-1/etcd-main-client notReady gone'];

test('one ready endpoint in any slice makes the service ready; none makes it notReady', () => {
  const { put, told } = recorded();
  put({ name: 'a', ready: [false, false] });
  assert.deepEqual(told(), []);
  put({ name: 'b', ready: [false, true] });
  assert.deepEqual(told(), ready);
  put({ name: 'a', ready: [true] });
  put({ name: 'b', ready: [false, false] });
  assert.deepEqual(told(), []);
  put({ name: 'a', ready: [false] });
  assert.deepEqual(told(), notReady);
});

test('IPv4 and IPv6 slices are one service', () => {
  const { readiness, told } = recorded();
  const of = (addressType: string, isReady: boolean) =>
    readiness.apply('MODIFIED', { ...slice({ name: addressType, ready: [isReady] }), addressType });
  of('IPv4', true);
  of('IPv6', false);
  of('IPv4', false);
  of('IPv6', true);
  assert.deepEqual(told(), [...ready, ...notReady, ...ready]);
});

test('an unset condition counts as ready; empty slices and null endpoints have no ready endpoint', () => {
  const { readiness, put, told } = recorded();
  put({ ready: [null] });
  assert.deepEqual(told(), ready);
  put({ ready: [] });
  assert.deepEqual(told(), notReady);
  put({ ready: [true] });
  readiness.apply('MODIFIED', { ...slice(), endpoints: null });
  assert.deepEqual(told(), [...ready, ...notReady]);
  readiness.apply('MODIFIED', { ...slice(), endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: null } }] });
  assert.deepEqual(told(), ready);
  readiness.apply('MODIFIED', { ...slice(), endpoints: undefined });
  assert.deepEqual(told(), notReady);
});

test('a terminating endpoint that still serves is not ready', () => {
  const { readiness, put, told } = recorded();
  put({ ready: [true] });
  const conditions = { ready: false, serving: true, terminating: true };
  readiness.apply('MODIFIED', { ...slice(), endpoints: [{ addresses: ['10.0.0.1'], conditions }] });
  assert.deepEqual(told(), [...ready, ...notReady]);
});

test('a service without slices is notReady and does not exist', () => {
  const { readiness, put, told } = recorded();
  put({ name: 'a' });
  put({ name: 'b' });
  put({ name: 'a' }, 'DELETED');
  assert.deepEqual(told(), ready);
  put({ name: 'b' }, 'DELETED');
  assert.deepEqual(told(), gone);
  assert.deepEqual(readiness.services(), []);
  put({ name: 'never-seen' }, 'DELETED');
  assert.deepEqual(told(), []);
});

test('a slice that is replaced by another changes nothing', () => {
  const { put, told } = recorded();
  put({ name: 'old' });
  put({ name: 'new' });
  put({ name: 'old' }, 'DELETED');
  assert.deepEqual(told(), ready);
});

test('a slice that is given to another service counts there and no longer here', () => {
  const { put, told } = recorded();
  put({ name: 'a', service: 'one' });
  put({ name: 'a', service: 'two' });
  assert.deepEqual(told(), ['shoot-1/one ready', 'shoot-1/one notReady gone', 'shoot-1/two ready']);
});

test('services of the same name in two namespaces are two; those that are not wanted are passed over', () => {
  const { put, told } = recorded((namespace, service) => namespace !== 'kube-system' && service !== 'other');
  put({ namespace: 'a' });
  put({ namespace: 'b' });
  put({ namespace: 'kube-system' });
  put({ service: 'other' });
  assert.deepEqual(told(), ['a/etcd-main-client ready', 'b/etcd-main-client ready']);
});

test('slices that are missing from a list that is read again are gone', () => {
  const { list, put, told } = recorded();
  list(() => put({ name: 'a' }, 'ADDED'));
  assert.deepEqual(told(), ready);
  list(() => {});
  assert.deepEqual(told(), gone);
});

test('a list counts when it is complete: what half of it looks like is not told', () => {
  const { list, put, told, readiness } = recorded();
  list(() => put({ name: 'a', ready: [true] }, 'ADDED'));
  told();
  const moved = () => {
    put({ name: 'a', ready: [false] }, 'ADDED');
    put({ name: 'b', ready: [true] }, 'ADDED');
  };
  list(moved);
  assert.deepEqual(told(), [`${ready[0]} after gap since 0`]);
  readiness.begin();
  put({ name: 'b', ready: [false] }, 'ADDED');
  list(moved);
  assert.deepEqual(told(), [`${ready[0]} after gap since 0`]);
});

test('still ready after a gap: told with the time until which everything was seen', () => {
  const { list, put, told, clock } = recorded();
  list(() => put({}, 'ADDED'));
  clock.advance(5000);
  put({ ready: [true, true] });
  clock.advance(60_000);
  told();
  list(() => put({ ready: [true, true] }, 'ADDED'));
  assert.deepEqual(told(), [`${ready[0]} after gap since 5000`]);
});

test('notReady before or after the gap is a change, or none, and nothing is asked', () => {
  const { list, put, told } = recorded();
  list(() => put({ ready: [false] }, 'ADDED'));
  list(() => put({ ready: [true] }, 'ADDED'));
  assert.deepEqual(told(), ready);
  list(() => put({ ready: [false] }, 'ADDED'));
  assert.deepEqual(told(), notReady);
  list(() => put({ ready: [false] }, 'ADDED'));
  assert.deepEqual(told(), []);
});

test('the complete list of one stream says nothing of the slices of another', () => {
  const { readiness, told } = recorded();
  const [one, two] = [readiness.createSink(), readiness.createSink()];
  for (const [sink, namespace] of [
    [one, 'a'],
    [two, 'b'],
  ] as const) {
    sink.begin();
    sink.apply('ADDED', slice({ namespace }));
    sink.end();
  }
  told();
  one.begin();
  one.end();
  assert.deepEqual(told(), ['a/etcd-main-client notReady gone']);
});

test('the evidence of when a service became ready: its ready backing pods, when all are named, and the newest write', () => {
  const { readiness, put } = recorded();
  const evidence = () => readiness.evidence('shoot-1', 'etcd-main-client');
  put({ name: 'a', ready: [true, false], withTargets: true, written: startTime });
  put({ name: 'b', ready: [false], withTargets: true, written: startTime + 1000 });
  const backingPods = [{ namespace: 'shoot-1', name: 'etcd-main-client-0' }];
  assert.deepEqual(evidence(), { backingPods, lastWrite: startTime + 1000 });
  put({ name: 'b', ready: [true] });
  assert.deepEqual(evidence(), { backingPods: undefined, lastWrite: undefined });
});

test('whatever comes in place of a slice, it is not an exception', () => {
  const { readiness, put, told } = recorded();
  put({});
  told();
  fc.assert(fc.property(fc.anything(), (garbage) => readiness.apply('MODIFIED', garbage)));
  fc.assert(
    fc.property(fc.constantFrom('metadata', 'endpoints', 'kind', 'addressType'), fc.anything(), (key, garbage) => {
      readiness.apply('MODIFIED', { ...slice({ service: 'garbled', name: 'garbled' }), [key]: garbage });
    }),
  );
  assert.deepEqual(
    told().filter((each) => each.startsWith('shoot-1/etcd')),
    [],
  );
});
