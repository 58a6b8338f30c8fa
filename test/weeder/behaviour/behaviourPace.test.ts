import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeletionAnswer } from '../../../src/weeder/deletions/deletePod.ts';
import { podSentence } from '../../../src/weeder/report/podSentence.ts';
import { backOff, running } from '../../support/objects/objects.ts';
import { configFor, minute, settled } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const names = Array.from({ length: 100 }, (_, index) => `kapi-${index}`);
const crashLooping = (name: string) => ({ name, containers: [backOff()] });
const pace = { pods: 10, per: 1000 };

const web = { name: 'db', podSelectors: [{ matchLabels: { uses: 'db' } }] };
const crashLoopingWeb = (name: string) => ({ ...crashLooping(name), labels: { uses: 'db' } });

const times = (at: World) => at.deletions.map((each) => each.at);

/** A hundred crash-looping dependants of a service with a pace that has just recovered. */
async function herd(options: Parameters<typeof world>[0] = {}): Promise<World> {
  const at = world({ service: { pace }, ...options });
  for (const name of names) at.put(crashLooping(name));
  at.slice(up);
  await settled();
  return at;
}

test('a paced service has its deletions in the order in which its pods came, and each one when its pace has room', async () => {
  const at = await herd();
  await ends(at);
  assert.deepEqual(
    at.timeline(),
    names.map((name, index) => `${name}@${1000 * Math.floor(index / 10)}`),
  );
  assert.equal(at.eventsOf('window.closed')[0]?.deleted, 100);
});

test('a dry run has the same pace', async () => {
  const at = await herd({ isDryRun: true });
  assert.equal(at.eventsOf('pod.deleted').length, 10);
  await at.clock.pass(999);
  assert.equal(at.eventsOf('pod.deleted').length, 10);
  await at.clock.pass(1);
  assert.equal(at.eventsOf('pod.deleted').length, 20);
  await ends(at);
  assert.deepEqual(at.deletions, []);
});

test('pods that wait for a pace take no slot, and do not delay those of another service', async () => {
  const at = world({ services: [{ pace }, web], concurrentDeletions: 2 });
  for (const name of names) at.put(crashLooping(name));
  at.slice(up);
  await settled();
  for (const name of ['web-0', 'web-1', 'web-2']) at.put(crashLoopingWeb(name));
  at.slice({ ...up, service: 'db' });
  await settled();
  assert.deepEqual(at.timeline().slice(10), ['web-0@0', 'web-1@0', 'web-2@0']);
  assert.deepEqual([at.weeder.work().queued, at.weeder.counts().queued], [0, 90]);
  await ends(at);
  assert.equal(at.deletions.length, 103);
});

test('a turn counts from when it has a slot: slots that were taken for a while are not followed by a burst', async () => {
  const answers: ((answer: DeletionAnswer) => void)[] = [];
  const slow: World = world({
    services: [{ pace }, web],
    concurrentDeletions: 1,
    answer(request) {
      if (!request.name.startsWith('web')) return slow.answerTo(request);
      const { promise, resolve } = Promise.withResolvers<DeletionAnswer>();
      answers.push(resolve);
      return promise;
    },
  });
  slow.put(crashLoopingWeb('web-0'));
  slow.slice({ ...up, service: 'db' });
  await settled();
  for (const name of names) slow.put(crashLooping(name));
  slow.slice(up);
  await slow.clock.pass(5000);
  assert.deepEqual(slow.deletedNames(), ['web-0']);
  answers[0]?.({ type: 'delete.accepted' });
  await slow.clock.pass(1000);
  assert.deepEqual(times(slow).slice(1), [...Array<number>(10).fill(5000), ...Array<number>(10).fill(6000)]);
  await ends(slow);
});

test('a turn counts until its pace has passed after the response: requests that take long are not followed by a burst', async () => {
  const answers: (() => void)[] = [];
  const at: World = world({
    service: { pace: { pods: 2, per: 1000 } },
    answer(request) {
      const { promise, resolve } = Promise.withResolvers<DeletionAnswer>();
      answers.push(() => resolve(at.answerTo(request)));
      return promise;
    },
  });
  for (const name of names.slice(0, 6)) at.put(crashLooping(name));
  at.slice(up);
  const answerOne = () => answers.shift()?.();
  await at.clock.pass(5000);
  answerOne();
  await at.clock.pass(300);
  answerOne();
  await at.clock.pass(10_000);
  assert.deepEqual(at.timeline(), ['kapi-0@0', 'kapi-1@0', 'kapi-2@6000', 'kapi-3@6300']);
  while (answers.length > 0) {
    answerOne();
    await at.clock.pass(1000);
  }
  await ends(at);
  assert.equal(at.deletions.length, 6);
});

