import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { foundOf } from '../../src/observer/entries/live.ts';
import { type ObserverWorld, observerWorld } from '../support/world/observerWorld.ts';

const second = 1_000;
const long = (start: string) => `${start} ${'x'.repeat(900_000)}`;
const settings = (number: number, data: JsonObject = { a: 'desired' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `settings-${number}`, namespace: 'shop' },
  data,
});

function entriesOf({ core }: ObserverWorld) {
  return [...core.entries()].flatMap(({ resources }) => [...resources.values()]);
}

test('of a long value that others wrote, its beginning and length are kept and shown', async () => {
  const world = await observerWorld({ trialPeriod: 0 });
  world.apply('web', { manifests: [settings(0)] });
  await world.pass(10 * second);
  for (let turn = 0; turn < 5; turn += 1) {
    world.edit('ConfigMap/settings-0', { data: { a: long(`theirs ${turn}`) } });
    await world.pass(600 * second);
    assert.equal(objectOf(world.object('ConfigMap/settings-0')?.['data'])['a'], 'desired');
  }
  const [corrections] = entriesOf(world).map(({ live }) => live.corrections);
  const found = corrections?.flatMap(({ drifts }) => drifts.map((each) => String(each.found)));
  assert.deepEqual(
    found?.map((text) => [text.slice(0, 8), /… \(900011 bytes, sha256 \w{64}\)$/.test(text), text.length < 512]),
    [0, 1, 2, 3, 4].map((turn) => [`theirs ${turn}`, true, true]),
  );
});

test('a long value that equals the manifest is in sync, and any other one is not', async () => {
  const world = await observerWorld({ trialPeriod: 0 });
  world.apply('web', { manifests: [settings(0, { a: long('desired') })] });
  await world.pass(10 * second);
  assert.equal(world.condition('web', 'InSync'), 'True');
  world.edit('ConfigMap/settings-0', { data: { a: `${long('desired')}.` } });
  await world.pass(second);
  assert.equal(world.eventsOf('resource.corrected').length, 1);
  assert.equal(world.condition('web', 'InSync'), 'True');
});

test('of drifted objects 16 MiB are kept, and the others are read again to be corrected', async () => {
  const world = await observerWorld({ trialPeriod: 0 });
  const manifests = Array.from({ length: 30 }, (_, number) => settings(number));
  for (const [number] of manifests.entries()) world.put(settings(number, { a: 'desired', b: long('not observed') }));
  for (const [number] of manifests.entries()) world.edit(`ConfigMap/settings-${number}`, { data: { a: 'theirs' } });
  world.apply('web', { mode: 'detect', manifests });
  await world.pass(100 * second);
  const kept = entriesOf(world).filter(({ live }) => foundOf(live)?.object !== undefined);
  assert.ok(kept.length > 10 && kept.length < 20, `${kept.length} objects`);
  assert.ok(entriesOf(world).every(({ live }) => live.drifts.length === 1));
  world.apply('web', { mode: 'correct', manifests });
  await world.pass(100 * second);
  for (const [number] of manifests.entries())
    assert.equal(objectOf(world.object(`ConfigMap/settings-${number}`)?.['data'])['a'], 'desired', `${number}`);
  assert.equal(world.condition('web', 'InSync'), 'True');
});
