import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli, folder } from './support/cli.ts';
import type { ObserverWorld } from './support/observerWorld.ts';
import { recordObserved } from './support/recordedObserver.ts';
import { playRecording } from './support/replayAgain.ts';

const second = 1_000;
const marker = 'hunter2-the-marker';
const path = (name: string) => join(folder, name);

const settings = (value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { a: value, b: 'same' },
});
const web = (image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas: 1, template: { spec: { containers: [{ name: 'app', image }] } } },
});

/** Created, drifted, corrected, fought over, updated, pruned, without its label, paused, and deleted. */
async function aMorning(world: ObserverWorld): Promise<void> {
  world.requestTime = 20;
  world.apply('site', { manifests: [settings('1'), web('app:1')] });
  await world.pass(10 * second);
  world.edit('ConfigMap/settings', { data: { a: 'by hand' } });
  await world.pass(10 * second);
  for (let fight = 0; fight < 3; fight += 1) {
    world.edit('ConfigMap/settings', { data: { a: `again ${fight}` } });
    await world.pass(10 * second);
  }
  world.remove('Deployment/web');
  await world.pass(40 * second);
  world.apply('site', { manifests: [settings('2'), web('app:2')] });
  await world.pass(20 * second);
  world.edit('Deployment/web', { metadata: { labels: { 'weeder.dev/application': null } } });
  await world.pass(1200 * second);
  await world.restart();
  world.apply('other', { manifests: [settings('3')] });
  await world.pass(60 * second);
  world.edit('Deployment/web', { spec: { replicas: 4 } });
  await world.pass(5 * second);
  world.apply('site', { manifests: [settings('2')] });
  await world.pass(20 * second);
  world.deleteApplication('site');
  await world.pass(60 * second);
}

test('what the observer decided is decided again when its recording is replayed', async () => {
  const file = path('observed.jsonl');
  const world = await recordObserved(file, aMorning);
  assert.equal(world.object('Deployment/web'), undefined);
  assert.ok(world.factsOf('resource.corrected').length >= 4);
  const replayed = await cli(['replay', file]);
  assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
  for (const words of ['applied', 'drifted', 'corrected', 'missing', 'contested', 'claimed', 'deleted', 'write requested'])
    assert.ok(replayed.stdout.includes(words), `${words} in ${replayed.stdout}`);
});
