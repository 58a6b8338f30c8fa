import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../src/base/clock.ts';
import { createKubeClient } from '../../../src/kube/client/client.ts';
import { watchOnce } from '../../../src/kube/watch/watchOnce.ts';
import { faultyServer } from '../../support/api/faultyServer.ts';
import { accessTo } from '../../support/world/reflecting.ts';

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
    const client = createKubeClient({ access: accessTo(server.url), clock: systemClock });
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
    const source = { path: '/api/v1/pods', kind: 'Pod', labelSelector: '', sink };
    const { signal } = new AbortController();
    const onOpened = () => undefined;
    const end = await watchOnce({
      client,
      clock: systemClock,
      source,
      start: '1',
      timeoutSeconds: 60,
      signal,
      onOpened,
    });
    await Promise.all(calls);
    await client.close();
    assert.deepEqual([end.reason, end.changes], ['ended', lines]);
    assert.ok(readAtRequest !== undefined && readAtRequest < lines, `${readAtRequest} of ${lines} were read before`);
  });
}

function line(index: number): string {
  const metadata = { namespace: 'a', name: `pod-${index}`, uid: `${index}`, resourceVersion: `${index + 2}` };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec: {}, status: { phase: 'Running' } };
  return `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
}
