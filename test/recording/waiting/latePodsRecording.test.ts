import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openRecorder } from '../../../src/recording/recorder.ts';
import { recordingRestart } from '../../../src/restart/recording/recordRestart.ts';
import { folder, sharedCli } from '../../support/cli.ts';
import { recordingOf } from '../../support/recording/recording.ts';
import { evicting, lateWorld, withVolumes } from '../../support/world/lateWorld.ts';
import { configMap } from '../../support/world/restartWorld.ts';

const second = 1_000;
const settings = configMap('settings');

test('a recording holds the evictions of waiting pods, and a replay repeats them', async () => {
  const file = join(folder, 'late-pods.jsonl');
  const base = recordingOf(file);
  const opened = await openRecorder({ ...base, config: { services: new Map(), restart: evicting } });
  assert.ok(opened.ok);
  const recorder = opened.value;
  const world = await lateWorld(evicting, {
    clock: base.clock,
    createRestart: recordingRestart(recorder.of('restart')),
  });
  world.putWorkload('web', withVolumes([settings]));
  world.change('web', { spec: { replicas: 2 } });
  await world.pass(90 * second);
  world.putSource(settings, { a: 'hunter2' });
  await world.pass(60 * second);
  world.stop();
  await recorder.close();
  assert.equal(world.evicted.length, 2);
  const text = readFileSync(file, 'utf8');
  assert.equal(text.includes('hunter2'), false);
  const replayed = await sharedCli(['replay', file]);
  assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
  assert.equal(replayed.stdout.match(/waiting pod evicted/g)?.length, 2, replayed.stdout);
  assert.equal(replayed.stdout.match(/eviction requested/g)?.length, 2, replayed.stdout);
});
