import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RetryAnswer } from '../../../src/weeder/creations/retryOwner.ts';
import { creationWorld, messages, webhook } from '../../support/world/creationWorld.ts';

const minute = 60_000;

test('when the service of the webhook recovers, the objects whose pods it refused are retried at once', async () => {
  const at = creationWorld({ podAfter: 0 });
  at.refuse('web');
  at.refuse('api', { kind: 'StatefulSet' });
  at.refuse('batch', { kind: 'Job' });
  await at.clock.pass(10 * minute);
  assert.deepEqual(at.retried, []);
  at.service(true);
  await at.clock.pass(minute);
  assert.deepEqual(at.retried, ['web@600000', 'api@600000', 'batch@600000']);
  assert.partialDeepStrictEqual(
    at.events.find(({ type }) => type === 'creation.retried'),
    { owner: { kind: 'ReplicaSet', namespace: 'shop', name: 'web' }, webhook, namespace: 'policy', service: 'webhook' },
  );
  await at.clock.pass(5 * minute);
  assert.partialDeepStrictEqual(
    at.events.find(({ type }) => type === 'window.closed'),
    { deleted: 0, retried: 3, failed: [] },
  );
  assert.equal(at.weeder.actorCounts().podCreation, 0);
});

test('a quota, a denial, another reason, another kind and another namespace are never touched', async () => {
  const at = creationWorld();
  at.refuse('quota', { message: messages.quota });
  at.refuse('denied', { message: `Error creating: admission webhook "${webhook}" denied the request: no` });
  at.refuse('other', { message: messages.call.replace(webhook, 'other.example.com') });
  at.refuse('deleted', { reason: 'FailedDelete' });
  at.refuse('pod', { kind: 'Pod' });
  at.refuse('claim', { kind: 'Deployment' });
  at.refuse('foreign', { home: 'attacker' });
  // Its newest failure is another one.
  at.refuse('changed');
  await at.clock.pass(1000);
  at.refuse('changed', { message: messages.quota });
  at.service(true);
  await at.clock.pass(10 * minute);
  assert.deepEqual(at.retried, []);
});

test('nothing is retried while the service is down, also within the window', async () => {
  const at = creationWorld({ podAfter: 0 });
  at.service(true);
  await at.clock.pass(1000);
  at.service(false);
  at.refuse('web');
  await at.clock.pass(minute);
  assert.deepEqual(at.retried, []);
  at.service(true);
  await at.clock.pass(1000);
  assert.deepEqual(at.retried, ['web@61000']);
});

test('an attempt that fails after the service was down and up again is repeated in the second window', async () => {
  const answers = [Promise.withResolvers<RetryAnswer>()];
  const at = creationWorld({
    podAfter: 0,
    answer: () => answers.shift()?.promise ?? { type: 'retry.accepted', existing: 0 },
  });
  const [first] = answers;
  at.refuse('web');
  at.service(true);
  await at.clock.pass(50);
  at.service(false);
  await at.clock.pass(50);
  at.service(true);
  await at.clock.pass(50);
  first?.resolve({ type: 'retry.failed', reason: 'busy' });
  await at.clock.pass(minute);
  assert.deepEqual(at.retried, ['web@150']);
  assert.equal(at.weeder.actorCounts().podCreation, 0);
});

test('the first object goes first, and the others follow when it has a pod', async () => {
  const at = creationWorld({ podAfter: 300 });
  for (const name of ['a', 'b', 'c']) at.refuse(name);
  at.service(true);
  await at.clock.pass(minute);
  assert.deepEqual(at.retried, ['a@0', 'b@300', 'c@300']);
});

test('without a pod of the first object the others follow after a second', async () => {
  const at = creationWorld();
  for (const name of ['a', 'b']) at.refuse(name);
  at.service(true);
  await at.clock.pass(minute);
  assert.deepEqual(at.retried, ['a@0', 'b@1000']);
});