test('the end of the window withdraws the pods that still wait, and says that they waited for the pace', async () => {
  const at = await herd({ service: { pace: { pods: 1, per: 50_000 } } });
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@0', 'kapi-1@50000', 'kapi-2@100000']);
  assert.equal(at.eventsOf('window.closed')[0]?.failed.length, 97);
  const reasons = new Set(at.eventsOf('deletion.failed').map(({ reason }) => reason));
  assert.deepEqual([...reasons], ['the window closed first, and the pod waited for the pace of the service']);
});

test('the pace continues across windows, and holds while the service is not ready', async () => {
  const at = await herd();
  at.slice({ ready: [false] });
  await at.clock.pass(400);
  at.slice(up);
  await at.clock.pass(599);
  assert.equal(at.deletions.length, 10);
  await at.clock.pass(1);
  assert.equal(at.deletions.length, 20);
  at.slice({ ready: [false] });
  await at.clock.pass(10 * minute);
  assert.equal(at.deletions.length, 20);
  await ends(at);
});

test('a pod that recovers or vanishes while it waits uses no turn', async () => {
  const at = await herd();
  for (const name of names.slice(10, 30)) at.put({ name, containers: [running(4)] });
  for (const name of names.slice(30, 40)) at.remove(name);
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames(), [...names.slice(0, 10), ...names.slice(40, 50)]);
  await ends(at);
});

test('a pod that recovers while it waits for a slot gives its turn to the next one', async () => {
  const blocked = Promise.withResolvers<DeletionAnswer>();
  const at: World = world({
    service: { pace: { pods: 2, per: 1000 } },
    concurrentDeletions: 1,
    answer: (request) => (request.name === 'kapi-0' ? blocked.promise : at.answerTo(request)),
  });
  for (const name of names.slice(0, 4)) at.put(crashLooping(name));
  at.slice(up);
  await settled();
  at.put({ name: 'kapi-1', containers: [running(4)] });
  blocked.resolve({ type: 'delete.accepted' });
  await settled();
  assert.deepEqual(at.timeline(), ['kapi-0@0', 'kapi-2@0']);
  await ends(at);
  assert.deepEqual(at.timeline().slice(2), ['kapi-3@1000']);
});

test('a pod whose container the kubelet restarts soon is decided again when its turn comes', async () => {
  const at = world({ service: { pace: { pods: 1, per: 10_000 } } });
  const finished = new Date(at.clock.now() - 30_000).toISOString();
  const lastState = { terminated: { exitCode: 1, reason: 'Error', finishedAt: finished } };
  // Of a back-off of 40 s, 10 s are left: more than a replacement needs.
  for (const name of ['kapi-0', 'kapi-1']) at.put({ name, containers: [{ ...backOff(), lastState }] });
  at.put({ name: 'kapi-2', containers: [backOff()] });
  at.slice(up);
  await at.clock.pass(10_000);
  assert.deepEqual(at.timeline(), ['kapi-0@0', 'kapi-2@10000']);
  assert.deepEqual(
    at.eventsOf('deletion.pending').map((each) => [each.pod.name, each.reason]),
    [['kapi-1', 'restartIsSooner']],
  );
  await ends(at);
});

test('another pace applies at once to the pods that wait, in their order, and none lets them go', async () => {
  const at = await herd();
  const reload = (next: { pods: number; per: number } | undefined) =>
    at.weeder.configure(configFor({ service: { pace: next } }));
  reload({ pods: 30, per: 1000 });
  await settled();
  assert.deepEqual(at.deletedNames(), names.slice(0, 30));
  reload({ pods: 5, per: 500 });
  await at.clock.pass(499);
  assert.equal(at.deletions.length, 30);
  await at.clock.pass(1);
  assert.deepEqual(at.deletedNames(), names.slice(0, 35));
  reload(undefined);
  await settled();
  assert.deepEqual(at.deletedNames(), names);
  await ends(at);
});

