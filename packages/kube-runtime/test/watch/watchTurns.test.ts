import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { createKubeClient, type KubeClient } from '../../src/client/client.ts';
import type { ObjectSink } from '../../src/watch/sink.ts';
import { watchOnce } from '../../src/watch/watchOnce.ts';
import { faultyServer } from '../../testing/faultyServer.ts';
import { accessTo } from '../../testing/reflecting.ts';

/** Enough lines that they arrive in several pieces, and that the processing time adds up. */
const lines = 200;

for (const protocol of ['https', 'h2'] as const) {
  test(`over ${protocol}, a request caused by the first of many changes is sent before the last one was read`, async () => {
    let read = 0;
    let readAtRequest: number | undefined;
    await using server = await faultyServer(protocol, (request, answer) => {
      if (request.path === '/asked') readAtRequest = read;
      const body = request.path === '/asked' ? '{}' : Array.from({ length: lines }, (_, index) => line(index)).join('');
      answer.head(200, { 'content-type': 'application/json' });
      answer.end(body);
    });
    const client = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock: systemClock });
    const calls: Promise<unknown>[] = [];
    const sink = {
      begin: () => undefined,
      end: () => undefined,
      apply() {
        read += 1;
        if (calls.length === 0) calls.push(client.call({ method: 'GET', path: '/asked' }));
        const began = performance.now();
        while (performance.now() - began < 1);
      },
    };
    const end = await watch(client, sink);
    await Promise.all(calls);
    await client.close();
    assert.deepEqual([end.reason, end.changes], ['ended', lines]);
    assert.ok(readAtRequest !== undefined && readAtRequest < lines, `${readAtRequest} of ${lines} were read before`);
  });
}

for (const protocol of ['https', 'h2'] as const) {
  test(`over ${protocol}, everything that a change causes is done before another piece of a stream is read`, async () => {
    await using server = await faultyServer(protocol, (_request, answer) => {
      answer.head(200, { 'content-type': 'application/json' });
      answer.end(Array.from({ length: lines }, (_, index) => line(index)).join(''));
    });
    const client = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock: systemClock });
    let piece = 0;
    let isWithin = false;
    const working = new Map<number, number>();
    const interrupted: number[] = [];
    async function work(its: number): Promise<void> {
      working.set(its, (working.get(its) ?? 0) + 1);
      for (let step = 0; step < 100; step += 1) await null;
      working.set(its, (working.get(its) ?? 0) - 1);
    }
    const sink = {
      begin: () => undefined,
      end: () => undefined,
      apply() {
        if (!isWithin) {
          piece += 1;
          isWithin = true;
          queueMicrotask(() => {
            isWithin = false;
          });
        }
        interrupted.push(...[...working].flatMap(([its, left]) => (its < piece && left > 0 ? [its] : [])));
        void work(piece);
      },
    };
    const ends = await Promise.all([watch(client, sink), watch(client, sink), watch(client, sink)]);
    await client.close();
    assert.deepEqual(
      ends.map(({ changes }) => changes),
      [lines, lines, lines],
    );
    assert.ok(piece > 3, `${piece} pieces`);
    assert.deepEqual(interrupted, []);
  });
}

function watch(client: KubeClient, sink: ObjectSink) {
  const source = { path: '/api/v1/pods', kind: 'Pod', labelSelector: '', sink };
  const { signal } = new AbortController();
  const onOpened = () => undefined;
  return watchOnce({ client, clock: systemClock, source, start: '1', timeoutSeconds: 60, signal, onOpened });
}

function line(index: number): string {
  const metadata = { namespace: 'a', name: `pod-${index}`, uid: `${index}`, resourceVersion: `${index + 2}` };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec: {}, status: { phase: 'Running' } };
  return `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
}
