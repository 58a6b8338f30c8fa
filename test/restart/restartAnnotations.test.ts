import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RestartEvent } from '../../src/restart/references/events.ts';
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
const summaries = (events: readonly Unreadable[]) =>
  events.map(({ annotation, reason, on }) => `${annotation} ${on?.name ?? ''}: ${reason.slice(0, 17)}`);

test('an invalid opt-out is reported once, on the workloads that use the source, and again when it changes', async () => {
  const world = await worldOf();
  const skip = (text: string) => ({ metadata: { annotations: { 'weeder.dev/skip-hash-calculation': text } } });
  world.putSource(settings, { a: '1' }, skip('a;b'));
  await world.pass(10 * second);
  world.putSource(settings, { a: '2' }, skip('a;b'));
  await world.pass(30 * second);
  assert.deepEqual(summaries(world.eventsOf('annotation.unreadable')), [
    'weeder.dev/skip-hash-calculation settings: "a;b" is not a va',
  ]);
  assert.deepEqual(world.rollouts, [], 'the whole source is excluded');
  world.putSource(settings, { a: '2' }, skip('c;d'));
  await world.pass(10 * second);
  assert.equal(world.eventsOf('annotation.unreadable').length, 2);
  world.putSource(configMap('unused'), { a: '2' }, skip('c;d'));
  await world.pass(10 * second);
  assert.equal(world.eventsOf('annotation.unreadable').length, 2);
});

for (const [who, config] of [
  ['no rule matches', restartConfig({ rules: [] })],
  ['a rule matches', restartConfig()],
] as const) {
  test(`an opt-in that is neither "true" nor "false" is reported once where ${who}`, async () => {
    const world = await worldOf(config, { 'weeder.dev/restart-on-change': 'yes' });
    world.annotate('web', { other: '1' });
    await world.pass(10 * second);
    assert.deepEqual(summaries(world.eventsOf('annotation.unreadable')), [
      'weeder.dev/restart-on-change : its value is "yes',
    ]);
    assert.equal(world.control.counts().workloads, config.rules.length);
    world.annotate('web', { 'weeder.dev/restart-on-change': 'false' });
    await world.pass(10 * second);
    world.annotate('web', { 'weeder.dev/restart-on-change': 'True' });
    await world.pass(10 * second);
    assert.equal(world.eventsOf('annotation.unreadable').length, 2);
  });
}

test('an invalid pause is reported once, before any change', async () => {
  const world = await worldOf(restartConfig(), { 'weeder.dev/paused-until': 'friday' });
  world.annotate('web', { other: '1' });
  await world.pass(10 * second);
  assert.deepEqual(summaries(world.eventsOf('annotation.unreadable')), ['weeder.dev/paused-until : it is not a time:']);
  assert.deepEqual([world.rollouts, world.eventsOf('workload.blocked')], [[], []]);
});

test('an invalid allow-references-from is reported to the workloads of other namespaces that refer to the source, and allows nothing', async () => {
  const ca = { kind: 'ConfigMap', namespace: 'infra', name: 'ca' } as const;
  const consent = (text: string) => ({ metadata: { annotations: { 'weeder.dev/allow-references-from': text } } });
  const world = await restartWorld(restartConfig());
  world.putSource(ca, { a: '1' }, consent('*'));
  world.putSource(settings, { a: '1' }, consent('*'));
  world.putWorkload('web', withEnv('settings', 'a'), {
    annotations: { 'weeder.dev/also-depends-on': 'configmap/infra/ca' },
  });
  await world.pass(10 * second);
  assert.deepEqual(summaries(world.eventsOf('annotation.unreadable')), [
    'weeder.dev/allow-references-from ca: "*" is not a vali',
  ]);
  assert.equal(world.eventsOf('dependency.notAllowed').length, 1);
  world.putSource(ca, { a: '2' }, consent('*'));
  await world.pass(20 * second);
  assert.deepEqual(world.rollouts, []);
  assert.equal(world.eventsOf('annotation.unreadable').length, 1);
});

test('an unreadable state is reported once, however often it is read before it is rewritten', async () => {
  const state = '{"version":99}';
  const world = await restartWorld(restartConfig({ maxAdoptionsPerMinute: 1 }));
  world.putSource(settings, { a: '1' });
  for (const name of ['api', 'web', 'zoo'])
    world.putWorkload(name, withEnv('settings', 'a'), { annotations: { 'weeder.dev/dependencies': state } });
  await world.pass(second);
  world.putSource(settings, { a: '1', b: '2' });
  await world.pass(second);
  const reported = world.eventsOf('annotation.unreadable').map(({ workload }) => workload.name);
  assert.deepEqual(reported.toSorted(), ['api', 'web', 'zoo']);
  await world.pass(200 * second);
  assert.deepEqual([world.rollouts, world.eventsOf('workload.adopted').length], [[], 3]);
});

test('a history that consists only of restarts is reported once, and not if the template changes in between', async () => {
  const world = await worldOf(restartConfig({ rule: { minInterval: 0 } }));
  // The pauses prevent the breaker from blocking, which it does after five restarts.
  const change = async (value: number) => {
    world.putSource(settings, { a: String(value) });
    await world.pass(700 * second);
  };
  world.change('web', { spec: { revisionHistoryLimit: 2 } });
  for (const value of [2, 3]) await change(value);
  assert.deepEqual(world.eventsOf('history.filled'), []);
  world.patchTemplate('web', { spec: { terminationGracePeriodSeconds: 5 } });
  await world.pass(10 * second);
  for (const value of [4, 5]) await change(value);
  assert.deepEqual(world.eventsOf('history.filled'), []);
  for (const value of [6, 7]) await change(value);
  assert.deepEqual(
    world.eventsOf('history.filled').map(({ workload, revisions }) => [workload.name, revisions]),
    [['web', 2]],
  );
});

test('pending and blocked workloads are counted by cause, and used sources by number', async () => {
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

test('a refusal is reported with its class and its reason', async () => {
  const world = await worldOf();
  world.fault = ({ method }) => (method === 'PATCH' ? { status: 403 } : undefined);
  world.putSource(settings, { a: '2' });
  await world.pass(6 * second);
  const [reported] = world.eventsOf('workload.refused');
  assert.deepEqual([reported?.failure, reported?.reason], ['forbidden', 'https://api.test refused (403): refused.']);
  world.fault = () => undefined;
  await world.pass(30 * second);
  assert.equal(world.rollouts.length, 1);
});
