import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import type { PageMessage } from '@weeder/live-page';
import { activeStates } from '../../src/actors/actorStates.ts';
import { backOff } from '../support/objects/objects.ts';
import { type OpenedPage, openPage } from '../support/page/openPage.ts';
import { down, startTime } from '../support/page/servedPage.ts';

/** The transitions of one actor that a page received, as `from event to: innermost state`. */
function stepsOf({ messages }: OpenedPage, id: string): string[] {
  const received = messages.filter((message) => message.type === 'actor' && message.actor.id === id);
  return received.flatMap((message: PageMessage) => {
    if (message.type !== 'actor' || message.transition === undefined) return [];
    const { from, event, to } = message.transition;
    return `${from} ${event} ${to}: ${message.actor.states.at(-1)}`;
  });
}

test('the selected actor is shown with each transition as in the picture, and the others are not', async () => {
  await using page = await down();
  page.at.slice({ ready: [false] });
  const id = 'shoot-1/etcd-main-client';
  await using viewer = await openPage(page.served.url, `?actor=${id}`);
  await using other = await openPage(page.served.url);
  assert.deepEqual((await viewer.received('actor')).actor.states, ['notReady', 'notReady.idle']);
  await other.received('history');
  page.at.slice({ ready: [true] });
  const { actor, transition } = await viewer.received('actor', (message) => message.transition !== undefined);
  assert.deepEqual(transition, { at: startTime, event: 'endpoint.ready', from: 'notReady', to: 'ready.windowOpen' });
  assert.deepEqual(actor.states, ['ready', 'ready.windowOpen', 'ready.windowOpen.settled']);
  await other.received('service');
  assert.deepEqual(
    other.messages.filter(({ type }) => type === 'actor'),
    [],
  );
});

test('the newest actor of a machine is shown from its first to its last step, even if it runs very briefly', async () => {
  await using page = await down();
  page.at.slice({ ready: [false] });
  await using viewer = await openPage(page.served.url, '?actor=newest:podDeletion');
  assert.equal((await viewer.received('actorStopped')).id, 'newest:podDeletion');
  page.at.remove('bare');
  page.at.slice({ ready: [true] });
  await page.at.clock.pass(1000);
  const id = 'shoot-1/kapi-0/uid-of-shoot-1-kapi-0';
  await until('it has ended', () => viewer.messages.filter(({ type }) => type === 'actorStopped').length === 2);
  assert.deepEqual(stepsOf(viewer, id), [
    'deciding always attempting: attempting.queued',
    'attempting.queued slot.granted attempting.deleting: attempting.deleting',
    'attempting.deleting delete.accepted deleted: deleted',
  ]);
});

test('the newest actor stays selected while it has transitions; an idle one is replaced by the next', async () => {
  const refused = { type: 'delete.failed', reason: 'no', failure: 'unavailable', retryAfter: 60_000 } as const;
  await using page = await down({
    answer: ({ name }) => (name === 'kapi-0' ? refused : { type: 'delete.accepted' }),
  });
  page.at.slice({ ready: [false] });
  await using viewer = await openPage(page.served.url, '?actor=newest:podDeletion');
  await viewer.received('actorStopped');
  page.at.slice({ ready: [true] });
  await page.at.clock.pass(100);
  await viewer.received(
    'actor',
    ({ actor }) => actor.id.startsWith('shoot-1/kapi-0/') && actor.states.at(-1) === 'backingOff',
  );
  page.at.put({ name: 'soon', containers: [backOff(4)] });
  await page.at.clock.pass(3000);
  page.at.put({ name: 'later', containers: [backOff(4)] });
  await page.at.clock.pass(100);
  await viewer.received(
    'actor',
    ({ actor }) => actor.id.startsWith('shoot-1/later/') && actor.states.at(-1) === 'deleted',
  );
  assert.deepEqual(stepsOf(viewer, 'shoot-1/soon/uid-of-shoot-1-soon'), []);
});

test('of the actors that are already running, the newest is the one with the last transition', async () => {
  await using page = await down();
  for (const namespace of ['shoot-2', 'shoot-3']) page.at.slice({ namespace, ready: [true] });
  await page.at.clock.pass(1000);
  page.at.slice({ namespace: 'shoot-2', ready: [false] });
  await using viewer = await openPage(page.served.url, '?actor=newest:endpoint');
  const { actor } = await viewer.received('actor');
  assert.deepEqual([actor.id, actor.since], ['shoot-2/etcd-main-client', startTime + 1000]);
  assert.deepEqual(
    viewer.messages.filter(({ type }) => type === 'actorStopped'),
    [],
  );
});

test('the active states of parallel regions are all listed, outermost first', () => {
  assert.deepEqual(activeStates({ a: { b: 'c', d: {} } }), ['a', 'a.b', 'a.b.c', 'a.d']);
});
