import assert from 'node:assert/strict';
import { test } from 'node:test';
import { events } from '@weeder/embedded-cluster/resources';
import { objectOf } from '../../src/base/json.ts';
import { countsByNote, occurrence, recordingEvents } from '../../testing/recordingEvents.ts';

test('an Event has the fields of events.k8s.io/v1: who did what to which object, and when', async () => {
  const api = recordingEvents();
  api.recorder.record(occurrence());
  await api.clock.pass(1_000);
  const [request] = api.requests;
  assert.equal(`${request?.method} ${request?.path}`, 'POST /apis/events.k8s.io/v1/namespaces/shop/events');
  assert.equal(request?.rank, 'last');
  const [event = {}] = api.stored();
  const { namespace, name } = objectOf(event['metadata']);
  assert.match(`${namespace}/${name}`, /^shop\/web-0\.[0-9a-f]{19}$/);
  assert.partialDeepStrictEqual(event, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'weeder.dev/weeder',
    reportingInstance: 'weeder-0',
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'uid-of-web-0' },
    type: 'Normal',
    reason: 'PodDeleted',
    action: 'Delete',
    note: 'Deleted.',
  });
});

test('repeated occurrences become a series of one Event: the second immediately, further ones once a minute', async () => {
  const api = recordingEvents();
  const { clock, recorder } = api;
  recorder.record(occurrence());
  await clock.pass(1_000);
  recorder.record(occurrence());
  await clock.pass(1_000);
  assert.deepEqual(countsByNote(api), { 'Deleted.': 2 });
  for (let times = 0; times < 100; times += 1) {
    recorder.record(occurrence());
    await clock.pass(100);
  }
  assert.equal(api.requests.length, 2);
  await clock.pass(60_000);
  assert.deepEqual(countsByNote(api), { 'Deleted.': 102 });
  assert.deepEqual(
    api.requests.map(({ method, contentType }) => `${method} ${contentType}`),
    ['POST undefined', 'PATCH application/merge-patch+json', 'PATCH application/merge-patch+json'],
  );
  assert.deepEqual(api.requests[2]?.body, {
    series: { count: 102, lastObservedTime: '2026-01-01T00:00:11.900000Z' },
  });
});

test('occurrences before the first write are one request', async () => {
  const api = recordingEvents();
  for (let times = 0; times < 50; times += 1) api.recorder.record(occurrence());
  await api.clock.pass(1_000);
  assert.deepEqual([countsByNote(api), api.requests.length], [{ 'Deleted.': 50 }, 1]);
});

test('an occurrence while the first request is in flight is not lost', async () => {
  const api = recordingEvents({ latency: 500 });
  api.recorder.record(occurrence());
  await api.clock.pass(600);
  assert.equal(api.inFlight.now, 1);
  api.recorder.record(occurrence());
  await api.clock.pass(3_000);
  assert.deepEqual([countsByNote(api), api.requests.length], [{ 'Deleted.': 2 }, 2]);
});

test('another note, another object, or the same after a long time makes a new Event', async () => {
  const api = recordingEvents();
  const { clock, recorder } = api;
  recorder.record(occurrence());
  recorder.record(occurrence({ note: 'Other words.' }));
  recorder.record(occurrence({ pod: 'web-1' }));
  await clock.pass(600_001);
  recorder.record(occurrence());
  await clock.pass(1_000);
  assert.deepEqual(
    api.requests.map(({ method }) => method),
    ['POST', 'POST', 'POST', 'POST'],
  );
  assert.equal(api.stored().length, 4);
});

test('a series continues after its Event was deleted, as the API server does after an hour', async () => {
  const api = recordingEvents();
  api.recorder.record(occurrence());
  await api.clock.pass(1_000);
  const [stored] = api.server.store.list(events);
  api.server.store.delete(events, 'shop', stored?.metadata.name ?? '');
  api.recorder.record(occurrence());
  await api.clock.pass(1_000);
  assert.deepEqual(countsByNote(api), { 'Deleted.': 2 });
});

