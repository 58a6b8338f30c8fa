import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, sharedCli } from '../support/cli.ts';
import { recordRestarts } from '../support/recording/recordedRestarts.ts';
import { playRecording } from '../support/replay/replayAgain.ts';
import { configMap, type RestartWorld, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const marker = 'hunter2-the-marker';
const source = configMap('settings');
const path = (name: string) => join(folder, name);

/** Adoption, a change, ten changes, a required source that is deleted and created again, and a stalled rollout. */
async function aMorning(world: RestartWorld): Promise<void> {
  world.putSource(source, { a: '1', b: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(10 * second);
  world.putSource(source, { a: '2', b: '1' });
  await world.pass(120 * second);
  for (let change = 3; change < 13; change += 1) {
    world.putSource(source, { a: String(change) });
    await world.pass(100);
  }
  await world.pass(120 * second);
  world.deleteSource(source);
  await world.pass(20 * second);
  world.putSource(source, { a: '12' });
  await world.pass(120 * second);
  await world.restart();
  world.rolloutTime = Number.POSITIVE_INFINITY;
  world.putSource(source, { a: '14' });
  await world.pass(20 * second);
  world.breakPods('web');
  await world.pass(20 * second);
}

test('a replay repeats the recorded decisions of restart control', async () => {
  const file = path('restarts.jsonl');
  const world = await recordRestarts(file, aMorning);
  assert.equal(world.rollouts.length, 3);
  assert.equal(world.eventsOf('workload.stalled').length, 1);
  const replayed = await sharedCli(['replay', file]);
  assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
  for (const words of ['adopted', 'restarted', 'rolled out', 'blocked', 'rollout stalled', 'write requested'])
    assert.ok(replayed.stdout.includes(words), `${words} in ${replayed.stdout}`);
});

test('a restart that is missing from the recording, or not repeated, is reported as a difference, with exit code 1', async () => {
  const file = path('restarts-to-change.jsonl');
  await recordRestarts(file, aMorning);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const restarts = lines.filter((line) => line.includes('"out":"workload.restarted"'));
  assert.equal(restarts.length, 3);
  const other = path('restarts-changed.jsonl');
  writeFileSync(other, `${lines.filter((line) => line !== restarts[1]).join('\n')}\n`);
  const extra = await sharedCli(['replay', other]);
  assert.equal(extra.code, 1);
  assert.match(extra.stdout, /^1 decision differs[\s\S]*^\+ .*restarted .*\(replayed, not recorded\)$/m);
  writeFileSync(
    other,
    lines
      .map((line) => line.replace('"quietPeriod":"5s"', '"quietPeriod":"9s"'))
      .join('\n')
      .concat('\n'),
  );
  assert.notDeepEqual(await playRecording(other), []);
});

/** The files of a rotated recording, oldest first. */
function filesOf(file: string): string[] {
  const old = [5, 4, 3, 2, 1].map((part) => `${file}.${part}`).filter((each) => existsSync(each));
  return [...old, file];
}

test('the files of a recording are replayed together, and each of them alone', async () => {
  const file = path('restarts-rotated.jsonl');
  await recordRestarts(file, aMorning, { limit: 24 * 1024, oldFiles: 5 });
  const parts = filesOf(file);
  assert.ok(parts.length > 2, String(parts.length));
  const result = await sharedCli(['replay', ...parts]);
  assert.equal(result.code, 0, result.stdout + result.stderr);
  assert.ok(result.stdout.includes('rollout stalled'));
  for (const part of parts) {
    const alone = await sharedCli(['replay', part]);
    assert.equal(alone.code, 0, alone.stdout + alone.stderr);
  }
});

test('no secret value is in a recording, wherever it was', async () => {
  const file = path('marked.jsonl');
  const secret = { kind: 'Secret', namespace: 'shop', name: 'password' } as const;
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': marker,
    'example.com/note': marker,
  };
  const world = await recordRestarts(file, async (world) => {
    const env = { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'password', key: 'word' } } };
    const app = { name: 'app', image: 'app:1', args: [marker], env: [env, { name: 'PLAIN', value: marker }] };
    world.putSource(secret, { word: marker }, { metadata: { annotations } });
    await world.pass(10 * second);
    world.putWorkload(
      'web',
      { containers: [app] },
      { annotations: { ...annotations, 'kubernetes.io/change-cause': marker } },
    );
    await world.pass(10 * second);
    world.putSource(secret, { word: `${marker}-2` }, { metadata: { annotations } });
    await world.pass(120 * second);
  });
  assert.equal(world.rollouts.length, 1);
  const text = readFileSync(file, 'utf8');
  const key = Buffer.alloc(32, 7);
  const encodings = [
    marker,
    ...(['base64', 'base64url', 'hex'] as const).map((each) => Buffer.from(marker).toString(each).slice(0, 20)),
  ];
  for (const encoding of [...encodings, key.toString('base64').slice(0, 20), key.toString('hex').slice(0, 20)])
    assert.ok(!text.includes(encoding), encoding);
  assert.ok(text.includes('secret/shop/password'));
  assert.deepEqual(await playRecording(file), []);
});
