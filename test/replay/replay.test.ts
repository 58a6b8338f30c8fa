import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { file, folder, oneSentence, sharedCli } from '../support/cli.ts';
import { readLines, recordIncident } from '../support/recording/recording.ts';

/** Writes lines as a recording of this name. */
function store(name: string, lines: readonly object[]): string {
  return file(name, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

/** The lines of a small recording. */
async function incident(name: string) {
  const { file: path } = await recordIncident(join(folder, name));
  return readLines(path);
}

test('a replay repeats the decisions that were recorded, and prints each with its times', async () => {
  const { file: path } = await recordIncident(join(folder, 'same.jsonl'));
  const { code, stdout, stderr } = await sharedCli(['replay', path]);
  assert.equal(code, 0, stdout + stderr);
  const jitter = readLines(path).find((line) => line['in'] === 'random')?.['value'];
  assert.equal(typeof jitter, 'number');
  const lines = stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' ').trim());
  assert.equal(lines[0], '+0.000s 00:00:00.000 service is ready shoot-1/etcd-main-client');
  assert.equal(lines[2], '+100.000s 00:01:40.000 window opened shoot-1/etcd-main-client #1 2m0s');
  assert.ok(lines.some((line) => /deletion skipped .* shoot-1\/debug barePod$/.test(line)));
  assert.ok(lines.some((line) => /deletion refused .* shoot-1\/kapi-0 429, attempt 1$/.test(line)));
  assert.ok(
    lines.some((line) => /^\+102\.000s .*pod deleted .* shoot-1\/kapi-1 delete, in unreported back-off/.test(line)),
  );
  assert.ok(lines.some((line) => /^\+220\.000s .*window closed .* 2 deleted, 1 skipped, 0 failed$/.test(line)));
  assert.equal(lines.at(-2), 'the same decisions as recorded, to within 250 ms');
});

test('a wall clock that was set during the recording is set in the replay', async () => {
  const { file: path } = await recordIncident(join(folder, 'jumped.jsonl'), { jump: -3_600_000 });
  const { code, stdout } = await sharedCli(['replay', path]);
  assert.equal(code, 0, stdout);
});

test('a recorded decision that the replay does not repeat is reported as a difference, with exit code 1', async () => {
  const lines = await incident('missing.jsonl');
  const altered = lines.filter((line) => !(line['in'] === 'MODIFIED' && JSON.stringify(line).includes('unreported-0')));
  const { code, stdout } = await sharedCli(['replay', store('altered-missing.jsonl', altered)]);
  assert.equal(code, 1);
  assert.match(stdout, /decisions differ from the recorded ones:\n/);
  assert.match(stdout, /\n- .*\+102\.000s .*pod deleted .*shoot-1\/kapi-1 .*\(recorded, not replayed\)\n/);
});

test('a decision that was not recorded is reported as a difference', async () => {
  const lines = await incident('extra.jsonl');
  const altered = lines.filter((line) => line['out'] !== 'pod.skipped');
  const { code, stdout } = await sharedCli(['replay', store('altered-extra.jsonl', altered)]);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /\n1 decision differs from the recorded ones:\n\+ .*deletion skipped .*\(replayed, not recorded\)\n$/,
  );
});

test('a decision at another time is reported with both times; a late one of a busy process counts as the same', async () => {
  const lines = await incident('moved.jsonl');
  const late = (by: number) =>
    lines.map((line) => {
      const isLate = line['out'] === 'window.closed';
      const isLater = Number(line['t']) >= 220_000 && line['t'] !== undefined;
      return isLate || isLater ? { ...line, t: Number(line['t']) + by } : line;
    });
  const busy = await sharedCli(['replay', store('late-200.jsonl', late(200))]);
  assert.equal(busy.code, 0, busy.stdout);
  const late1900 = await sharedCli(['replay', store('late-1900.jsonl', late(1_900))]);
  assert.equal(late1900.code, 0, late1900.stdout);
  const lateNote = '1 of them was recorded late, by up to 1.9 s: the machine was busy';
  assert.match(late1900.stdout, new RegExp(`\\nthe same decisions as recorded, to within 250 ms\\n${lateNote}\\n$`));
  const { code, stdout } = await sharedCli(['replay', store('late-6000.jsonl', late(6_000))]);
  assert.equal(code, 1);
  assert.match(stdout, /\n~ .*\+226\.000s .*window closed .*\(replayed at \+220\.000s\)\n$/);
  const early = await sharedCli(['replay', store('early-400.jsonl', late(-400))]);
  assert.equal(early.code, 1);
  assert.match(early.stdout, /\n~ .*\+219\.600s .*window closed .*\(replayed at \+220\.000s\)\n$/);
});

