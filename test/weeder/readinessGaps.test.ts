import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slice } from '../support/objects/objects.ts';
import { recorded } from '../support/recording/readinessRecorder.ts';

const ready = ['shoot-1/etcd-main-client ready'];
const notReady = ['shoot-1/etcd-main-client notReady'];
const removed = ['shoot-1/etcd-main-client notReady gone'];

test('slices that are missing from a new list are removed', () => {
  const { list, put, changes } = recorded();
  list(() => put({ name: 'a' }, 'ADDED'));
  assert.deepEqual(changes(), ready);
  list(() => {});
  assert.deepEqual(changes(), removed);
});

test('a list takes effect when it is complete; a partial one is not reported', () => {
  const { list, put, changes, readiness } = recorded();
  list(() => put({ name: 'a', ready: [true] }, 'ADDED'));
  changes();
  const moved = () => {
    put({ name: 'a', ready: [false] }, 'ADDED');
    put({ name: 'b', ready: [true] }, 'ADDED');
  };
  list(moved);
  assert.deepEqual(changes(), [`${ready[0]} after gap since 0`]);
  readiness.begin();
  put({ name: 'b', ready: [false] }, 'ADDED');
  list(moved);
  assert.deepEqual(changes(), [`${ready[0]} after gap since 0`]);
});

test('a service that is still ready after a gap is reported with the time up to which everything was observed', () => {
  const { list, put, changes, clock } = recorded();
  list(() => put({}, 'ADDED'));
  clock.advance(5000);
  put({ ready: [true, true] });
  clock.advance(60_000);
  changes();
  list(() => put({ ready: [true, true] }, 'ADDED'));
  assert.deepEqual(changes(), [`${ready[0]} after gap since 5000`]);
});

test('a service that was notReady before the gap, or is notReady after it, is not reported with a gap', () => {
  const { list, put, changes } = recorded();
  list(() => put({ ready: [false] }, 'ADDED'));
  list(() => put({ ready: [true] }, 'ADDED'));
  assert.deepEqual(changes(), ready);
  list(() => put({ ready: [false] }, 'ADDED'));
  assert.deepEqual(changes(), notReady);
  list(() => put({ ready: [false] }, 'ADDED'));
  assert.deepEqual(changes(), []);
});

test('the complete list of one stream does not affect the slices of another', () => {
  const { readiness, changes } = recorded();
  const [one, two] = [readiness.createSink(), readiness.createSink()];
  for (const [sink, namespace] of [
    [one, 'a'],
    [two, 'b'],
  ] as const) {
    sink.begin();
    sink.apply('ADDED', slice({ namespace }));
    sink.end();
  }
  changes();
  one.begin();
  one.end();
  assert.deepEqual(changes(), ['a/etcd-main-client notReady gone']);
});

test('after a restore a new stream takes over from an old one that has seen later versions', () => {
  const { readiness } = recorded();
  const object = slice({});
  const at = (resourceVersion: string) => ({ ...object, metadata: { ...object.metadata, resourceVersion } });
  const old = readiness.createSink({ names: new Set(['etcd-main-client']) });
  old.begin();
  old.apply('ADDED', at('90'));
  old.end('90');
  old.rewound?.();
  old.begin();
  old.apply('ADDED', at('20'));
  old.end('20');
  let hasTakenOver = false;
  const onTakeOver = () => {
    hasTakenOver = true;
  };
  const names = new Set(['etcd-main-client']);
  const next = readiness.createSink({ names, after: [old], onTakeOver });
  next.begin();
  next.apply('ADDED', at('20'));
  next.end('20');
  assert.equal(hasTakenOver, true);
});
