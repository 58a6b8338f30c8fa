import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchCollection } from '../cluster/support/plane/watching.ts';

const path = '/api/v1/pods?labelSelector=app%3Dweb';

function line(type: string, resourceVersion: number): string {
  return JSON.stringify({ type, object: { metadata: { name: 'a', uid: 'u', resourceVersion: `${resourceVersion}` } } });
}

/** An API server with one pod, whose watches end one after the other with these answers, and then stay open. */
function serving(...answers: readonly { readonly status?: number; readonly lines: readonly string[] }[]) {
  const from: (string | null)[] = [];
  const rest = [...answers];
  const cluster = {
    api: async () => ({
      kind: 'PodList',
      metadata: { resourceVersion: '5' },
      items: [{ metadata: { name: 'a', uid: 'u', resourceVersion: '4' } }],
    }),
    async lines(asked: string) {
      from.push(new URL(asked, 'http://server').searchParams.get('resourceVersion'));
      const next = rest.shift();
      async function* lines() {
        yield* next?.lines ?? [];
        if (next === undefined) await new Promise<never>(() => undefined);
      }
      return { status: next?.status ?? 200, lines: lines() };
    },
  };
  return { cluster, from };
}

test('a watch that the API server ends continues after the last change or bookmark that came', async () => {
  const { cluster, from } = serving(
    { lines: [line('MODIFIED', 6), line('MODIFIED', 7)] },
    { lines: [JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } })] },
    { status: 503, lines: [] },
    { lines: [line('DELETED', 10)] },
  );
  const { objects, changes } = await watchCollection(cluster, path, new AbortController().signal);
  assert.deepEqual(
    objects.map(({ kind, metadata }) => [kind, metadata.resourceVersion]),
    [['Pod', '4']],
  );
  const seen: string[] = [];
  for await (const { type, object } of changes) {
    seen.push(`${type} ${object.metadata.resourceVersion}`);
    if (type === 'DELETED') break;
  }
  assert.deepEqual(seen, ['MODIFIED 6', 'MODIFIED 7', 'DELETED 10']);
  assert.deepEqual(from, ['5', '7', '9', '9']);
});

test('a watch whose version has expired fails, because changes are missing', async () => {
  const expired = JSON.stringify({ type: 'ERROR', object: { code: 410 } });
  for (const answer of [{ lines: [expired] }, { status: 410, lines: ['{}'] }]) {
    const { cluster } = serving(answer);
    const { changes } = await watchCollection(cluster, path, new AbortController().signal);
    await assert.rejects(changes.next(), /410/);
  }
});