test('the length of a window has the tolerance of times: one that differs by more is reported', async () => {
  const lines = await incident('lengths.jsonl');
  const withLength = (name: string, detail: string) =>
    store(
      name,
      lines.map((line) => (line['out'] === 'window.opened' ? { ...line, detail } : line)),
    );
  for (const length of ['2m0.001s', '1m59.999s', '2m0.25s']) {
    const { code, stdout } = await sharedCli(['replay', withLength('about-as-long.jsonl', length)]);
    assert.equal(code, 0, stdout);
  }
  for (const length of ['2m0.251s', '1m59.749s', '36.956s']) {
    const { code, stdout } = await sharedCli(['replay', withLength('longer.jsonl', length)]);
    assert.equal(code, 1);
    assert.match(stdout, /\n2 decisions differ from the recorded ones:\n/);
    assert.match(stdout, /\n- .*window opened .*\(recorded, not replayed\)\n/);
    assert.match(stdout, /\n\+ .*window opened .*2m0s +\(replayed, not recorded\)\n/);
  }
});

/** How many deletions of a file are compared: of services without a window that was open when the file began. */
function deletionsOf(path: string): number {
  const busy = new Set<unknown>();
  return readLines(path).filter((line) => {
    if (Array.isArray(line['busy'])) for (const id of line['busy']) busy.add(id);
    if (line['in'] === 'settled') busy.delete(line['id']);
    return line['out'] === 'pod.deleted' && !busy.has(line['about']);
  }).length;
}

test('after a rotation both files together and the newer one alone are replayed to the same decisions', async () => {
  let deletions = 0;
  for (const limit of [28_000, 30_000, 33_000]) {
    const { file: path } = await recordIncident(join(folder, `long-${limit}.jsonl`), { limit, repeats: 40 });
    assert.ok(Number(readLines(`${path}.1`)[0]?.['part']) > 1);
    deletions += deletionsOf(path);
    for (const words of [[path], [`${path}.1`], [`${path}.1`, path], [path, `${path}.1`]]) {
      const { code, stdout, stderr } = await sharedCli(['replay', ...words]);
      assert.equal(code, 0, `${words}\n${stdout}${stderr}`);
      const [only] = words;
      const count = stdout.match(/pod deleted/g)?.length ?? 0;
      if (words.length === 1) assert.equal(count, deletionsOf(only ?? ''), `${words}\n${stdout}`);
      else assert.ok(count > 0);
    }
  }
  assert.ok(deletions > 0);
});

test('a recording cut at any line by rotation gives the same decisions from there on', async () => {
  for (const limit of [9_000, 9_700, 10_400, 11_100, 11_800, 12_500]) {
    const { file: path } = await recordIncident(join(folder, `cut-${limit}.jsonl`), { limit, repeats: 4 });
    const { code, stdout } = await sharedCli(['replay', path]);
    assert.equal(code, 0, `${limit}\n${stdout}`);
  }
});

test('a day of simulated time is replayed in one run', async (t) => {
  const { file: path } = await recordIncident(join(folder, 'day.jsonl'), { repeats: 283 });
  assert.ok(Number(readLines(path).at(-1)?.['t']) > 86_000_000);
  const { replayRecording } = await import('../../src/replay/replayRecording.ts');
  const { readRecording } = await import('../../src/replay/recorded/recordingFile.ts');
  const { readJsonLines } = await import('../../src/replay/recorded/jsonLines.ts');
  const lines = await readJsonLines(path);
  assert.ok(lines.ok);
  const { first, rest } = lines.value;
  const recording = readRecording(first, rest);
  assert.ok(recording.ok);
  const began = performance.now();
  const { replayed } = await replayRecording(recording.value);
  t.diagnostic(`a day took ${Math.round(performance.now() - began)} ms`);
  assert.ok(replayed.length > 1500);
});

