import assert from 'node:assert/strict';
import { objectOf } from '../../src/base/json.ts';
import { lease, meta, type NamespaceTest, refused, type TestNamespace, versionOf } from '../target.ts';
import { summary, type WatchEvent, watch } from './watching.ts';

const withInitial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const bookmarks = 'allowWatchBookmarks=true';

async function fill(at: TestNamespace): Promise<void> {
  for (const name of ['b', 'a', 'c']) await at.create('leases', lease(name));
}

function isInitialEnd({ type, object }: WatchEvent): boolean {
  return type === 'BOOKMARK' && objectOf(meta(object)['annotations'])['k8s.io/initial-events-end'] === 'true';
}

/** Where a watch starts, and how it ends. */
export function testWatchStart(test: NamespaceTest): void {
  test('without a resourceVersion, or from 0, a watch starts with the existing objects', async (at, t) => {
    await fill(at);
    for (const query of ['', 'resourceVersion=0', 'resourceVersion=']) {
      const seen = await watch(t, at.target, at.path('leases'), query);
      assert.deepEqual((await seen.take(3)).toSorted(), ['ADDED a', 'ADDED b', 'ADDED c'], query);
    }
  });

  test.withWatchList('the initial events end with an annotated bookmark, and changes follow', async (at, t) => {
    await fill(at);
    const newest = versionOf(await at.get('leases'));
    const seen = await watch(t, at.target, at.path('leases'), `${withInitial}&${bookmarks}`);
    assert.deepEqual((await seen.take(3)).toSorted(), ['ADDED a', 'ADDED b', 'ADDED c']);
    const end = await seen.next();
    assert(isInitialEnd(end), end.line);
    assert.deepEqual([end.object['kind'], end.object['apiVersion']], ['Lease', 'coordination.k8s.io/v1']);
    assert.deepEqual(Object.keys(meta(end.object)), ['resourceVersion', 'annotations']);
    assert(Number(versionOf(end.object)) >= Number(newest));
    await at.create('leases', lease('d'));
    assert.deepEqual(await seen.take(1), ['ADDED d']);
    const resumed = await watch(t, at.target, at.path('leases'), `resourceVersion=${versionOf(end.object)}`);
    assert.deepEqual(await resumed.take(1), ['ADDED d']);
  });

  test.withWatchList('the initial events of an empty collection are only the bookmark', async (at, t) => {
    const seen = await watch(t, at.target, at.path('leases'), `${withInitial}&${bookmarks}`);
    assert(isInitialEnd(await seen.next()));
  });

  test.withWatchList('the initial events are limited to the selector', async (at, t) => {
    await fill(at);
    await at.create('leases', lease('labelled', { x: '1' }));
    const seen = await watch(t, at.target, at.path('leases'), `${withInitial}&${bookmarks}&labelSelector=x`);
    assert.equal(summary(await seen.next()), 'ADDED labelled');
    assert(isInitialEnd(await seen.next()));
  });

  test.withWatchList('without bookmarks the end of the initial events is not marked', async (at, t) => {
    await fill(at);
    const seen = await watch(t, at.target, at.path('leases'), `${withInitial}&timeoutSeconds=1`);
    const events = (await seen.rest()).map(summary);
    assert.deepEqual(events.toSorted(), ['ADDED a', 'ADDED b', 'ADDED c']);
  });

  test.withWatchList('a watch with sendInitialEvents=false starts with later changes', async (at, t) => {
    await fill(at);
    const query = 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
    const newest = versionOf(await at.get('leases'));
    const seen = await watch(t, at.target, at.path('leases'), `${query}&resourceVersion=${newest}`);
    await at.create('leases', lease('d'));
    assert.deepEqual(await seen.take(1), ['ADDED d']);
  });

  test('a watch sends a bookmark before its timeout, and then ends without an error', async (at, t) => {
    const object = await at.create('leases', lease('a'));
    // Written before the watch starts, because a slow machine may take longer for a write than the watch lasts.
    const last = await at.create('leases', lease('b'));
    const began = performance.now();
    const query = `resourceVersion=${versionOf(object)}&${bookmarks}&timeoutSeconds=6`;
    const seen = await watch(t, at.target, at.path('leases'), query);
    assert.deepEqual(await seen.take(1), ['ADDED b']);
    // Two seconds before the end; a real server may send more at any time.
    const marks = await seen.rest();
    for (const event of marks) assert.equal(event.type, 'BOOKMARK');
    const newest = marks.at(-1);
    assert(newest !== undefined && Number(versionOf(newest.object)) >= Number(versionOf(last)));
    assert(performance.now() - began > 5_500);
  });

  test('a watch without bookmarks gets none', async (at, t) => {
    const object = await at.create('leases', lease('a'));
    const seen = await watch(t, at.target, at.path('leases'), `resourceVersion=${versionOf(object)}&timeoutSeconds=3`);
    assert.deepEqual(await seen.rest(), []);
  });

  test.withWatchList('a watch from a future resourceVersion reports an error, or waits for it', async (at, t) => {
    await at.create('leases', lease('a'));
    const far = 'resourceVersion=999999999';
    const failing = await watch(t, at.target, at.path('leases'), `${withInitial}&${bookmarks}&${far}`);
    const error = await failing.next();
    assert.equal(error.type, 'ERROR');
    assert.deepEqual([error.object['code'], error.object['reason']], [504, 'Timeout']);
    const silent = await watch(t, at.target, at.path('leases'), `${far}&${bookmarks}&timeoutSeconds=3`);
    assert.deepEqual(await silent.rest(), []);
  });

  test.withWatchList('an invalid watch is refused before it starts', async (at) => {
    const get = (query: string) => at.send('GET', `${at.path('leases')}?watch=true&${query}`);
    const missing = refused(await get('sendInitialEvents=true'), 422, 'Invalid');
    const message = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    assert.equal(
      missing['message'],
      `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ${message}`,
    );
    refused(await get('sendInitialEvents=true&resourceVersionMatch=Exact'), 422, 'Invalid');
    refused(await get('resourceVersionMatch=NotOlderThan'), 422, 'Invalid');
    refused(await get('resourceVersion=abc'), 500, undefined);
    refused(await get('labelSelector=a%20b'), 400, 'BadRequest');
    refused(await get('timeoutSeconds=x'), 400, 'BadRequest');
  });
}
