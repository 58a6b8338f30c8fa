import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RestartEvent } from '../../src/restart/model/events.ts';
import { restartConfig } from '../support/objects/restartSettings.ts';
import { configMap, type RestartWorld, restartWorld, withEnv } from '../support/world/restartWorld.ts';

const second = 1_000;
const settings = configMap('settings');

async function worldOf(config = restartConfig(), annotations = {}): Promise<RestartWorld> {
  const world = await restartWorld(config);
  world.putSource(settings, { a: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', withEnv('settings', 'a'), { annotations });
  await world.pass(10 * second);
  return world;
}

type Unreadable = Extract<RestartEvent, { type: 'annotation.unreadable' }>;
const inShort = (facts: readonly Unreadable[]) =>
  facts.map(({ annotation, reason, on }) => `${annotation} ${on?.name ?? ''}: ${reason.slice(0, 12)}`);

test('an opt-out that cannot be read is told once, on each workload that uses the source, and again when it is another', async () => {
  const world = await worldOf();
  const skip = (text: string) => ({ metadata: { annotations: { 'weeder.dev/skip-hash-calculation': text } } });
  world.putSource(settings, { a: '1' }, skip('a;b'));
  await world.pass(10 * second);
  world.putSource(settings, { a: '2' }, skip('a;b'));
  await world.pass(30 * second);
  assert.deepEqual(inShort(world.factsOf('annotation.unreadable')), [
    'weeder.dev/skip-hash-calculation settings: "a;b" is no ',
  ]);
  assert.deepEqual(world.rollouts, [], 'all of it is left out');
  world.putSource(settings, { a: '2' }, skip('c;d'));
  await world.pass(10 * second);
  assert.equal(world.factsOf('annotation.unreadable').length, 2);
  world.putSource(configMap('unused'), { a: '2' }, skip('c;d'));
  await world.pass(10 * second);
  assert.equal(world.factsOf('annotation.unreadable').length, 2);
});

for (const [who, config] of [
  ['no rule matches', restartConfig({ rules: [] })],
  ['a rule matches', restartConfig()],
] as const) {
  test(`an opt-in that says neither "true" nor "false" is told once where ${who}`, async () => {
    const world = await worldOf(config, { 'weeder.dev/restart-on-change': 'yes' });
    world.annotate('web', { other: '1' });
    await world.pass(10 * second);
    assert.deepEqual(inShort(world.factsOf('annotation.unreadable')), ['weeder.dev/restart-on-change : it says "yes']);
    assert.equal(world.control.counts().workloads, config.rules.length);
    world.annotate('web', { 'weeder.dev/restart-on-change': 'false' });
    await world.pass(10 * second);
    world.annotate('web', { 'weeder.dev/restart-on-change': 'True' });
    await world.pass(10 * second);
    assert.equal(world.factsOf('annotation.unreadable').length, 2);
  });
}

test('a pause that cannot be read is told at once, before anything changes, and once', async () => {
  const world = await worldOf(restartConfig(), { 'weeder.dev/paused-until': 'friday' });
  world.annotate('web', { other: '1' });
  await world.pass(10 * second);
  assert.deepEqual(inShort(world.factsOf('annotation.unreadable')), ['weeder.dev/paused-until : it is no tim']);
  assert.deepEqual([world.rollouts, world.factsOf('workload.blocked')], [[], []]);
});

test('a consent that cannot be read is told to those of another namespace that ask for it, and gives none', async () => {
  const ca = { kind: 'ConfigMap', namespace: 'infra', name: 'ca' } as const;
  const consent = (text: string) => ({ metadata: { annotations: { 'weeder.dev/allow-references-from': text } } });
  const world = await restartWorld(restartConfig());
  world.putSource(ca, { a: '1' }, consent('*'));
  world.putSource(settings, { a: '1' }, consent('*'));
  world.putWorkload('web', withEnv('settings', 'a'), {
    annotations: { 'weeder.dev/also-depends-on': 'configmap/infra/ca' },
  });
  await world.pass(10 * second);
  assert.deepEqual(inShort(world.factsOf('annotation.unreadable')), [
    'weeder.dev/allow-references-from ca: "*" is not t',
  ]);
  assert.equal(world.factsOf('dependency.notAllowed').length, 1);
  world.putSource(ca, { a: '2' }, consent('*'));
  await world.pass(20 * second);
  assert.deepEqual(world.rollouts, []);
  assert.equal(world.factsOf('annotation.unreadable').length, 1);
});

test('a state that cannot be read is told once, however often it is looked at until it is written anew', async () => {
  const state = '{"version":99}';
  const world = await restartWorld(restartConfig({ maxAdoptionsPerMinute: 1 }));
  world.putSource(settings, { a: '1' });
  for (const name of ['api', 'web', 'zoo'])
    world.putWorkload(name, withEnv('settings', 'a'), { annotations: { 'weeder.dev/dependencies': state } });
  await world.pass(second);
  world.putSource(settings, { a: '1', b: '2' });
  await world.pass(second);
  const told = world.factsOf('annotation.unreadable').map(({ workload }) => workload.name);
  assert.deepEqual(told.toSorted(), ['api', 'web', 'zoo']);
  await world.pass(200 * second);
  assert.deepEqual([world.rollouts, world.factsOf('workload.adopted').length], [[], 3]);
});

test('a history that holds nothing but restarts is told once, and not where somebody changes the template in between', async () => {
  const world = await worldOf(restartConfig({ rule: { minInterval: 0 } }));
  // The pauses keep the breaker, which blocks after five restarts, out of the test.
  const change = async (value: number) => {
    world.putSource(settings, { a: String(value) });
    await world.pass(700 * second);
  };
  world.limitRevisions('web', 2);
  for (const value of [2, 3]) await change(value);
  assert.deepEqual(world.factsOf('history.filled'), []);
  world.patchTemplate('web', { spec: { terminationGracePeriodSeconds: 5 } });
  await world.pass(10 * second);
  for (const value of [4, 5]) await change(value);
  assert.deepEqual(world.factsOf('history.filled'), []);
  for (const value of [6, 7]) await change(value);
  assert.deepEqual(
    world.factsOf('history.filled').map(({ workload, revisions }) => [workload.name, revisions]),
    [['web', 2]],
  );
});

test('what waits, what is held and how many sources are used is counted, by why', async () => {
  const world = await worldOf(undefined, { 'weeder.dev/paused-until': '2099-01-01T00:00:00Z' });
  world.putSource(configMap('unused'), { a: '1' });
  world.putWorkload('lost', withEnv('absent', 'a'));
  world.putSource(settings, { a: '2' });
  await world.pass(30 * second);
  const { states, pending, blocked, sources } = world.control.counts();
  assert.deepEqual(states, { waiting: 1, blocked: 1 });
  assert.deepEqual(pending, { pausedUntil: 1 });
  assert.deepEqual(blocked, { sourceMissing: 1 });
  assert.equal(sources, 2);
});

test('a refusal is told with its class and its reason', async () => {
  const world = await worldOf();
  world.refuseWrites = 'forbidden';
  world.putSource(settings, { a: '2' });
  await world.pass(6 * second);
  const [told] = world.factsOf('workload.refused');
  assert.deepEqual([told?.failure, told?.reason], ['forbidden', 'not allowed']);
  world.refuseWrites = undefined;
  await world.pass(30 * second);
  assert.equal(world.rollouts.length, 1);
});
