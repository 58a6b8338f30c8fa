/**
 * The thread of `test/properties/hostileTexts.test.ts`: its own small heap, so that what other tests keep neither counts
 * nor takes time to collect.
 */

import assert from 'node:assert/strict';
import { parentPort } from 'node:worker_threads';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { unreachable } from '@weeder/kube-runtime/testing';
import { takeObject } from '@weeder/kube-runtime/watch';
import { resolveConfig } from '../../../src/config/config.ts';
import { configFile } from '../../../src/config/schema/schema.ts';
import { createRestartController } from '../../../src/restart/restartController.ts';
import { createWeederController } from '../../../src/weeder/weederController.ts';
import { retainedBytes } from '../retainedBytes.ts';
import { controllerContext } from '../world/controllerContext.ts';
import { type Hostile, hostileObject } from './hostileObjects.ts';

const config = resolveConfig(
  configFile.parse({
    declaredDependencies: { watchDuration: '1m' },
    podCreation: { watchDuration: '1m' },
    servicesAndDependantSelectors: { db: { podSelectors: [{ matchLabels: { app: 'web' } }] } },
    restartControl: {},
  }),
);

/** The controllers, with a function that gives an object to all their sinks of the kind. */
function controllersFor(kind: string) {
  const context = controllerContext({ config, client: unreachable });
  const controllers = [
    createWeederController({ ...context, concurrentDeletions: 32 }),
    createRestartController({ ...context, ownNamespace: 'weeder' }),
  ];
  for (const controller of controllers) controller.start();
  const needs = controllers
    .flatMap((controller) => [...controller.needs.values()])
    .filter((need) => need.kind === kind);
  assert.notEqual(needs.length, 0, `no stream has ${kind}`);
  for (const { sink } of needs) sink.begin();
  return {
    give(object: JsonObject) {
      for (const need of needs) takeObject(need, need.sink, 'ADDED', object);
    },
    stop() {
      for (const controller of controllers) controller.stop();
    },
  };
}

/** Enough of them that what is loaded or collected meanwhile does not count. */
const [warm, measured] = [60, 200];

/** What is kept of one object of the kind, in bytes. The first objects also fill caches and load code. */
function keptOfEach(kind: string, hostile: Hostile): number {
  const { give, stop } = controllersFor(kind);
  const giveFrom = (first: number, count: number) => {
    for (let number = first; number < first + count; number += 1)
      give(objectOf(JSON.parse(JSON.stringify(hostileObject(kind, number, hostile)))));
  };
  giveFrom(0, warm);
  const before = retainedBytes();
  giveFrom(warm, measured);
  const kept = (retainedBytes() - before) / measured;
  stop();
  return kept;
}

parentPort?.on('message', ({ kind, hostile }: { readonly kind: string; readonly hostile: Hostile }) =>
  parentPort?.postMessage(keptOfEach(kind, hostile)),
);
