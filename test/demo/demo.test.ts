import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { cli, type Ended } from '../support/cli.ts';
import { onTerminal, withoutTerminal } from '../support/terminal.ts';

/** A line of the timeline. */
interface Line {
  readonly seconds: number;
  readonly who: string;
  readonly what: string;
}

function timelineOf({ stdout }: Ended): Line[] {
  const lines = stdout.matchAll(/^t= *(-?[\d.]+)s {2}(\w+) +(.*)$/gm);
  return [...lines].map(([, at = '', who = '', what = '']) => ({ seconds: Number(at), who, what }));
}

/** The downtimes of each replica in seconds: with weeder, without, saved. */
function tableOf({ stdout }: Ended): number[][] {
  const rows = stdout.matchAll(/^ {2}kube-apiserver-\S+ +([\d.]+) s +([\d.]+) s +([\d.]+) s$/gm);
  return [...rows].map((row) => row.slice(1).map(Number));
}

function secondsOf(lines: readonly Line[], what: RegExp): number[] {
  return lines.filter((line) => what.test(line.what)).map(({ seconds }) => seconds);
}

const speed = 20;
/** The tolerance for a busy machine: 0.8 s of real time, in seconds of the demo. */
const late = 0.8 * speed;

suite('weeder demo', { concurrency: 2 }, () => {
  test('plays the timeline of the seeds, and the pods are ready long before their back-offs end', async () => {
    const ended = await cli(['demo', '--speed', String(speed), '--replicas=3']);
    assert.equal(ended.stderr, '');
    assert.equal(ended.code, 0);
    const lines = timelineOf(ended);
    const [down = Number.NaN] = secondsOf(lines, /has no ready endpoint/);
    const [back = Number.NaN] = secondsOf(lines, /etcd-main-client is ready/);
    assert.ok(Math.abs(down) < 1 + late && Math.abs(back - 100) < 1 + late);
    const crashes = secondsOf(lines, /exited \(restarts: 0\), no back-off/);
    assert.equal(crashes.length, 3);
    for (const crash of crashes) assert.ok(crash > 9 && crash < 12 + late, String(crash));
    const deletions = secondsOf(lines, /^deletes kube-apiserver-\w{5} /);
    assert.equal(deletions.length, 3);
    for (const at of deletions) assert.ok(at >= back && at < back + 1 + late, `${at}, and the recovery was at ${back}`);
    const ready = secondsOf(lines, /^kube-apiserver-\w{5} is ready/);
    assert.equal(ready.length, 3);
    for (const at of ready) assert.ok(at < back + 5 + 2 * late, String(at));
    assert.ok(lines.every((line, index) => line.seconds >= (lines[index - 1]?.seconds ?? -1)));

    const table = tableOf(ended);
    assert.equal(table.length, 3);
    for (const [withWeeder = 0, without = 0, saved = 0] of table) {
      assert.ok(withWeeder < 100 + late && without > 150 && saved > 60 - late, JSON.stringify(table));
    }
  });

  test('prints plain text if the output is not a terminal, and how long it takes', async () => {
    const { stdout, code } = await cli(['demo', '--speed=30', '--outage', '30s', '--kubelet', '1.34', '--seed', '7']);
    assert.equal(code, 0);
    assert.equal(stdout.includes('\u001B'), false);
    assert.equal(stdout.includes('\r'), false);
    assert.match(
      stdout,
      /^This demo runs the real weeder .*\.\nKubelet 1\.34 is simulated, time runs 30 times as fast: this takes about 2 s\.\n\n/,
    );
    assert.match(stdout, /^The same outage \(30s, seed 7\) with and without weeder:$/m);
    assert.ok(stdout.split('\n').every((line) => line.length <= 80 && line === line.trimEnd()));
  });

  test('exits with code 1, and a sentence, if the pods are not ready in time', async () => {
    const ended = await cli(['demo', '--speed=30', '--outage=30s', '--timeout=500ms']);
    assert.equal(ended.code, 1);
    assert.equal(ended.stderr, '');
    assert.match(ended.stdout, /^ {2}kube-apiserver-\w{5} +> [\d.]+ s +> [\d.]+ s$/m);
    assert.match(ended.stdout, /\n\nThe pods were not ready 500ms after the outage\.\n$/);
    const inTime = await cli(['demo', '--speed=30', '--outage=30s', '--timeout=1m']);
    assert.equal(inTime.code, 0);
    assert.doesNotMatch(inTime.stdout, /were not ready| > /);
  });

  test('prints colours on a terminal, and updates the last line as time passes', {
    skip: withoutTerminal,
  }, async () => {
    const { code, text } = await onTerminal(['demo', '--speed=30', '--outage=70s']);
    assert.equal(code, 0, text);
    const readable = text.replaceAll('\u001B', '^');
    assert.match(readable, /t= +\d+\.\ds {2}weeder {3}\^\[36mdeletes kube-apiserver-\w{5} .*\^\[39m/);
    const progress = stripVTControlCharacters(text).match(/\rt= +\d+\.\ds {2}[█░]{20} \d of 2 down/g) ?? [];
    assert.ok(progress.length > 3, text);
    // Before each line of the timeline, and at the end, the progress line is cleared.
    assert.doesNotMatch(readable, /down\^\[K\r?\n/);
  });
});
