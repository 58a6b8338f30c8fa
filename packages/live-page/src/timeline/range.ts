import type { Range } from './spans.ts';

const hour = 3_600_000;
const shortest = 15_000;

/** The shown part of the timeline: the newest part, until the user moves it. */
interface ShownRange {
  /** `end`: the newest time. */
  get(end: number): Range;
  /** Multiplies the length of the range: `factor` 0.5 zooms in, 2 zooms out. */
  zoom(factor: number, end: number): void;
  /** Moves the range by a share of its length: -0.5 is half of it towards the past. */
  move(share: number, end: number): void;
  /** Sets the maximum length, which for a replay is that of its recording. */
  limit(length: number): void;
}

export function createShownRange(): ShownRange {
  let longest = hour;
  let length = hour;
  /** Undefined: the range follows the time. */
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