test('a pace that a reload adds applies to the pods that wait for a slot', async () => {
  const at: World = world({ concurrentDeletions: 1, answer: (request) => at.answerTo(request) });
  for (const name of names) at.put(crashLooping(name));
  at.slice(up);
  at.weeder.configure(configFor({ service: { pace } }));
  await settled();
  // The first one was sent before the reload.
  assert.deepEqual(at.deletedNames(), names.slice(0, 11));
  await at.clock.pass(1000);
  assert.deepEqual(at.deletedNames(), names.slice(0, 21));
  await ends(at);
});

test('a deletion counts for the service whose window owns it: in the window of another service the pod has its pace', async () => {
  const both = { name: 'other', podSelectors: [{ matchLabels: { role: 'apiserver' } }] };
  const at = world({ services: [{ pace: { pods: 1, per: minute } }, both] });
  for (const name of names) at.put(crashLooping(name));
  at.slice(up);
  at.slice({ ...up, service: 'other' });
  await settled();
  assert.deepEqual(at.deletedNames(), ['kapi-0']);
  at.weeder.configure(configFor({ services: [{ ...both, pace }] }));
  await settled();
  assert.deepEqual(at.deletedNames(), names.slice(0, 11));
  await ends(at);
});

test('when the window ends for whose pace a pod waits, it continues without delay in that of a service without one', async () => {
  const both = { name: 'other', podSelectors: [{ matchLabels: { role: 'apiserver' } }], watchDuration: 10 * minute };
  const at = world({ services: [{ pace: { pods: 1, per: 5 * minute } }, both] });
  for (const name of names) at.put(crashLooping(name));
  at.slice(up);
  at.slice({ ...up, service: 'other' });
  await at.clock.pass(2 * minute);
  assert.deepEqual(times(at), [0, ...Array<number>(99).fill(2 * minute)]);
  await ends(at);
});

test('a reload that removes both services of a pod that waits for a pace deletes nothing', async () => {
  const both = { name: 'other', podSelectors: [{ matchLabels: { role: 'apiserver' } }] };
  const at = world({ services: [{ pace: { pods: 1, per: minute } }, both] });
  for (const name of names) at.put(crashLooping(name));
  at.slice(up);
  at.slice({ ...up, service: 'other' });
  await settled();
  at.weeder.configure(configFor({ services: [] }));
  await ends(at);
  assert.deepEqual(at.deletedNames(), ['kapi-0']);
});

test('after a suspension past the end of its window, a pod goes to the window of another service, and has its pace', async () => {
  const both = { name: 'other', podSelectors: [{ matchLabels: { role: 'apiserver' } }], watchDuration: 10 * minute };
  const slow = { pods: 1, per: minute };
  const blocked = Promise.withResolvers<DeletionAnswer>();
  const at: World = world({
    services: [{ watchDuration: 2 * minute }, { ...both, pace: slow }],
    concurrentDeletions: 1,
    answer: (request) => (request.name === 'kapi-0' ? blocked.promise : at.answerTo(request)),
  });
  for (const name of names.slice(0, 4)) at.put(crashLooping(name));
  at.slice(up);
  at.slice({ ...up, service: 'other' });
  await settled();
  at.clock.suspend(3 * minute);
  // The response is read before the timers run.
  blocked.resolve({ type: 'delete.accepted' });
  await settled();
  await at.clock.pass(1000);
  assert.equal(at.deletions.length, 2);
  await ends(at);
  assert.equal(at.deletions.length, 4);
});

test('the state of a pod that waits for the pace says so', async () => {
  const at = await herd();
  const facts = at.weeder.pod('shoot-1', 'kapi-50');
  assert.equal(
    podSentence({ ...facts, report: undefined }),
    'Queued by the pace of service etcd-main-client, 10 pods per 1s: waiting 90.',
  );
  await ends(at);
});

test('stop() withdraws the pods that wait for the pace', async () => {
  const at = await herd();
  at.weeder.stop();
  await ends(at);
  assert.equal(at.deletions.length, 10);
  assert.deepEqual(at.eventsOf('deletion.failed'), []);
});
