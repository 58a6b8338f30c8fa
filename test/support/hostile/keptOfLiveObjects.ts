/** The thread of `test/properties/hostileLiveObjects.test.ts`: an observer, and what it keeps of the live objects. */

import assert from 'node:assert/strict';
import { parentPort } from 'node:worker_threads';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { takeObject } from '@weeder/kube-runtime/watch';
import { retainedBytes } from '../retainedBytes.ts';
import { observerWorld } from '../world/observerWorld.ts';
import { type HostileLive, hostileLive, manifestOf } from './hostileLiveObjects.ts';

/** Enough of them that what is loaded or collected meanwhile does not count. */
const [warm, measured] = [20, 100];

/** An observer of this many objects that are in sync, with a function that delivers one of them again, changed. */
async function observing() {
  const world = await observerWorld({ trialPeriod: 0 });
  const manifests = Array.from({ length: warm + measured }, (_, number) => manifestOf(number));
  world.apply('web', { manifests });
  await world.pass(10_000);
  world.apply('web', { mode: 'detect', manifests });
  await world.pass(10_000);
  assert.equal(world.condition('web', 'InSync'), 'True');
  const texts = manifests.map((_, number) => JSON.stringify(world.object(`Deployment/web-${number}`)));
  const need = [...world.core.needs.values()].find(({ kind }) => kind === 'Deployment');
  assert.ok(need);
  let version = 1_000_000;
  return {
    deliver(number: number, change: (object: JsonObject) => JsonObject) {
      version += 1;
      const object = change(objectOf(JSON.parse(texts[number] ?? '')));
      const metadata = { ...objectOf(object['metadata']), resourceVersion: `${version}` };
      const received = objectOf(JSON.parse(JSON.stringify({ ...object, metadata })));
      assert.deepEqual(takeObject(need, need.sink, 'MODIFIED', received), { resourceVersion: `${version}` });
    },
    /** What it decides and writes. */
    settle: () => world.pass(60_000),
    stop: () => world.stop(),
  };
}

/** What is kept of the measured objects, in bytes. */
async function keptOf(hostile: HostileLive): Promise<number> {
  const { deliver, settle, stop } = await observing();
  const deliverFrom = async (first: number, count: number, change: (object: JsonObject) => JsonObject) => {
    for (let number = first; number < first + count; number += 1) deliver(number, change);
    await settle();
  };
  await deliverFrom(0, warm, (object) => hostileLive(object, hostile));
  await deliverFrom(warm, measured, (object) => object);
  const before = retainedBytes();
  await deliverFrom(warm, measured, (object) => hostileLive(object, hostile));
  const kept = retainedBytes() - before;
  stop();
  return kept;
}

parentPort?.on('message', async (hostile: HostileLive) =>
  parentPort?.postMessage({ kept: await keptOf(hostile), measured }),
);
