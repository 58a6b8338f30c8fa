import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertMeets, propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { isDecision } from '../../src/recording/events.ts';
import { differences } from '../../src/replay/recorded/compare.ts';
import { readJsonLines } from '../../src/replay/recorded/jsonLines.ts';
import { joinRecordings, readRecording } from '../../src/replay/recorded/recordingFile.ts';
import { replayRecording } from '../../src/replay/replayRecording.ts';
import { replayWhatIf } from '../../src/replay/whatIf.ts';
import { recordedReloads, recordReloads } from '../support/recording/recordedReloads.ts';

const folder = mkdtempSync(join(tmpdir(), 'weeder-reloads-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let runs = 0;

async function recorded(story: Parameters<typeof recordReloads>[2], limit: number): Promise<string> {
  runs += 1;
  const file = join(folder, `${runs}.jsonl`);
  await recordReloads(file, limit, story);
  return file;
}

async function readFiles(...files: readonly string[]) {
  const recordings = [];
  for (const file of files) {
    const lines = await readJsonLines(file);
    assert.ok(lines.ok);
    const recording = readRecording(lines.value.first, lines.value.rest);
    assert.ok(recording.ok, JSON.stringify(recording));
    recordings.push(recording.value);
  }
  const whole = joinRecordings(recordings);
  assert.ok(whole.ok);
  return whole.value;
}

test('however the config changes, a recording is replayed to the same decisions', () =>
  assertMeets({ decisions: 150 }, 120, (met) =>
    fc.asyncProperty(recordedReloads, async (story) => {
      const file = await recorded(story, 1_000_000);
      const replay = await replayRecording(await readFiles(file));
      met.decisions += replay.replayed.filter(isDecision).length;
      assert.deepEqual(differences(replay), []);
    }),
  ));

test('however the config has changed before a file begins, that file alone is replayed to the same decisions', () =>
  assertMeets({ decisions: 50, 'streams that took the place of another': 5 }, 200, (met) =>
    fc.asyncProperty(recordedReloads, async (story) => {
      const file = await recorded(story, 6_000);
      fc.pre(existsSync(`${file}.1`));
      const alone = await readFiles(file);
      const replay = await replayRecording(alone);
      met.decisions += replay.replayed.filter(isDecision).length;
      if (alone.header.streams?.some(({ name }) => / \d+$/.test(name)) === true)
        met['streams that took the place of another'] += 1;
      assert.deepEqual(differences(replay), []);
    }),
  ));

test('a what-if replay with the recorded, unchanging config opens the windows that were opened', async () => {
  const hasOneConfig = (story: Parameters<typeof recordReloads>[2]) =>
    story.steps.every(({ type }) => type !== 'config');
  await fc.assert(
    fc.asyncProperty(recordedReloads.filter(hasOneConfig), async (story) => {
      const whole = await readFiles(await recorded(story, 1_000_000));
      const whatIf = await replayWhatIf(whole, whole.config);
      const { recorded: unchanged } = await replayRecording(whole);
      const opened = (events: typeof unchanged) =>
        events.filter(({ out }) => out === 'window.opened').map(({ t, about }) => `${t} ${about}`);
      assert.deepEqual(opened(whatIf.events), opened(unchanged));
    }),
    propertyRuns(40),
  );
});
