import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dependantScript, readyFile } from '../../src/demo/cluster/scripts.ts';

/**
 * Runs the dependants' program with a shell. `answers` has a letter for each request to etcd: only for `y` there is a
 * response. Further requests get none. Sleeps take no time.
 */
function run(answers: string, address: string) {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-scripts-'));
  const calls = join(folder, 'calls');
  const tool = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  writeFileSync(calls, '');
  writeFileSync(join(folder, 'answers'), answers);
  const note = `echo "$(/usr/bin/basename "$0")" "$@" >> ${calls}`;
  tool('sleep', note);
  tool('touch', note);
  tool('timeout', 'shift; exec "$@"');
  tool(
    'wget',
    `${note}\nrequests=$(/usr/bin/grep -c ^wget ${calls})\n[ "$(/usr/bin/cut -c "$requests" ${folder}/answers)" = y ]`,
  );
  const env = { PATH: folder, ETCD_MAIN_CLIENT_SERVICE_HOST: address };
  const { status } = spawnSync('/bin/sh', ['-c', dependantScript], { env, timeout: 20_000 });
  const lines = readFileSync(calls, 'utf8').trim().split('\n');
  rmSync(folder, { recursive: true });
  const requests = lines.filter((line) => line.startsWith('wget '));
  return { status, lines, requests, slept: lines.filter((line) => line === 'sleep 1').length };
}

test('a dependant that never reaches etcd exits after five attempts, and is never ready', () => {
  const { status, lines, requests, slept } = run('', '10.96.0.7');
  assert.equal(status, 1);
  assert.deepEqual(requests, Array(5).fill('wget -q -O /dev/null http://10.96.0.7:2379/'));
  assert.equal(slept, 4);
  assert.ok(!lines.includes(`touch ${readyFile}`));
});

test('a dependant is ready when it has reached etcd, and exits after ten consecutive failures', () => {
  const before = 'nny';
  const after = 'yynnnnnnnnnyn';
  const { status, lines, requests } = run(before + after, '10.96.0.7');
  assert.equal(status, 1);
  assert.equal(requests.length, before.length + after.length + 9);
  const readyAt = lines.indexOf(`touch ${readyFile}`);
  assert.equal(lines.slice(0, readyAt).filter((line) => line.startsWith('wget ')).length, before.length);
});

test('an IPv6 address is written in brackets', () => {
  assert.deepEqual(new Set(run('', 'fd00::7').requests), new Set(['wget -q -O /dev/null http://[fd00::7]:2379/']));
});
