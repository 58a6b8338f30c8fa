/**
 * Others write the live objects of an Application, whose size its limits do not hold for. What the observer keeps of an
 * object that is in sync does not grow with them, and of all that differ it keeps a limited size.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { type HostileLive, observedFields, unobservedFields } from '../support/hostile/hostileLiveObjects.ts';

const thread = new Worker(new URL('../support/hostile/keptOfLiveObjects.ts', import.meta.url));
after(() => thread.terminate());

/** Of an object in sync, and of what is kept of one that differs beside the objects that are kept whole. Bytes. */
const budget = 4096;
/** The 16 MiB of objects that differ, as they are in memory. */
const whole = 20 << 20;

/** What else the thread keeps meanwhile is not in each of several measurements. */
async function assertKept(hostile: HostileLive, budgetOf: (objects: number) => number): Promise<void> {
  let [kept, limit] = [Number.POSITIVE_INFINITY, 0];
  for (let times = 0; times < 4 && kept >= limit; times += 1) {
    thread.postMessage(hostile);
    const [message] = await once(thread, 'message');
    kept = Math.min(kept, message.kept);
    limit = budgetOf(message.measured);
  }
  assert.ok(kept < limit, `${Math.round(kept)} of ${limit} bytes`);
}

const { numRuns, seed } = propertyRuns(4);

function textsIn(names: HostileLive['fields'], length: fc.Arbitrary<number>): fc.Arbitrary<HostileLive> {
  const character = fc.constantFrom('a', '/', 'é', '\n');
  return fc.record({ fields: fc.subarray([...names], { minLength: 1 }), length, character });
}

test('what is kept of an object in sync does not grow with the texts of others', async () => {
  const all: HostileLive = { fields: unobservedFields, length: 20_000, character: 'a' };
  await fc.assert(
    fc.asyncProperty(textsIn(unobservedFields, fc.constantFrom(5_000, 20_000)), (hostile) =>
      assertKept(hostile, (objects) => objects * budget),
    ),
    { numRuns, seed, examples: [[all]] },
  );
});

test('what is kept of all objects that differ is limited', async () => {
  const examples = observedFields.map((field): [HostileLive] => [{ fields: [field], length: 400_000, character: 'a' }]);
  await fc.assert(
    fc.asyncProperty(textsIn(observedFields, fc.constant(250_000)), (hostile) =>
      assertKept(hostile, (objects) => whole + objects * budget),
    ),
    { numRuns: Math.max(examples.length, numRuns), seed, examples },
  );
});
