import { createHash } from 'node:crypto';
import type { Clock, TimerHandle } from '../clock.ts';

/** Whose turn it is, each once in a period, spread evenly over it. */
export interface Turns {
  /** `take` is told of each of these when it is its turn, until what this returns is called. */
  join<T>(those: readonly T[], nameOf: (each: T) => string, take: (each: T) => void): () => void;
  /** From now on they have their turns once in `period` milliseconds; 0: never. */
  configure(period: number): void;
}

interface Group {
  /** Of each, from 0 to 1: where in the period it has its turn. */
  readonly places: readonly number[];
  readonly take: (index: number) => void;
  timer: TimerHandle | undefined;
}

/**
 * All of them together have one turn in this many milliseconds, on average, however many they are: a trial costs 3 ms of
 * CPU, and rest is to cost nothing.
 */
const apart = 2_000;

/**
 * The place of each follows from its name, and its time from the wall clock: so thousands do not ask at once, a restart
 * changes nothing, and a replay asks when it was asked.
 */
export function createTurns(clock: Clock, initial: number): Turns {
  const groups = new Set<Group>();
  let size = 0;
  let period = initial;

  /** The period, or as many of them as it takes. */
  function round(): number {
    return period * Math.max(1, Math.ceil((size * apart) / period));
  }

  /** The first of its turns after `from`, both in epoch milliseconds. */
  function turnAfter(from: number, place: number): number {
    const whole = round();
    const since = (from - Math.floor(place * whole)) % whole;
    return from + whole - (since < 0 ? since + whole : since);
  }

  function wait(group: Group): void {
    clock.clearTimeout(group.timer);
    group.timer = undefined;
    if (period === 0 || group.places.length === 0) return;
    const from = clock.now();
    const next = Math.min(...group.places.map((place) => turnAfter(from, place)));
    group.timer = clock.setTimeout(() => {
      const now = clock.now();
      // There may be more of them than when this was set, and the turn later.
      const due = [...group.places.keys()].filter((index) => turnAfter(from, group.places[index] ?? 0) <= now);
      wait(group);
      for (const index of due) group.take(index);
    }, next - from);
  }

  return {
    join(those, nameOf, take) {
      const group: Group = {
        places: those.map((each) => placeOf(nameOf(each))),
        take(index) {
          for (const each of those.slice(index, index + 1)) take(each);
        },
        timer: undefined,
      };
      groups.add(group);
      size += those.length;
      wait(group);
      return () => {
        if (groups.delete(group)) size -= those.length;
        clock.clearTimeout(group.timer);
      };
    },
    configure(next) {
      if (next === period) return;
      period = next;
      for (const group of groups) wait(group);
    },
  };
}

function placeOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0) / 2 ** 32;
}
