import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { RequestFault } from '@weeder/kube-runtime/testing';
import type { RestartConfig } from '../../../src/config/restart.ts';
import { openRecorder } from '../../../src/recording/recorder.ts';
import { decodeState } from '../../../src/restart/content/state.ts';
import { recordingRestart } from '../../../src/restart/recording/recordRestart.ts';
import { folder } from '../../support/cli.ts';
import { restartConfig, settings } from '../../support/objects/restartSettings.ts';
import { recordingOf } from '../../support/recording/recording.ts';
import { playRecording } from '../../support/replay/replayAgain.ts';
import { type JobWorld, jobWorld } from '../../support/world/jobWorld.ts';

const second = 1_000;
const minute = 60 * second;
const plain = restartConfig();
const recreate: RestartConfig = { ...plain, rules: plain.rules.map((rule) => ({ ...rule, jobs: 'recreate' })) };

type Job = Parameters<JobWorld['putJob']>[1];

async function adopted(config = recreate, jobIn: (world: JobWorld) => Job = () => ({})) {
  const world = await jobWorld(config);
  world.putSource({ a: '1' });
  await world.pass(10 * second);
  world.putJob('once', jobIn(world));
  await world.pass(10 * second);
  const uid = uidOf(world.job('once'));
  world.writes.length = 0;
  return { world, uid };
}

function ofCronJob(world: JobWorld): Job {
  return { metadata: { ownerReferences: [world.putCronJob('nightly')] } };
}

function uidOf(object: JsonObject | undefined): unknown {
  return objectOf(object?.['metadata'])['uid'];
}

function stateOf(object: JsonObject | undefined) {
  const text = objectOf(objectOf(object?.['metadata'])['annotations'])['weeder.dev/dependencies'];
  const state = decodeState(typeof text === 'string' ? text : undefined);
  assert(typeof state === 'object');
  return state;
}

/** Asserts that the Job is recreated with its own state, and that no copy is left. */
function assertRecreated({ world, uid }: Awaited<ReturnType<typeof adopted>>): void {
  assert.deepEqual(world.names, ['once']);
  assert.notEqual(uidOf(world.job('once')), uid);
  assert.equal(stateOf(world.job('once')).workloadUid, uidOf(world.job('once')));
  assert.equal(stateOf(world.job('once')).target, undefined);
  assert.deepEqual(world.control.counts().states, { current: 1 });
}

/** The first write that contains this text fails with this fault. */
function failing(text: string, fault: RequestFault): (write: string) => RequestFault | undefined {
  let isDone = false;
  return (write) => {
    if (isDone || !write.startsWith(text)) return undefined;
    isDone = true;
    return fault;
  };
}

test('a Job is copied, deleted, recreated and given its state, in this order, with one write each', async () => {
  const it = await adopted();
  it.world.putSource({ a: '2' });
  await it.world.pass(minute);
  assertRecreated(it);
  const copy = `weeder-recreates-${it.uid}`;
  assert.deepEqual(it.world.writes, [`POST ${copy}`, 'DELETE once', 'POST once', 'PATCH once', `DELETE ${copy}`]);
  assert.deepEqual(
    it.world.events.map(({ type }) => type).filter((type) => type.startsWith('workload.')),
    ['adopted', 'changed', 'restarted', 'recreated', 'rolledOut'].map((each) => `workload.${each}`),
  );
  assert.equal(it.world.eventsOf('workload.restarted')[0]?.how, 'recreate');
});

test('with jobs: report, the default, an outdated Job is reported and not changed', async () => {
  const { world, uid } = await adopted(restartConfig());
  world.putSource({ a: '2' });
  await world.pass(minute);
  assert.deepEqual([uidOf(world.job('once')), world.writes], [uid, []]);
  assert.deepEqual(
    world.eventsOf('workload.blocked').map(({ cause }) => cause),
    ['job'],
  );
});

