import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { objectOf } from '../../src/base/json.ts';
import type { ApplyFailure } from '../../src/observer/model/applyFailure.ts';
import { propertyRuns } from '../support/propertyRuns.ts';
import { configMap, type ObserverWorld, observerWorld } from '../support/world/observerWorld.ts';

const one = 'ConfigMap/one';
const no: ApplyFailure = { is: 'permanent', reason: 'No.', retryAfter: 0, fields: [] };

type Happening =
  /** A newer manifest, which is refused for good, or not. */
  | { readonly is: 'manifest'; readonly isGood: boolean }
  | { readonly is: 'edit' | 'removal' | 'restart' | 'mending' | 'busy' }
  | { readonly is: 'time'; readonly ms: number };

const happenings: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ is: fc.constant('manifest' as const), isGood: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constant({ is: 'edit' as const }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant('time' as const), ms: fc.constantFrom(0, 10, 2_000, 301_000) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constantFrom('removal', 'restart', 'mending', 'busy') }) },
);

async function happen(world: ObserverWorld, it: Exclude<Happening, { is: 'manifest' }>): Promise<void> {
  const isThere = world.object(one) !== undefined;
  if (it.is === 'edit' && isThere) world.edit(one, { data: { key: 'theirs' } });
  else if (it.is === 'removal' && isThere) world.remove(one);
  else if (it.is === 'restart') await world.restart();
  else if (it.is === 'busy') world.requestTime = world.requestTime === 0 ? 700 : 0;
  else if (it.is === 'time') await world.pass(it.ms);
}

/** What was written, and what should not have been. */
async function play(story: readonly Happening[]) {
  const world = await observerWorld();
  const refusedOnes = new Set<number>();
  let newest = 0;
  let accepted = 0;
  const older: string[] = [];
  world.rejects = ({ data }) => {
    const version = Number(objectOf(data)['key']);
    if (version < accepted) older.push(`${version} after ${accepted}`);
    if (refusedOnes.has(version)) return no;
    accepted = Math.max(accepted, version);
    return undefined;
  };
  const apply = (isGood: boolean) => {
    newest += 1;
    if (!isGood) refusedOnes.add(newest);
    world.apply('web', { manifests: [configMap('one', String(newest))] });
  };
  apply(true);
  await world.pass(2_000);
  for (const it of story) {
    if (it.is === 'manifest') apply(it.isGood);
    else if (it.is === 'mending') refusedOnes.clear();
    else await happen(world, it);
  }
  await world.pass(900_000);
  world.stop();
  return {
    older,
    found: objectOf(world.object(one)?.['data'])['key'],
    accepted: String(accepted),
    isRefused: refusedOnes.has(newest),
  };
}

test('of any story, nothing older is ever applied than what was accepted, and what was accepted last is there in the end', async () => {
  const stories = fc.array(happenings, { maxLength: 30 });
  const property = fc.asyncProperty(stories, async (story) => {
    const { older, found, accepted, isRefused } = await play(story);
    assert.deepEqual(older, []);
    // Who was started since knows nothing of before.
    if (!isRefused || !story.some(({ is }) => is === 'restart')) assert.equal(found, accepted);
  });
  await fc.assert(property, propertyRuns(100));
});
