import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { arrayOf, objectOf } from '../../src/base/json.ts';
import type { ApiResponse } from '../../src/client.ts';
import { body, boundNode, meta, type NamespaceTest, pod, refused, type TestNamespace, versionOf } from '../target.ts';

function evict(at: TestNamespace, name: string, deleteOptions?: object): Promise<ApiResponse> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: at.name } };
  return at.send('POST', at.path('pods', `${name}/eviction`), {
    body: { ...eviction, ...(deleteOptions ? { deleteOptions } : {}) },
  });
}

const labels = { app: 'guarded' };

async function runningPod(at: TestNamespace, name: string): Promise<void> {
  await at.create('pods', pod(name, { metadata: { labels }, spec: { nodeName: boundNode } }));
  const conditions = [{ type: 'Ready', status: 'True' }];
  await at.patch('pods', `${name}/status`, { status: { phase: 'Running', conditions } });
}

async function budget(at: TestNamespace, spec: object): Promise<void> {
  const object = { metadata: { name: 'guard' }, spec: { selector: { matchLabels: labels }, ...spec } };
  await at.create('poddisruptionbudgets', object);
}

/** Repeats the request until it has this status, because a controller of a real server updates the budget later. */
async function until(answer: () => Promise<ApiResponse>, status: number): Promise<ApiResponse> {
  for (let tries = 0; tries < 200; tries += 1) {
    const last = await answer();
    if (last.status === status) return last;
    await pause(50);
  }
  return answer();
}

/** Evictions, and the PodDisruptionBudgets that forbid them. */
export function testEviction(test: NamespaceTest): void {
  test('an eviction deletes the pod and returns a Status', async (at) => {
    await at.create('pods', pod('web'));
    const status = body(await evict(at, 'web'), 201);
    assert.deepEqual(status, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
    refused(await at.send('GET', at.path('pods', 'web')), 404, 'NotFound');
    refused(await evict(at, 'web'), 404, 'NotFound');
  });

  test('an eviction respects preconditions and the grace period', async (at) => {
    await runningPod(at, 'web');
    const now = await at.get('pods', 'web');
    const { uid } = meta(now);
    const stale = refused(await evict(at, 'web', { preconditions: { uid, resourceVersion: '1' } }), 409, 'Conflict');
    assert.match(
      String(stale['message']),
      /^Operation cannot be fulfilled on Pod "web": the ResourceVersion in the prec/,
    );
    const preconditions = { uid, resourceVersion: versionOf(now) };
    body(await evict(at, 'web', { preconditions, gracePeriodSeconds: 9 }), 201);
    const terminating = await at.get('pods', 'web');
    assert.equal(meta(terminating)['deletionGracePeriodSeconds'], 9);
  });

  test('an eviction whose name differs from the path is refused', async (at) => {
    await at.create('pods', pod('web'));
    const options = { body: { metadata: { name: 'other' } } };
    const status = refused(await at.send('POST', at.path('pods', 'web/eviction'), options), 400, 'BadRequest');
    assert.equal(status['message'], 'name in URL does not match name in Eviction object');
  });

  test('a budget that needs the pod blocks its eviction until another pod is ready', async (at) => {
    await budget(at, { minAvailable: 1 });
    await runningPod(at, 'one');
    const refusal = refused(await until(() => evict(at, 'one'), 429), 429, 'TooManyRequests');
    assert.equal(refusal['message'], "Cannot evict pod as it would violate the pod's disruption budget.");
    const [cause] = arrayOf(objectOf(refusal['details'])['causes']);
    assert.equal(objectOf(cause)['reason'], 'DisruptionBudget');
    await runningPod(at, 'two');
    body(await until(() => evict(at, 'one'), 201), 201);
    refused(await evict(at, 'two'), 429, 'TooManyRequests');
  });

  test('budgets do not protect pods that are not running yet', async (at) => {
    await budget(at, { minAvailable: 1 });
    await at.create('pods', pod('pending', { metadata: { labels } }));
    body(await until(() => evict(at, 'pending'), 201), 201);
  });

  test('a dry run of an eviction evicts nothing', async (at) => {
    await at.create('pods', pod('web'));
    body(await evict(at, 'web', { dryRun: ['All'] }), 201);
    await at.get('pods', 'web');
  });
}
