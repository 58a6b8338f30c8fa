import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { settled } from '@weeder/kube-runtime/testing';
import { type ObserverWorld, observerWorld } from '../support/world/observerWorld.ts';

const second = 1_000;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

function configMap(name: string, fields: number) {
  const data = Object.fromEntries(many(fields).map((index) => [`key-${index}`, 'desired']));
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

async function observing(fields: number): Promise<ObserverWorld> {
  const world = await observerWorld({ trialPeriod: 0 });
  world.apply('web', { manifests: [configMap('settings', fields)] });
  await world.pass(10 * second);
  return world;
}

/** Another client changes one field so often, to another value each time, and waits after each change. */
async function keepEditing(world: ObserverWorld, times: number, pause: number): Promise<void> {
  for (const turn of many(times)) {
    world.edit('ConfigMap/settings', { data: { 'key-0': `theirs ${turn}` } });
    await world.pass(pause);
  }
}

const dataOf = (world: ObserverWorld) => world.object('ConfigMap/settings')?.['data'];

test('a large object that changes constantly is compared rarely, and still corrected', async () => {
  const fields = 2_000;
  const world = await observing(fields);
  const before = world.eventsOf('resource.drifted').length;
  await keepEditing(world, 300, 20);
  const reported = world.eventsOf('resource.drifted').length - before;
  assert(reported > 0 && reported < 60, `${reported} of 300 changes were reported`);
  assert(world.eventsOf('resource.corrected').length >= 2);
  await world.pass(600 * second);
  assert.deepEqual(dataOf(world), configMap('settings', fields).data, 'the newest state is eventually compared');
});

test('for a resource that changes constantly few events are reported per correction', async () => {
  const world = await observing(5);
  await keepEditing(world, 3_000, 100);
  const corrections = world.eventsOf('resource.corrected').length;
  const types = ['resource.drifted', 'resource.correctionBackOff'] as const;
  const events = types.reduce((sum, type) => sum + world.eventsOf(type).length, 0);
  assert(corrections > 3);
  assert(events <= 22 * (corrections + 1), `${events} events for ${corrections} corrections of 3000 changes`);
});

test('a small object is compared at once, however often it changes', async () => {
  const world = await observing(50);
  world.edit('ConfigMap/settings', { data: { 'key-0': 'theirs' } });
  await world.pass(10);
  world.edit('ConfigMap/settings', { data: { 'key-1': 'theirs' } });
  await world.pass(10);
  assert.equal(world.eventsOf('resource.corrected').length, 2);
});

test('events of a large object that was just compared are not parsed for a while, and then the newest is', async () => {
  const fields = 2_000;
  const world = await observing(fields);
  const [sink] = [...world.core.needs.values()].filter(({ kind }) => kind === 'ConfigMap').map((need) => need.sink);
  const live = world.object('ConfigMap/settings') ?? assert.fail();
  const metadata = objectOf(live['metadata']);
  const isIrrelevant = (version: number, text: string) => {
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
  assert.equal(isIrrelevant(900_001, 'one'), false, 'it was not compared recently');
  world.edit('ConfigMap/settings', { data: { 'key-0': 'theirs' } });
  await settled();
  // The events of the correction have lower versions than these.
  world.sendsEvents = false;
  assert.deepEqual([isIrrelevant(900_002, 'two'), isIrrelevant(900_000_003, 'three')], [true, true]);
  const before = world.eventsOf('resource.drifted').length;
  await world.pass(5 * second);
  const drifted = world.eventsOf('resource.drifted').slice(before);
  const keyDrifts = drifted.flatMap(({ drifts }) => drifts.filter(({ path }) => path === '.data.key-1'));
  assert.deepEqual([...new Set(keyDrifts.map((drift) => drift.found))], ['three']);
});
