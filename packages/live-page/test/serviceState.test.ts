import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceView } from '../protocol/protocol.ts';
import { describeState } from '../protocol/serviceWords.ts';
import { serviceView, unseenView } from '../scenes/views.ts';

const now = 1_000_000;
const window = { number: 1, openedAt: now - 60_000, closesAt: now + 240_000 };
const because = 'Deployment shop/web runs again';
const assumed = { ...window, because };
const absent = { isReady: false, exists: false, since: undefined };
const down = { isReady: false, since: now - 12_000, readyUntil: now - 12_000 };

test('the state of a service is in the words of an operator, and never in those of its machine', () => {
  const cases: readonly (readonly [ServiceView, string])[] = [
    [serviceView('db'), 'Ready'],
    [serviceView('db', { state: 'ready.windowOpen.settled', window }), 'Window open'],
    [serviceView('db', { ...down, state: 'notReady.idle' }), 'Down for 12s'],
    [serviceView('db', { ...down, state: 'notReady.holding', window }), 'Window held: down again for 12s'],
    [serviceView('db', { ...down, state: 'notReady.windowOpen', window }), 'Window open, down again for 12s'],
    [serviceView('db', { state: 'ready.windowOpen.settled', window: assumed }), `Window open: ${because}`],
    [serviceView('db', { ...absent, state: 'notReady.assumedReady', window: assumed }), `Window open: ${because}`],
    [serviceView('db', { ...down, state: 'notReady.holding', window: assumed }), 'Window held: down again for 12s'],
    [unseenView('db', now - 190_000), 'Down, not ready since weeder started (3m 10s)'],
    [unseenView('db', now - 190_000, { isFromStart: false }), 'Down, not ready since first seen (3m 10s)'],
    [serviceView('db', { isReady: false, exists: false, since: undefined, state: undefined }), 'No EndpointSlice'],
    [serviceView('db', { namespace: '', isReady: false, exists: false }), 'In no watched namespace'],
  ];
  for (const [service, words] of cases) assert.equal(describeState(service, now), words);
});

test('a service that was deleted has the time until which it was ready', () => {
  const service = serviceView('db', { isReady: false, exists: false, readyUntil: 0 });
  assert.equal(describeState(service, now), 'No EndpointSlice, was ready until 1970-01-01T00:00:00.000Z');
});
