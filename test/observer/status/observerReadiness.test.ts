import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { kstatusOf } from '../../support/objects/kstatus.ts';
import { configMap, type ObserverWorld, observerWorld, refusal } from '../../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;
const spec = { manifests: [configMap('one', 'old'), configMap('two', 'old')] };
const changed = { manifests: [configMap('one', 'new'), configMap('two', 'new')] };

type Refused = [what: string, is: Parameters<typeof refusal>[0]];

function refuse(world: ObserverWorld, ...[what, is]: Refused): void {
  world.refusals.set(what, refusal(is));
}

/** The application `web` in sync, in this mode. */
async function inSync(mode = 'correct'): Promise<ObserverWorld> {
  const world = await observerWorld();
  world.apply('web', spec);
  await world.pass(5 * second);
  if (mode === 'correct') return world;
  world.apply('web', { ...spec, mode });
  await world.pass(minute);
  return world;
}

/** The conditions of kstatus that the application has, as `Type=Status Reason`, and what kstatus makes of it. */
function saidOf(world: ObserverWorld): readonly string[] {
  const object = world.application('web') ?? assert.fail('the application is gone');
  const conditions = arrayOf(objectOf(object['status'])['conditions']).map(objectOf);
  const kstatusConditions = conditions.slice(
    0,
    conditions.findIndex(({ type }) => type === 'Applied'),
  );
  return [...kstatusConditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`), kstatusOf(object)];
}

/** What holds for every status that was written, whatever has happened. */
function assertRules(statuses: readonly JsonObject[]): void {
  let generation: unknown;
  for (const status of statuses) {
    generation = status['observedGeneration'] ?? generation;
    if (status['conditions'] === undefined) continue;
    const conditionList = arrayOf(status['conditions']).map(objectOf);
    const of = (type: string) => conditionList.find((each) => each['type'] === type)?.['status'];
    for (const { observedGeneration } of conditionList) assert.equal(observedGeneration, generation);
    const present = ['Reconciling', 'Stalled'].map(of).filter((each) => each !== undefined);
    assert.ok(present.length <= 1 && present.every((each) => each === 'True'), JSON.stringify(conditionList));
    if (of('Ready') === 'True') {
      assert.deepEqual([of('InSync'), of('Degraded'), of('Invalid'), present], ['True', 'False', 'False', []]);
    }
  }
}

const situations: readonly {
  readonly what: string;
  readonly mode?: 'detect';
  readonly act: (world: ObserverWorld) => void;
  readonly wait?: number;
  readonly said: readonly string[];
}[] = [
  { what: 'in sync', act: () => {}, said: ['Ready=True AsApplied', 'Current'] },
  { what: 'in sync in mode detect', mode: 'detect', act: () => {}, said: ['Ready=True AsApplied', 'Current'] },
  {
    what: 'being applied, with an API server that fails',
    act: (world) => {
      refuse(world, 'update', 'transient');
      world.apply('web', changed);
    },
    said: ['Ready=False Retrying', 'Reconciling=True Retrying', 'InProgress'],
  },
  {
    what: 'with a drift whose correction fails',
    act: (world) => {
      refuse(world, 'correct', 'transient');
      world.edit('ConfigMap/one', { data: { key: 'theirs' } });
    },
    said: ['Ready=False Retrying', 'Reconciling=True Retrying', 'InProgress'],
  },
  {
    what: 'with a drift whose correction takes long',
    act: (world) => {
      world.slow.set('correct ConfigMap/one', minute);
      world.edit('ConfigMap/one', { data: { key: 'theirs' } });
    },
    wait: 2 * second,
    said: ['Ready=False DriftDetected', 'Reconciling=True DriftDetected', 'InProgress'],
  },
  {
    what: 'with a drift in mode detect, which is not corrected',
    mode: 'detect',
    act: (world) => world.edit('ConfigMap/one', { data: { key: 'theirs' } }),
    said: ['Ready=False DriftDetected', 'Stalled=True DriftDetected', 'Failed'],
  },
  {
    what: 'with a manifest that is refused',
    act: (world) => {
      refuse(world, 'update ConfigMap/one', 'permanent');
      world.apply('web', changed);
    },
    said: ['Ready=False Refused', 'Stalled=True Refused', 'Failed'],
  },
  {
    what: 'with a kind that the cluster does not serve yet',
    act: (world) =>
      world.apply('web', {
        manifests: [
          ...spec.manifests,
          { apiVersion: 'example.org/v1', kind: 'Later', metadata: { name: 'one' }, spec: {} },
        ],
      }),
    said: ['Ready=False NoKindMatch', 'Reconciling=True NoKindMatch', 'InProgress'],
  },
  {
    what: 'without its ServiceAccount',
    act: (world) => {
      world.missingAccounts.add('shop/deployer');
      world.apply('web', { ...changed, serviceAccountName: 'deployer' });
    },
    wait: 33 * second,
    said: ['Ready=False ServiceAccountNotFound', 'Stalled=True ServiceAccountNotFound', 'Failed'],
  },
  {
    what: 'with an error in one manifest',
    act: (world) => world.apply('web', { manifests: [...spec.manifests, configMap('no/name')] }),
    said: ['Ready=False ManifestInvalid', 'Stalled=True ManifestInvalid', 'Failed'],
  },
  {
    what: 'with an error in its spec',
    act: (world) => world.apply('web', { manifests: [configMap('one'), configMap('one')] }),
    said: ['Ready=False SpecInvalid', 'Stalled=True SpecInvalid', 'Failed'],
  },
  {
    what: 'paused',
    act: (world) =>
      world.apply('web', { ...spec, pausedUntil: new Date(world.clock.now() + 10 * minute).toISOString() }),
    said: ['Ready=Unknown Paused', 'InProgress'],
  },
  {
    what: 'being deleted, which is refused',
    act: (world) => {
      refuse(world, 'delete', 'forbidden');
      world.deleteApplication('web');
    },
    said: ['Ready=False DeletionBlocked', 'Reconciling=True DeletionBlocked', 'Terminating'],
  },
];

for (const { what, mode, act, wait = 10 * second, said } of situations) {
  test(`the conditions of kstatus of an application ${what}`, async () => {
    const world = await inSync(mode);
    act(world);
    await world.pass(wait);
    assert.deepEqual(saidOf(world), said);
    assertRules(world.statuses);
    world.stop();
  });
}

test('an application is in progress until its new spec is applied, and Stalled ends with its cause', async () => {
  const world = await inSync();
  refuse(world, 'update ConfigMap/one', 'permanent');
  world.apply('web', changed);
  assert.equal(saidOf(world).at(-1), 'InProgress', 'Ready is still True, for the previous generation');
  await world.pass(5 * second);
  assert.equal(saidOf(world).at(-1), 'Failed');
  world.refusals.clear();
  world.slow.set('update ConfigMap/one', 2 * second);
  world.apply('web', { manifests: [configMap('one', 'newer')] });
  await world.pass(second);
  assert.deepEqual(saidOf(world), ['Ready=False Applying', 'Reconciling=True Applying', 'InProgress']);
  await world.pass(5 * second);
  assert.deepEqual(saidOf(world), ['Ready=True AsApplied', 'Current']);
  assertRules(world.statuses);
  world.stop();
});

/** What a generation may need that is applied together with it, a moment later, or never. */
const needs: readonly {
  readonly reason: string;
  readonly take: (world: ObserverWorld) => void;
  /** Left out: only a resync finds out. */
  readonly give?: (world: ObserverWorld) => void;
}[] = [
  {
    reason: 'ServiceAccountNotFound',
    take: ({ missingAccounts }) => missingAccounts.add('shop/deployer'),
    give: ({ missingAccounts }) => missingAccounts.delete('shop/deployer'),
  },
  {
    reason: 'Unverified',
    take: (world) => {
      world.permit();
    },
    give: (world) => {
      world.permit({ verbs: ['*'] });
    },
  },
  {
    reason: 'OwnershipConflict',
    take: (world) => refuse(world, 'update ConfigMap/one', 'claimed'),
  },
];

for (const { reason, take } of needs) {
  const next = { ...changed, serviceAccountName: 'deployer' };
  const inProgress = [`Ready=False ${reason}`, `Reconciling=True ${reason}`, 'InProgress'];
  const failed = [`Ready=False ${reason}`, `Stalled=True ${reason}`, 'Failed'];

  test(`a new generation is reconciling for half a minute with ${reason}, and stalled after it without another change`, async () => {
    const world = await inSync();
    take(world);
    world.apply('web', next);
    await world.pass(29 * second);
    assert.deepEqual(saidOf(world), inProgress);
    const before = world.events.length;
    await world.pass(3 * second);
    assert.deepEqual(saidOf(world), failed);
    assert.equal(world.events.length, before, 'nothing has happened but time');
    // The next generation has its own time.
    world.apply('web', { ...next, manifests: [configMap('one', 'newest'), configMap('two', 'new')] });
    await world.pass(10 * second);
    assert.equal(saidOf(world).at(-1), 'InProgress');
    assertRules(world.statuses);
    world.stop();
    assert.equal(world.clock.pending, 0);
  });

  test(`another process continues the half minute of a generation, and does not begin it again, with ${reason}`, async () => {
    const world = await inSync();
    take(world);
    world.apply('web', next);
    await world.pass(10 * second);
    await world.restart();
    await world.pass(15 * second);
    assert.equal(saidOf(world).at(-1), 'InProgress');
    await world.pass(10 * second);
    assert.deepEqual(saidOf(world), failed);
    await world.restart();
    await world.pass(5 * second);
    assert.deepEqual(saidOf(world), failed);
    world.stop();
  });
}

for (const { reason, take, give } of needs) {
  if (give === undefined) continue;
  test(`an application is never stalled whose ${reason} ends within half a minute`, async () => {
    const world = await inSync();
    take(world);
    world.apply('web', { ...changed, serviceAccountName: 'deployer' });
    await world.pass(3 * second);
    assert.equal(saidOf(world).at(-1), 'InProgress');
    give(world);
    await world.pass(2 * minute);
    assert.equal(saidOf(world).at(-1), 'Current');
    assert.doesNotMatch(JSON.stringify(world.statuses), /Stalled/);
    world.stop();
  });
}
