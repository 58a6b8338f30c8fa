import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiResult } from '../../src/client/client.ts';
import { discoveringClient } from '../../src/client/discovery.ts';
import { clientOf } from '../../testing/index.ts';

const unserved: ApiResult = { ok: false, failure: { type: 'badAnswer', status: 404, message: '404 page not found' } };
const denied: ApiResult = { ok: false, failure: { type: 'forbidden', status: 403, message: 'no' } };

const group = {
  preferredVersion: { groupVersion: 'example.org/v1' },
  versions: [{ groupVersion: 'example.org/v2' }, { groupVersion: 'example.org/v1' }],
};
const pods = '/apis/example.org/*/namespaces/shop/Rollout/web';

/** A server with these bodies by path, which may change; the paths of the requests, in order. */
function served(bodies: Record<string, unknown>) {
  const asked: string[] = [];
  const client = discoveringClient(
    clientOf(async ({ path }) => {
      asked.push(path);
      const body = bodies[path];
      if (body === undefined) return unserved;
      return body === 403 ? denied : { ok: true, status: 200, body };
    }),
  );
  return { client, asked, get: (path = pods) => client.call({ method: 'GET', path }) };
}

const resources = (...rows: readonly string[]) => ({
  resources: rows.map((name) => ({ name, kind: 'Rollout' })),
});

function rollouts(): Record<string, unknown> {
  return {
    '/apis/example.org': group,
    '/apis/example.org/v1': { resources: [{ name: 'widgets', kind: 'Widget' }] },
    '/apis/example.org/v2': resources('rollouts/status', 'rollouts'),
    '/apis/example.org/v2/namespaces/shop/rollouts/web': { kind: 'Rollout' },
    '/apis/example.org/v2/rollouts': { kind: 'RolloutList' },
  };
}

test('the version and the resource of a kind are discovered once, in the preferred version first', async () => {
  const { asked, get } = served(rollouts());
  const both = await Promise.all([get(), get('/apis/example.org/*/Rollout')]);
  assert.deepEqual(
    both.map((each) => each.ok && each.body),
    [{ kind: 'Rollout' }, { kind: 'RolloutList' }],
  );
  await get();
  assert.deepEqual(asked.slice(0, 3), ['/apis/example.org', '/apis/example.org/v1', '/apis/example.org/v2']);
  assert.equal(asked.length, 6);
});

test('other paths are sent as they are', async () => {
  const { asked, get } = served({});
  await get('/apis/apps/v1/namespaces/shop/deployments/web');
  await get('/apis/example.org/v1/namespaces/shop/widgets/*');
  assert.deepEqual(asked, [
    '/apis/apps/v1/namespaces/shop/deployments/web',
    '/apis/example.org/v1/namespaces/shop/widgets/*',
  ]);
});

test('a kind that is not served is answered as a path that is not, and is found when it is served', async () => {
  const bodies: Record<string, unknown> = {};
  const { get } = served(bodies);
  assert.deepEqual(await get(), unserved);
  Object.assign(bodies, rollouts(), { '/apis/example.org/v2': resources() });
  const absent = await get();
  assert.deepEqual(!absent.ok && [absent.failure.type, absent.failure.status], ['badAnswer', 404]);
  Object.assign(bodies, rollouts());
  assert.equal((await get()).ok, true);
});

test('another version is discovered when the one before is no longer served', async () => {
  const bodies = rollouts();
  const { get } = served(bodies);
  await get();
  delete bodies['/apis/example.org/v2/namespaces/shop/rollouts/web'];
  bodies['/apis/example.org/v1'] = resources('rollouts');
  bodies['/apis/example.org/v1/namespaces/shop/rollouts/web'] = { kind: 'Rollout' };
  assert.deepEqual([(await get()).ok, (await get()).ok], [false, true]);
});

test('a refused discovery is the answer, and is repeated', async () => {
  const bodies: Record<string, unknown> = { ...rollouts(), '/apis/example.org': 403 };
  const { get } = served(bodies);
  assert.deepEqual(await get(), denied);
  bodies['/apis/example.org'] = group;
  assert.equal((await get()).ok, true);
});
