import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { isDecision } from '../../src/recording/events.ts';
import { openRecorder } from '../../src/recording/recorder.ts';
import { differences } from '../../src/replay/recorded/compare.ts';
import { readJsonLines } from '../../src/replay/recorded/jsonLines.ts';
import { joinRecordings, readRecording } from '../../src/replay/recorded/recordingFile.ts';
import { replayRecording } from '../../src/replay/replayRecording.ts';
import type { DeletionAnswer } from '../../src/weeder/deletions/deletePod.ts';
import { backOff, pod, running, slice, terminated } from '../support/objects/objects.ts';
import { configOf, recordedWeeder, recordingOf } from '../support/recording/recording.ts';
import { weederOptions } from '../support/world/weederOptions.ts';

const folder = mkdtempSync(join(tmpdir(), 'weeder-properties-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const step = fc.oneof(
  fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 60_000 }) }),
  { weight: 3, arbitrary: fc.record({ what: fc.constant('slice' as const), isReady: fc.boolean(), ns: fc.nat(1) }) },
  fc.record({
    what: fc.constant('pod' as const),
    ns: fc.nat(1),
    nr: fc.nat(2),
    state: fc.constantFrom('backOff', 'unreported', 'running', 'deleted', 'bare'),
  }),
  fc.record({ what: fc.constant('relist' as const), continues: fc.boolean() }),
);
const story = fc.record({
  steps: fc.array(step, { minLength: 5, maxLength: 40 }),
  answers: fc.array(
    fc.constantFrom<DeletionAnswer>(
      { type: 'delete.accepted' },
      { type: 'delete.conflicted' },
      { type: 'delete.notFound' },
      { type: 'delete.failed', reason: '429', retryAfter: 100 },
      { type: 'delete.rejected', reason: '400' },
    ),
    { maxLength: 20 },
  ),
  ages: fc.array(fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }), { maxLength: 5 }),
  /** How long the reads of logs take; empty: the config wants none. Milliseconds. */
  logs: fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 10 }),
  limit: fc.constantFrom(1_000_000, 6_000),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;
type Step = Story['steps'][number];

let runs = 0;

/** Records a story with the production wiring; every answer takes a moment. */
async function record({ steps, limit, logs, ...script }: Story): Promise<string> {
  const answers = [...script.answers];
  const ages = [...script.ages];
  runs += 1;
  const file = join(folder, `${runs}.jsonl`);
  const base = recordingOf(file);
  const { clock } = base;
  const config = { ...configOf(), ...(logs.length === 0 ? {} : { evidence: { logLines: 20 } }) };
  const opened = await openRecorder({ ...base, config, limit });
  assert.ok(opened.ok);
  const recorder = opened.value;
  const takeTime = <T>(ms: number, value: T) => new Promise<T>((resolve) => clock.setTimeout(() => resolve(value), ms));
  const weeder = recordedWeeder(
    recorder,
    weederOptions(config, clock, {
      random: Math.random,
      readySince: () => {
        const age = ages.shift();
        return takeTime(7, age === undefined ? undefined : clock.now() - age);
      },
      readLog: ({ name }) => takeTime(logs[Number(name.at(-1))] ?? 3, ['a line', 'another']),
      deletePod: () => takeTime(13, answers.shift() ?? { type: 'delete.accepted' as const }),
    }),
  );
  const [slices, pods] = [...weeder.needs.values()].map(({ sink }) => sink);
  const state = new Map<string, object>();

  function relist(continues: boolean): void {
    if (!continues) state.clear();
    for (const sink of [slices, pods]) sink?.begin();
    for (const [key, object] of state) (key.startsWith('slice') ? slices : pods)?.apply('ADDED', object);
    for (const sink of [slices, pods]) sink?.end();
  }

  function play(step: Exclude<Step, { readonly what: 'wait' }>): void {
    if (step.what === 'relist') {
      relist(step.continues);
      return;
    }
    const key = step.what === 'slice' ? `slice ${step.ns}` : `pod ${step.ns} ${step.nr}`;
    const object =
      step.what === 'slice'
        ? slice({ namespace: `ns-${step.ns}`, ready: [step.isReady], withTargets: true })
        : podOf(step, clock.now());
    const isDeleted = step.what === 'pod' && step.state === 'deleted';
    if (isDeleted) state.delete(key);
    else state.set(key, object);
    (step.what === 'slice' ? slices : pods)?.apply(isDeleted ? 'DELETED' : 'MODIFIED', object);
  }

  play({ what: 'slice', isReady: true, ns: 0 });
  play({ what: 'relist', continues: true });
  weeder.start();
  for (const step of steps) {
    if (step.what === 'wait') await clock.pass(step.ms);
    else play(step);
  }
  await clock.pass(300_000);
  weeder.stop();
  await recorder.close();
  return file;
}

function podOf({ ns, nr, state }: Extract<Step, { readonly what: 'pod' }>, now: number) {
  const containers = {
    backOff: backOff(4),
    bare: backOff(4),
    unreported: terminated(now - 500),
    running: running(4),
    deleted: running(4),
  };
  return pod({ namespace: `ns-${ns}`, name: `kapi-${nr}`, containers: [containers[state]], isBare: state === 'bare' });
}

/** How the replay of the files differs, and how many decisions it made. */
async function replayed(files: readonly string[]) {
  const recordings = [];
  for (const file of files) {
    const lines = await readJsonLines(file);
    assert.ok(lines.ok);
    const { first, rest } = lines.value;
    const recording = readRecording(first, rest);
    assert.ok(recording.ok, JSON.stringify(recording));
    recordings.push(recording.value);
  }
  const whole = joinRecordings(recordings);
  assert.ok(whole.ok);
  const replay = await replayRecording(whole.value);
  return { decisions: replay.replayed.filter(isDecision).length, differences: differences(replay) };
}

test('whatever happens, the replay of a recording repeats its decisions', () =>
  assertMeets({ decisions: 200 }, 150, (met) =>
    fc.asyncProperty(story, async (story) => {
      const file = await record(story);
      const files = existsSync(`${file}.1`) ? [`${file}.1`, file] : [file];
      const { decisions, differences } = await replayed(files);
      met.decisions += decisions;
      assert.deepEqual(differences, []);
    }),
  ));

test('whatever happened before, the last file of a recording alone is replayed to the same decisions', () =>
  assertMeets({ decisions: 100 }, 150, (met) =>
    fc.asyncProperty(story, async (story) => {
      const { decisions, differences } = await replayed([await record({ ...story, limit: 6000 })]);
      met.decisions += decisions;
      assert.deepEqual(differences, []);
    }),
  ));