test('a Job of a CronJob is not written to, and a change of its source is reported', async () => {
  const { world } = await adopted(restartConfig(), ofCronJob);
  const annotations = () => objectOf(objectOf(world.job('once')?.['metadata'])['annotations']);
  assert.equal(annotations()['weeder.dev/dependencies'], undefined);
  assert.deepEqual(world.control.counts().states, { current: 1 });
  world.putSource({ a: '2' });
  await world.pass(minute);
  assert.deepEqual([world.writes, world.eventsOf('workload.blocked').map(({ cause }) => cause)], [[], ['job']]);
});

test('a Job that belongs to a CronJob, or that another controller manages, is not recreated', async () => {
  for (const jobIn of [ofCronJob, () => ({ spec: { managedBy: 'example.com/queue' } })]) {
    const { world } = await adopted(recreate, jobIn);
    world.putSource({ a: '2' });
    await world.pass(minute);
    assert.deepEqual([world.writes, world.control.counts().blocked], [[], { job: 1 }]);
  }
  const other = { apiVersion: 'example.com/v1', kind: 'Shop', name: 'nightly', uid: 'u', controller: false };
  const it = await adopted(recreate, () => ({ metadata: { ownerReferences: [other] } }));
  it.world.putSource({ a: '2' });
  await it.world.pass(minute);
  assertRecreated(it);
  assert.deepEqual(objectOf(it.world.job('once')?.['metadata'])['ownerReferences'], [other]);
});

for (const type of ['Complete', 'Failed', 'SuccessCriteriaMet', 'FailureTarget']) {
  test(`a Job with the condition ${type} is not run again, even if it got the condition after the change`, async () => {
    const { world, uid } = await adopted();
    world.putSource({ a: '2' });
    await world.pass(second);
    world.patchJob('once', { status: { conditions: [{ type, status: 'True' }] } });
    await world.pass(minute);
    assert.deepEqual([uidOf(world.job('once')), world.writes], [uid, []]);
    assert.match(world.eventsOf('workload.blocked')[0]?.reason ?? '', /has ended/);
  });
}

test('a finished Job is neither written to nor reported, unless Jobs are to be recreated; a running one is', async () => {
  const { world } = await adopted(restartConfig());
  world.patchJob('once', { status: { conditions: [{ type: 'Complete', status: 'True' }] } });
  await world.pass(minute);
  world.putSource({ a: '2' });
  await world.pass(minute);
  assert.deepEqual(
    [world.eventsOf('workload.blocked'), world.eventsOf('workload.changed'), world.writes],
    [[], [], []],
  );
  const running = await adopted(restartConfig());
  running.world.putSource({ a: '2' });
  await running.world.pass(minute);
  assert.match(running.world.eventsOf('workload.blocked')[0]?.reason ?? '', /^a Job is not restarted/);
});

test('a Job without a pod that runs with old content is not changed', async () => {
  const { world, uid } = await adopted(recreate, () => ({ spec: { suspend: true } }));
  world.putSource({ a: '2' });
  await world.pass(minute);
  assert.deepEqual([uidOf(world.job('once')), world.writes], [uid, ['PATCH once']]);
  assert.equal(world.eventsOf('workload.skipped').length, 1);
});

test('a dry run reports the restart, and writes nothing', async () => {
  const world = await jobWorld(recreate, { isDryRun: true });
  world.putSource({ a: '1' });
  world.putJob('once');
  await world.pass(10 * second);
  world.putSource({ a: '2' });
  await world.pass(minute);
  assert.deepEqual(world.writes, []);
  assert.deepEqual(
    world.eventsOf('workload.restarted').map(({ how }) => how),
    ['dryRun'],
  );
});

test('the restart times for minInterval and breaker are passed on to the new Job', async () => {
  const config = restartConfig({ rule: { jobs: 'recreate', minInterval: 0, quietPeriod: second } });
  const it = await adopted(config);
  for (let change = 2; change < 9; change += 1) {
    it.world.putSource({ a: String(change) });
    await it.world.pass(20 * second);
  }
  assert.equal(it.world.eventsOf('workload.recreated').length, 5);
  assert.deepEqual(it.world.control.counts().blocked, { breaker: 1 });
});

