import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClosableSink, ObjectSink } from '../../src/kube/watch/sink.ts';
import { type SliceOptions, slice } from '../support/objects/objects.ts';
import { recorded } from '../support/recording/readinessRecorder.ts';

type Version = SliceOptions & { readonly at: number };

/** An EndpointSlice as written at this resourceVersion. */
function written({ at, ...options }: Version): object {
  const object = slice(options);
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(at) } };
}

function list(sink: ObjectSink, at: number, ...slices: readonly Version[]): void {
  sink.begin();
  for (const each of slices) sink.apply('ADDED', written(each));
  sink.end(String(at));
}

const change = (sink: ObjectSink, each: Version) => sink.apply('MODIFIED', written(each));

/** A stream of `a` and `b` that is synced, and one of `b` and `c` that is to take its place. */
function handover() {
  const at = recorded();
  const old = at.readiness.createSink({ names: new Set(['a', 'b']) });
  list(old, 10, { service: 'a', at: 1 }, { service: 'b', at: 2 });
  at.told();
  const taken: string[] = [];
  const next: ClosableSink = at.readiness.createSink({
    names: new Set(['b', 'c']),
    after: old,
    onTakeOver: () => taken.push('taken'),
  });
  return { ...at, old, next, taken };
}

const b: Version = { service: 'b', at: 2 };
const c: Version = { service: 'c', at: 3 };

test('until the new stream is complete, the old one alone is listened to', () => {
  const { old, next, told, taken } = handover();
  next.begin();
  next.apply('ADDED', written({ ...b, ready: [false] }));
  next.apply('ADDED', written(c));
  assert.deepEqual(told(), []);
  change(old, { service: 'b', at: 11, ready: [false] });
  assert.deepEqual(told(), ['shoot-1/b notReady']);
  assert.deepEqual(taken, []);
});

test('what both watch goes on as it was; what only the new one watches is found, and is no recovery', () => {
  const { next, told, taken } = handover();
  list(next, 12, b, c);
  assert.deepEqual(told(), ['shoot-1/a notReady gone', 'shoot-1/c ready found']);
  assert.deepEqual(taken, ['taken']);
  change(next, { ...c, at: 13, ready: [false] });
  change(next, { ...c, at: 14 });
  assert.deepEqual(told(), ['shoot-1/c notReady', 'shoot-1/c ready']);
});

test('the first stream of all that is opened while the weeder runs finds what its first list brings', () => {
  const at = recorded();
  const first = at.readiness.createSink({ names: new Set(['a', 'b']), isAddedLater: true });
  list(first, 10, { service: 'a', at: 1 }, { service: 'b', at: 2, ready: [false] });
  assert.deepEqual(at.told(), ['shoot-1/a ready found']);
  change(first, { service: 'b', at: 11 });
  assert.deepEqual(at.told(), ['shoot-1/b ready']);
  list(first, 12, { service: 'a', at: 12, ready: [false] }, { service: 'b', at: 11 });
  assert.ok(at.told().includes('shoot-1/a notReady'));
});

test('a list that is older than what the old stream has told does not count before the new one has caught up', () => {
  const { old, next, told, taken } = handover();
  change(old, { ...b, at: 20, ready: [false] });
  change(old, { ...b, at: 21 });
  told();
  list(next, 12, b, c);
  assert.deepEqual([told(), taken], [[], []]);
  change(next, { ...b, at: 20, ready: [false] });
  assert.deepEqual([told(), taken], [[], []]);
  change(next, { ...b, at: 21 });
  assert.deepEqual([told(), taken], [['shoot-1/a notReady gone', 'shoot-1/c ready found'], ['taken']]);
});

test('a deletion that the old stream has told is not undone by an older list', () => {
  const { old, next, told, taken } = handover();
  old.apply('DELETED', written({ ...b, at: 20 }));
  assert.deepEqual(told(), ['shoot-1/b notReady gone']);
  list(next, 12, b, c);
  assert.deepEqual(taken, []);
  next.apply('DELETED', written({ ...b, at: 20 }));
  assert.deepEqual(taken, ['taken']);
  assert.deepEqual(told(), ['shoot-1/a notReady gone', 'shoot-1/c ready found']);
});

test('what the old stream missed is a change, or a gap where a whole outage may lie in it', () => {
  const down = handover();
  list(down.next, 30, { ...b, at: 25, ready: [false] });
  assert.deepEqual(down.told(), ['shoot-1/a notReady gone', 'shoot-1/b notReady']);
  const again = handover();
  list(again.next, 30, { ...b, at: 25 });
  assert.deepEqual(again.told(), ['shoot-1/a notReady gone', 'shoot-1/b ready after gap since 0']);
});

test('the old stream is deaf once its place is taken, and a new one that is closed before never takes it', () => {
  const { old, next, told } = handover();
  list(next, 12, b);
  told();
  change(old, { ...b, at: 40, ready: [false] });
  old.close();
  assert.deepEqual(told(), []);
  const other = handover();
  other.next.close();
  list(other.next, 12, b, c);
  assert.deepEqual(other.told(), []);
  assert.deepEqual(other.taken, []);
  change(other.old, { ...b, at: 13, ready: [false] });
  assert.deepEqual(other.told(), ['shoot-1/b notReady']);
});
