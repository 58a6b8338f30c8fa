import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientOf } from '@weeder/kube-runtime/testing';
import { openRecorder } from '../../../src/recording/recorder.ts';
import { differences } from '../../../src/replay/recorded/compare.ts';
import { joinRecordings, readRecording } from '../../../src/replay/recorded/recordingFile.ts';
import { replayRecording } from '../../../src/replay/replayRecording.ts';
import { recordingWeeder } from '../../../src/weeder/recording/recordWeeder.ts';
import { createWeederController } from '../../../src/weeder/weederController.ts';
import { folder } from '../../support/cli.ts';
import { backOff, type PodOptions, running } from '../../support/objects/objects.ts';
import { readLines, recordingOf } from '../../support/recording/recording.ts';
import { controllerContext } from '../../support/world/controllerContext.ts';
import { declaringPod, listInto } from '../../support/world/declaringPods.ts';
import { configFor, minute } from '../../support/world/simulation.ts';

const siblingEvidence = { readyFor: 10_000, windowsPerHour: 2 };
const config = configFor({ services: [], declared: { watchDuration: minute, siblingEvidence } });
const client = clientOf(async () => ({ ok: true, status: 200, body: {} }));

/** Records the real controller while dependants of a service without EndpointSlices run again, one after the other. */
async function record(name: string, limit?: number): Promise<string> {
  const base = recordingOf(join(folder, name));
  const { clock, file } = base;
  const opened = await openRecorder({ ...base, config, oldFiles: 99, ...(limit === undefined ? {} : { limit }) });
  assert.ok(opened.ok);
  const recorder = opened.value;
  const context = controllerContext({ config, runtime: { clock }, client });
  const createCore = recordingWeeder(recorder.of('weeder'));
  const controller = createWeederController({ ...context, concurrentDeletions: 32, createCore });
  const pods = controller.needs.get('declarations')?.sink;
  assert.ok(pods);
  const put = (pod: string, options: PodOptions) =>
    pods.apply('MODIFIED', declaringPod('db', { name: pod, workload: pod, ...options }));
  const crash = (pod: string) => put(pod, { containers: [backOff()] });
  const run = (pod: string) => put(pod, { containers: [running(4)], conditions: { Ready: 'True' } });
  listInto(pods, declaringPod('db', { name: 'healthy' }));
  controller.start();
  for (let round = 0; round < 40; round += 1) {
    crash('web');
    for (const pod of ['a', 'b']) crash(`${pod}${round}`);
    await clock.pass(5_000);
    listInto(controller.needs.get('endpointslices')?.sink);
    run(`a${round}`);
    await clock.pass(5_000);
    run(`b${round}`);
    await clock.pass(5 * minute);
    for (const pod of ['a', 'b']) pods.apply('DELETED', declaringPod('db', { name: `${pod}${round}` }));
  }
  run('web');
  await clock.pass(90 * minute);
  // A pod is deleted once: `web` may be deleted in a replay that begins with a later file.
  for (const pod of ['late', 'last']) crash(pod);
  await clock.pass(5_000);
  run('late');
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

const windowsIn = async (recording: ReturnType<typeof read>) => {
  const replay = await replayRecording(recording);
  assert.deepEqual(differences(replay), []);
  return replay.replayed.filter(({ out }) => out === 'window.opened').length;
};

test('a recording with dependants that run again is replayed to the same windows', async () => {
  assert.equal(await windowsIn(read(await record('siblings.jsonl'))), 9);
});

test('so is each file of it, and all of them together', async () => {
  const file = await record('siblings-parts.jsonl', 20_000);
  const parts = readLines(file)[0]?.['part'];
  assert.ok(typeof parts === 'number' && parts > 2, 'the recording has too few files');
  const files = Array.from({ length: parts - 1 }, (_, index) => `${file}.${parts - 1 - index}`);
  const all = [...files, file].map(read);
  for (const each of all) await windowsIn(each);
  assert.ok((await windowsIn(read(file))) > 0);
  const joined = joinRecordings(all);
  assert.ok(joined.ok);
  assert.equal(await windowsIn(joined.value), 9);
});
