import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMeets, virtualClock } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { type Delivery, leaseApi } from '../support/api/leaseApi.ts';
import { type Replica, startReplica } from '../support/world/replica.ts';

const who = fc.constantFrom(0, 1);
const deliveries: fc.Arbitrary<Delivery> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ there: fc.integer({ min: 0, max: 50 }), back: fc.integer({ min: 0, max: 50 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ there: fc.integer({ min: 0, max: 30_000 }), back: fc.integer({ min: 0, max: 8_000 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      there: fc.integer({ min: 0, max: 6_000 }),
      back: fc.constant(1),
      end: fc.constantFrom('lost' as const, 'answerLost' as const, 'nonsense' as const, 403, 409, 500, 503),
    }),
  },
);
const step = fc.oneof(
  fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('freeze' as const, 'thaw' as const, 'kill' as const, 'stop' as const),
      who,
    }),
  },
  fc.record({ do: fc.constant('setClock' as const), who, ms: fc.integer({ min: -100_000, max: 100_000 }) }),
  fc.record({ do: fc.constant('fates' as const), deliveries: fc.array(deliveries, { minLength: 1, maxLength: 12 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Two processes, each restarted when it has ended, and every moment at which both were allowed to act. */
function election() {
  const clock = virtualClock();
  const api = leaseApi(clock);
  const coming: Delivery[] = [];
  api.setDelivery(() => coming.shift());
  const replicas: Replica[] = [];
  const violations: string[] = [];
  let born = 0;
  let terms = 0;

  function begin(place: number): void {
    born += 1;
    const before = replicas[place];
    terms += before?.events.filter(({ type }) => type === 'leadership.acquired').length ?? 0;
    replicas[place] = startReplica(api, clock, `replica-${born}`, { random: () => (born * 0.37) % 1 });
  }
  const acting = () => replicas.filter((each) => each.mayAct());

  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 200) {
      await clock.pass(Math.min(200, left));
      if (acting().length > 1) violations.push(`${acting().map((each) => each.identity)} at ${clock.monotonic()}`);
    }
  }

  async function end(place: number, replica: Replica, isOrderly: boolean): Promise<void> {
    if (isOrderly) replica.shutdown();
    await pass(isOrderly ? 300 : 0);
    replica.kill();
    begin(place);
  }

  async function perform(step: Step): Promise<void> {
    if (step.do === 'pass') return pass(step.ms);
    if (step.do === 'fates') return void coming.push(...step.deliveries);
    const replica = replicas[step.who] ?? assert.fail();
    if (step.do === 'setClock') return replica.setClock(step.ms);
    if (step.do === 'freeze') return replica.freeze();
    if (step.do === 'thaw') return replica.thaw();
    return end(step.who, replica, step.do === 'stop');
  }

  begin(0);
  begin(1);
  return {
    pass,
    perform,
    acting,
    violations,
    async recover() {
      coming.length = 0;
      for (const replica of replicas) await replica.thaw();
    },
    get terms() {
      return terms;
    },
  };
}

test('whatever happens to the API and to the processes: two never act at the same time, and one eventually does', () =>
  assertMeets({ 'terms that ended by a death': 30 }, 150, (met) =>
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (script) => {
      const at = election();
      for (const step of script) await at.perform(step);
      await at.recover();
      // Responses may be delayed by 30 s, and the holder that they name has another 15 s.
      await at.pass(60_000);
      assert.deepEqual(at.violations, []);
      assert.equal(at.acting().length, 1);
      met['terms that ended by a death'] += at.terms;
    }),
  ));
