import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReflectorEvent } from '../../machines/reflector.ts';
import { virtualClock } from '../../src/base/virtualClock.ts';
import { createKubeClient } from '../../src/client/client.ts';
import type { ApiFailure } from '../../src/client/failure.ts';
import { startListWatch } from '../../src/watch/listWatch.ts';
import { createStreamStatuses } from '../../src/watch/streamStatus.ts';
import { createWatchTimeouts } from '../../src/watch/watchTimeouts.ts';
import { accessTo, reflecting } from '../../testing/reflecting.ts';
import { testSink } from '../../testing/testSink.ts';
import { until } from '../../testing/until.ts';

/** The status of one stream, `pods`, that begins with a list. */
function begun() {
  const clock = virtualClock();
  const statuses = createStreamStatuses(clock);
  statuses.begun('pods', '/api/v1/namespaces/a/pods', false);
  const one = () => statuses.all()[0] ?? assert.fail();
  return { clock, statuses, one };
}

test('a stream is down from its start until it has the complete state', () => {
  const { clock, statuses, one } = begun();
  clock.advance(700);
  statuses.opened('pods');
  assert.deepEqual([one().resource, one().state, one().isSynced, one().downFor], ['pods', 'listing', false, 700]);
  statuses.synced('pods', 12);
  clock.advance(300);
  const { state, since, isSynced, downFor, objects } = one();
  assert.deepEqual([state, isSynced, downFor, objects], ['watching', true, undefined, 12]);
  assert.equal(since, clock.now() - 300);
});

test('a lost stream is down until a watch is open again, and its state is that of the machine', () => {
  const { clock, statuses, one } = begun();
  statuses.synced('pods', 12);
  clock.advance(60_000);
  statuses.lost('pods', 'lost', 'connection refused');
  clock.advance(30_000);
  assert.deepEqual(
    [one().state, one().downFor, one().problem, one().losses],
    ['backingOff', 30_000, 'connection refused', 1],
  );
  statuses.begun('pods', '/api/v1/pods', true);
  assert.deepEqual([one().state, one().downFor], ['watching', 30_000]);
  statuses.opened('pods');
  assert.deepEqual([one().downFor, one().problem, one().isSynced], [undefined, undefined, true]);
});

test('after an expiry an open response is not enough: the list must be complete', () => {
  const { clock, statuses, one } = begun();
  statuses.synced('pods', 12);
  clock.advance(60_000);
  statuses.lost('pods', 'expired', 'too old');
  statuses.begun('pods', '/api/v1/pods', false);
  statuses.opened('pods');
  clock.advance(100);
  assert.equal(one().downFor, 100);
  statuses.synced('pods', 13);
  assert.equal(one().downFor, undefined);
});

test('a stream that is repeatedly opened and lost counts as down throughout; a stable one does not', () => {
  const { clock, statuses, one } = begun();
  statuses.synced('pods', 12);
  clock.advance(60_000);
  for (let turn = 0; turn < 20; turn += 1) {
    statuses.lost('pods', 'lost', 'cut');
    clock.advance(4000);
    statuses.begun('pods', '/api/v1/pods', true);
    statuses.opened('pods');
    clock.advance(100);
  }
  statuses.lost('pods', 'lost', 'cut');
  assert.equal(one().downFor, 20 * 4100);
  statuses.begun('pods', '/api/v1/pods', true);
  statuses.opened('pods');
  clock.advance(5000);
  statuses.lost('pods', 'lost', 'cut');
  assert.equal(one().downFor, 0);
});

test('a silent stream is down since its last data, not since the silence was detected', () => {
  const { clock, statuses, one } = begun();
  statuses.synced('pods', 12);
  clock.advance(60_000);
  statuses.received('pods', 10);
  clock.advance(24_000);
  assert.equal(one().quietFor, 24_000);
  statuses.lost('pods', 'silent', 'nothing came');
  assert.equal(one().downFor, 24_000);
});

test('a stream on a half-open connection is down for as long as the connection was silent', () => {
  const { clock, statuses, one } = begun();
  statuses.synced('pods', 12);
  clock.advance(70_000);
  statuses.lost('pods', 'silent', 'the connection does not respond', { silentMs: 20_000 });
  assert.equal(one().downFor, 20_000);
});

test('a watch on a half-open connection ends as silent, with the duration', async () => {
  const clock = virtualClock();
  const silent: ApiFailure = { type: 'timeout', message: 'the connection does not respond', silentMs: 20_000 };
  const client = {
    ...createKubeClient({ userAgent: 'weeder/test', access: accessTo('https://127.0.0.1:1'), clock }),
    openStream: async () => ({ ok: false, failure: silent }) as const,
  };
  const parts = { client, clock, timeouts: createWatchTimeouts(clock) };
  const source = { path: '/api/v1/pods', kind: 'Pod', labelSelector: '', sink: testSink() } as const;
  const input = { resourceVersion: '7', initial: 'stream', random: () => 0 } as const;
  const event = await new Promise<ReflectorEvent>((resolve) => {
    startListWatch(parts, source, input, resolve);
  });
  assert.partialDeepStrictEqual(event, { type: 'stream.silent', resourceVersion: '7', silentMs: 20_000 });
});

test('the totals of a resource outlive its streams', () => {
  const { statuses } = begun();
  statuses.begun('other', '/api/v1/pods', false);
  statuses.received('pods', 10);
  statuses.received('other', 5);
  statuses.lost('other', 'silent', 'nothing came');
  statuses.forget('other');
  statuses.received('other', 100);
  assert.deepEqual(
    statuses.all().map(({ name }) => name),
    ['pods'],
  );
  assert.deepEqual(statuses.totals().get('pods'), {
    bytes: 15,
    losses: { lost: 0, silent: 1, expired: 0, rewound: 0 },
  });
});

test('a reflector reports its state, its losses and every received byte', async () => {
  await using it = await reflecting('http');
  it.server.store.put('a');
  it.start();
  const one = () => it.statuses.all()[0];
  await it.untilSame();
  const synced = one() ?? assert.fail();
  assert.deepEqual([synced.state, synced.isSynced, synced.downFor, synced.objects], ['watching', true, undefined, 1]);
  assert.ok(synced.bytes > 0);
  it.server.store.put('b');
  await it.untilSame();
  assert.ok((one()?.bytes ?? 0) > synced.bytes);
  const heal = it.server.failAll((answer) => answer.cut());
  it.server.cutConnections();
  await until('the stream is lost', () => one()?.state === 'backingOff', it.clock);
  assert.notEqual(one()?.downFor, undefined);
  heal();
  await until('the stream is up', () => one()?.downFor === undefined, it.clock);
  assert.equal(one()?.state, 'watching');
  assert.ok((it.statuses.totals().get('pods')?.losses.lost ?? 0) > 0);
});
