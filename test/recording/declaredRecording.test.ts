import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientOf } from '@weeder/kube-runtime/testing';
import type { Config } from '../../src/config/config.ts';
import { openRecorder } from '../../src/recording/recorder.ts';
import { limitationsOf } from '../../src/replay/limitations.ts';
import { differences } from '../../src/replay/recorded/compare.ts';
import { joinRecordings, readRecording } from '../../src/replay/recorded/recordingFile.ts';
import { replayRecording } from '../../src/replay/replayRecording.ts';
import { replayWhatIf } from '../../src/replay/whatIf.ts';
import { recordingWeeder } from '../../src/weeder/recording/recordWeeder.ts';
import { createWeederController } from '../../src/weeder/weederController.ts';
import { folder } from '../support/cli.ts';
import { backOff, slice } from '../support/objects/objects.ts';
import { readLines, recordingOf } from '../support/recording/recording.ts';
import { controllerContext } from '../support/world/controllerContext.ts';
import { declaringPod, listInto } from '../support/world/declaringPods.ts';
import { configFor, minute } from '../support/world/simulation.ts';

const config = configFor({ services: [], declared: { watchDuration: minute } });

const client = clientOf(async () => ({ ok: true, status: 200, body: {} }));

/** Records the real controller while two services are declared and recover, one before and one after a new file. */
async function record(name: string, limit?: number): Promise<string> {
  const base = recordingOf(join(folder, name));
  const { clock, file } = base;
  const opened = await openRecorder({ ...base, config, oldFiles: 9, ...(limit === undefined ? {} : { limit }) });
  assert.ok(opened.ok);
  const recorder = opened.value;
  const context = controllerContext({ config, runtime: { clock }, client });
  const controller = createWeederController({
    ...context,
    concurrentDeletions: 32,
    createCore: recordingWeeder(recorder.of('weeder')),
  });
  const sinkOf = (stream: string) => {
    const sink = controller.needs.get(stream)?.sink;
    assert.ok(sink, `there is no stream ${stream}, but ${[...controller.needs.keys()].join()}`);
    return sink;
  };
  const crashing = (pod: string, label: string, annotation?: string) =>
    declaringPod(label, { name: pod, containers: [backOff()], ...(annotation === undefined ? {} : { annotation }) });
  const of = (service: string, isReady: boolean) => slice({ namespace: 'shop', service, ready: [isReady] });
  const dbUp = of('db', true);
  listInto(sinkOf('declarations'), declaringPod('db', { name: 'healthy' }), declaringPod('Bad', { name: 'wrong' }));
  listInto(sinkOf('endpointslices'), of('db', false));
  controller.start();
  sinkOf('declarations').apply('ADDED', crashing('web', '', 'db, queue.other'));
  await clock.pass(minute);
  sinkOf('endpointslices 2').begin();
  sinkOf('endpointslices').apply('MODIFIED', dbUp);
  await clock.pass(1000);
  listInto(sinkOf('endpointslices 2'), dbUp);
  sinkOf('declarations').apply('DELETED', crashing('web', '', 'db, queue.other'));
  sinkOf('declarations').apply('ADDED', crashing('late', 'redis'));
  await clock.pass(1000);
  listInto(sinkOf('endpointslices'), dbUp, of('redis', false));
  await clock.pass(10 * minute);
  sinkOf('endpointslices').apply('MODIFIED', of('redis', true));
  await clock.pass(10 * minute);
  controller.stop();
  await recorder.close();
  return file;
}

function read(file: string) {
  const [header, ...lines] = readLines(file).map((value, index) => ({ file, line: index + 1, value }));
  assert.ok(header);
  const recording = readRecording(header, lines);
  assert.ok(recording.ok, JSON.stringify(recording));
  return recording.value;
}

const decisionsOf = async (file: string) => {
  const replay = await replayRecording(read(file));
  assert.deepEqual(differences(replay), []);
  return replay.replayed.map(({ out, about, pod }) => [out, about, pod].join(' ').trimEnd());
};

test('a recording with declarations is replayed to the same decisions', async () => {
  const file = await record('declared.jsonl');
  const decisions = (await decisionsOf(file)).filter((each) => /^(window|pod)\./.test(each));
  assert.deepEqual(decisions, [
    'window.opened shop/db',
    'pod.deleted shop/db shop/web',
    'window.closed shop/db',
    'window.opened shop/redis',
    'pod.deleted shop/redis shop/late',
    'window.closed shop/redis',
  ]);
  const declared = readLines(file).flatMap((line) => (line['in'] === 'config' ? [line['declared']] : []));
  assert.deepEqual(declared.slice(0, 3), [
    ['shop/db'],
    ['shop/db', 'other/queue'],
    ['shop/db', 'other/queue', 'shop/redis'],
  ]);
});

test('a replay that begins with a later file knows the services that pods declared before', async () => {
  const file = await record('declared-parts.jsonl', 1500);
  const parts = readLines(file)[0]?.['part'];
  assert.ok(typeof parts === 'number' && parts > 1, 'the recording has one file only');
  const [header] = readLines(file);
  assert.ok(header?.['declared'] !== undefined);
  assert.ok((await decisionsOf(file)).includes('pod.deleted shop/redis shop/late'));
  const files = Array.from({ length: parts - 1 }, (_, index) => `${file}.${parts - 1 - index}`);
  const joined = joinRecordings([...files, file].map(read));
  assert.ok(joined.ok);
  assert.deepEqual(differences(await replayRecording(joined.value)), []);
});

test('a recording that lacks a declaration is replayed to other decisions', async () => {
  const file = await record('declared-without.jsonl');
  const { lines, ...recording } = read(file);
  const without = lines.map((line) => ('declared' in line ? { ...line, declared: [] } : line));
  const replay = await replayRecording({ ...recording, lines: without });
  assert.ok(differences(replay).length > 0);
});

test('with another config the recorded declarations count, if the section is in both', async () => {
  const recording = read(await record('declared-what-if.jsonl'));
  const deletedWith = async (given: Config) => {
    const { deleted } = await replayWhatIf(recording, given);
    return [deleted.map(({ pod }) => pod), limitationsOf(recording, given).filter((each) => /declare/.test(each))];
  };
  assert.deepEqual(await deletedWith(config), [['shop/web', 'shop/late'], []]);
  assert.deepEqual(await deletedWith(configFor({ services: [], declared: { namespaces: ['other'] } })), [[], []]);
  assert.deepEqual(await deletedWith(configFor({ services: [] })), [[], []]);
});
