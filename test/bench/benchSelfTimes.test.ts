import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { profileOf, selfTimes, topOf } from '../../bench/support/selfTimes.ts';

const program = [
  '// src/weeder/deletions/deletions.ts',
  'function open() {}',
  '// ../node_modules/xstate/dist/raise.js',
  'x',
].join('\n');

test('self times are measured between two moments, by function and by the module that the bundle names', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-profile-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const url = pathToFileURL(join(folder, 'weeder.js')).href;
  writeFileSync(join(folder, 'weeder.js'), program);
  const frames = [
    { functionName: '(idle)', url: '', lineNumber: -1 },
    { functionName: 'open', url, lineNumber: 1 },
    { functionName: 'send', url, lineNumber: 3 },
    { functionName: 'emit', url: 'node:events', lineNumber: 4 },
  ];
  const nodes = frames.map((callFrame, id) => ({ id, callFrame }));
  // Microseconds. One sample is before the recovery, and one after it.
  const profile = { nodes, startTime: 1_000_000, samples: [2, 1, 2, 0, 2, 3, 1], timeDeltas: Array(7).fill(10_000) };
  const file = join(folder, 'CPU.20261121.101010.4242.0.001.cpuprofile');
  writeFileSync(file, JSON.stringify(profile));

  assert.equal(profileOf(folder, 4242), file);
  assert.throws(() => profileOf(folder, 42), /not one profile of process 42/);
  const times = selfTimes(file, 1015, 1065);
  assert.deepEqual(times, [
    { name: 'send', module: 'xstate/dist/raise.js', ms: 20 },
    { name: 'open', module: 'src/weeder/deletions/deletions.ts', ms: 10 },
    { name: 'emit', module: 'node:events', ms: 10 },
  ]);
  const lines = topOf(times, 1).split('\n');
  assert.deepEqual(
    lines.map((line) => line.trim()),
    [
      '40.0 ms  in total, of which',
      '20.0 ms  xstate',
      '10.0 ms  src/weeder',
      '10.0 ms  node',
      'and by functions',
      '20.0 ms  send xstate/dist/raise.js',
    ],
  );
});
