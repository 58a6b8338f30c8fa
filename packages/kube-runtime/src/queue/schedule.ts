import { createHash } from 'node:crypto';
import type { Clock, TimerHandle } from '../base/clock.ts';

/** Schedules items, each once per period, spread evenly over it. */
export interface Schedule {
  /**
   * Calls `take` with each of these items, which all belong to this namespace, when it is due, until the returned
   * function is called.
   */
  join<T>(namespace: string, items: readonly T[], nameOf: (each: T) => string, take: (each: T) => void): () => void;
  /** From now on each item is due once every `period` milliseconds; 0: never. */
  configure(period: number): void;
}

interface Group {
  readonly namespace: string;
  /** From 0 to 1: where in the period each item is due, in this order. */
  readonly turns: readonly { readonly offset: number; readonly index: number }[];
  readonly take: (index: number) => void;
  timer: TimerHandle | undefined;
}

/**
 * The minimum average time between two turns of all items together, in milliseconds, however many there are: a dry run
 * costs 3 ms of CPU, and an idle weeder should cost nothing.
 */
const minimumSpacing = 2_000;

/**
 * Namespaces share these turns: one with more resources than its share has its own checked less often, and no others.
 * The offset of each item follows from its name, and its time from the wall clock, so that thousands are not due at
 * once, a restart changes nothing, and a replay repeats the times.
 */
export function createSchedule(clock: Clock, initial: number): Schedule {
  const groups = new Set<Group>();
  /** The number of items by namespace. */
  const sizes = new Map<string, number>();
  let share: number | undefined;
  let period = initial;

  function resize(namespace: string, by: number): void {
    const size = (sizes.get(namespace) ?? 0) + by;
    if (size > 0) sizes.set(namespace, size);
    else sizes.delete(namespace);
    share = undefined;
  }

  /** The period, or the multiple of it that the namespace needs. */
  function roundOf(namespace: string): number {
    share ??= shareOf([...sizes.values()], period / minimumSpacing);
    return period * Math.max(1, Math.ceil((sizes.get(namespace) ?? 0) / share));
  }

  function wait(group: Group): void {
    clock.clearTimeout(group.timer);
    group.timer = undefined;
    if (period === 0) return;
    const from = clock.now();
    const whole = roundOf(group.namespace);
    const [first] = turnsAfter(from, group.turns, whole);
    if (first === undefined) return;
    const next = nextRunAfter(from, first.offset, whole);
    group.timer = clock.setTimeout(() => {
      const now = clock.now();
      // There may be more items than when the timer was set, so the turn may be later.
      const round = roundOf(group.namespace);
      const due: number[] = [];
      for (const { offset, index } of turnsAfter(from, group.turns, round)) {
        if (nextRunAfter(from, offset, round) > now) break;
        due.push(index);
      }
      wait(group);
      for (const index of due.sort((a, b) => a - b)) group.take(index);
    }, next - from);
  }

  return {
    join(namespace, items, nameOf, take) {
      const group: Group = {
        namespace,
        turns: items
          .map((item, index) => ({ offset: offsetOf(nameOf(item)), index }))
          .sort((a, b) => a.offset - b.offset),
        take(index) {
          for (const item of items.slice(index, index + 1)) take(item);
        },
        timer: undefined,
      };
      groups.add(group);
      resize(namespace, items.length);
      wait(group);
      return () => {
        if (groups.delete(group)) resize(namespace, -items.length);
        clock.clearTimeout(group.timer);
      };
    },
    configure(next) {
      if (next === period) return;
      period = next;
      share = undefined;
      for (const group of groups) wait(group);
    },
  };
}

/** The first turn after `from`, both in epoch milliseconds. */
function nextRunAfter(from: number, offset: number, whole: number): number {
  const since = (from - Math.floor(offset * whole)) % whole;
  return from + whole - (since < 0 ? since + whole : since);
}

/** Yields the turns of one round after `from`, in their order. Finds the first by bisection: there may be thousands. */
function* turnsAfter(from: number, turns: Group['turns'], whole: number): Generator<Group['turns'][number]> {
  let [low, high] = [0, turns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Math.floor((turns[middle]?.offset ?? 0) * whole) <= from % whole) low = middle + 1;
    else high = middle;
  }
  for (let passed = 0; passed < turns.length; passed += 1) {
    const turn = turns[(low + passed) % turns.length];
    if (turn !== undefined) yield turn;
  }
}

/** How many of `turns` a namespace may have: the others share what some do not need. */
function shareOf(sizes: readonly number[], turns: number): number {
  let left = turns;
  let others = sizes.length;
  for (const size of sizes.toSorted((one, other) => one - other)) {
    if (size > left / others) return left / others;
    left -= size;
    others -= 1;
  }
  return Number.POSITIVE_INFINITY;
}

function offsetOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0) / 2 ** 32;
}
