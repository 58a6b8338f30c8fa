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
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    once: (inTimes) => below(inTimes) === 0,
    of: (list) => list[below(list.length)] ?? list[0],
    some: (list, inTimes = 2) => list.filter(() => below(inTimes) === 0),
  };
}
