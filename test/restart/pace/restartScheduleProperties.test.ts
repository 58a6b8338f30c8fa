import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/base';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { createRestartSchedule, type ScheduleLimits } from '../../../src/restart/pace/restartSchedule.ts';

/** One step of a scenario, `after` milliseconds after the previous one. */
type Step = { readonly after: number } & (
  | {
      readonly what: 'request';
      readonly namespace: string;
      /** The age of the change at the time of the request. */
      readonly age: number;
      readonly holdFor: number;
      readonly isNeeded: boolean;
      /** The request is repeated after this time, as if the source had changed once more. */
      readonly patience: number | undefined;
    }
  | { readonly what: 'limits'; readonly limits: ScheduleLimits }
);

const limits = fc.record<ScheduleLimits>({
  // Half of the rates are so low that a scenario has more requests than one minute allows.
  maxRestartsPerMinute: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 90 })),
  burst: fc.integer({ min: 1, max: 8 }),
  maxConcurrentRollouts: fc.integer({ min: 1, max: 5 }),
  maxAdoptionsPerMinute: fc.constant(120),
});
const after = fc.oneof(fc.constant(0), fc.nat(3_000), fc.nat(90_000));
const question = fc.record({
  what: fc.constant('request' as const),
  after,
  namespace: fc.constantFrom('a', 'a', 'a', 'b', 'c', 'd'),
  age: fc.nat(60_000),
  holdFor: fc.oneof(fc.constant(0), fc.nat(20_000), fc.nat(200_000)),
  isNeeded: fc.boolean(),
  patience: fc.option(fc.integer({ min: 1, max: 60_000 }), { nil: undefined }),
});
const steps: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: question, weight: 12 },
  { arbitrary: fc.record({ what: fc.constant('limits' as const), after, limits }), weight: 1 },
);

/** A slot that was not needed. */
interface Refund {
  readonly grantedAt: number;
  readonly at: number;
}

interface Request {
  readonly key: string;
  readonly namespace: string;
  readonly since: number;
}

/** Runs a scenario in virtual time, and checks every granted slot against the rules. */
function play(first: ScheduleLimits, story: readonly Step[]) {
  const clock = virtualClock();
  let current = first;
  const turns = createRestartSchedule({ clock, limits: () => current });
  const waiting = new Map<string, Request>();
  /** By waiting namespace: the other namespaces that have been granted a slot meanwhile. */
  const passedBy = new Map<string, Set<string>>();
  const used: number[] = [];
  const refunds: Refund[] = [];
  const requested = new Set<string>();
  const granted = new Set<string>();
  let active = 0;
  let ownTimers = 0;
  let restless = 0;

  function later(ms: number, callback: () => void): void {
    ownTimers += 1;
    clock.setTimeout(() => {
      ownTimers -= 1;
      callback();
      checkTimers();
    }, ms);
  }

  function checkTimers(): void {
    const isTimed = waiting.size > 0 && active < current.maxConcurrentRollouts;
    assert.equal(clock.pending - ownTimers, isTimed ? 1 : 0, 'a timer for a slot that is waited for, and no other');
  }

  function checkTurn({ key, namespace, since }: Request): void {
    assert.ok(active < current.maxConcurrentRollouts, 'more concurrent rollouts than the limit');
    assert.equal(granted.has(key), false, 'granted twice');
    const others = [...waiting.values()];
    for (const other of others.filter((each) => each.namespace === namespace)) {
      assert.ok(other.since >= since, 'the oldest is first');
    }
    for (const other of new Set(others.map((each) => each.namespace))) {
      if (other === namespace) continue;
      const passed = passedBy.get(other) ?? new Set();
      assert.ok(!passed.has(namespace), `${namespace} has a second turn while ${other} waits for its first`);
      passedBy.set(other, passed.add(namespace));
    }
    passedBy.delete(namespace);
  }

  function request(step: Extract<Step, { what: 'request' }>, key: string, since: number): void {
    const entry: Request = { key, namespace: step.namespace, since };
    let isWaiting = true;
    if (![...waiting.values()].some((each) => each.namespace === step.namespace)) passedBy.delete(step.namespace);
    waiting.set(key, entry);
    const onGranted = () => {
      isWaiting = false;
      waiting.delete(key);
      checkTurn(entry);
      granted.add(key);
      active += 1;
      const grantedAt = clock.monotonic();
      if (step.isNeeded) used.push(grantedAt);
      later(step.holdFor, () => {
        active -= 1;
        if (!step.isNeeded) refunds.push({ grantedAt, at: clock.monotonic() });
        release({ wasUsed: step.isNeeded });
      });
    };
    const release = turns.requestRestart(
      key,
      { namespace: step.namespace, since },
      { onGranted, onPending: () => assert.ok(isWaiting) },
    );
    if (step.patience === undefined || restless >= 200) return;
    later(step.patience, () => {
      if (!isWaiting) return;
      restless += 1;
      waiting.delete(key);
      release();
      request(step, key, since);
    });
  }

  for (const [index, step] of story.entries()) {
    clock.advance(step.after);
    if (step.what === 'limits') {
      current = step.limits;
      turns.limitsChanged();
    } else {
      requested.add(`${step.namespace}/${index}`);
      request(step, `${step.namespace}/${index}`, clock.monotonic() - step.age);
    }
    checkTimers();
  }
  // One restart a minute, each with its rollout, is the slowest pace of the test.
  clock.advance((story.length + 200) * 300_000);
  return { used, refunds, requested, granted, left: { pending: clock.pending, ...turnsLeft() } };

  function turnsLeft() {
    return { waiting: turns.restarts.waiting, active: turns.restarts.active };
  }
}

/**
 * The largest number of slots that were used within one minute, less the slots that were granted before it and returned
 * unused in it, because their tokens are available again from that moment.
 */
function maxInAMinute(used: readonly number[], refunds: readonly Refund[]): number {
  let max = 0;
  for (const time of used) {
    const isWithin = (other: number) => other >= time && other <= time + 60_000;
    const returned = refunds.filter(({ grantedAt, at }) => grantedAt < time && isWithin(at));
    max = Math.max(max, used.filter(isWithin).length - returned.length);
  }
  return max;
}

test('whatever is requested: the rate holds in every minute, the namespaces take turns, and every request is eventually granted', async () => {
  await assertMeets({ 'scenarios with more requests than a minute allows': 1 }, 2500, (met) =>
    fc.property(limits, fc.array(steps, { minLength: 1, maxLength: 60 }), (first, story) => {
      const { used, refunds, requested, granted, left } = play(first, story);
      assert.deepEqual(granted, requested);
      assert.deepEqual(left, { pending: 0, waiting: 0, active: 0 });
      const inForce = [first, ...story.flatMap((step) => (step.what === 'limits' ? [step.limits] : []))];
      const burst = Math.max(...inForce.map((each) => each.burst));
      const perMinute = Math.max(...inForce.map((each) => each.maxRestartsPerMinute));
      const max = maxInAMinute(used, refunds);
      assert.ok(max <= burst + perMinute, `${max} in a minute`);
      if (used.length > burst + perMinute) met['scenarios with more requests than a minute allows'] += 1;
    }),
  );
});