for (const [write, fault] of [
  ['POST weeder', 'unsent'],
  ['POST weeder', 'lost'],
  ['POST weeder', { status: 403 }],
  ['DELETE once', 'unsent'],
  ['DELETE once', 'lost'],
  ['DELETE once', { late: 50 }],
  ['DELETE once', { late: 30 * second }],
  ['DELETE once', { status: 503 }],
  ['POST once', 'unsent'],
  ['POST once', 'lost'],
  ['POST once', { late: 5 * second }],
  ['POST once', { status: 403 }],
  ['PATCH once', 'lost'],
  ['DELETE weeder', 'lost'],
  ['DELETE weeder', { status: 503 }],
] as const) {
  const what = typeof fault === 'string' ? fault : JSON.stringify(fault).replace(/[{}"]/g, '').replace(':', ' ');
  for (const next of ['the same weeder', 'another weeder']) {
    test(`${write} ${what}: ${next} still recreates the Job`, async () => {
      const it = await adopted();
      const faulty = failing(write, fault);
      let hasFailed = false;
      it.world.fault = (request) => {
        const fault = faulty(request);
        if (fault !== undefined) hasFailed = true;
        return fault;
      };
      it.world.putSource({ a: '2' });
      while (!hasFailed) await it.world.pass(100);
      if (next === 'another weeder') await it.world.restart();
      await it.world.pass(5 * minute);
      assertRecreated(it);
      assert.equal(it.world.events.filter(({ type }) => type === 'actor.failed').length, 0);
    });
  }
}

test('a delayed deletion that is no longer needed does not remove the Job’s replacement', async () => {
  const it = await adopted();
  it.world.fault = failing('DELETE once', { late: 40 * second });
  it.world.putSource({ a: '2' });
  while (!it.world.writes.includes('DELETE once')) await it.world.pass(100);
  it.world.putSource({ a: '1' });
  await it.world.pass(30 * second);
  assert.equal(uidOf(it.world.job('once')), it.uid);
  await it.world.pass(5 * minute);
  assertRecreated(it);
});

test('the copy of an existing Job that is no longer to be deleted is eventually removed', async () => {
  const { world, uid } = await adopted();
  world.fault = failing('DELETE once', 'unsent');
  world.putSource({ a: '2' });
  while (!world.writes.includes('DELETE once')) await world.pass(100);
  world.putSource({ a: '1' });
  await world.pass(5 * minute);
  assert.deepEqual([world.names, uidOf(world.job('once'))], [['once'], uid]);
});

test('weeder stops at any moment: another weeder finds the Job or recreates it, and leaves no copy', async () => {
  for (let after = 0; after < 9 * second; after += 250) {
    const it = await adopted();
    it.world.putSource({ a: '2' });
    await it.world.pass(after);
    it.world.stop();
    await it.world.pass(7 * second);
    await it.world.restart();
    await it.world.pass(5 * minute);
    assertRecreated(it);
    assert.equal(it.world.names.filter((name) => name === 'once').length, 1);
  }
});

test('the Job changes before its deletion: the deletion is refused, and the Job is recreated with the change', async () => {
  const it = await adopted();
  it.world.fault = (write) => {
    if (write === 'DELETE once' && !it.world.writes.includes('DELETE once'))
      it.world.patchJob('once', { metadata: { labels: { late: 'yes' } } });
    return undefined;
  };
  it.world.putSource({ a: '2' });
  await it.world.pass(minute);
  assertRecreated(it);
  assert.deepEqual(objectOf(it.world.job('once')?.['metadata'])['labels'], { late: 'yes' });
});

for (const [first, fault] of [
  ['the answer to weeder’s own deletion', undefined],
  ['its stream', { slow: 100 }],
] as const) {
  test(`another client deletes the Job at that moment, and ${first} reports it first: the Job is not recreated, and no copy is left`, async () => {
    const { world } = await adopted();
    world.fault = (write) => {
      if (write !== 'DELETE once') return undefined;
      world.deleteJob('once');
      return fault;
    };
    world.putSource({ a: '2' });
    await world.pass(5 * minute);
    assert.deepEqual([world.names, world.eventsOf('workload.recreated')], [[], []]);
  });
}

test('another client creates a Job of that name meanwhile: that Job remains, and the copy is deleted', async () => {
  const { world } = await adopted();
  world.ending = 10 * second;
  world.putSource({ a: '2' });
  await world.pass(settings.quietPeriod + 10 * second + 100);
  assert.equal(world.job('once'), undefined);
  world.putJob('once', { metadata: { labels: { theirs: 'yes' } } });
  await world.pass(minute);
  assert.deepEqual(world.names, ['once']);
  assert.deepEqual(objectOf(world.job('once')?.['metadata'])['labels'], { theirs: 'yes' });
});

test('if the copy is deleted while the Job is absent, the Job is not recreated', async () => {
  const { world, uid } = await adopted();
  world.ending = 10 * second;
  world.putSource({ a: '2' });
  await world.pass(settings.quietPeriod + 5 * second);
  world.deleteJob(`weeder-recreates-${uid}`);
  await world.pass(minute);
  assert.deepEqual(world.names, []);
});

test('the Job is recreated even if it is no longer managed by then', async () => {
  const { world, uid } = await adopted();
  world.ending = 10 * second;
  world.putSource({ a: '2' });
  await world.pass(settings.quietPeriod + 5 * second);
  world.configure({ ...recreate, rules: [] });
  await world.pass(minute);
  assert.deepEqual(world.names, ['once']);
  const { annotations } = objectOf(world.job('once')?.['metadata']);
  assert.notEqual(uidOf(world.job('once')), uid);
  assert.equal(objectOf(annotations)['weeder.dev/dependencies'], undefined);
});

test('a recording of the recreation contains no content of the Job, and replays to the same result', async () => {
  const file = join(folder, 'jobs.jsonl');
  const base = recordingOf(file);
  const opened = await openRecorder({ ...base, config: { services: new Map(), restart: recreate } });
  assert(opened.ok);
  const { clock } = base;
  const createRestart = recordingRestart(opened.value.of('restart'));
  const world = await jobWorld(recreate, { clock, createRestart });
  world.putSource({ a: '1' });
  const marker = 'hunter2-the-marker';
  const app = { name: 'app', image: 'app:1', args: [marker], envFrom: [{ configMapRef: { name: 'settings' } }] };
  const template = { spec: { containers: [app], restartPolicy: 'Never' } };
  world.putJob('once', { metadata: { annotations: { note: marker } }, spec: { template } });
  await world.pass(10 * second);
  world.putSource({ a: '2' });
  await world.pass(minute);
  assert.equal(world.eventsOf('workload.recreated').length, 1);
  assert.ok(JSON.stringify(world.job('once')).includes(marker));
  world.stop();
  await opened.value.close();
  const text = readFileSync(file, 'utf8');
  assert.ok(text.includes('"detail":"copy"') && text.includes('"detail":"creation"'));
  assert.ok(!text.includes(marker));
  assert.deepEqual(await playRecording(file), []);
});

test('a copy runs no pods, is suspended, and is not managed', async () => {
  const it = await adopted();
  it.world.ending = 10 * second;
  it.world.putSource({ a: '2' });
  await it.world.pass(settings.quietPeriod + 5 * second);
  const { spec } = it.world.job(`weeder-recreates-${it.uid}`) ?? assert.fail('there is no copy');
  assert.deepEqual([objectOf(spec)['suspend'], objectOf(spec)['parallelism']], [true, 0]);
  assert.equal(it.world.control.counts().workloads, 1);
  await it.world.pass(minute);
  assertRecreated(it);
});
