import assert from 'node:assert/strict';
import type { JsonObject } from '@weeder/kube-runtime/base';
import fc from 'fast-check';
import type { RestartConfig } from '../../../src/config/restart.ts';
import type { RestartEvent } from '../../../src/restart/references/events.ts';
import type { SourceRef } from '../../../src/restart/references/refs.ts';
import { restartConfig } from '../objects/restartSettings.ts';
import { restartOracle } from '../oracle/restartOracle.ts';
import { restartWorld } from '../world/restartWorld.ts';

const minute = 60_000;
const spaces = ['a', 'b', 'c'] as const;
const max = 12;

export interface StoryLimits {
  readonly maxRestartsPerMinute: number;
  readonly burst: number;
  readonly maxConcurrentRollouts: number;
  readonly maxAdoptionsPerMinute: number;
}

type SourceAct = 'write' | 'touch' | 'deleteSource' | 'skipSource' | 'includeSource';
type WorkloadAct = 'release' | 'crash' | 'deleteWorkload' | 'optOut' | 'optIn';

/** One step, and how long nothing happens after it. `which` chooses the source, or the workload. */
export type Step = { readonly wait: number; readonly which: number } & (
  | { readonly does: 'write'; readonly value: number }
  | { readonly does: Exclude<SourceAct, 'write'> }
  | { readonly does: WorkloadAct | 'changeBriefly' | 'makeWorkload' | 'stopWeeder' | 'startWeeder' | 'replace' }
  | { readonly does: 'limit'; readonly limits: StoryLimits }
  | { readonly does: 'rolloutTime'; readonly ms: number }
);

export const someLimits = fc.record<StoryLimits>({
  maxRestartsPerMinute: fc.integer({ min: 1, max: 40 }),
  burst: fc.integer({ min: 1, max: 6 }),
  maxConcurrentRollouts: fc.integer({ min: 1, max: 4 }),
  maxAdoptionsPerMinute: fc.integer({ min: 30, max: 600 }),
});

const when = {
  wait: fc.oneof(fc.constant(0), fc.nat(1_500), fc.nat(9_000), fc.nat(90_000)),
  which: fc.nat(max * 5),
};

function act<const D extends Step['does']>(does: D, weight: number) {
  return { weight, arbitrary: fc.record({ ...when, does: fc.constant(does) }) };
}

const write = fc.record({ ...when, does: fc.constant('write' as const), value: fc.nat(3) });
const limit = fc.record({ ...when, does: fc.constant('limit' as const), limits: someLimits });
const pace = fc.record({
  ...when,
  does: fc.constant('rolloutTime' as const),
  ms: fc.integer({ min: 300, max: 40_000 }),
});

export const someStory: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 24, arbitrary: write },
    act('touch', 3),
    act('changeBriefly', 3),
    act('deleteSource', 3),
    act('skipSource', 1),
    act('includeSource', 1),
    act('release', 4),
    act('crash', 2),
    act('deleteWorkload', 1),
    act('makeWorkload', 2),
    act('optOut', 1),
    act('optIn', 1),
    act('stopWeeder', 2),
    act('startWeeder', 3),
    act('replace', 2),
    { weight: 2, arbitrary: limit },
    { weight: 2, arbitrary: pace },
  ),
  { minLength: 1, maxLength: 50 },
);

/** The source number `which`: two in each namespace. */
function sourceOf(which: number): SourceRef {
  const namespace = spaces[which % spaces.length] ?? 'a';
  return { kind: 'ConfigMap', namespace, name: `s${Math.floor(which / spaces.length) % 2}` };
}

function idOf({ namespace, name }: SourceRef): string {
  return `${namespace}/${name}`;
}

