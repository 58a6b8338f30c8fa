import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClosableSink, ObjectSink } from '@weeder/kube-runtime/watch';
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
  for (const version of slices) sink.apply('ADDED', written(version));
  sink.end(String(at));
}

const change = (sink: ObjectSink, each: Version) => sink.apply('MODIFIED', written(each));

/** A synced stream of `a` and `b`, and a stream of `b` and `c` that replaces it. */
function handover() {
  const at = recorded();
  const old = at.readiness.createSink({ names: new Set(['a', 'b']) });
  list(old, 10, { service: 'a', at: 1 }, { service: 'b', at: 2 });
  at.changes();
  const takeOvers: string[] = [];
  const next: ClosableSink = at.readiness.createSink({
    names: new Set(['b', 'c']),
    after: [old],
    onTakeOver() {
      takeOvers.push('taken');
      old.close();
    },
  });
  return { ...at, old, next, takeOvers };
}

const b: Version = { service: 'b', at: 2 };
const c: Version = { service: 'c', at: 3 };

test('until the new stream has synced, only the old one counts', () => {
  const { old, next, changes: received, takeOvers } = handover();
  next.begin();
  next.apply('ADDED', written({ ...b, ready: [false] }));
  next.apply('ADDED', written(c));
  assert.deepEqual(received(), []);
  change(old, { service: 'b', at: 11, ready: [false] });
  assert.deepEqual(received(), ['shoot-1/b notReady']);
  assert.deepEqual(takeOvers, []);
});

test('a service that both streams watch is unaffected; one that only the new one watches is found, without a recovery', () => {
  const { next, changes: received, takeOvers } = handover();
  list(next, 12, b, c);
  assert.deepEqual(received(), ['shoot-1/c ready found', 'shoot-1/a notReady gone']);
  assert.deepEqual(takeOvers, ['taken']);
  change(next, { ...c, at: 13, ready: [false] });
  change(next, { ...c, at: 14 });
  assert.deepEqual(received(), ['shoot-1/c notReady', 'shoot-1/c ready']);
});

test('the first stream that is opened while weeder runs finds the services of its first list', () => {
  const at = recorded();
  const first = at.readiness.createSink({ names: new Set(['a', 'b']), isAddedLater: true });
  list(first, 10, { service: 'a', at: 1 }, { service: 'b', at: 2, ready: [false] });
  assert.deepEqual(at.changes(), ['shoot-1/a ready found']);
  change(first, { service: 'b', at: 11 });
  assert.deepEqual(at.changes(), ['shoot-1/b ready']);
  list(first, 12, { service: 'a', at: 12, ready: [false] }, { service: 'b', at: 11 });
  assert.ok(at.changes().includes('shoot-1/a notReady'));
});

test('a list older than what the old stream delivered does not count before the new stream has caught up', () => {
  const { old, next, changes: received, takeOvers } = handover();
  change(old, { ...b, at: 20, ready: [false] });
  change(old, { ...b, at: 21 });
  received();
  list(next, 12, b, c);
  assert.deepEqual([received(), takeOvers], [[], []]);
  change(next, { ...b, at: 20, ready: [false] });
  assert.deepEqual([received(), takeOvers], [[], []]);
  change(next, { ...b, at: 21 });
  assert.deepEqual([received(), takeOvers], [['shoot-1/c ready found', 'shoot-1/a notReady gone'], ['taken']]);
});

test('a deletion that the old stream delivered is not undone by an older list', () => {
  const { old, next, changes: received, takeOvers } = handover();
  old.apply('DELETED', written({ ...b, at: 20 }));
  assert.deepEqual(received(), ['shoot-1/b notReady gone']);
  list(next, 12, b, c);
  assert.deepEqual(takeOvers, []);
  next.apply('DELETED', written({ ...b, at: 20 }));
  assert.deepEqual(takeOvers, ['taken']);
  assert.deepEqual(received(), ['shoot-1/c ready found', 'shoot-1/a notReady gone']);
});

test('a difference that the old stream missed is a change, or a gap if it may hide a whole outage', () => {
  const down = handover();
  list(down.next, 30, { ...b, at: 25, ready: [false] });
  assert.deepEqual(down.changes(), ['shoot-1/b notReady', 'shoot-1/a notReady gone']);
  const again = handover();
  list(again.next, 30, { ...b, at: 25 });
  assert.deepEqual(again.changes(), ['shoot-1/b ready after gap since 0', 'shoot-1/a notReady gone']);
});

test('the old stream is ignored once it is replaced, and a new one that is closed before never replaces it', () => {
  const { old, next, changes: received } = handover();
  list(next, 12, b);
  received();
  change(old, { ...b, at: 40, ready: [false] });
  old.close();
  assert.deepEqual(received(), []);
  const other = handover();
  other.next.close();
  list(other.next, 12, b, c);
  assert.deepEqual(other.changes(), []);
  assert.deepEqual(other.takeOvers, []);
  change(other.old, { ...b, at: 13, ready: [false] });
  assert.deepEqual(other.changes(), ['shoot-1/b notReady']);
});

test('of several old streams, each service is taken over from the one that watches it, and the others stay there', () => {
  const at = recorded();
  const [one, two] = [new Set(['a', 'b']), new Set(['c'])].map((names) => at.readiness.createSink({ names }));
  assert.ok(one && two);
  list(one, 10, { service: 'a', at: 1 }, b);
  list(two, 10, c);
  at.changes();
  const next = at.readiness.createSink({ names: new Set(['b', 'c', 'd']), after: [one, two] });
  change(two, { ...c, at: 20, ready: [false] });
  change(two, { ...c, at: 21 });
  at.changes();
  list(next, 12, b, c, { service: 'd', at: 4 });
  assert.deepEqual(at.changes(), [], 'it has not caught up with the second');
  change(next, { ...c, at: 21 });
  assert.deepEqual(at.changes(), ['shoot-1/d ready found']);
  change(two, { ...c, at: 22, ready: [false] });
  assert.deepEqual(at.changes(), []);
  change(next, { ...b, at: 23, ready: [false] });
  assert.deepEqual(at.changes(), ['shoot-1/b notReady'], 'although the old stream still has it as ready');
  change(one, { service: 'a', at: 24, ready: [false] });
  change(next, { ...c, at: 22, ready: [false] });
  assert.deepEqual(at.changes(), ['shoot-1/a notReady', 'shoot-1/c notReady']);
  two.close();
  one.close();
  assert.deepEqual(at.changes(), ['shoot-1/a notReady gone']);
});

test('an old stream that is divided counts for each service until the part with it has its list', () => {
  const at = recorded();
  const old = at.readiness.createSink({ names: new Set(['a', 'b']) });
  list(old, 10, { service: 'a', at: 1 }, b);
  at.changes();
  const [ofA, ofB] = ['a', 'b'].map((name) => at.readiness.createSink({ names: new Set([name]), after: [old] }));
  assert.ok(ofA && ofB);
  list(ofA, 11, { service: 'a', at: 1 });
  assert.deepEqual(at.changes(), []);
  change(old, { ...b, at: 12, ready: [false] });
  assert.deepEqual(at.changes(), ['shoot-1/b notReady']);
  list(ofB, 13, { ...b, at: 12, ready: [false] });
  old.close();
  change(ofB, { ...b, at: 14 });
  assert.deepEqual(at.changes(), ['shoot-1/b ready']);
});
