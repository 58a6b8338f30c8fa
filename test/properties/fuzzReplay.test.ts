import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Result } from '@weeder/kube-runtime/base';
import { assertMeets, propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { parseConfig } from '../../src/config/parse.ts';
import { limitationsOf } from '../../src/replay/limitations.ts';
import { differences } from '../../src/replay/recorded/compare.ts';
import { type JsonFile, readJsonLines } from '../../src/replay/recorded/jsonLines.ts';
import { isRecording, joinRecordings, readRecording } from '../../src/replay/recorded/recordingFile.ts';
import { diffLines, timeline } from '../../src/replay/recorded/timeline.ts';
import { readEvents } from '../../src/replay/recorded/watchEvent.ts';
import { replayRecording } from '../../src/replay/replayRecording.ts';
import { replayEvents } from '../../src/replay/weeder/replayEvents.ts';
import { savings } from '../../src/replay/weeder/savings.ts';
import { replayWhatIf } from '../../src/replay/whatIf.ts';
import { byteEdit, edited, editedBytes, nameFrom, valueEdit } from '../support/fuzz.ts';
import { recordIncident } from '../support/recording/recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'weeder-fuzz-replay-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const config = parseConfig(
  'servicesAndDependantSelectors: {etcd-main-client: {podSelectors: [{matchLabels: {app: kapi}}]}}',
  'f',
);
assert(config.ok);
const other = config.value;

/** Files that can be replayed: a recording, and the first events of a real crash loop, of which a few take long. */
const { file: recorded } = await recordIncident(join(folder, 'incident.jsonl'));
const recording = readFileSync(recorded, 'utf8').trimEnd().split('\n');
const dataFolder = new URL('../data/recorded/', import.meta.url);
const events = readdirSync(dataFolder)
  .filter((name) => name.startsWith('not-ready'))
  .flatMap((name) => readFileSync(new URL(name, dataFolder), 'utf8').trimEnd().split('\n').slice(0, 8))
  .sort();
const undated = events.map((line) => line.replace(/"ts":"[^"]*",/, ''));
const files = { recording, events, undated };

let replayed = 0;

/** What `weeder replay` prints of these bytes, or the sentence that it ends with. */
async function linesOf(bytes: Uint8Array): Promise<readonly string[]> {
  const path = join(folder, 'mutated.jsonl');
  writeFileSync(path, bytes);
  const file = await readJsonLines(path);
  if (!file.ok) return sentence(file);
  return isRecording(file.value.first) ? linesOfRecording(file.value) : linesOfEvents(file.value);
}

async function linesOfRecording({ first, rest }: JsonFile): Promise<readonly string[]> {
  const read = readRecording(first, rest);
  if (!read.ok) return sentence(read);
  const joined = joinRecordings([read.value]);
  if (!joined.ok) return sentence(joined);
  replayed += 1;
  const again = await replayRecording(joined.value);
  const whatIf = await replayWhatIf(joined.value, other);
  return [
    ...timeline(again.replayed, again.startedAt),
    ...diffLines(differences(again), again.startedAt),
    ...timeline(whatIf.events, whatIf.startedAt),
    ...savings(whatIf.deleted),
    ...limitationsOf(joined.value, other),
  ];
}

async function linesOfEvents({ first, rest }: JsonFile): Promise<readonly string[]> {
  const read = readEvents([first, ...rest]);
  if (!read.ok) return sentence(read);
  replayed += 1;
  const { events, startedAt, deleted } = await replayEvents(other, [read.value]);
  return [...timeline(events, startedAt), ...savings(deleted)];
}

function sentence(read: Result<unknown>): readonly string[] {
  assert(!read.ok);
  assert.match(read.error.message, /^[^\n]+\.$/);
  return [read.error.message];
}

/** Asserts that the lines are readable sentences. */
function assertReadable(lines: readonly string[]): void {
  for (const line of lines)
    assert.doesNotMatch(line, /undefined|\bNaN\b|\[object|Invalid|Infinity/, line.slice(0, 200));
}

const names = fc.constantFrom<keyof typeof files>('recording', 'events', 'undated');

test('with any value anywhere in a line there is a sentence, or a readable replay', () =>
  assertMeets({ replayed: 20 }, 150, (met) =>
    fc.asyncProperty(
      names,
      fc.array(fc.tuple(fc.nat(1000), valueEdit), { minLength: 1, maxLength: 3 }),
      async (name, edits) => {
        const lines = [...files[name]];
        for (const [at, edit] of edits) {
          const index = at % lines.length;
          lines[index] = JSON.stringify(edited(JSON.parse(lines[index] ?? ''), [edit])) ?? '';
        }
        const before = replayed;
        assertReadable(await linesOf(Buffer.from(lines.join('\n'))));
        met.replayed += replayed - before;
      },
    ),
  ));

test('a mapping anywhere in a header, as a value or as a key, is reported in a sentence without [object Object]', async () => {
  const [header = '', ...rest] = files.recording;
  const value = { a: 1 };
  const said = new Set<string>();
  for (const what of ['replace', 'rename'] as const) {
    for (let place = 0; place < 60; place += 1) {
      const first = JSON.stringify(edited(JSON.parse(header), [{ place, what, value }]));
      const lines = await linesOf(Buffer.from([first, ...rest].join('\n')));
      assertReadable(lines);
      if (lines.length === 1) said.add(lines[0]?.replace(/.*: /, '') ?? '');
    }
  }
  assert.ok([...said].some((each) => each.startsWith('found a mapping, expected ')));
  // Messages quote the input verbatim, so the fuzz must not contain this text.
  assert.equal(nameFrom(value), '{"a":1}');
  const config = '{"servicesAndDependantSelectors":{"[object Object]":{}}}';
  const [quoted = ''] = await linesOf(Buffer.from(header.replace(/"config":\{.*\}(?=\})/, `"config":${config}`)));
  assert.ok(quoted.includes('["[object Object]"]'), quoted);
});

test('a line of a recording with a time too late to be written as a date is reported as garbled', async () => {
  const [header = ''] = files.recording;
  for (const stamp of ['"t":1e308', '"t":1e15', '"t":0,"wall":1e308', '"t":0,"wall":-1e15']) {
    const [line = ''] = await linesOf(Buffer.from(`${header}\n{${stamp},"of":"weeder","in":"stop"}\n`));
    assert.match(line, /:2: the line is garbled/);
  }
  const read = await linesOf(Buffer.from(`${header}\n{"t":1e9,"wall":-1e9,"of":"weeder","in":"stop"}\n`));
  assert.ok(read.includes('weeder would have deleted no pod'), read.join('\n'));
});

test('with any bytes in a file there is a sentence, or a readable replay', async () => {
  await fc.assert(
    fc.asyncProperty(names, fc.array(byteEdit, { minLength: 1, maxLength: 3 }), async (name, edits) => {
      assertReadable(await linesOf(editedBytes(Buffer.from(files[name].join('\n')), edits)));
    }),
    propertyRuns(100),
  );
});

test('with lines repeated, missing, or in another order there is a sentence, or a readable replay', async () => {
  await fc.assert(
    fc.asyncProperty(names, fc.array(fc.nat(1000), { minLength: 1, maxLength: 30 }), async (name, order) => {
      const [first = '', ...lines] = files[name];
      const chosen = order.map((at) => lines[at % lines.length] ?? '');
      const inOrder = name === 'recording' ? [first, ...chosen.toSorted(byTime)] : chosen.toSorted();
      assertReadable(await linesOf(Buffer.from(inOrder.join('\n'))));
    }),
    propertyRuns(100),
  );
});

function byTime(one: string, another: string): number {
  const timeOf = (line: string) => Number(/"t":([\d.]+)/.exec(line)?.[1]);
  return timeOf(one) - timeOf(another);
}
