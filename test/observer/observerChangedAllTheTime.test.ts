import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf, textOf } from '../../src/base/json.ts';
import { type ObserverWorld, observerWorld } from '../support/world/observerWorld.ts';

const second = 1_000;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

function configMap(name: string, fields: number) {
  const data = Object.fromEntries(many(fields).map((index) => [`key-${index}`, 'wanted']));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

async function observing(fields: number): Promise<ObserverWorld> {
  const world = await observerWorld({ trialPeriod: 0 });
  world.apply('web', { manifests: [configMap('settings', fields)] });
  await world.pass(10 * second);
  return world;
}

/** Somebody changes one field, to another value each time, ten times a second. */
async function fight(world: ObserverWorld, seconds: number): Promise<void> {
  for (const turn of many(seconds * 10)) {
    world.edit('ConfigMap/settings', { data: { 'key-0': `theirs ${turn}` } });
    await world.pass(100);
  }
}

const dataOf = (world: ObserverWorld) => world.object('ConfigMap/settings')?.['data'];

test('a large object that is changed all the time is compared a few times, and corrected all the same', async () => {
  const fields = 10_000;
  const world = await observing(fields);
  const before = world.factsOf('resource.drifted').length;
  await fight(world, 30);
  const told = world.factsOf('resource.drifted').length - before;
  assert(told > 0 && told < 60, `${told} of 300 changes were told`);
  assert(world.factsOf('resource.corrected').length >= 2);
  await world.pass(600 * second);
  assert.deepEqual(dataOf(world), configMap('settings', fields).data, 'the newest state is compared in the end');
});

test('of a resource that is changed all the time few things are told until it is corrected', async () => {
  const world = await observing(5);
  await fight(world, 5 * 60);
  const corrections = world.factsOf('resource.corrected').length;
  const told = ['resource.drifted', 'resource.correctionBackOff'] as const;
  const facts = told.reduce((sum, type) => sum + world.factsOf(type).length, 0);
  assert(corrections > 3);
  assert(facts <= 22 * (corrections + 1), `${facts} facts for ${corrections} corrections of 3000 changes`);
});

test('a small object is compared at once, however often it is changed', async () => {
  const world = await observing(50);
  world.edit('ConfigMap/settings', { data: { 'key-0': 'theirs' } });
  await world.pass(10);
  world.edit('ConfigMap/settings', { data: { 'key-1': 'theirs' } });
  await world.pass(10);
  assert.equal(world.factsOf('resource.corrected').length, 2);
});

test('of a large object that was just compared a change is not even parsed before its time, and the newest is', async () => {
  const fields = 10_000;
  const world = await observing(fields);
  const [sink] = [...world.core.needs.values()].filter(({ kind }) => kind === 'ConfigMap').map((need) => need.sink);
  const live = world.object('ConfigMap/settings') ?? assert.fail();
  const metadata = objectOf(live['metadata']);
  const held = (version: number, text: string) => {
    const resourceVersion = `${version}`;
    const object = {
      ...live,
      metadata: { ...metadata, resourceVersion },
      data: { ...objectOf(live['data']), 'key-1': text },
    };
    const line = Buffer.from(JSON.stringify({ type: 'MODIFIED', object }));
    const [name, namespace, uid] = ['name', 'namespace', 'uid'].map((key) => textOf(metadata[key]) ?? '');
    const peeked = { type: 'MODIFIED', kind: 'ConfigMap', resourceVersion } as const;
    return sink?.isIrrelevant?.(line, { ...peeked, name: name ?? '', namespace: namespace ?? '', uid: uid ?? '' });
  };
  assert.equal(held(900_001, 'one'), false, 'nothing was compared lately');
  world.edit('ConfigMap/settings', { data: { 'key-0': 'theirs' } });
  // What the correction makes of it comes in the order of the versions, before these.
  world.isTold = false;
  assert.deepEqual([held(900_002, 'two'), held(900_000_003, 'three')], [true, true]);
  const before = world.factsOf('resource.drifted').length;
  await world.pass(5 * second);
  const drifted = world.factsOf('resource.drifted').slice(before);
  const found = drifted.flatMap(({ drifts }) => drifts.filter(({ path }) => path === '.data.key-1'));
  assert.deepEqual([...new Set(found.map((drift) => drift.found))], ['three']);
});