test('of one object at most 20 different Events are sent at once, and two a minute; the others are counted', async () => {
  const api = recordingEvents();
  const { clock, recorder } = api;
  for (let note = 0; note < 25; note += 1) recorder.record(occurrence({ note: `${note}` }));
  recorder.record(occurrence({ pod: 'web-1' }));
  await clock.pass(5_000);
  assert.deepEqual([api.stored().length, recorder.lost.objectLimit], [21, 5]);
  await clock.pass(26_000);
  recorder.record(occurrence({ note: 'after half a minute' }));
  recorder.record(occurrence({ note: 'too soon' }));
  await clock.pass(1_000);
  assert.deepEqual([api.stored().length, recorder.lost.objectLimit], [22, 6]);
  assert.deepEqual(api.logged, [{ event: { lost: { objectLimit: 5 } }, sentence: 'some Events were not written' }]);
});

test('at most 200 Events are sent at once and 100 a second in total, in two requests at a time', async () => {
  const api = recordingEvents({ latency: 5 });
  for (let pod = 0; pod < 1_000; pod += 1) api.recorder.record(occurrence({ pod: `web-${pod}` }));
  await api.clock.pass(1_500);
  assert(api.requests.length >= 295 && api.requests.length <= 301, `${api.requests.length}`);
  await api.clock.pass(8_000);
  assert.deepEqual([api.stored().length, api.inFlight.max, api.recorder.waiting], [1_000, 2, 0]);
});

const crowded = ['shop', 'other', 'loud'];
const inCrowded = (index: number) => occurrence({ namespace: crowded[index % 3] ?? '', pod: `web-${index}` });

test('the queue is bounded: excess Events are counted, and reported in one line', async () => {
  const api = recordingEvents();
  for (let index = 0; index < 5_010; index += 1) api.recorder.record(inCrowded(index));
  assert.deepEqual([api.recorder.waiting, api.recorder.lost.queueFull], [5_000, 10]);
  await api.clock.pass(120_000);
  assert.deepEqual([api.stored().length, api.recorder.waiting], [5_000, 0]);
  assert.deepEqual(api.logged, [{ event: { lost: { queueFull: 10 } }, sentence: 'some Events were not written' }]);
});

test('of one namespace 2,000 Events are sent at once, and two a second; the others are counted', async () => {
  const api = recordingEvents();
  const record = (from: number, count: number, namespace = 'loud') => {
    for (let index = from; index < from + count; index += 1)
      api.recorder.record(occurrence({ namespace, pod: `web-${index}` }));
  };
  record(0, 2_005);
  record(0, 5, 'quiet');
  assert.deepEqual([api.recorder.waiting, api.recorder.lost.namespaceLimit], [2_005, 5]);
  await api.clock.pass(25_000);
  assert.equal(api.stored().length, 2_005);
  record(3_000, 60);
  assert.deepEqual([api.recorder.waiting, api.recorder.lost.namespaceLimit], [50, 15]);
});

test('what waits is bounded in bytes, too: the namespace that has the most of them loses its newest', async () => {
  const api = recordingEvents();
  const record = (namespace: string, count: number, note: string) => {
    for (let index = 0; index < count; index += 1)
      api.recorder.record(occurrence({ namespace, pod: `web-${index}`, note }));
  };
  record('quiet', 500, 'Short.');
  for (const namespace of ['loud', 'other', 'shop']) record(namespace, 1_490, 'x'.repeat(1_000_000));
  const { lost, waiting } = api.recorder;
  assert.deepEqual([lost.queueFull > 0, waiting + lost.queueFull], [true, 4_970]);
  await api.clock.pass(120_000);
  assert.equal(api.server.store.list(events, { namespace: 'quiet' }).length, 500);
});

test('a namespace with very many Events does not delay those of others, and loses its own if there are too many', async () => {
  const api = recordingEvents();
  const of = (namespace: string, index: number) => occurrence({ namespace, pod: `web-${index}` });
  for (let index = 0; index < 4_998; index += 1) api.recorder.record(inCrowded(index));
  for (let index = 0; index < 15; index += 1) api.recorder.record(of('quiet', index));
  assert.equal(api.recorder.lost.queueFull, 13);
  await api.clock.pass(1_000);
  assert.equal(api.server.store.list(events, { namespace: 'quiet' }).length, 15);
  assert(api.stored().length <= 300);
});

test('later losses are reported ten minutes after the last line', async () => {
  const api = recordingEvents();
  const lose = (times: number) => {
    for (let note = 0; note < times; note += 1) api.recorder.record(occurrence({ note: `${Math.random()}` }));
  };
  lose(21);
  await api.clock.pass(20_000);
  lose(3);
  await api.clock.pass(580_000);
  lose(2);
  assert.equal(api.logged.length, 1);
  await api.clock.pass(20_000);
  const lost = api.logged.map(({ event }) => event);
  assert.equal(lost.length, 2);
  assert.deepEqual(lost[0], { lost: { objectLimit: 1 } });
});

