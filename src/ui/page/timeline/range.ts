import type { Range } from './chart.ts';

const hour = 3_600_000;
const shortest = 15_000;

/** Which part of the timeline is looked at: the newest part, until somebody moves it. */
interface ShownRange {
  /** `end`: the newest time there is. */
  get(end: number): Range;
  /** Twice as near (`factor` 0.5) or as far (2). */
  zoom(factor: number, end: number): void;
  /** By a share of what is shown: -0.5 is half of it towards the past. */
  move(share: number, end: number): void;
  /** A replay is as long as its recording. */
  limit(length: number): void;
}

export function createShownRange(): ShownRange {
  let longest = hour;
  let length = hour;
  /** Undefined: it goes along with time. */
  let until: number | undefined;

  function set(to: number, end: number): void {
    until = to >= end ? undefined : Math.max(to, end - longest + length);
  }

  return {
    get(end) {
      const to = until ?? end;
      return { from: to - length, to };
    },
    zoom(factor, end) {
      const middle = (until ?? end) - length / 2;
      const isAtEnd = until === undefined;
      length = Math.min(longest, Math.max(shortest, length * factor));
      set(isAtEnd ? end : middle + length / 2, end);
    },
    move(share, end) {
      set((until ?? end) + share * length, end);
    },
    limit(milliseconds) {
      if (milliseconds === longest) return;
      longest = Math.max(shortest, milliseconds);
      length = longest;
      until = undefined;
    },
  };
}