test('an object that has all its pods proves nothing, and another goes first', async () => {
  const at = creationWorld({
    podAfter: 200,
    answer: ({ name }) => (name === 'a' ? { type: 'retry.unneeded' } : { type: 'retry.accepted', existing: 0 }),
  });
  for (const name of ['a', 'b', 'c']) at.refuse(name);
  at.service(true);
  await at.clock.pass(minute);
  assert.deepEqual(at.retried[0], 'b@0');
  assert.equal(at.types().filter((type) => type === 'creation.unneeded').length, 1);
});

test('no more than maxPerSecond are retried in any second', async () => {
  const at = creationWorld({ podAfter: 0, section: { maxPerSecond: 5 } });
  for (let index = 0; index < 23; index += 1) at.refuse(`web-${index}`);
  at.service(true);
  await at.clock.pass(minute);
  const times = at.retried.map((each) => Number(each.split('@')[1]));
  assert.equal(times.length, 23);
  for (const time of times)
    assert.ok(times.filter((other) => other >= time && other < time + 1000).length <= 5, `from ${time}`);
});

test('a namespace with very many forged Events delays the retries of others by one turn, and its own reads cost no pace', async () => {
  const at = creationWorld({
    podAfter: 0,
    section: { maxPerSecond: 10 },
    answer: async ({ namespace }) => {
      await new Promise((resolve) => at.clock.setTimeout(() => resolve(undefined), 20));
      return namespace === 'attacker' ? { type: 'retry.notFound' } : { type: 'retry.accepted', existing: 0 };
    },
  });
  at.service(true);
  const forged = Array.from({ length: 1_500 }, (_, index) => `x-${index}`);
  for (const name of forged) at.refuse(name, { namespace: 'attacker' });
  assert.equal(at.weeder.actorCounts().podCreation, 100);
  for (let index = 0; index < 30; index += 1) at.refuse(`web-${index}`);
  await at.clock.pass(3_000);
  // A forged object goes first, then one of the other namespace, each for 20 ms; the pace alone is 10 a second.
  assert.equal(at.retried[0], 'web-0@40');
  assert.equal(at.retried.length, 30, at.retried.join());
});

test('the objects of several namespaces take turns at the pace', async () => {
  const at = creationWorld({ podAfter: 0, section: { maxPerSecond: 2 } });
  for (let index = 0; index < 20; index += 1) at.refuse(`web-${index}`);
  at.refuse('meal', { namespace: 'kitchen' });
  at.service(true);
  await at.clock.pass(minute);
  const turn = at.retried.findIndex((each) => each.startsWith('meal'));
  assert.ok(turn <= 3, at.retried.join());
  assert.equal(at.retried.length, 21);
});

test('an Event with the uid of an object of another namespace neither replaces nor delays its retry', async () => {
  const at = creationWorld({
    podAfter: 0,
    answer: ({ namespace }) =>
      namespace === 'attacker' ? { type: 'retry.notFound' } : { type: 'retry.accepted', existing: 0 },
  });
  at.service(false);
  at.refuse('web');
  at.refuse('forged', { namespace: 'attacker', uid: 'shop/web' });
  at.service(true);
  at.refuse('again', { namespace: 'attacker', uid: 'shop/web' });
  await at.clock.pass(minute);
  assert.deepEqual(at.retried, ['web@0']);
});

test('an object whose creations fail again is retried after 10, 20 and 40 s, across windows', async () => {
  const at = creationWorld({ podAfter: 0 });
  at.refuse('web');
  at.service(true);
  await at.clock.pass(100);
  at.refuse('web');
  await at.clock.pass(10_000);
  at.service(false);
  at.refuse('web');
  at.service(true);
  await at.clock.pass(20_000);
  at.refuse('web');
  await at.clock.pass(5 * minute);
  assert.deepEqual(at.retried, ['web@0', 'web@10000', 'web@30000', 'web@70000']);
});

