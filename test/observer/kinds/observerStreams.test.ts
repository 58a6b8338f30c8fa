import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ObserverWorld, observerWorld, refusal } from '../../support/world/observerWorld.ts';

const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } };
const resyncPeriod = 30_000;
/** Resyncs are up to a tenth early or late, and are grouped by second. */
const oneResync = 1.1 * resyncPeriod + 1_000;
const away = refusal('transient', 'The API group is away.');

async function inSync(): Promise<ObserverWorld> {
  const world = await observerWorld({ trialPeriod: 0 });
  world.apply('web', { manifests: [manifest] });
  await world.pass(1_000);
  assert.equal(world.condition('web', 'InSync'), 'True');
  return world;
}

function streamOf(world: ObserverWorld) {
  const need = [...world.core.needs.values()].find(({ kind }) => kind === 'ConfigMap');
  return need?.sink ?? assert.fail('there is no stream of ConfigMaps');
}

/** Another client changes the object, and the stream does not report that. */
function editWithoutEvent(world: ObserverWorld): void {
  world.sendsEvents = false;
  world.edit('ConfigMap/settings', { data: { a: 'theirs' } });
  world.sendsEvents = true;
}

const dataOf = (world: ObserverWorld) => world.object('ConfigMap/settings')?.['data'];
const readsOf = (world: ObserverWorld) => world.requests.filter(({ what }) => what === 'read').length;

test('readiness requires the stream of Applications, but not the streams of applied kinds', async () => {
  const world = await inSync();
  const optional = new Map([...world.core.needs.values()].map(({ kind, isOptional }) => [kind, isOptional === true]));
  assert.deepEqual([optional.get('ConfigMap'), optional.get('Application')], [true, false]);
});

test('while its stream is lost, a resource is read at each resync, and drift is corrected', async () => {
  const world = await inSync();
  streamOf(world).lost?.();
  editWithoutEvent(world);
  await world.pass(oneResync);
  assert.deepEqual(dataOf(world), { a: '1' });
  editWithoutEvent(world);
  await world.pass(oneResync);
  assert.deepEqual(dataOf(world), { a: '1' });
});

test('a resource whose stream reports every change is not read at a resync', async () => {
  const world = await inSync();
  const before = readsOf(world);
  await world.pass(3 * oneResync);
  assert.equal(readsOf(world), before);
});

test('a stream that has been back for a while is trusted again', async () => {
  const world = await inSync();
  streamOf(world).lost?.();
  streamOf(world).resumed?.();
  await world.pass(6_000);
  const before = readsOf(world);
  await world.pass(3 * oneResync);
  assert.equal(readsOf(world), before);
});

test('a stream that is lost again right after it resumed is not trusted', async () => {
  const world = await inSync();
  streamOf(world).lost?.();
  editWithoutEvent(world);
  for (let passed = 0; passed < oneResync; passed += 1_000) {
    streamOf(world).resumed?.();
    await world.pass(900);
    streamOf(world).lost?.();
    streamOf(world).resumed?.();
    await world.pass(100);
  }
  assert.deepEqual(dataOf(world), { a: '1' });
});

test('a complete list makes the stream trusted at once', async () => {
  const world = await inSync();
  const sink = streamOf(world);
  sink.lost?.();
  sink.begin();
  sink.apply('ADDED', world.object('ConfigMap/settings') ?? assert.fail());
  sink.end('100000');
  const before = readsOf(world);
  await world.pass(3 * oneResync);
  assert.equal(readsOf(world), before);
});

test('if the read fails too, the resource is not in sync, and is checked when its stream is back', async () => {
  const world = await inSync();
  streamOf(world).lost?.();
  world.refusals.set('read', away);
  await world.pass(oneResync);
  await world.pass(2_000);
  assert.equal(world.condition('web', 'InSync'), 'Unknown');
  assert.equal(world.condition('web', 'Degraded'), 'True');
  await world.pass(10 * oneResync);
  const asked = readsOf(world);
  await world.pass(60_000);
  assert.ok(readsOf(world) - asked <= 2, `${readsOf(world) - asked} reads in a minute`);
  world.refusals.clear();
  streamOf(world).resumed?.();
  await world.pass(2_000);
  assert.equal(world.condition('web', 'InSync'), 'True');
  assert.equal(world.condition('web', 'Degraded'), 'False');
});

test('an object that cannot be compared does not end the stream: drift of others is corrected', async () => {
  const world = await observerWorld({ trialPeriod: 0 });
  const other = { ...manifest, metadata: { name: 'other' } };
  world.apply('web', { manifests: [manifest, other] });
  await world.pass(1_000);
  const sink = streamOf(world);
  const object = world.object('ConfigMap/other') ?? assert.fail();
  const metadata = { ...(object['metadata'] as object), resourceVersion: '100000' };
  const hostile = Object.defineProperty({ ...object, metadata }, 'data', {
    enumerable: true,
    get: () => assert.fail('it cannot be read'),
  });
  assert.doesNotThrow(() => sink.apply('MODIFIED', hostile));
  world.edit('ConfigMap/settings', { data: { a: 'theirs' } });
  await world.pass(1_000);
  assert.deepEqual(dataOf(world), { a: '1' });
});
