import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '../../src/base/json.ts';
import { countsByNote, eventApi, occurrence } from '../../testing/eventApi.ts';

const forbidden = {
  type: 'forbidden',
  status: 403,
  message:
    'events.events.k8s.io is forbidden: User "weeder" cannot create resource "events" in API group "events.k8s.io" in the namespace "shop"',
} as const;
const terminating = {
  type: 'forbidden',
  status: 403,
  message: 'unable to create new content in namespace shop because it is being terminated',
} as const;
const away = { type: 'network', message: 'nothing listens there' } as const;

test('an Event with a lost response is not written twice', async () => {
  const api = eventApi();
  const { clock, recorder } = api;
  api.answer = ({ body }) => {
    api.answer = () => undefined;
    const event = objectOf(body);
    api.stored.set(`shop/${objectOf(event['metadata'])['name']}`, event);
    return away;
  };
  recorder.record(occurrence());
  await clock.pass(10_000);
  assert.deepEqual([api.stored.size, api.requests.length], [1, 2]);
  recorder.record(occurrence());
  await clock.pass(1_000);
  assert.deepEqual(countsByNote(api), { 'Deleted.': 2 });
});

test('an unreachable API server is retried after growing pauses, until the Events are written', async () => {
  const api = eventApi();
  api.answer = () => away;
  for (let pod = 0; pod < 30; pod += 1) api.recorder.record(occurrence({ pod: `web-${pod}` }));
  await api.clock.pass(60_000);
  assert(api.requests.length >= 6 && api.requests.length <= 14, `${api.requests.length}`);
  await api.clock.pass(1_800_000);
  assert(api.requests.length <= 80, `${api.requests.length}`);
  api.answer = () => undefined;
  await api.clock.pass(60_000);
  assert.deepEqual([api.stored.size, api.recorder.lost.refused], [30, 0]);
});

test('Retry-After is respected', async () => {
  const api = eventApi();
  api.answer = () => ({ type: 'throttled', status: 429, message: 'later', retryAfterMs: 30_000 });
  api.recorder.record(occurrence());
  await api.clock.pass(20_000);
  api.answer = () => undefined;
  await api.clock.pass(10_000);
  assert.equal(api.requests.length, 1);
  await api.clock.pass(1_000);
  assert.equal(api.stored.size, 1);
});

test('one Event that the API server always refuses does not stop the others; it is dropped and reported', async () => {
  const api = eventApi();
  const isPoison = (body: unknown) => JSON.stringify(body).includes('poison');
  api.answer = ({ body }) => (isPoison(body) ? { type: 'unavailable', status: 500, message: 'no' } : undefined);
  api.recorder.record(occurrence({ pod: 'poison' }));
  for (let pod = 0; pod < 10; pod += 1) api.recorder.record(occurrence({ pod: `web-${pod}` }));
  await api.clock.pass(180_000);
  assert.deepEqual([api.stored.size, api.recorder.lost.refused], [10, 1]);
  assert.equal(api.requests.length, 18);
  assert.deepEqual(api.logged, [
    {
      event: { lost: { refused: 1 }, cause: 'https://api.test refused (500): no.' },
      sentence: 'some Events were not written',
    },
  ]);
});

test('an Event that admission refuses is not retried, and the next one is a new Event', async () => {
  const api = eventApi();
  api.answer = () => ({ type: 'invalid', status: 422, message: 'denied' });
  api.recorder.record(occurrence());
  await api.clock.pass(60_000);
  assert.deepEqual([api.requests.length, api.recorder.lost.refused], [1, 1]);
  api.answer = () => undefined;
  api.recorder.record(occurrence());
  await api.clock.pass(1_000);
  assert.deepEqual(countsByNote(api), { 'Deleted.': 1 });
});

test('a missing permission is logged once by name, and retried every ten minutes until it is granted', async () => {
  const api = eventApi();
  const { clock, recorder } = api;
  api.answer = () => forbidden;
  for (let minute = 0; minute < 30; minute += 1) {
    recorder.record(occurrence({ note: `${minute}` }));
    recorder.record(occurrence({ note: `${minute}`, namespace: 'other' }));
    await clock.pass(60_000);
  }
  assert.deepEqual([api.requests.length, recorder.lost.forbidden], [6, 60]);
  assert.deepEqual(api.logged, [
    {
      event: {
        namespace: 'shop',
        cause: `https://api.test refused (403): ${forbidden.message}. Grant it in a Role in namespace shop: {apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"]}.`,
      },
      sentence: 'Events may not be written; weeder continues without them',
    },
  ]);
  api.answer = () => undefined;
  await clock.pass(600_000);
  for (const namespace of ['shop', 'other'])
    recorder.record(occurrence({ note: `granted in ${namespace}`, namespace }));
  await clock.pass(1_000);
  assert.deepEqual(countsByNote(api), { 'granted in shop': 1, 'granted in other': 1 });
  api.answer = () => forbidden;
  recorder.record(occurrence({ note: 'taken back' }));
  await clock.pass(1_000);
  assert.equal(api.logged.length, 2);
});

test('a missing permission in one namespace does not affect another', async () => {
  const api = eventApi();
  api.answer = ({ path }) => (path.includes('/other/') ? forbidden : undefined);
  for (const namespace of ['other', 'shop', 'other', 'shop']) {
    api.recorder.record(occurrence({ namespace, note: `${Math.random()}` }));
    await api.clock.pass(1_000);
  }
  assert.deepEqual([api.stored.size, api.recorder.lost.forbidden, api.logged.length], [2, 2, 1]);
});

for (const { what, failure } of [
  { what: 'terminates', failure: terminating },
  {
    what: 'does not exist',
    failure: { type: 'notFound', status: 404, message: 'namespaces "shop" not found' } as const,
  },
]) {
  test(`a namespace that ${what} is not reported`, async () => {
    const api = eventApi();
    api.answer = () => failure;
    api.recorder.record(occurrence());
    await api.clock.pass(600_000);
    assert.deepEqual([api.requests.length, api.logged], [1, []]);
    assert.equal(
      Object.values(api.recorder.lost).reduce((sum, each) => sum + each),
      0,
    );
    api.answer = () => undefined;
    api.recorder.record(occurrence());
    await api.clock.pass(1_000);
    assert.deepEqual(countsByNote(api), { 'Deleted.': 1 });
  });
}
