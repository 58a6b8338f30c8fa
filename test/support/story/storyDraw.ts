import { seededRandom } from '@weeder/embedded-cluster';

/** Random numbers with a seed: the same story each time. */
export interface Dice {
  /** From 0 up to 1. */
  readonly next: () => number;
  /** From 0 up to `count`. */
  below(count: number): number;
  once(inTimes: number): boolean;
  of<T>(list: readonly [T, ...T[]]): T;
  some<T>(list: readonly T[], inTimes?: number): T[];
}

export function diceOf(seed: number): Dice {
  const next = seededRandom(seed);
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    once: (inTimes) => below(inTimes) === 0,
    of: (list) => list[below(list.length)] ?? list[0],
    some: (list, inTimes = 2) => list.filter(() => below(inTimes) === 0),
  };
}
