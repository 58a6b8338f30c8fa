import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { playRecording } from '../support/replay/replayAgain.ts';
import { parseReplay } from '../support/replay/replayFile.ts';
import { replayKeysAt } from '../support/replay/replayFormat.ts';
import { readRecording } from '../support/replay/replayRecording.ts';
import { play } from '../support/replay/replayRun.ts';

const file = 'test/replays/x.yaml';
const good = `title: A story
config:
  watchDuration: 2m
  servicesAndDependantSelectors:
    etcd-main-client: {podSelectors: [{matchLabels: {role: apiserver}}]}
steps:
  - {at: 5s, pod: {name: kapi-0, is: CrashLoopBackOff}}
  - {at: 10s, slice: {ready: [true]}}
  - {at: 11s, expect: {endpoints: {shoot-1/etcd-main-client: ready.windowOpen}, counts: {windows: 1}}}
expected:
  - 10s window 1 of shoot-1/etcd-main-client opens for 2m0s
  - 10s DELETE shoot-1/kapi-0
  - 10s shoot-1/kapi-0 deleted (CrashLoopBackOff) in window 1 of shoot-1/etcd-main-client
  - 2m10s window 1 of shoot-1/etcd-main-client closes, 1 deleted, 0 skipped, 0 failed
`;

/** The errors in the valid file after one change; all of the text to replace must be in it. */
async function errorOf(from: string, to: string): Promise<readonly string[]> {
  assert.ok(good.includes(from), from);
  const read = parseReplay(good.replace(from, to), file);
  return read.ok ? (await play(read.value)).failures : read.error;
}

test('the story that the other tests change is valid', async () => {
  assert.deepEqual(await errorOf('A story', 'A good story'), []);
});

const wrongFiles: readonly (readonly [string, string, RegExp])[] = [
  ['kapi-0, is:', 'kapi-0, iss:', /^test\/replays\/x\.yaml:7: steps\[0\]\.pod\.iss: unknown key; did you mean "is"\?$/],
  ['steps:', 'stpes:', /^test\/replays\/x\.yaml:6: stpes: unknown key; did you mean "steps"\?$/],
  [
    'watchDuration',
    'watchDuraton',
    /^test\/replays\/x\.yaml:3: config\.watchDuraton: unknown key; did you mean "watchDuration"\?$/,
  ],
  ['at: 5s', 'at: 5', /^test\/replays\/x\.yaml:7: steps\[0\]\.at: found 5, expected a text/],
  ['at: 5s', 'at: 5x', /^test\/replays\/x\.yaml:7: steps\[0\]\.at: .*5x/],
  ['at: 5s', 'at: -5s', /^test\/replays\/x\.yaml:7: steps\[0\]\.at: found -5s, a time before the start$/],
  ['at: 5s', 'at: 12s', /^test\/replays\/x\.yaml:8: steps\[1\]: out of order: 10s comes after 12s$/],
  ['- 2m10s', '- 1s', /^test\/replays\/x\.yaml:14: expected\[3\]: out of order: 1s comes after 10s$/],
  ['- 10s DELETE', '- DELETE', /^test\/replays\/x\.yaml:12: expected\[1\]: must begin with a time: found "DELETE"/],
  ['at: 10s, slice', 'at: 10s, relist: pods, slice', /^test\/replays\/x\.yaml:8: steps\[1\]: a step says one thing/],
  [
    'steps:',
    'recordings: [../data/none.jsonl]\nsteps:',
    /^test\/replays\/x\.yaml:6: there is no recording test\/data\/none/,
  ],
  ['{ready: [true]}}', '{ready: [true]}', /^test\/replays\/x\.yaml:\d+: not valid YAML: /],
];

for (const [from, to, expected] of wrongFiles) {
  test(`a replay with "${to.trim()}" in place of "${from}" is refused in one sentence with file and line`, async () => {
    const [first = '', ...others] = await errorOf(from, to);
    assert.match(first, expected);
    assert.ok(others.length < 3);
  });
}

const wrongExpectations: readonly (readonly [string, string, string])[] = [
  [
    'ready.windowOpen',
    'notReady',
    ':9: expected shoot-1/etcd-main-client to be notReady, saw ready.windowOpen.settled',
  ],
  ['windows: 1', 'windows: 2', ':9: expected windows 2, saw 1'],
  [
    '- 2m10s',
    '- 3m',
    ':14: expected "3m0s window 1 of shoot-1/etcd-main-client closes, 1 deleted, 0 skipped, 0 failed", saw "2m10s window 1 of shoot-1/etcd-main-client closes, 1 deleted, 0 skipped, 0 failed"',
  ],
  [
    'DELETE shoot-1/kapi-0',
    'DELETE shoot-1/kapi-1',
    ':12: expected "10s DELETE shoot-1/kapi-1", saw "10s DELETE shoot-1/kapi-0"',
  ],
  [
    '1 deleted, 0 skipped, 0 failed\n',
    '1 deleted, 0 skipped, 0 failed\n  - 9h more\n',
    ':15: expected "9h0m0s more", saw nothing more',
  ],
];