const garbled: Readonly<Record<string, readonly [string, RegExp]>> = {
  'an empty file': ['', /^\.\/bad\.jsonl is empty\./],
  'a file of blank lines': ['\n\n', /^\.\/bad\.jsonl is empty\./],
  'a foreign text': ['hello\n', /^\.\/bad\.jsonl:1: found no JSON object, so this is neither a recording nor/],
  'a foreign JSON file': ['{"a":1}\n', /^\.\/bad\.jsonl:1: found neither a line of a recording nor a watch event/],
  'a header without what it needs': [
    '{"weeder":"recording","version":4}\n',
    /^\.\/bad\.jsonl:1: the header of the rec/,
  ],
  'a recording without its header': [
    '{"t":1,"in":"start"}\n',
    /^\.\/bad\.jsonl:1: found a line of a recording without/,
  ],
  'a version of before the release': [
    '{"weeder":"recording","version":1,"weederVersion":"0.1.0"}\n',
    /^\.\/bad\.jsonl:1: the recording has version 1 \(weeder 0\.1\.0\); since its release, 0\.1\.0 reads version 4 only: record again\./,
  ],
  'the version before the common lines of all controllers': [
    '{"weeder":"recording","version":2,"weederVersion":"0.1.0"}\n',
    /^\.\/bad\.jsonl:1: the recording has version 2 \(weeder 0\.1\.0\); since its release, 0\.1\.0 reads version 4 only: record again\./,
  ],
  'a newer version': [
    '{"weeder":"recording","version":5,"weederVersion":"9.0.0"}\n',
    /^\.\/bad\.jsonl:1: the recording has version 5 \(weeder 9\.0\.0\); this weeder reads version 4\./,
  ],
};

for (const [what, [text, sentence]] of Object.entries(garbled)) {
  test(`${what} is reported in one sentence`, async () => {
    assert.match(oneSentence(await sharedCli(['replay', file('bad.jsonl', text)]), 1), sentence);
  });
}

test('a recording that is cut, garbled or out of order is reported with its line', async () => {
  const { file: path } = await recordIncident(join(folder, 'whole.jsonl'));
  const text = readFileSync(path, 'utf8');
  const lines = text.trimEnd().split('\n');
  const line = lines.length;
  const cases: readonly (readonly [string, RegExp])[] = [
    [text.slice(0, -20), new RegExp(`:${line}: the file was cut in the middle of its last line; without that line`)],
    [lines.with(4, '{"t":1,').join('\n'), /:5: the line is garbled: found no JSON object\./],
    [lines.with(4, '{"t":1,"in":"nonsense"}').join('\n'), /:5: the line is garbled: it is not a line of a recording\./],
    [lines.with(4, lines[line - 1] ?? '').join('\n'), /:6: the line is out of order: its time is 0 ms, and the line /],
    [text + text, new RegExp(`:${line + 1}: another file of a recording begins here; give each as one file\\.`)],
    [text.replace('"2m0s"', '"2x"'), /:1: its config cannot be used: .*watchDuration: found "2x"/],
  ];
  for (const [broken, sentence] of cases) {
    const error = oneSentence(await sharedCli(['replay', file('broken.jsonl', broken)]), 1);
    assert.match(error, sentence);
    assert.match(error, /^\.\/broken\.jsonl:/);
  }
  const rest = `${lines.slice(0, -1).join('\n')}\n`;
  assert.equal((await sharedCli(['replay', file('rest.jsonl', rest)])).code, 0);
});

test('files that do not belong together are reported', async () => {
  const { file: one } = await recordIncident(join(folder, 'one.jsonl'));
  const { file: other } = await recordIncident(join(folder, 'other.jsonl'));
  assert.match(
    oneSentence(await sharedCli(['replay', one, other]), 1),
    /^\.\/other\.jsonl:1: this file does not continue \.\/one/,
  );
  const event = file('event.jsonl', '{"type":"ADDED","object":{"kind":"Pod"}}\n');
  assert.match(
    oneSentence(await sharedCli(['replay', one, event]), 1),
    /^\.\/event\.jsonl:1: found no recording; recordings/,
  );
});

test('a file that does not exist, or is not a regular file, is reported', async () => {
  assert.match(
    oneSentence(await sharedCli(['replay', 'none.jsonl']), 1),
    /^Cannot read none\.jsonl: there is no such file\./,
  );
  assert.match(oneSentence(await sharedCli(['replay', folder]), 1), /^Cannot read \.: it is a directory\./);
  assert.match(oneSentence(await sharedCli(['replay']), 2), /^weeder replay needs FILE\./);
  writeFileSync(join(folder, 'binary'), Buffer.from([0, 255, 10, 3]));
  assert.match(oneSentence(await sharedCli(['replay', join(folder, 'binary')]), 1), /:1: found no JSON object/);
});
