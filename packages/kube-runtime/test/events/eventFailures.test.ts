import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMaps, namespaces } from '@weeder/embedded-cluster/resources';
import { countsByNote, occurrence, recordingEvents } from '../../testing/recordingEvents.ts';

const forbidden = {
  status: 403,
  message:
    'events.events.k8s.io is forbidden: User "weeder" cannot create resource "events" in API group "events.k8s.io" in the namespace "shop"',
};

test('an Event with a lost response is not written twice', async () => {
  const api = recordingEvents();
  const { clock, recorder } = api;
  api.faultOf = () => {
    api.faultOf = () => undefined;
    return 'lost';
  };
  recorder.record(occurrence());
  await clock.pass(10_000);
  assert.deepEqual([api.stored().length, api.requests.length], [1, 2]);
  recorder.record(occurrence());
  await clock.pass(1_000);
  assert.deepEqual(countsByNote(api), { 'Deleted.': 2 });
});

test('an unreachable API server is retried after growing pauses, until the Events are written', async () => {
  const api = recordingEvents();
  api.faultOf = () => 'unsent';
  for (let pod = 0; pod < 30; pod += 1) api.recorder.record(occurrence({ pod: `web-${pod}` }));
  await api.clock.pass(60_000);
  assert(api.requests.length >= 6 && api.requests.length <= 14, `${api.requests.length}`);
  await api.clock.pass(1_800_000);
  assert(api.requests.length <= 80, `${api.requests.length}`);
  api.faultOf = () => undefined;
  await api.clock.pass(60_000);
  assert.deepEqual([api.stored().length, api.recorder.lost.refused], [30, 0]);
});

test('Retry-After is respected', async () => {
  const api = recordingEvents();
  api.faultOf = () => ({ status: 429, headers: { 'retry-after': '30' } });
  api.recorder.record(occurrence());
  await api.clock.pass(20_000);
  api.faultOf = () => undefined;
  await api.clock.pass(10_000);
  assert.equal(api.requests.length, 1);
  await api.clock.pass(1_000);
  assert.equal(api.stored().length, 1);
});

test('one Event that the API server always refuses does not stop the others; it is dropped and reported', async () => {
  const api = recordingEvents();
  const isPoison = (body: unknown) => JSON.stringify(body).includes('poison');
  api.faultOf = ({ body }) => (isPoison(body) ? { status: 500, message: 'no' } : undefined);
  api.recorder.record(occurrence({ pod: 'poison' }));
  for (let pod = 0; pod < 10; pod += 1) api.recorder.record(occurrence({ pod: `web-${pod}` }));
  await api.clock.pass(180_000);
  assert.deepEqual([api.stored().length, api.recorder.lost.refused], [10, 1]);
  assert.equal(api.requests.length, 18);
  assert.deepEqual(api.logged, [
    {
      event: { lost: { refused: 1 }, cause: 'https://api.test refused (500): no.' },
      sentence: 'some Events were not written',
    },
  ]);
});

test('an Event that admission refuses is not retried, and the next one is a new Event', async () => {
  const api = recordingEvents();
  api.faultOf = () => ({ status: 422 });
  api.recorder.record(occurrence());
  await api.clock.pass(60_000);
  assert.deepEqual([api.requests.length, api.recorder.lost.refused], [1, 1]);
  api.faultOf = () => undefined;
  api.recorder.record(occurrence());
  await api.clock.pass(1_000);
  assert.deepEqual(countsByNote(api), { 'Deleted.': 1 });
});

test('a missing permission is logged once by name, and retried every ten minutes until it is granted', async () => {
  const api = recordingEvents();
  const { clock, recorder } = api;
  api.faultOf = () => forbidden;
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
  api.faultOf = () => undefined;
  await clock.pass(600_000);
  for (const namespace of ['shop', 'other'])
    recorder.record(occurrence({ note: `granted in ${namespace}`, namespace }));
  await clock.pass(1_000);
  assert.deepEqual(countsByNote(api), { 'granted in shop': 1, 'granted in other': 1 });
  api.faultOf = () => forbidden;
  recorder.record(occurrence({ note: 'taken back' }));
  await clock.pass(1_000);
  assert.equal(api.logged.length, 2);
});

test('a missing permission in one namespace does not affect another', async () => {
  const api = recordingEvents();
  api.faultOf = ({ path }) => (path.includes('/other/') ? forbidden : undefined);
  for (const namespace of ['other', 'shop', 'other', 'shop']) {
    api.recorder.record(occurrence({ namespace, note: `${Math.random()}` }));
    await api.clock.pass(1_000);
  }
  assert.deepEqual([api.stored().length, api.recorder.lost.forbidden, api.logged.length], [2, 2, 1]);
});

for (const isTerminating of [true, false]) {
  test(`a namespace that ${isTerminating ? 'terminates' : 'does not exist'} is not reported`, async () => {
    const api = recordingEvents();
    const { store } = api.server;
    const finalizers = isTerminating ? ['example.dev/held'] : [];
    store.create(configMaps, { metadata: { name: 'held', namespace: 'shop', finalizers } });
    store.delete(namespaces, '', 'shop');
    api.recorder.record(occurrence());
    await api.clock.pass(600_000);
    assert.equal(store.get(namespaces, '', 'shop') !== undefined, isTerminating);
    assert.deepEqual([api.requests.length, api.logged], [1, []]);
    assert.equal(
      Object.values(api.recorder.lost).reduce((sum, each) => sum + each),
      0,
    );
    store.patch(configMaps, 'shop', 'held', { metadata: { finalizers: null } });
    store.create(namespaces, { metadata: { name: 'shop' } });
    api.recorder.record(occurrence());
    await api.clock.pass(1_000);
    assert.deepEqual(countsByNote(api), { 'Deleted.': 1 });
  });
}
