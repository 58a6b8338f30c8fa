/**
 * A user that may create an object chooses texts that Kubernetes does not limit. What weeder and restart control keep of
 * an object does not grow with them.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { type Hostile, hostileFields, kindsWithTexts } from '../support/hostile/hostileObjects.ts';

const thread = new Worker(new URL('../support/hostile/keptOfObjects.ts', import.meta.url));
after(() => thread.terminate());

/** What is kept of one object of the kind, in bytes. */
async function keptOfEach(kind: string, hostile: Hostile): Promise<number> {
  thread.postMessage({ kind, hostile });
  const [kept] = await once(thread, 'message');
  return Number(kept);
}

/** What else the thread keeps meanwhile, such as compiled code, is not in each of several measurements. */
async function leastKept(kind: string, hostile: Hostile): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 4 && least >= limit; times += 1) least = Math.min(least, await keptOfEach(kind, hostile));
  return least;
}

const hostile = fc.record({
  fields: fc.subarray([...hostileFields], { minLength: 1 }),
  length: fc.constantFrom(1_100, 5_000, 10_000),
  character: fc.constantFrom('a', '/', 'é', '\n'),
});

/** Of each reference one field at a time: one that no object can have hides the others. */
const examples: readonly Hostile[] = [
  hostileFields,
  [
    'ownerName',
    'targetName',
    'involvedName',
    'sourceName',
    'serviceName',
    'containerName',
    'image',
    'address',
  ] as const,
  ['ownerUid', 'targetNamespace', 'involvedUid', 'sourceKey', 'serviceNamespace', 'managedBy', 'nodeName'] as const,
  ['ownerKind', 'targetKind', 'involvedKind', 'selector'] as const,
  ['ownerApiVersion', 'message', 'reason'] as const,
].map((fields) => ({ fields, length: 10_000, character: 'a' }));

/** Of a pod that declares two services, of a slice of twenty pods, of a workload with three references. Bytes. */
const limit = 4096;

/** The examples are always among them. */
const { numRuns, seed } = propertyRuns(8);
const runs = { numRuns: Math.max(examples.length, numRuns), seed };

for (const kind of kindsWithTexts) {
  test(`what is kept of one ${kind} does not grow with its texts`, async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (texts) => {
        const kept = await leastKept(kind, texts);
        assert.ok(kept < limit, `${Math.round(kept)} bytes`);
      }),
      { ...runs, examples: examples.map((each) => [each]) },
    );
  });
}
