import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../../src/base/json.ts';
import { body, create, type GetTarget, home, lease, meta, names, patch, refused, versionOf } from '../target.ts';
import { summary, watch } from './watching.ts';

/** Makes the target forget its history. */
type Compact = () => Promise<unknown>;

/** Requests for a compacted version, on targets that can be compacted. */
export function testCompaction(getTarget: GetTarget, forget: Compact): void {
  test('a watch from a forgotten version is told 410 in the stream', async (t) => {
    const at = await home(getTarget);
    const first = await create(at, 'leases', lease('a'));
    for (const holderIdentity of ['b', 'c']) await patch(at, 'leases', 'a', { spec: { holderIdentity } });
    await forget();
    const seen = await watch(t, at.target, at.path('leases'), `resourceVersion=${versionOf(first)}`);
    const event = await seen.next();
    assert.equal(event.type, 'ERROR');
    const { kind, status, reason, code } = event.object;
    assert.deepEqual([kind, status, reason, code], ['Status', 'Failure', 'Expired', 410]);
    assert.deepEqual(await seen.rest(), []);
  });

  test('a watch from the newest version goes on after the past is forgotten', async (t) => {
    const at = await home(getTarget);
    await create(at, 'leases', lease('a'));
    await forget();
    const newest = versionOf(body(await at.send('GET', at.path('leases')), 200));
    const seen = await watch(t, at.target, at.path('leases'), `resourceVersion=${newest}`);
    await create(at, 'leases', lease('b'));
    assert.equal(summary(await seen.next()), 'ADDED b');
  });

  test('an open watch does not notice', async (t) => {
    const at = await home(getTarget);
    const made = await create(at, 'leases', lease('a'));
    const seen = await watch(t, at.target, at.path('leases'), `resourceVersion=${versionOf(made)}`);
    await create(at, 'leases', lease('b'));
    assert.equal(summary(await seen.next()), 'ADDED b');
    await forget();
    await create(at, 'leases', lease('c'));
    assert.equal(summary(await seen.next()), 'ADDED c');
  });

  test('pages of a forgotten moment are refused with a token for going on all the same', async () => {
    const at = await home(getTarget);
    for (const name of ['a', 'b', 'c']) await create(at, 'leases', lease(name));
    const first = body(await at.send('GET', `${at.path('leases')}?limit=1`), 200);
    const next = encodeURIComponent(textOf(meta(first)['continue']) ?? '');
    await patch(at, 'leases', 'c', { spec: { holderIdentity: 'b' } });
    await forget();
    const status = refused(await at.send('GET', `${at.path('leases')}?limit=1&continue=${next}`), 410, 'Expired');
    assert.match(String(status['message']), /^The provided continue parameter is too old to display a consistent list/);
    const inconsistent = encodeURIComponent(textOf(meta(status)['continue']) ?? '');
    assert.notEqual(inconsistent, '');
    const rest = body(await at.send('GET', `${at.path('leases')}?continue=${inconsistent}`), 200);
    assert.deepEqual(names(rest), ['b', 'c']);
  });

  test('a forgotten version cannot be listed exactly', async () => {
    const at = await home(getTarget);
    const made = await create(at, 'leases', lease('a'));
    await patch(at, 'leases', 'a', { spec: { holderIdentity: 'b' } });
    await forget();
    const query = `resourceVersion=${versionOf(made)}&resourceVersionMatch=Exact`;
    refused(await at.send('GET', `${at.path('leases')}?${query}`), 410, 'Expired');
  });
}
