import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../src/notifications/delivery.ts';
import { recordWeederEvents } from '../../src/weeder/report/reportWeeder.ts';
import { configWith, notifying, occurrence, receiverConfig } from '../support/notifications/notifying.ts';
import { backOff } from '../support/objects/objects.ts';
import { simulate } from '../support/world/simulation.ts';

const failed = (reason: string, retryAfter?: number): Answer => ({
  type: 'delivery.failed',
  reason,
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

test('what occurs within a second is one request, and nothing is sent without an occurrence', async () => {
  const it = notifying();
  await it.clock.pass(60_000);
  assert.deepEqual(it.names(), []);
  it.notifier.notify(occurrence());
  await it.clock.pass(900);
  it.notifier.notify(occurrence({}, 'web-1'));
  assert.equal(it.stateOf('ops'), 'collecting');
  await it.clock.pass(200);
  assert.deepEqual(it.names(), [['web-0', 'web-1']]);
  assert.equal(it.stateOf('ops'), 'idle');
  assert.deepEqual(it.notifier.counts.get('ops'), {
    sent: 2,
    waiting: 0,
    lost: { queueFull: 0, rejected: 0, stopped: 0 },
  });
});

test('a receiver gets the types and the namespaces that it names, and only those', async () => {
  const receivers = {
    all: receiverConfig(),
    shop: receiverConfig({ namespaces: ['shop'] }),
    warnings: receiverConfig({ types: ['Warning'] }),
    deletions: receiverConfig({ types: ['PodDeleted', 'DeletionFailed'], namespaces: ['billing'] }),
  };
  const it = notifying({ receivers });
  it.notifier.notify(occurrence({}, 'a', 'shop'));
  it.notifier.notify(occurrence({}, 'b', 'billing'));
  it.notifier.notify(occurrence({ type: 'Warning', reason: 'DeletionFailed' }, 'c', 'billing'));
  it.notifier.notify(occurrence({ reason: 'WindowOpened' }, 'd', 'billing'));
  await it.clock.pass(2_000);
  const got = it.attempts.map(({ receiver }, index) => `${receiver}: ${it.names()[index]?.join(' ')}`);
  assert.deepEqual(got.sort(), ['all: a b c d', 'deletions: b c', 'shop: a', 'warnings: c']);
});

test('a request has at most 100 notifications, one as a single CloudEvent, ten lines of a message', async () => {
  const receivers = {
    batch: receiverConfig(),
    single: receiverConfig({ format: 'cloudevents' }),
    chat: receiverConfig({ format: 'slack' }),
  };
  const it = notifying({ receivers });
  for (let number = 0; number < 102; number += 1) it.notifier.notify(occurrence({}, `web-${number}`));
  await it.clock.pass(2_000);
  const sizes = (of: string) =>
    it.attempts.filter(({ receiver }) => receiver === of).map(({ notifications }) => notifications.length);
  assert.deepEqual(sizes('batch'), [100, 2]);
  assert.deepEqual(sizes('single'), Array(102).fill(1));
  assert.deepEqual(sizes('chat'), [...Array(10).fill(10), 2]);
});

test('a failure is repeated with the same ids after growing pauses, and logged once', async () => {
  let isDown = true;
  const it = notifying({ answer: () => (isDown ? failed('no route') : { type: 'delivery.accepted' }) });
  it.notifier.notify(occurrence());
  await it.clock.pass(40_000);
  assert.deepEqual(
    it.attempts.map(({ at }) => at),
    [1_000, 2_000, 4_000, 8_000, 16_000, 32_000],
  );
  await it.clock.pass(3_600_000);
  const pauses = it.attempts.map(({ at }, index) => at - (it.attempts[index - 1]?.at ?? 0));
  assert.equal(Math.max(...pauses), 60_000);
  isDown = false;
  await it.clock.pass(60_000);
  assert.equal(it.stateOf('ops'), 'idle');
  assert.equal(new Set(it.attempts.map(({ notifications }) => notifications[0]?.id)).size, 1);
  assert.deepEqual(it.logged, [
    { level: 'warn', receiver: 'ops', cause: 'no route', retryIn: '1s', msg: 'notifications cannot be sent, and wait' },
    { level: 'info', receiver: 'ops', lost: 0, msg: 'notifications are sent again' },
  ]);
  it.notifier.notify(occurrence());
  await it.clock.pass(2_000);
  assert.equal(it.logged.length, 2);
});

test('the pause that a receiver asks for is kept, up to ten minutes', async () => {
  const retryAfter = [30_000, 86_400_000];
  const it = notifying({ answer: () => failed('429', retryAfter.shift() ?? 0) });
  it.notifier.notify(occurrence());
  await it.clock.pass(640_000);
  assert.deepEqual(
    it.attempts.map(({ at }) => at),
    [1_000, 31_000, 631_000, 635_000],
  );
});

test('what a receiver rejects is lost and counted, and the next notifications are sent', async () => {
  const answers: Answer[] = [
    { type: 'delivery.rejected', reason: '400' },
    { type: 'delivery.rejected', reason: '400' },
  ];
  const it = notifying({ answer: () => answers.shift() ?? { type: 'delivery.accepted' } });
  for (const name of ['a', 'b', 'c']) {
    it.notifier.notify(occurrence({}, name));
    await it.clock.pass(2_000);
  }
  assert.deepEqual(it.names(), [['a'], ['b'], ['c']]);
  assert.deepEqual(it.notifier.counts.get('ops')?.lost, { queueFull: 0, rejected: 2, stopped: 0 });
  assert.deepEqual(
    it.logged.map(({ msg, lost }) => [msg, lost]),
    [
      ['the receiver rejects notifications: they are lost', undefined],
      ['notifications are sent again', 2],
    ],
  );
});

test('what a receiver rejects together is sent one by one, and only what it would never accept is lost', async () => {
  const it = notifying({
    receivers: { chat: receiverConfig({ format: 'slack' }) },
    answer: ({ notifications }) =>
      notifications.some((each) => each.occurrence.regarding.name === 'bad')
        ? { type: 'delivery.rejected', reason: '400' }
        : { type: 'delivery.accepted' },
  });
  const batch = ['a', 'b', 'bad', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  for (const name of [...batch, 'next', 'last']) it.notifier.notify(occurrence({}, name));
  await it.clock.pass(2_000);
  assert.deepEqual(it.names(), [batch, ...batch.map((name) => [name]), ['next', 'last']]);
  const counts = { sent: 11, waiting: 0, lost: { queueFull: 0, rejected: 1, stopped: 0 } };
  assert.deepEqual(it.notifier.counts.get('chat'), counts);
  assert.equal(it.stateOf('chat'), 'idle');
  assert.deepEqual(
    it.logged.map(({ msg }) => msg),
    ['the receiver rejects notifications: they are lost', 'notifications are sent again'],
  );
});

test('at the end, too, what a receiver rejects together is sent one by one', async () => {
  const it = notifying({
    answer: ({ notifications }) =>
      notifications.length > 1 ? { type: 'delivery.rejected', reason: '413' } : { type: 'delivery.accepted' },
  });
  for (const name of ['a', 'b', 'c']) it.notifier.notify(occurrence({}, name));
  const closed = it.notifier.close();
  await it.clock.pass(0);
  await closed;
  assert.deepEqual(it.names(), [['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  assert.equal(it.notifier.counts.get('ops')?.sent, 3);
});

test('what waits has at most 4 MB: the namespace with the most of them loses its oldest, and a note has 1 KB', async () => {
  const it = notifying({ answer: () => failed('down') });
  for (let number = 0; number < 100; number += 1) it.notifier.notify(occurrence({}, `web-${number}`, 'quiet'));
  for (let number = 0; number < 4_800; number += 1)
    it.notifier.notify(occurrence({ note: 'x'.repeat(100_000) }, `web-${number}`, 'loud'));
  it.notifier.notify(occurrence({}, 'x'.repeat(1_200_000), 'loud'));
  const { waiting, lost } = it.notifier.counts.get('ops') ?? assert.fail('no counts');
  assert.ok(lost.queueFull > 800 && waiting + lost.queueFull === 4_900, `${waiting} wait, ${lost.queueFull} are lost`);
  await it.clock.pass(1_000);
  const [{ notifications = [] } = {}] = it.attempts;
  assert.deepEqual(
    new Set(notifications.map(({ occurrence: { regarding } }) => regarding.namespace)),
    new Set(['quiet']),
  );
  it.notifier.notify(occurrence({ note: 'x'.repeat(100_000) }, 'last', 'loud'));
  assert.equal(it.notifier.counts.get('ops')?.waiting, waiting);
});

test('5,000 notifications wait; of more the oldest is lost, but not one that is being sent', async () => {
  let respond: (answer: Answer) => void = () => assert.fail('nothing was sent');
  const it = notifying({ answer: () => new Promise((resolve) => (respond = resolve)) });
  it.notifier.notify(occurrence({}, 'first'));
  await it.clock.pass(1_000);
  for (let number = 1; number <= 5_010; number += 1) it.notifier.notify(occurrence({}, `web-${number}`));
  assert.deepEqual(it.notifier.counts.get('ops'), {
    sent: 0,
    waiting: 5_000,
    lost: { queueFull: 11, rejected: 0, stopped: 0 },
  });
  respond({ type: 'delivery.accepted' });
  await it.clock.pass(100);
  assert.deepEqual(it.names()[0], ['first']);
  assert.equal(it.names()[1]?.[0], 'web-12');
  assert.equal(it.logged.filter(({ msg }) => msg === 'notifications are lost: too many wait').length, 1);
  assert.partialDeepStrictEqual(it.logged.at(-1), { msg: 'notifications are sent again', lost: 11 });
});

test('nothing is sent while deletions are pending, for three seconds at most', async () => {
  let isBusy = true;
  const it = notifying({ mustWait: () => isBusy });
  it.notifier.notify(occurrence());
  await it.clock.pass(2_000);
  assert.equal(it.stateOf('ops'), 'yielding');
  assert.deepEqual(it.attempts, []);
  isBusy = false;
  await it.clock.pass(200);
  assert.equal(it.attempts.length, 1);
  isBusy = true;
  it.notifier.notify(occurrence());
  await it.clock.pass(3_900);
  assert.equal(it.attempts.length, 1);
  await it.clock.pass(200);
  assert.equal(it.attempts.length, 2);
});

test('the deletions of a recovery are sent at the same times with and without receivers, and before the notifications', async () => {
  const recover = async (receivers: Parameters<typeof configWith>[0]) => {
    const it = notifying({ receivers, mustWait: () => isBusy(), answer: () => failed('down') });
    const record = recordWeederEvents({
      record: it.notifier.notify,
      serviceUid: () => undefined,
      isDryRun: false,
      now: it.clock.now,
    });
    const simulation = simulate({
      clock: it.clock,
      concurrentDeletions: 2,
      report: record,
      answer: () => new Promise((resolve) => it.clock.setTimeout(() => resolve({ type: 'delete.accepted' }), 40)),
    });
    const isBusy = () => simulation.weeder.work().queued + simulation.weeder.work().inFlight > 0;
    simulation.slice({ ready: [false] });
    for (let number = 0; number < 80; number += 1) simulation.pod({ name: `web-${number}`, containers: [backOff()] });
    simulation.slice({ ready: [true] });
    await it.clock.pass(20_000);
    simulation.weeder.stop();
    return { deletions: simulation.deletions.map(({ name, at }) => `${name} ${at}`), it, simulation };
  };
  const without = await recover({});
  const { deletions, it, simulation } = await recover({
    ops: receiverConfig(),
    chat: receiverConfig({ format: 'slack' }),
  });
  assert.equal(deletions.length, 80);
  assert.deepEqual(deletions, without.deletions);
  const last = Math.max(...simulation.deletions.map(({ at }) => at));
  assert.ok(last > 1_500, `the last deletion is sent after ${last} ms`);
  assert.ok(it.attempts.length > 2);
  assert.deepEqual(
    it.attempts.filter(({ at }) => at <= last),
    [],
  );
});

test('a changed config adds, changes and removes receivers, and a new address is tried at once', async () => {
  const it = notifying({
    receivers: { old: receiverConfig(), ops: receiverConfig() },
    answer: ({ config }) => (config.url?.includes('new') ? { type: 'delivery.accepted' } : failed('down', 600_000)),
  });
  it.notifier.notify(occurrence());
  await it.clock.pass(1_000);
  assert.equal(it.stateOf('ops'), 'backingOff');
  const ops = receiverConfig({ url: 'http://new.test/' });
  it.notifier.configure(configWith({ ops, added: receiverConfig({ url: 'http://new.test/' }) }));
  await it.clock.pass(100);
  assert.deepEqual(it.notifier.counts.get('ops')?.sent, 1);
  assert.deepEqual(it.notifier.counts.get('old')?.lost.stopped, 1);
  assert.deepEqual(it.closed.toSorted(), ['old', 'ops']);
  it.notifier.configure(configWith({ ops }));
  await it.clock.pass(100);
  assert.deepEqual(it.closed.toSorted(), ['added', 'old', 'ops']);
});

test('at the end the rest is sent at once, in as many requests as it needs', async () => {
  const it = notifying();
  for (let number = 0; number < 250; number += 1) it.notifier.notify(occurrence({}, `web-${number}`));
  const closed = it.notifier.close();
  it.notifier.notify(occurrence({}, 'late'));
  await it.clock.pass(0);
  await closed;
  assert.deepEqual(
    it.attempts.map(({ at, notifications }) => [at, notifications.length]),
    [
      [0, 100],
      [0, 100],
      [0, 50],
    ],
  );
  assert.equal(it.notifier.counts.get('ops')?.sent, 250);
  await it.notifier.close();
});

test('at the end a receiver that hangs has a second, and one that is down no second attempt: the rest is lost', async () => {
  const it = notifying({
    receivers: { hangs: receiverConfig(), down: receiverConfig(), idle: receiverConfig({ types: ['RolledOut'] }) },
    answer: ({ receiver }) => (receiver === 'down' ? failed('refused') : new Promise(() => undefined)),
  });
  it.notifier.notify(occurrence());
  await it.clock.pass(1_000);
  it.notifier.notify(occurrence());
  let isClosed = false;
  const closing = it.notifier.close().then(() => {
    isClosed = true;
  });
  await it.clock.pass(900);
  assert.equal(isClosed, false);
  await it.clock.pass(200);
  await closing;
  assert.deepEqual(
    ['hangs', 'down', 'idle'].map((name) => it.notifier.counts.get(name)?.lost.stopped),
    [2, 2, 0],
  );
  const lost = it.logged.filter(({ msg }) => msg === 'notifications are lost: they were not sent before the end');
  assert.deepEqual(lost.map(({ receiver, lost: count }) => `${receiver} ${count}`).sort(), ['down 2', 'hangs 2']);
  assert.equal(it.clock.pending, 0);
});

test('a bug in the delivery is a failure like any other', async () => {
  let calls = 0;
  const it = notifying({
    answer: () => {
      calls += 1;
      if (calls === 1) throw new TypeError('x is undefined');
      return { type: 'delivery.accepted' };
    },
  });
  it.notifier.notify(occurrence());
  await it.clock.pass(3_000);
  assert.equal(it.notifier.counts.get('ops')?.sent, 1);
  assert.equal(it.logged[0]?.['cause'], 'x is undefined');
});
