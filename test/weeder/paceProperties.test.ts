import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import type { Pace } from '../../src/config/config.ts';
import type { DeletionAnswer } from '../../src/weeder/deletions/deletePod.ts';
import { backOff } from '../support/objects/objects.ts';
import { configFor, minute } from '../support/world/simulation.ts';
import { ends, type World, world } from '../support/world/world.ts';

/** So long that a window never ends first. */
const watchDuration = 600 * minute;
const serviceNames = ['a', 'b', 'c'] as const;

const pace = fc.record({ pods: fc.integer({ min: 1, max: 6 }), per: fc.constantFrom(100, 250, 1000, 7000) });
const paces = fc.record({
  a: fc.option(pace, { nil: undefined }),
  b: fc.option(pace, { nil: undefined }),
  c: fc.option(pace, { nil: undefined }),
});
type Paces = Readonly<Record<(typeof serviceNames)[number], Pace | undefined>>;

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ pods: fc.nat(12), service: fc.constantFrom(...serviceNames) }) },
  { weight: 4, arbitrary: fc.record({ pass: fc.constantFrom(1, 40, 250, 999, 1000, 3000) }) },
  { weight: 1, arbitrary: fc.record({ ready: fc.boolean(), service: fc.constantFrom(...serviceNames) }) },
  { weight: 2, arbitrary: fc.record({ answers: fc.nat(5) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const configOf = (by: Paces) => ({
  services: serviceNames.map((name) => ({
    name,
    watchDuration,
    pace: by[name],
    podSelectors: [{ matchLabels: { uses: name } }],
  })),
});

const serviceOf = (pod: string) => pod.slice(0, 1);

/** The largest number of deletions of the service in any interval of this length, without its end. */
function most({ deletions }: World, service: string, length: number): number {
  const times = deletions.filter(({ name }) => serviceOf(name) === service).map(({ at }) => at);
  return Math.max(0, ...times.map((from) => times.filter((at) => from <= at && at < from + length).length));
}

/** Plays the steps; the API server responds when a step says so if `isSlow`, otherwise at once. */
async function play(options: {
  readonly paces: Paces;
  readonly steps: readonly Step[];
  readonly isSlow: boolean;
  readonly concurrentDeletions: number;
}): Promise<{ readonly at: World; readonly requested: Map<string, number> }> {
  const unanswered: (() => void)[] = [];
  let isSlow = options.isSlow;
  const at: World = world({
    ...configOf(options.paces),
    concurrentDeletions: options.concurrentDeletions,
    answer(request) {
      if (!isSlow) return at.answerTo(request);
      const { promise, resolve } = Promise.withResolvers<DeletionAnswer>();
      unanswered.push(() => resolve(at.answerTo(request)));
      return promise;
    },
  });
  const began = at.clock.monotonic();
  const requested = new Map<string, number>();
  const add = (service: string): void => {
    const name = `${service}-${requested.size}`;
    requested.set(name, at.clock.monotonic() - began);
    at.put({ name, labels: { uses: service }, containers: [backOff()] });
  };
  for (const service of serviceNames) at.slice({ service, ready: [true] });
  const act = (one: Step): void => {
    if ('answers' in one) for (const answer of unanswered.splice(0, one.answers)) answer();
    else if ('ready' in one) at.slice({ service: one.service, ready: [one.ready] });
    else if ('pods' in one) for (let index = 0; index < one.pods; index += 1) add(one.service);
  };
  for (const one of options.steps) {
    act(one);
    await at.clock.pass('pass' in one ? one.pass : 0);
  }
  isSlow = false;
  for (const answer of unanswered.splice(0)) answer();
  for (const service of serviceNames) at.slice({ service, ready: [true] });
  await at.clock.pass(10 * minute);
  return { at, requested };
}

const steps = fc.array(step, { minLength: 5, maxLength: 30 });

test('in any time `per`, a service has at most `pods` deletions, and every pod is deleted in the end', async () => {
  await fc.assert(
    fc.asyncProperty(paces, steps, fc.boolean(), fc.integer({ min: 1, max: 8 }), async (by, all, isSlow, slots) => {
      const { at, requested } = await play({ paces: by, steps: all, isSlow, concurrentDeletions: slots });
      for (const name of serviceNames) {
        const limit = by[name];
        if (limit !== undefined) assert.ok(most(at, name, limit.per) <= limit.pods, `${name}: ${at.timeline()}`);
      }
      assert.deepEqual(at.deletedNames().toSorted(), [...requested.keys()].toSorted());
      at.weeder.stop();
      await ends(at);
    }),
    propertyRuns(100),
  );
});

test('services without a pace are never delayed by those with one', async () => {
  const arrivals = fc.array(
    step.filter((one) => !('ready' in one)),
    { minLength: 5, maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(pace, pace, arrivals, async (a, b, all) => {
      const played = { steps: all, isSlow: false, concurrentDeletions: 1 };
      const { at, requested } = await play({ ...played, paces: { a, b, c: undefined } });
      for (const { name, at: sent } of at.deletions)
        if (serviceOf(name) === 'c') assert.equal(sent, requested.get(name), name);
      at.weeder.stop();
    }),
    propertyRuns(100),
  );
});

test('a service without a pace has the same deletions at the same times as with a pace that it never reaches', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), fc.integer({ min: 1, max: 4 }), async (all, isSlow, concurrentDeletions) => {
      const wide = { pods: 1_000_000, per: 100 };
      const played = { steps: all, isSlow, concurrentDeletions };
      const without = await play({ ...played, paces: { a: undefined, b: undefined, c: undefined } });
      const withPace = await play({ ...played, paces: { a: wide, b: wide, c: wide } });
      assert.deepEqual(withPace.at.timeline(), without.at.timeline());
      for (const { at } of [without, withPace]) at.weeder.stop();
    }),
    propertyRuns(50),
  );
});

test('with reloads at any time, pods wait for the pace that is in force, and are all deleted in the end', async () => {
  const reload = fc.record({ after: fc.integer({ min: 0, max: 3000 }), paces });
  await fc.assert(
    fc.asyncProperty(paces, fc.array(reload, { minLength: 1, maxLength: 6 }), async (first, reloads) => {
      const at = world({ ...configOf(first), concurrentDeletions: 3 });
      for (const service of serviceNames) at.slice({ service, ready: [true] });
      for (let index = 0; index < 60; index += 1) {
        const service = serviceNames[index % 3];
        at.put({ name: `${service}-${index}`, labels: { uses: String(service) }, containers: [backOff()] });
      }
      await at.clock.pass(0);
      let inForce: Paces = first;
      const check = (from: number) => {
        const sent = at.deletions.filter((each) => each.at >= from);
        for (const name of serviceNames) {
          const limit = inForce[name];
          if (limit === undefined) continue;
          const part = { ...at, deletions: sent };
          assert.ok(most(part, name, limit.per) <= limit.pods, `${name}: ${at.timeline()}`);
        }
      };
      let from = 0;
      for (const { after, paces: next } of reloads) {
        await at.clock.pass(after);
        check(from);
        from = at.clock.monotonic() + 0.001;
        inForce = next;
        at.weeder.configure(configFor(configOf(next)));
        await at.clock.pass(0);
        for (const name of serviceNames)
          if (next[name] === undefined) assert.ok(at.pods().every(({ metadata }) => serviceOf(metadata.name) !== name));
      }
      await at.clock.pass(10 * minute);
      assert.equal(at.deletions.length, 60);
      at.weeder.stop();
      await ends(at);
    }),
    propertyRuns(50),
  );
});
