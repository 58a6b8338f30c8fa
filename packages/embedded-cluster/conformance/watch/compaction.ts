import assert from 'node:assert/strict';
import { textOf } from '../../src/base/json.ts';
import { body, type GetTarget, lease, meta, names, refused, testsOn, versionOf } from '../target.ts';
import { summary, watch } from './watching.ts';

/** Makes the target discard its history. */
type Compact = () => Promise<unknown>;

/** Requests for a compacted resourceVersion, on targets that can be compacted. */
export function testCompaction(getTarget: GetTarget, compact: Compact): void {
  const test = testsOn(getTarget);
  test('a watch from a compacted resourceVersion gets a 410 in the stream', async (at, t) => {
    const first = await at.create('leases', lease('a'));
    for (const holderIdentity of ['b', 'c']) await at.patch('leases', 'a', { spec: { holderIdentity } });
    await compact();
    const seen = await watch(t, at.target, at.path('leases'), `resourceVersion=${versionOf(first)}`);
    const event = await seen.next();
    assert.equal(event.type, 'ERROR');
    const { kind, status, reason, code } = event.object;
    assert.deepEqual([kind, status, reason, code], ['Status', 'Failure', 'Expired', 410]);
    assert.deepEqual(await seen.rest(), []);
  });

  test('a watch from the newest resourceVersion continues after a compaction', async (at, t) => {
    await at.create('leases', lease('a'));
    await compact();
    const newest = versionOf(await at.get('leases'));
    const seen = await watch(t, at.target, at.path('leases'), `resourceVersion=${newest}`);
    await at.create('leases', lease('b'));
    assert.equal(summary(await seen.next()), 'ADDED b');
  });

  test('an open watch is not affected by a compaction', async (at, t) => {
    const object = await at.create('leases', lease('a'));
    const seen = await watch(t, at.target, at.path('leases'), `resourceVersion=${versionOf(object)}`);
    await at.create('leases', lease('b'));
    assert.equal(summary(await seen.next()), 'ADDED b');
    await compact();
    await at.create('leases', lease('c'));
    assert.equal(summary(await seen.next()), 'ADDED c');
  });

  test('continue tokens of a compacted snapshot are refused, with a token to continue inconsistently', async (at) => {
    for (const name of ['a', 'b', 'c']) await at.create('leases', lease(name));
    const first = body(await at.send('GET', `${at.path('leases')}?limit=1`), 200);
    const next = encodeURIComponent(textOf(meta(first)['continue']) ?? '');
    await at.patch('leases', 'c', { spec: { holderIdentity: 'b' } });
    await compact();
    const status = refused(await at.send('GET', `${at.path('leases')}?limit=1&continue=${next}`), 410, 'Expired');
    assert.match(String(status['message']), /^The provided continue parameter is too old to display a consistent list/);
    const inconsistent = encodeURIComponent(textOf(meta(status)['continue']) ?? '');
    assert.notEqual(inconsistent, '');
    const rest = body(await at.send('GET', `${at.path('leases')}?continue=${inconsistent}`), 200);
    assert.deepEqual(names(rest), ['b', 'c']);
  });

  test('a compacted resourceVersion cannot be listed exactly', async (at) => {
    const object = await at.create('leases', lease('a'));
    await at.patch('leases', 'a', { spec: { holderIdentity: 'b' } });
    await compact();
    const query = `resourceVersion=${versionOf(object)}&resourceVersionMatch=Exact`;
    refused(await at.send('GET', `${at.path('leases')}?${query}`), 410, 'Expired');
  });
}
