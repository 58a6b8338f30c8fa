import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import type { RestartEvent } from '../../../src/restart/references/events.ts';
import { pollInterval } from '../../../src/restart/rollout/awaitRollout.ts';
import { restartConfig } from '../../support/objects/restartSettings.ts';
import { configMap, type RestartWorld, restartWorld, withEnv } from '../../support/world/restartWorld.ts';

const second = 1_000;
const { numRuns, seed } = propertyRuns(20);

const rule = {
  quietPeriod: 2 * second,
  quietMax: 5 * second,
  minInterval: 0,
  stallAfter: 20 * second,
  progressDeadline: 120 * second,
};

interface Load {
  /** The time between two changes of the source; milliseconds. */
  readonly every: number;
  readonly answerTime: number;
  /** The user's own rollout, which begins with the first change, never completes. */
  readonly isRolloutStuck: boolean;
}

/** Returns the time until the first restart while a source changes continuously, or undefined if there is none. */
async function timeToRestart(load: Load, within: number): Promise<number | undefined> {
  let restartedAt: number | undefined;
  const onEvent = ({ type }: RestartEvent) => {
    if (type === 'workload.restarted') restartedAt ??= world.clock.monotonic();
  };
  const world: RestartWorld = await restartWorld(restartConfig({ rule }), { onEvent });
  world.putSource(configMap('settings'), { a: '0' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(30 * second);
  world.answerTime = load.answerTime;
  if (load.isRolloutStuck) {
    world.rolloutTime = Number.POSITIVE_INFINITY;
    world.patchTemplate('web', { metadata: { annotations: { release: '1' } } });
  }
  const began = world.clock.monotonic();
  for (let value = 1; world.clock.monotonic() - began < within; value += 1) {
    world.putSource(configMap('settings'), { a: String(value) });
    await world.pass(load.every);
    if (restartedAt !== undefined) return restartedAt - began;
  }
  return undefined;
}

/**
 * The bound that docs/explanation/restart-control.md states: each step that waits for the API server may take the time of its
 * responses.
 */
function boundOf({ answerTime, isRolloutStuck }: Load): number {
  const longest = isRolloutStuck ? rule.quietMax + rule.stallAfter + pollInterval : rule.quietMax;
  return longest + 6 * answerTime + rule.quietPeriod;
}

test('a source that changes four times a second causes a restart within quietMax and a few slow responses', async () => {
  const load = { every: 250, answerTime: 3 * second, isRolloutStuck: false };
  const took = await timeToRestart(load, 120 * second);
  assert.ok(took !== undefined && took <= boundOf(load), `${took} ms`);
});

test('a restart waits for a stalled rollout of the user until stallAfter, however often a source changes', async () => {
  const load = { every: 7 * second, answerTime: 0, isRolloutStuck: true };
  const took = await timeToRestart(load, 300 * second);
  assert.ok(took !== undefined && took <= boundOf(load), `${took} ms`);
});

test('whatever the source and the server do, a change reaches the template within the documented bound', async () => {
  const someLoad = fc.record<Load>({
    every: fc.oneof(fc.integer({ min: 100, max: 1_900 }), fc.integer({ min: 2_000, max: 30_000 })),
    answerTime: fc.oneof(fc.constant(0), fc.integer({ min: 10, max: 8_000 })),
    isRolloutStuck: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(someLoad, async (load) => {
      const took = await timeToRestart(load, 2 * boundOf(load));
      assert.ok(took !== undefined && took <= boundOf(load), `${took} ms, bound ${boundOf(load)} ms`);
    }),
    { numRuns, seed },
  );
});