for (const [from, to, expected] of wrongExpectations) {
  test(`"${to.trim()}" in place of "${from.trim()}" fails and names the line`, async () => {
    assert.deepEqual((await errorOf(from, to))[0], `${file}${expected}`);
  });
}

test('a line that is missing at the end is reported where the list ends', async () => {
  const last = '  - 2m10s window 1 of shoot-1/etcd-main-client closes, 1 deleted, 0 skipped, 0 failed\n';
  const [said = ''] = await errorOf(last, '');
  assert.match(said, /^test\/replays\/x\.yaml:13: expected nothing more, saw "2m10s window 1 .* closes/);
});

test('a recording that is cut, foreign or out of order is refused in one sentence with file and line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-'));
  const path = join(folder, 'cut.jsonl');
  const lines = readFileSync(
    join(import.meta.dirname, '../data/recorded/not-ready-exit5-slice-events.jsonl'),
    'utf8',
  ).split('\n');
  const [first = '', second = ''] = lines;
  const cases: readonly (readonly [string, RegExp])[] = [
    [`${first}\n${second.slice(0, 80)}`, /cut\.jsonl:2: not JSON \(a recording that was cut\?\): /],
    [`${second}\n${first}`, /cut\.jsonl:2: out of order: it is older than the line before$/],
    ['[1]', /cut\.jsonl:1: not a watch event/],
    [first.replace('2026-11-21T', 'yesterday'), /cut\.jsonl:1: not a time: "ts" is "yesterday/],
    [first.replace('"ADDED"', '"BOOKMARK"'), /cut\.jsonl:1: not a watch event: "type" is "BOOKMARK"$/],
    [
      first.replace('"EndpointSlice"', '"Secret"'),
      /cut\.jsonl:1: neither a Pod nor an EndpointSlice: "kind" is Secret$/,
    ],
  ];
  try {
    for (const [text, expected] of cases) {
      writeFileSync(path, text);
      const read = readRecording(path, 'x.yaml:1');
      assert.ok(!read.ok);
      assert.match(read.error.join('\n'), expected);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a recording that is replayed to other decisions, or cannot be read, is reported by file and line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-'));
  const path = join(folder, 'flight.jsonl');
  const text = readFileSync(join(import.meta.dirname, '../replays/services/outage-of-the-demo.jsonl'), 'utf8');
  const lines = text.trimEnd().split('\n');
  const deleted = lines.findIndex((line) => line.includes('"out":"pod.deleted"'));
  const errorOfLines = async (changed: readonly string[]) => {
    writeFileSync(path, `${changed.join('\n')}\n`);
    return playRecording(path);
  };
  try {
    assert.deepEqual(await errorOfLines(lines), []);
    const other = (lines[deleted] ?? '').replace(/"pod":"[^"]*"/, '"pod":"shoot-1/other"');
    const [extra = '', missing = '', ...more] = await errorOfLines(lines.with(deleted, other));
    const where = `flight\\.jsonl:${deleted + 1}: expected`;
    assert.match(
      missing,
      new RegExp(`${where} "\\d+.* ms pod\\.deleted shoot-1/etcd-main-client shoot-1/other .*", saw nothing$`),
    );
    assert.match(extra, /flight\.jsonl:\d+: expected nothing, saw "\d+.* ms pod\.deleted .*"$/);
    assert.deepEqual(more, []);
    const [cut = '', ...none] = await errorOfLines(lines.with(-1, '{"t":'));
    assert.match(cut, new RegExp(`flight\\.jsonl:${lines.length}: the file was cut in the middle of its last line`));
    assert.deepEqual(none, []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the page about replays shows valid replays, and names every kind of step', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/development/replays.md'), 'utf8');
  const examples = [...page.matchAll(/```yaml\n(title[\s\S]*?)```/g)].map(([, example = '']) => example);
  assert.equal(examples.length, 3);
  for (const example of examples) {
    const read = parseReplay(example, 'docs/development/replays.md');
    assert.ok(read.ok, read.ok ? '' : read.error.join('\n'));
    assert.deepEqual((await play(read.value)).failures, []);
  }
  const unnamed = replayKeysAt(['steps', 0]).filter((key) => key !== 'at' && !page.includes(`\`${key}\``));
  assert.deepEqual(unnamed, []);
});