test('while sending is blocked nothing is sent, and afterwards everything', async () => {
  const api = recordingEvents();
  api.mustWait = true;
  for (let pod = 0; pod < 10; pod += 1) api.recorder.record(occurrence({ pod: `web-${pod}` }));
  await api.clock.pass(2_000);
  assert.equal(api.requests.length, 0);
  api.mustWait = false;
  await api.clock.pass(600);
  assert.equal(api.stored().length, 10);
});

test('however long sending is blocked, each of hundreds of Events is written within five seconds', async () => {
  const api = recordingEvents({ latency: 10 });
  api.mustWait = true;
  const recorded = 411;
  for (let pod = 0; pod < recorded; pod += 1) {
    api.recorder.record(occurrence({ pod: `web-${pod}` }));
    await api.clock.pass(5);
    assert.equal(api.requests.length > 0, api.clock.monotonic() > 3_000);
  }
  await api.clock.pass(5_000);
  assert.equal(api.stored().length, recorded);
});

test('Events are sent after half a second without new ones, so that the action itself goes first', async () => {
  const api = recordingEvents();
  api.recorder.record(occurrence({ pod: 'web-1' }));
  await api.clock.pass(400);
  api.recorder.record(occurrence({ pod: 'web-2' }));
  await api.clock.pass(499);
  assert.equal(api.requests.length, 0);
  await api.clock.pass(1);
  assert.equal(api.requests.length, 2);
});

test('with a constant flow, Events are sent after three seconds', async () => {
  const api = recordingEvents();
  for (let pod = 0; pod < 29; pod += 1) {
    api.recorder.record(occurrence({ pod: `web-${pod}` }));
    await api.clock.pass(100);
  }
  assert.equal(api.requests.length, 0);
  api.recorder.record(occurrence({ pod: 'web-29' }));
  await api.clock.pass(100);
  assert.equal(api.stored().length, 30);
});

test('close() writes everything immediately, including a series that waits for its minute', async () => {
  const api = recordingEvents({ latency: 5 });
  const { clock, recorder } = api;
  for (const _time of [1, 2, 3]) {
    recorder.record(occurrence());
    await clock.pass(1_000);
  }
  assert.deepEqual(countsByNote(api), { 'Deleted.': 2 });
  api.mustWait = true;
  for (let pod = 1; pod < 200; pod += 1) recorder.record(occurrence({ pod: `web-${pod}`, note: `${pod}` }));
  const began = clock.monotonic();
  const closed = recorder.close().then(() => clock.monotonic() - began);
  await clock.pass(1_000);
  assert((await closed) < 150, `${await closed}`);
  assert.deepEqual([api.stored().length, countsByNote(api)['Deleted.'], clock.pending], [200, 3, 0]);
  assert.deepEqual(api.logged, []);
});

test('close() waits at most a third of a second, and reports what was lost', async () => {
  const api = recordingEvents();
  const { clock, recorder } = api;
  api.faultOf = () => 'hang';
  for (let pod = 0; pod < 100; pod += 1) recorder.record(occurrence({ pod: `web-${pod}` }));
  await clock.pass(200);
  const closed = recorder.close().then(() => clock.monotonic());
  await clock.pass(1_000);
  assert.equal(await closed, 500);
  assert.deepEqual([recorder.lost.stopped, recorder.waiting, clock.pending], [100, 0, 0]);
  assert.deepEqual(api.logged, [{ event: { lost: { stopped: 100 } }, sentence: 'some Events were not written' }]);
  recorder.record(occurrence());
  await clock.pass(1_000);
  assert.deepEqual([recorder.lost.stopped, clock.pending], [100, 0]);
});

test('close() tries nothing twice', async () => {
  const api = recordingEvents();
  api.faultOf = () => 'unsent';
  for (let pod = 0; pod < 10; pod += 1) api.recorder.record(occurrence({ pod: `web-${pod}` }));
  const closed = api.recorder.close();
  await api.clock.pass(1_000);
  await closed;
  assert.deepEqual([api.requests.length, api.recorder.lost.refused, api.clock.pending], [10, 10, 0]);
});
