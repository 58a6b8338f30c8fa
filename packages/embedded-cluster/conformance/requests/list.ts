import assert from 'node:assert/strict';
import { arrayOf, isObject, objectOf, textOf } from '../../src/base/json.ts';
import { body, lease, meta, type NamespaceTest, names, refused, type TestNamespace, versionOf } from '../target.ts';

async function list(at: TestNamespace, query = '', plural = 'leases') {
  return body(await at.send('GET', `${at.path(plural)}${query}`), 200);
}

async function fill(at: TestNamespace, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await at.create('leases', lease(`l-${i}`));
}

function continueOf(page: unknown): string {
  return encodeURIComponent(textOf(meta(page)['continue']) ?? '');
}

/** GET on collections: order, pages, versions. */
export function testList(test: NamespaceTest): void {
  test('a list is sorted by name, and its items do not repeat their kind', async (at) => {
    for (const name of ['b', 'a', 'a-b', 'a.b', 'c']) await at.create('leases', lease(name));
    const leases = await list(at);
    assert.deepEqual([leases['kind'], leases['apiVersion']], ['LeaseList', 'coordination.k8s.io/v1']);
    assert.deepEqual(names(leases), ['a', 'a-b', 'a.b', 'b', 'c']);
    assert.deepEqual(Object.keys(meta(leases)), ['resourceVersion']);
    const [first] = arrayOf(leases['items']);
    assert(isObject(first));
    assert.deepEqual([first['kind'], first['apiVersion']], [undefined, undefined]);
    const newest = Math.max(...arrayOf(leases['items']).map((item) => Number(versionOf(item))));
    assert(Number(versionOf(leases)) >= newest);
  });

  test('an empty collection is an empty list, also in a namespace that does not exist', async (at) => {
    assert.deepEqual((await list(at))['items'], []);
    const nowhere = await at.send('GET', '/apis/coordination.k8s.io/v1/namespaces/no-such-namespace/leases');
    assert.deepEqual(body(nowhere, 200)['items'], []);
  });

  test('a list over all namespaces is sorted by namespace', async (one) => {
    const two = await one.another();
    for (const at of [one, two])
      for (const name of ['b', 'a']) await at.create('leases', lease(name, { all: one.name }));
    const query = encodeURIComponent(`all=${one.name}`);
    const leases = body(await one.send('GET', `/apis/coordination.k8s.io/v1/leases?labelSelector=${query}`), 200);
    const keys = arrayOf(leases['items']).map(
      (item) => `${String(meta(item)['namespace'])}/${String(meta(item)['name'])}`,
    );
    assert.deepEqual(keys, [`${one.name}/a`, `${one.name}/b`, `${two.name}/a`, `${two.name}/b`].toSorted());
  });

  test('all pages come from the same snapshot, regardless of changes in between', async (at) => {
    await fill(at, 7);
    const first = await list(at, '?limit=3');
    assert.deepEqual(names(first), ['l-0', 'l-1', 'l-2']);
    assert.equal(meta(first)['remainingItemCount'], 4);
    await at.create('leases', lease('l-3a'));
    await at.patch('leases', 'l-4', { metadata: { labels: { changed: 'yes' } } });
    body(await at.send('DELETE', at.path('leases', 'l-5')), 200);
    const second = await list(at, `?limit=3&continue=${continueOf(first)}`);
    assert.deepEqual(names(second), ['l-3', 'l-4', 'l-5']);
    assert.equal(objectOf(meta(arrayOf(second['items'])[1])['labels'])['changed'], undefined);
    const third = await list(at, `?limit=3&continue=${continueOf(second)}`);
    assert.deepEqual(names(third), ['l-6']);
    assert.equal(meta(third)['continue'], undefined);
    const versions = [first, second, third].map(versionOf);
    assert.equal(new Set(versions).size, 1, versions.join());
    assert.deepEqual(names(await list(at)), ['l-0', 'l-1', 'l-2', 'l-3', 'l-3a', 'l-4', 'l-6']);
  });

  test('pages over all namespaces continue in the next namespace', async (one) => {
    const two = await one.another();
    for (const at of [one, two])
      for (const name of ['a', 'b', 'c']) await at.create('leases', lease(name, { all: one.name }));
    const path = `/apis/coordination.k8s.io/v1/leases?labelSelector=${encodeURIComponent(`all=${one.name}`)}&limit=2`;
    const leaseNames: string[] = [];
    let next = '';
    do {
      const page = body(await one.send('GET', `${path}&continue=${next}`), 200);
      leaseNames.push(...names(page));
      assert.equal(meta(page)['remainingItemCount'], undefined);
      next = continueOf(page);
    } while (next !== '');
    assert.deepEqual(leaseNames, ['a', 'b', 'c', 'a', 'b', 'c']);
  });

  test('a sufficient limit returns the whole list', async (at) => {
    await fill(at, 3);
    for (const limit of [0, 3, 500]) assert.equal(meta(await list(at, `?limit=${limit}`))['continue'], undefined);
    assert.equal(names(await list(at, '?limit=2&resourceVersion=0')).length, 3);
  });

  test('a list with resourceVersionMatch=Exact returns the state of a past resourceVersion', async (at) => {
    await fill(at, 2);
    const then = versionOf(await list(at));
    await at.create('leases', lease('later'));
    const exact = await list(at, `?resourceVersion=${then}&resourceVersionMatch=Exact`);
    assert.deepEqual([names(exact), versionOf(exact)], [['l-0', 'l-1'], then]);
    const old = await list(at, `?resourceVersion=${then}&limit=10`);
    assert.deepEqual([names(old), versionOf(old)], [['l-0', 'l-1'], then]);
    // With NotOlderThan the list waits until the watch cache has received the version.
    const now = versionOf(await list(at));
    const notOlder = await list(at, `?resourceVersion=${now}&resourceVersionMatch=NotOlderThan&limit=10`);
    assert.deepEqual(names(notOlder), ['l-0', 'l-1', 'later']);
    assert.deepEqual(names(await list(at, `?resourceVersion=${then}`)), ['l-0', 'l-1', 'later']);
    assert(Number(versionOf(await list(at, '?resourceVersion=0'))) > 0);
  });

  test('a future resourceVersion gets the error Too large resource version', async (at) => {
    const answer = await at.send('GET', `${at.path('leases')}?resourceVersion=999999999`);
    const status = refused(answer, 504, 'Timeout');
    assert.match(String(status['message']), /^Timeout: Too large resource version: 999999999, current: \d+$/);
    const details = objectOf(status['details']);
    assert.deepEqual(details['causes'], [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }]);
    assert.equal(details['retryAfterSeconds'], 1);
  });

  test('invalid list options are refused', async (at) => {
    await fill(at, 2);
    const next = continueOf(await list(at, '?limit=1'));
    const get = (query: string) => at.send('GET', `${at.path('leases')}?${query}`);
    for (const query of [
      'limit=x',
      'timeoutSeconds=x',
      'continue=abc',
      'resourceVersion=abc',
      `continue=${next}&resourceVersion=5`,
    ]) {
      refused(await get(query), 400, 'BadRequest');
    }
    const invalid = [
      'resourceVersionMatch=Exact',
      'resourceVersionMatch=Exact&resourceVersion=0',
      'resourceVersionMatch=Other&resourceVersion=5',
      `resourceVersionMatch=Exact&resourceVersion=5&continue=${next}`,
      'sendInitialEvents=true',
    ];
    for (const query of invalid) {
      const status = refused(await get(query), 422, 'Invalid');
      assert.match(String(status['message']), /^ListOptions\.meta\.k8s\.io "" is invalid: /);
    }
  });
}
