/**
 * A user that may create an object chooses texts that Kubernetes does not limit. What weeder and restart control keep of an
 * object does not grow with them.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { propertyRuns, unreachable } from '@weeder/kube-runtime/testing';
import { takeObject } from '@weeder/kube-runtime/watch';
import fc from 'fast-check';
import { resolveConfig } from '../../src/config/config.ts';
import { configFile } from '../../src/config/schema/schema.ts';
import { createRestartController } from '../../src/restart/restartController.ts';
import { createWeederController } from '../../src/weeder/weederController.ts';
import { type Hostile, hostileFields, hostileObject, kindsWithTexts } from '../support/objects/hostileObjects.ts';
import { retainedBytes } from '../support/retainedBytes.ts';
import { controllerContext } from '../support/world/controllerContext.ts';

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

/** What else the process keeps meanwhile, such as compiled code, is not in each of several measurements. */
function leastKept(kind: string, hostile: Hostile): number {
  let least = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 4 && least >= limit; times += 1) least = Math.min(least, keptOfEach(kind, hostile));
  return least;
}

const hostile = fc.record({
  fields: fc.subarray([...hostileFields], { minLength: 1 }),
  length: fc.constantFrom(1_100, 5_000, 10_000),
  character: fc.constantFrom('a', '/', 'é', '\n'),
});

/** One that no object can have hides the others of a reference. */
const names = hostileFields.filter((field) => /Name$|message|image/.test(field));
const longest = { length: 10_000, character: 'a' };

/** Of a pod that declares two services, of a slice of twenty pods, of a workload with three references. Bytes. */
const limit = 4096;

for (const kind of kindsWithTexts) {
  test(`what is kept of one ${kind} does not grow with its texts`, () => {
    fc.assert(
      fc.property(hostile, (texts) => {
        const kept = leastKept(kind, texts);
        assert.ok(kept < limit, `${Math.round(kept)} bytes`);
      }),
      {
        ...propertyRuns(10),
        examples: [[{ ...longest, fields: [...hostileFields] }], [{ ...longest, fields: names }]],
      },
    );
  });
}
