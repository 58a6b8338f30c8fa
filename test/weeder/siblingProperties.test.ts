import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { backOff, type PodOptions, running } from '../support/objects/objects.ts';
import { dependant, ready, siblingWorld } from '../support/world/siblings.ts';
import { minute } from '../support/world/simulation.ts';
import { ends, type World } from '../support/world/world.ts';

const hour = 60 * minute;
const readyFor = 10_000;
const start = Date.UTC(2026, 0, 1);

/** Two replicas of a workload, two other workloads, and one of another namespace. */
const pods = ['web-1', 'web-2', 'api-1', 'job-1', 'foreign-1'] as const;
type Name = (typeof pods)[number];
type State = 'crashes' | 'ready' | 'notReady' | 'gone';

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      pod: fc.constantFrom(...pods),
      state: fc.constantFrom<State>('crashes', 'ready', 'ready', 'ready', 'notReady', 'gone'),
    }),
  },
  { weight: 6, arbitrary: fc.record({ pass: fc.constantFrom(1, 5_000, 10_000, 11_000, 21_000, 81_000, 4 * minute) }) },
  { weight: 1, arbitrary: fc.record({ slices: fc.constantFrom('up', 'down', 'none', 'up', 'none') }) },
  { weight: 3, arbitrary: fc.record({ outage: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.record({ relist: fc.constant(true) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const shapes: Readonly<Record<State, (restarts: number) => PodOptions>> = {
  crashes: (restarts) => ({ containers: [backOff(restarts)] }),
  ready: (restarts) => ({ containers: [running(restarts)], conditions: { Ready: 'True' } }),
  notReady: (restarts) => ({ containers: [running(restarts)], conditions: { Ready: 'False' } }),
  gone: () => ({}),
};

/** What the test knows of a pod: its state, and since when. */
interface Known {
  readonly uid: string;
  readonly created: number;
  readonly state: State;
  readonly restarts: number;
  readonly since: number;
}

const namespaceOf = (name: Name) => (name === 'foreign-1' ? 'other' : 'shoot-1');

interface Claimed {
  readonly by: string;
  readonly readySince: number;
  /** When the EndpointSlices have changed last. */
  readonly changedAt: number;
}

/** A pod of the workload has been Ready for so long, and another one crash-loops. */
function assertEvidence(known: ReadonlyMap<Name, Known>, { by, readySince, changedAt }: Claimed): void {
  const isReady = ([name, { state, since }]: [Name, Known]) =>
    name.startsWith(by) && state === 'ready' && since <= readySince;
  assert.ok([...known].some(isReady), `no pod of ${by} has been Ready since ${readySince}`);
  assert.ok([...known.values()].some(({ state, since }) => state === 'crashes' && since >= changedAt));
}

/** Checks each window and each deletion at the time at which it happens. */
class Story {
  readonly at: World;
  readonly #windowsPerHour: number;
  readonly #known = new Map<Name, Known>();
  readonly #opened: { readonly at: number; readonly by: string }[] = [];
  #slices: 'up' | 'down' | 'none' = 'none';
  #changedAt = Number.NEGATIVE_INFINITY;
  #generation = 0;

  constructor(windowsPerHour: number) {
    this.#windowsPerHour = windowsPerHour;
    this.at = siblingWorld({
      startTime: start,
      declared: { siblingEvidence: { readyFor, windowsPerHour } },
      report: (event) => {
        if (event.type === 'window.opened' && event.because !== undefined) this.#checkWindow(event.because);
      },
      answer: (request) => {
        const name = pods.find((each) => each === request.name) ?? assert.fail(request.name);
        assert.equal(this.#known.get(name)?.state, 'crashes', `${name} runs`);
        return this.at.answerTo(request);
      },
    });
  }

  #now(): number {
    return this.at.clock.monotonic();
  }

  #checkWindow(because: string): void {
    const by = /^StatefulSet shoot-1\/(\w+) runs again$/.exec(because)?.[1] ?? assert.fail(because);
    const now = this.#now();
    const before = this.#opened.filter((each) => now - each.at < hour);
    assert.ok(before.length < this.#windowsPerHour, 'more windows within an hour than the limit');
    assert.notEqual(this.#slices, 'down', 'the EndpointSlices say that the service is down');
    const needed = readyFor * 2 ** before.filter((each) => each.by === by).length;
    assertEvidence(this.#known, { by, readySince: now - needed, changedAt: this.#changedAt });
    this.#opened.push({ at: now, by });
  }

  #find(name: Name) {
    return this.at.pods().find(({ metadata }) => metadata.name === name);
  }

  /** One that was deleted is replaced. */
  put(name: Name, state: State): void {
    const existing = this.#find(name);
    const now = this.#now();
    this.#generation += 1;
    const fresh = { uid: `${name}-${this.#generation}`, created: now, state, restarts: 0, since: now };
    const before = existing === undefined ? fresh : (this.#known.get(name) ?? fresh);
    const isCrash = state === 'crashes';
    const restarts = before.restarts + (isCrash ? 1 : 0);
    const { uid, created } = before;
    const is = { uid, namespace: namespaceOf(name), created: start + created };
    this.at.put(dependant(name, { ...is, ...shapes[state](restarts) }));
    const since = before.state === state && !isCrash ? before.since : now;
    this.#known.set(name, { uid, created, state, restarts, since });
  }

  remove(name: Name): void {
    if (this.#find(name) !== undefined) this.at.remove(name, namespaceOf(name));
    this.#known.delete(name);
  }

  slice(slices: 'up' | 'down' | 'none'): void {
    if (slices === this.#slices) return;
    this.#slices = slices;
    this.#changedAt = this.#now();
    if (slices === 'none') this.at.slice({ service: 'db' }, 'DELETED');
    else this.at.slice({ service: 'db', ready: [slices === 'up'] });
  }
}

function act(story: Story, one: Step): void {
  if ('outage' in one) for (const name of pods) story.put(name, 'crashes');
  else if ('relist' in one) story.at.relistPods();
  else if ('slices' in one) story.slice(one.slices);
  else if ('pod' in one && one.state === 'gone') story.remove(one.pod);
  else if ('pod' in one) story.put(one.pod, one.state);
}

async function play(steps: readonly Step[], windowsPerHour: number): Promise<World> {
  const story = new Story(windowsPerHour);
  for (const one of steps) {
    act(story, one);
    await story.at.clock.pass('pass' in one ? one.pass : 0);
  }
  await ends(story.at);
  return story.at;
}

test('whatever pods do: only crash-looping pods are deleted, and windows keep to their limits and their evidence', () =>
  assertMeets({ windows: 1 }, 150, (met) =>
    fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 150 }),
      fc.integer({ min: 1, max: 6 }),
      async (steps, windowsPerHour) => {
        const at = await play(steps, windowsPerHour);
        met.windows += at.eventsOf('window.opened').filter(({ because }) => because !== undefined).length;
      },
    ),
  ));

/** One pod runs for a time and crashes again, for hours, while another one crash-loops and is replaced when deleted. */
async function flaky(runsFor: (time: number) => number): Promise<World> {
  const at = siblingWorld({ startTime: start });
  let generation = 0;
  const replace = () => {
    if (at.pods().some(({ metadata }) => metadata.name === 'web-1')) return;
    generation += 1;
    at.put(dependant('web-1', { uid: `web-${generation}`, created: start + at.clock.monotonic() }));
  };
  for (let time = 0; at.clock.monotonic() < 4 * hour; time += 1) {
    at.put(dependant('flaky-1', { containers: [backOff(time + 1)] }));
    for (let second = 0; second < 10; second += 1) {
      replace();
      await at.clock.pass(1000);
    }
    at.put(ready('flaky-1', { containers: [running(time + 1)] }));
    for (let second = 0; second < runsFor(time); second += 1) {
      replace();
      await at.clock.pass(1000);
    }
  }
  return at;
}

test('a dependant that runs for 15 s and crashes, for hours, frees another one once an hour', async () => {
  const at = await flaky(() => 15);
  assert.equal(at.eventsOf('window.opened').length, 4);
});

test('one that runs longer each time opens no more windows than the limit, in which rounds limit the deletions', async () => {
  const at = await flaky((time) => 10 * 2 ** (time % 9));
  const times = at.deletions.filter(({ name }) => name === 'web-1').map((each) => each.at);
  assert.ok(at.eventsOf('window.opened').length <= 4 * 6);
  assert.ok(times.length > 4 && times.length <= 4 * 14, `${times.length} deletions in four hours`);
  for (const [index, time] of times.slice(1).entries()) assert.ok(time - (times[index] ?? 0) >= 10_000);
});
