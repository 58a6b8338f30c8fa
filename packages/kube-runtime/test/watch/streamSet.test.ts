import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClosableSink } from '../../src/watch/sink.ts';
import { createStreamSet, type OpenStream } from '../../src/watch/streamSet.ts';

function stage() {
  const calls: string[] = [];
  const streams = createStreamSet<OpenStream>({
    synced: ({ name }, isFirst) => calls.push(`${name} synced${isFirst ? ' first' : ''}`),
    closed: (name) => calls.push(`${name} closed`),
  });
  function open(name: string, isSynced = false): OpenStream {
    const sink: ClosableSink = {
      begin: () => undefined,
      apply: () => undefined,
      end: () => undefined,
      close: () => calls.push(`sink of ${name} closed`),
    };
    const stream = { name, sink, isSynced };
    streams.open(stream, { path: `/api/v1/${name}`, kind: 'Pod', labelSelector: '', sink });
    return stream;
  }
  return { calls, streams, open };
}

test('a stream is needed from its opening until it is closed, and its sink is closed with it', () => {
  const { calls, streams, open } = stage();
  const [pods, slices] = [open('pods'), open('slices')];
  assert.deepEqual(
    [...streams.needs].map(([name, need]) => [name, need.name, need.path]),
    [
      ['pods', 'pods', '/api/v1/pods'],
      ['slices', 'slices', '/api/v1/slices'],
    ],
  );
  assert.deepEqual(streams.all(), [pods, slices]);
  streams.close(pods);
  assert.deepEqual([[...streams.needs.keys()], streams.get('pods')], [['slices'], undefined]);
  assert.deepEqual(calls, ['sink of pods closed', 'pods closed']);
});

test('the first complete list is distinguished from later ones, and a resumed stream has been synced before', () => {
  const { calls, streams, open } = stage();
  const [pods, resumed] = [open('pods'), open('resumed', true)];
  for (const stream of [pods, pods, resumed]) streams.synced(stream);
  assert.equal(pods.isSynced, true);
  assert.deepEqual(calls, ['pods synced first', 'pods synced', 'resumed synced']);
});

test('a complete list of a closed stream is ignored, also when another stream has its name', () => {
  const { calls, streams, open } = stage();
  const old = open('pods');
  streams.close(old);
  const current = open('pods');
  streams.synced(old);
  assert.deepEqual([old.isSynced, current.isSynced, calls.length], [false, false, 2]);
});

test('the need of an open stream can be replaced', () => {
  const { streams, open } = stage();
  const pods = open('pods');
  const need = streams.needs.get('pods');
  assert.ok(need);
  streams.open(pods, { ...need, isOptional: true });
  assert.deepEqual([streams.needs.get('pods')?.isOptional, streams.all()], [true, [pods]]);
});