/** Plays it in virtual time; throws at the first violation. Returns the number of restarts. */
export async function play(first: StoryLimits, story: readonly Step[]): Promise<number> {
  let config: RestartConfig = restartConfig(first);
  const log: string[] = [];
  /** Thrown at once, an error would count as one of the actor that reports the event. */
  let violation: unknown;
  const world = await restartWorld(config, { onEvent, onPods: (name) => oracle.podsMade(name) });
  const oracle = restartOracle(world.clock.monotonic, () => config);
  const skipped = new Set<string>();
  let isDown = false;
  let release = 0;

  function onEvent(event: RestartEvent): void {
    try {
      note(event);
    } catch (error) {
      violation ??= error;
    }
  }

  function note(event: RestartEvent): void {
    if (event.type === 'actor.failed') throw new Error(event.actor, { cause: event.error });
    if (!('workload' in event)) return;
    log.push(
      `${world.clock.monotonic()} ${event.workload.name} ${event.type} ${'reason' in event ? event.reason : ''}`,
    );
    if (event.type === 'workload.adopted') oracle.adopted(event.workload.name);
    if (event.type === 'workload.skipped') oracle.needless(event.workload.name);
    if (event.type === 'workload.restarted') oracle.restarted(event.workload.name);
  }

  function write(ref: SourceRef, data: Readonly<Record<string, string>>): void {
    const annotations = skipped.has(idOf(ref)) ? { 'weeder.dev/skip-hash-calculation': 'true' } : {};
    world.putSource(ref, data, { metadata: { annotations } });
    oracle.wrote(idOf(ref), data['a'] ?? '');
  }

  const data = new Map<string, Record<string, string>>();
  function put(ref: SourceRef, part: Readonly<Record<string, string>>): void {
    const next = { a: '0', ...data.get(idOf(ref)), ...part };
    data.set(idOf(ref), next);
    write(ref, next);
  }

  const workloads = new Map<string, number>();
  function makeWorkload(number: number): void {
    const name = `w${number}`;
    const [one, other] = [sourceOf(number), sourceOf(number + spaces.length)];
    const sources = number % 2 === 0 ? [one] : [one, other];
    const isOptional = number % 5 === 0;
    workloads.set(name, number);
    oracle.made(name, { sources: sources.map(idOf), isOptional });
    world.putWorkload(name, templateOf(sources, isOptional), { namespace: one.namespace });
  }

  async function pass(ms: number): Promise<void> {
    await world.pass(ms);
    if (violation !== undefined) throw new Error(`after:\n${log.slice(-40).join('\n')}`, { cause: violation });
  }

  async function startWeeder(): Promise<void> {
    isDown = false;
    oracle.cameUp();
    await world.restart();
  }

  function chosen(which: number): string | undefined {
    return [...workloads.keys()][which % Math.max(1, workloads.size)];
  }

  async function perform(step: Step): Promise<void> {
    const name = chosen(step.which);
    switch (step.does) {
      case 'changeBriefly':
        return changeBriefly(sourceOf(step.which), step);
      case 'write':
      case 'touch':
      case 'deleteSource':
      case 'skipSource':
      case 'includeSource':
        return performOnSource(step, sourceOf(step.which));
      case 'makeWorkload':
        return workloads.has(`w${step.which}`) ? undefined : makeWorkload(step.which);
      case 'stopWeeder':
        isDown = true;
        oracle.wentDown();
        return world.control.stop();
      case 'startWeeder':
        return isDown ? startWeeder() : undefined;
      case 'replace':
        return startWeeder();
      case 'limit':
        config = { ...config, ...step.limits };
        oracle.limitsChanged();
        return world.configure(config);
      case 'rolloutTime':
        world.rolloutTime = step.ms;
        return undefined;
      default:
        return name === undefined ? undefined : performOnWorkload(step.does, name);
    }
  }

  function setSkipped(ref: SourceRef, isSkipped: boolean): void {
    if (isSkipped) skipped.add(idOf(ref));
    else skipped.delete(idOf(ref));
    oracle.unsure(oracle.usersOf(idOf(ref)));
    if (data.has(idOf(ref))) put(ref, {});
  }

  /** The source has other content for a while, in which pods are created or containers started. */
  async function changeBriefly(ref: SourceRef, { wait, which }: Step): Promise<void> {
    const { a: before = '0' } = data.get(idOf(ref)) ?? {};
    const name = oracle.usersOf(idOf(ref)).at(which % 2);
    put(ref, { a: 'between' });
    await pass(wait / 2);
    if (name !== undefined) performOnWorkload(which % 3 === 0 ? 'crash' : 'release', name);
    await pass(wait / 2);
    put(ref, { a: before });
  }

  function performOnSource(step: Extract<Step, { does: SourceAct }>, ref: SourceRef): void {
    if (step.does === 'write') {
      put(ref, { a: String(step.value) });
    } else if (step.does === 'deleteSource') {
      data.delete(idOf(ref));
      world.deleteSource(ref);
      oracle.deleted(idOf(ref));
    } else if (step.does === 'touch') {
      if (data.has(idOf(ref))) put(ref, { b: String(world.clock.monotonic()) });
    } else {
      setSkipped(ref, step.does === 'skipSource');
    }
  }

  function performOnWorkload(does: WorkloadAct, name: string): void {
    if (does === 'release') {
      release += 1;
      world.patchTemplate(name, { metadata: { annotations: { release: String(release) } } });
    } else if (does === 'crash') {
      world.crash(name);
      oracle.crashed(name);
    } else if (does === 'deleteWorkload') {
      workloads.delete(name);
      world.deleteWorkload(name);
      oracle.removed(name);
    } else {
      oracle.unsure([name]);
      world.annotate(name, { 'weeder.dev/restart-on-change': does === 'optOut' ? 'false' : null });
    }
  }

  for (let source = 0; source < spaces.length * 2; source += 1) put(sourceOf(source), {});
  await world.pass(5_000);
  for (let number = 0; number < max; number += 1) makeWorkload(number);
  await pass(2 * minute);
  assert.equal(oracle.total, 0, 'an adoption restarts nothing');
  for (const step of story) {
    log.push(`${world.clock.monotonic()} ${JSON.stringify(step)}`);
    await perform(step);
    await pass(step.wait);
  }
  if (isDown) await startWeeder();
  // Every workload may have been restarted so often that the breaker blocks it for ten minutes, and is one of twelve.
  await pass(60 * minute);
  assert.deepEqual(oracle.behind(), [], 'a change was never rolled out');

  skipped.clear();
  for (let source = 0; source < spaces.length * 2; source += 1) put(sourceOf(source), {});
  for (const name of workloads.keys()) world.annotate(name, { 'weeder.dev/restart-on-change': null });
  oracle.unsure([...workloads.keys()]);
  await pass(60 * minute);
  oracle.sure();
  const before = oracle.total;
  for (let source = 0; source < spaces.length * 2; source += 1) put(sourceOf(source), { a: 'last' });
  await pass(60 * minute);
  assert.deepEqual(oracle.behind(), [], 'the last change was never rolled out');
  assert.equal(oracle.total - before, workloads.size, 'one restart each');
  assert.deepEqual(Object.keys(world.control.counts().states), workloads.size === 0 ? [] : ['current']);
  await startWeeder();
  await pass(10 * minute);
  assert.equal(oracle.total - before, workloads.size, 'another weeder restarts nothing');
  return oracle.total;
}

function templateOf(sources: readonly SourceRef[], optional: boolean): JsonObject {
  const env = sources.map(({ name }) => ({
    name: `VALUE_${name}`,
    valueFrom: { configMapKeyRef: { name, key: 'a', ...(optional ? { optional } : {}) } },
  }));
  return { containers: [{ name: 'app', image: 'app:1', env }] };
}
