import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { shrinkingFor } from '../support/shrinking.ts';

/** The number 0, which shrinks to the greater ones: for an hour, if a run takes ten seconds. */
class Lengthy extends fc.Arbitrary<number> {
  override generate(): fc.Value<number> {
    return new fc.Value(0, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is number {
    return typeof value === 'number';
  }

  override shrink(value: number): fc.Stream<fc.Value<number>> {
    return fc.stream(greaterThan(value));
  }
}

function* greaterThan(value: number): Generator<fc.Value<number>> {
  for (let next = value + 1; next < 360; next += 1) yield new fc.Value(next, undefined);
}

/** Counts the runs, each of which takes ten seconds. */
function slow() {
  const clock = virtualClock();
  let runs = 0;
  return {
    plugins: [shrinkingFor(60_000, clock.monotonic)],
    runs: () => runs,
    run() {
      runs += 1;
      clock.advance(10_000);
    },
  };
}

const isEven = (value: number) => value % 2 === 0;

test('a property that fails for each smaller case, too, ends after a minute with the smallest so far', () => {
  const { plugins, run, runs } = slow();
  const property = fc.property(new Lengthy(), () => {
    run();
    return false;
  });
  const result = fc.check(property, { plugins });
  assert.deepEqual([result.failed, result.counterexample, runs()], [true, [6], 7]);
  assert.throws(() => fc.assert(property, { plugins }), /Property failed after 1 tests\n[\s\S]*Counterexample: \[6\]/);
});

test('a property that fails for some smaller cases ends after a minute, asynchronous ones as well', async () => {
  const { plugins, run, runs } = slow();
  const property = fc.asyncProperty(new Lengthy(), async (value) => {
    run();
    assert.ok(!isEven(value));
  });
  const result = await fc.check(property, { plugins });
  assert.deepEqual([result.failed, result.counterexample, runs()], [true, [6], 7]);
});

test('a property that passes, and one that skips cases, runs as often as it should, for any time', () => {
  const { plugins, run, runs } = slow();
  const even = fc.property(fc.nat(), (value) => {
    run();
    fc.pre(isEven(value));
  });
  const { failed, numRuns, numSkips } = fc.check(even, { plugins, numRuns: 100, seed: 1 });
  assert.deepEqual([failed, numRuns, numRuns + numSkips], [false, 100, runs()]);
});
