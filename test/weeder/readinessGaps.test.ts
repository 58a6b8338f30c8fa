import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slice } from '../support/objects/objects.ts';
import { recorded } from '../support/recording/readinessRecorder.ts';

const ready = ['shoot-1/etcd-main-client ready'];
const notReady = ['shoot-1/etcd-main-client notReady'];
const gone = ['shoot-1/etcd-main-client notReady gone'];

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