test('an object is retried once for the evidence that it was retried for', async () => {
  const at = creationWorld({ podAfter: 0 });
  at.refuse('web');
  for (let outage = 0; outage < 5; outage += 1) {
    at.service(true);
    await at.clock.pass(minute);
    at.service(false);
    await at.clock.pass(1000);
  }
  assert.deepEqual(at.retried, ['web@0']);
});

test('refusals are retried within the window, and reported with the reason', async () => {
  const answers: RetryAnswer[] = [
    { type: 'retry.failed', reason: 'too many requests', failure: 'throttled', retryAfter: 2000 },
    { type: 'retry.conflicted' },
  ];
  const at = creationWorld({ podAfter: 0, answer: () => answers.shift() ?? { type: 'retry.accepted', existing: 1 } });
  at.refuse('web');
  at.service(true);
  await at.clock.pass(minute);
  assert.equal(at.retried.length, 1);
  assert.deepEqual(
    at.types().filter((type) => type.startsWith('creation')),
    ['creation.refused', 'creation.retried'],
  );
});

test('a missing permission is reported once, and does not hold up the others', async () => {
  const at = creationWorld({
    podAfter: 0,
    answer: ({ namespace }) =>
      namespace === 'shop' ? { type: 'retry.rejected', reason: 'forbidden' } : { type: 'retry.accepted', existing: 0 },
  });
  at.refuse('web');
  at.refuse('api', { namespace: 'kitchen' });
  at.service(true);
  await at.clock.pass(10 * minute);
  assert.deepEqual(at.retried, ['api@0']);
  assert.partialDeepStrictEqual(
    at.events.filter(({ type }) => type === 'creation.failed' || type === 'window.closed'),
    [
      { type: 'creation.failed', owner: { name: 'web' }, reason: 'forbidden' },
      { type: 'window.closed', retried: 1, failed: ['shop/web'] },
    ],
  );
});

for (const isSuspended of [false, true]) {
  const when = isSuspended ? 'late, after a suspension,' : 'in time';
  test(`a window that closes ${when} while the API server refuses reports what was not retried`, async () => {
    const at = creationWorld({
      answer: () => ({ type: 'retry.failed', reason: 'the API server is overloaded', failure: 'unavailable' }),
      section: { watchDuration: '30s' },
    });
    at.refuse('web');
    at.service(true);
    await at.clock.pass(10_000);
    if (isSuspended) at.clock.suspend(minute);
    await at.clock.pass(minute);
    assert.partialDeepStrictEqual(at.events.slice(-2), [
      { type: 'creation.failed', reason: 'the window closed first, after a refusal: the API server is overloaded' },
      { type: 'window.closed', failed: ['shop/web'] },
    ]);
    assert.equal(at.weeder.actorCounts().podCreation, 0);
  });
}

test('a stop begins no further retry, and the drain waits for those in flight', async () => {
  const { promise, resolve } = Promise.withResolvers<RetryAnswer>();
  const at = creationWorld({ answer: () => promise, section: { maxPerSecond: 1 } });
  for (const name of ['a', 'b', 'c']) at.refuse(name);
  at.service(true);
  await at.clock.pass(10);
  at.weeder.stop();
  let isDrained = false;
  const drained = at.weeder.drained().then(() => {
    isDrained = true;
  });
  await at.clock.pass(5000);
  assert.equal(isDrained, false);
  resolve({ type: 'retry.accepted', existing: 0 });
  await at.clock.pass(5000);
  await drained;
  assert.deepEqual(at.retried.length, 1);
});

test('a service that no webhook calls any more, and a config without the section, retry nothing', async () => {
  const at = creationWorld({ podAfter: 0 });
  at.weeder.configure({ services: new Map(), restart: undefined });
  at.refuse('web');
  at.service(true);
  await at.clock.pass(minute);
  assert.deepEqual([at.retried, at.types()], [[], []]);
});
