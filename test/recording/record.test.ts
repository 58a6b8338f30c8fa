import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { until, virtualClock } from '@weeder/kube-runtime/testing';
import { openRecorder } from '../../src/recording/recorder.ts';
import { failedCreateOf } from '../../src/weeder/owners/failedCreate.ts';
import { crashLooping } from '../../src/weeder/pods/crashLooping.ts';
import { failedPull } from '../../src/weeder/pods/failedPull.ts';
import { reduceWeederObject } from '../../src/weeder/recording/reduceObject.ts';
import { readSlice } from '../../src/weeder/services/endpointSlice.ts';
import { createSliceView } from '../../src/weeder/services/sliceView.ts';
import { hostileFields, hostileObject } from '../support/hostile/hostileObjects.ts';
import { backOff, type ContainerState, pod, running, slice, terminated } from '../support/objects/objects.ts';
import { configOf, readLines, recordIncident, recordingOf } from '../support/recording/recording.ts';
import { playRecording } from '../support/replay/replayAgain.ts';

const folder = mkdtempSync(join(tmpdir(), 'weeder-record-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a recording begins with its version, its start and the whole config', async () => {
  const { file } = await recordIncident(join(folder, 'header.jsonl'));
  const [header] = readLines(file);
  assert.deepEqual(header, {
    weeder: 'recording',
    version: 4,
    weederVersion: '0.1.0',
    startedAt: '2026-01-01T00:00:00.000Z',
    part: 1,
    namespaces: 'all',
    concurrentDeletions: 32,
    isDryRun: false,
    config: {
      servicesAndDependantSelectors: {
        'etcd-main-client': {
          podSelectors: [{ matchLabels: { role: 'apiserver' } }],
          watchDuration: '2m0s',
          dependantNamespaces: 'same',
          onStart: 'recent',
          whileNotReady: 'hold',
          barePods: 'keep',
          deletion: 'delete',
        },
      },
    },
  });
});

test('inputs and decisions are in the order in which they happened, with their times', async () => {
  const { file } = await recordIncident(join(folder, 'order.jsonl'));
  const lines = readLines(file).slice(1);
  const times = lines.map((line) => Number(line['t']));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  const kinds = lines.map((line) => line['in'] ?? line['out']).join(' ');
  assert.match(kinds, /^begin ADDED end begin end start .*requested response/);
  assert.match(kinds, /MODIFIED window\.opened requested .*response random .*pod\.deleted/);
  assert.match(kinds, /window\.closed stop$/);
});

test('a pod that does not crash-loop is left out, and a recorded one has no environment, arguments or annotations', async () => {
  const { file } = await recordIncident(join(folder, 'secrets.jsonl'));
  const text = readFileSync(file, 'utf8');
  assert.doesNotMatch(text, /healthy|s3cret|password/);
  assert.match(text, /kapi-0/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('a recording has the number of lines of a log and not the log, and its replay repeats the decisions', async () => {
  const { file } = await recordIncident(join(folder, 'log.jsonl'), { log: ['connecting', 'the password is s3cret'] });
  assert.doesNotMatch(readFileSync(file, 'utf8'), /s3cret|connecting/);
  const lines = readLines(file);
  const about = lines.filter(({ request, out }) => request === 'log kapi-0' || out === 'pod.logRead');
  assert.deepEqual(
    about.map(({ in: input, out, response, detail }) => [input ?? out, response ?? detail]),
    [
      ['requested', undefined],
      ['response', 2],
      ['pod.logRead', '2 lines'],
      ['pod.logRead', '2 lines'],
    ],
  );
  assert.deepEqual(await playRecording(file), []);
});

test('a reduced pod has the same meaning as the whole one', () => {
  const whole = [
    pod({ containers: [backOff(4)], annotations: { 'weeder.dev/ignore': 'true', other: 's3cret' } }),
    pod({ containers: [terminated(1_700_000_000_000, 3)], isBare: true }),
    pod({ containers: [terminated(0, 3, 0)], restartPolicy: 'OnFailure' }),
    pod({ initContainers: [{ ...backOff(2), spec: { restartPolicy: 'Always' } }] }),
    pod({ containers: [{ ...terminated(0, 2, 7), spec: restartsOn([7]) }], restartPolicy: 'Never' }),
    pod({ containers: [backOff()], deletionTimestamp: '2026-01-01T00:00:00Z' }),
    pod({ containers: [backOff()], phase: 'Failed' }),
    pod({ containers: [running(3)] }),
    pod({ containers: [backOff()], conditions: { Ready: 'True' } }),
    pod({ containers: [backOff()], conditions: { Ready: 'False', ContainersReady: 'True' } }),
    pod({ containers: [crashed(`${'long '.repeat(200)}\n`)] }),
    {},
  ];
  for (const object of whole) assert.deepEqual(crashLooping(reduceWeederObject('Pod', object)), crashLooping(object));
});

function crashed(message: string): ContainerState {
  const first = { exitCode: 1, startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:05Z' };
  const second = { exitCode: 137, signal: 9, startedAt: '2026-01-01T00:00:20Z', finishedAt: '2026-01-01T00:00:25Z' };
  return {
    restarts: 2,
    state: { terminated: { ...second, reason: 'Error', message } },
    lastState: { terminated: first },
  };
}

test('a recorded pod has the beginning of its termination message, and no more', () => {
  const text = JSON.stringify(
    reduceWeederObject('Pod', pod({ containers: [crashed(`begin ${'x'.repeat(4000)} end`)] })),
  );
  assert.match(text, /"message":"begin x+…"/);
  assert.ok(text.length < 1500);
});

test('texts of any length are recorded up to a length at which they are read as before', () => {
  const readers: Readonly<Record<string, (object: unknown) => unknown>> = {
    Pod: (object) => crashLooping(object) ?? failedPull(object),
    EndpointSlice: (object) => readSlice(objectOf(object), 'shop'),
    Event: failedCreateOf,
  };
  for (const [kind, read] of Object.entries(readers))
    for (const fields of [hostileFields, ...hostileFields.map((field) => [field])])
      for (const number of [1, 2]) {
        const whole = hostileObject(kind, number, { fields, length: 100_000, character: 'é' });
        const reduced = reduceWeederObject(kind, whole);
        assert.deepEqual(read(reduced), read(whole), `${kind} ${fields.join()}`);
        assert.ok(JSON.stringify(reduced).length < 120_000, `${kind} ${fields.join()}`);
      }
});

function restartsOn(values: readonly number[]): object {
  return { restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values } }] };
}

function endpointWith(conditions: object): object {
  return { ...slice(), endpoints: [{ conditions }] };
}

test('a reduced slice has the same meaning as the whole one', () => {
  const read = (object: object) => {
    const silent = { isReady: () => false, changed() {}, readyBeforeGap() {}, received() {} };
    const view = createSliceView(virtualClock(), undefined, silent);
    view.sink.apply('ADDED', object);
    // The Service is named in Events alone, which a replay does not send.
    const slices = [...view.services.values()].flatMap((each) => [...each.slices.values()]);
    return [view.newestOf('etcd-main-client'), slices.map(({ serviceUid: _uid, ...slice }) => slice)];
  };
  const whole = [
    slice({ ready: [true, false, null], withTargets: true, written: 1_700_000_000_000 }),
    slice({ ready: [null] }),
    slice({ ready: [false] }),
    slice({ ready: [] }),
    endpointWith({ ready: true, serving: false }),
    endpointWith({ ready: true, serving: true, terminating: true }),
  ];
  for (const wholeSlice of whole) {
    const reduced = objectOf(reduceWeederObject('EndpointSlice', wholeSlice));
    assert.deepEqual(read(reduced), read(wholeSlice));
    assert.ok(read(wholeSlice).every((value) => value !== undefined));
  }
});

test('at its size limit the file becomes FILE.1, and there are never more than two files', async () => {
  const limit = 20_000;
  const { file } = await recordIncident(join(folder, 'rotated.jsonl'), { limit, repeats: 60 });
  const [header] = readLines(file);
  const [older] = readLines(`${file}.1`);
  assert.ok(Number(header?.['part']) > 2, JSON.stringify(header));
  assert.equal(Number(older?.['part']), Number(header?.['part']) - 1);
  assert.equal(older?.['startedAt'], header?.['startedAt']);
  // One line more than the limit, and no file begins with more than the state that it repeats.
  assert.ok(statSync(`${file}.1`).size < limit + 2000);
  assert.ok(statSync(file).size < limit + 2000);
});

test('a new file repeats the state at the end of the one before, with the times of its changes', async () => {
  const { file } = await recordIncident(join(folder, 'repeated.jsonl'), { limit: 20_000, repeats: 60 });
  const lines = readLines(file).slice(1);
  const times = lines.map((line) => Number(line['t']));
  const resume = lines.findIndex((line) => line['in'] === 'snapshotEnd');
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  const slices = lines.findIndex((line) => line['in'] === 'ADDED' && line['stream'] === 'endpointslices');
  assert.ok(slices !== -1 && slices < resume);
  const older = readLines(`${file}.1`).findLast((line) => line['stream'] === 'endpointslices');
  assert.equal(times[slices], older?.['t']);
});

test('the given number of old files is retained, and the oldest is deleted', async () => {
  const path = join(folder, 'three.jsonl');
  writeFileSync(path, 'before\n');
  const { failures } = await recordIncident(path, { limit: 20_000, repeats: 60, oldFiles: 3 });
  assert.deepEqual(failures, []);
  const parts = [path, `${path}.1`, `${path}.2`, `${path}.3`].map((file) => Number(readLines(file)[0]?.['part']));
  const newest = parts[0] ?? 0;
  assert.ok(newest > 4, `${newest}`);
  assert.deepEqual(parts, [newest, newest - 1, newest - 2, newest - 3]);
  assert.ok(!existsSync(`${path}.4`));
});

test('the recording of the previous process becomes FILE.1', async () => {
  const path = join(folder, 'restarted.jsonl');
  writeFileSync(path, 'before\n');
  await recordIncident(path);
  assert.equal(readFileSync(`${path}.1`, 'utf8'), 'before\n');
  assert.equal(readLines(path)[0]?.['part'], 1);
});

test('on a full disk there is one warning, the recording stops, and weeder continues', async () => {
  const { failures, deletions } = await recordIncident('/dev/full', { repeats: 20 });
  assert.equal(failures.length, 1);
  assert.match(failures[0] ?? '', /ENOSPC/);
  assert.equal(deletions, 20);
});

test('if a file cannot be rotated there is one warning, the recording stops, and weeder continues', async () => {
  const path = join(folder, 'stuck.jsonl');
  mkdirSync(join(`${path}.1`, 'blocking'), { recursive: true });
  const { failures, deletions } = await recordIncident(path, { limit: 10_000, repeats: 20 });
  assert.equal(failures.length, 1);
  assert.equal(deletions, 20);
});

test('a file that cannot be opened is reported at once, in one sentence', async () => {
  const recorder = await openRecorder({ ...recordingOf(join(folder, 'none', 'x.jsonl')), config: configOf() });
  assert.ok(!recorder.ok);
  assert.equal(recorder.error.code, 'RECORDING_UNWRITABLE');
  assert.match(recorder.error.message, /^Cannot record to .*x\.jsonl: there is no such directory\.$/);
});

test('recorded lines reach the file within a moment, without a close', async () => {
  const path = join(folder, 'prompt.jsonl');
  const recorder = await openRecorder({ ...recordingOf(path), config: configOf() });
  assert.ok(recorder.ok);
  await until('the header is written', () => readFileSync(path, 'utf8').endsWith('\n'));
  await recorder.value.close();
});

test('a change of the wall clock is recorded', async () => {
  const { file } = await recordIncident(join(folder, 'jump.jsonl'), { jump: 3_600_000 });
  assert.deepEqual(
    readLines(file).flatMap((line) => line['wall'] ?? []),
    [3_600_000],
  );
});
