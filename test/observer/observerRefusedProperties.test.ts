import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { configMap, type ObserverWorld, observerWorld, refusal } from '../support/world/observerWorld.ts';

const one = 'ConfigMap/one';
const no = refusal('permanent', 'No.');

type Step =
  /** A newer manifest, permanently refused or not. */
  | { readonly type: 'manifest'; readonly isGood: boolean }
  | { readonly type: 'edit' | 'removal' | 'restart' | 'mending' | 'busy' }
  | { readonly type: 'time'; readonly ms: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('manifest' as const), isGood: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constant({ type: 'edit' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.constantFrom(0, 10, 2_000, 301_000) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('removal', 'restart', 'mending', 'busy') }) },
);

async function perform(world: ObserverWorld, it: Exclude<Step, { type: 'manifest' }>): Promise<void> {
  const isThere = world.object(one) !== undefined;
  if (it.type === 'edit' && isThere) world.edit(one, { data: { key: 'theirs' } });
  else if (it.type === 'removal' && isThere) world.remove(one);
  else if (it.type === 'restart') await world.restart();
  else if (it.type === 'busy') world.requestTime = world.requestTime === 0 ? 700 : 0;
  else if (it.type === 'time') await world.pass(it.ms);
}

/** NaN: another client's. */
function versionOf(data: unknown): number {
  return Number(objectOf(data)['key']);
}

/** Runs a scenario, and returns what was written and what should not have been. */
async function run(scenario: readonly Step[]) {
  const world = await observerWorld();
  const refusedOnes = new Set<number>();
  let newest = 0;
  let accepted = 0;
  const older: string[] = [];
  world.rejects = ({ data }) => (refusedOnes.has(versionOf(data)) ? no : undefined);
  // A request that is not refused may still find that its object is gone.
  world.stored = ({ data }) => {
    const version = versionOf(data);
    if (version < accepted) older.push(`${version} after ${accepted}`);
    if (version > accepted) accepted = version;
  };
  const apply = (isGood: boolean) => {
    newest += 1;
    if (!isGood) refusedOnes.add(newest);
    world.apply('web', { manifests: [configMap('one', String(newest))] });
  };
  apply(true);
  await world.pass(2_000);
  for (const it of scenario) {
    if (it.type === 'manifest') apply(it.isGood);
    else if (it.type === 'mending') refusedOnes.clear();
    else await perform(world, it);
  }
  await world.pass(900_000);
  world.stop();
  return {
    older,
    live: objectOf(world.object(one)?.['data'])['key'],
    accepted: String(accepted),
    isRefused: refusedOnes.has(newest),
  };
}

test('in any scenario nothing older than the accepted manifest is applied, and the last accepted one is the final state', async () => {
  const scenarios = fc.array(steps, { maxLength: 30 });
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    const { older, live, accepted, isRefused } = await run(scenario);
    assert.deepEqual(older, []);
    // A newly started weeder does not know the earlier states.
    if (!isRefused || !scenario.some(({ type }) => type === 'restart')) assert.equal(live, accepted);
  });
  await fc.assert(property, propertyRuns(100));
});
