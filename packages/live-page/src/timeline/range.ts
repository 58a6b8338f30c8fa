import type { Range } from './spans.ts';

/** Milliseconds. */
const shortest = 15_000;
/** The share of a fitted range that is free before what happened first. */
const margin = 0.03;

/** What the range can show: all of it, and the part in which something happened. The newest time is the end of both. */
interface Known {
  readonly whole: Range;
  readonly fitted: Range;
}

/** The shown part of the timeline: what there is, until the user chooses another part. */
interface ShownRange {
  get(): Range;
  /** Multiplies the length: 0.5 zooms in, 2 zooms out. The time at this share of the range stays where it is. */
  zoom(factor: number, at?: number): void;
  /** Moves the range by a share of its length: -0.5 is half of it towards the past. */
  move(share: number): void;
  show(range: Range): void;
  /** Shows what there is, from now on. */
  fit(): void;
}

export function createShownRange(known: () => Known): ShownRange {
  /** Undefined: it is fitted. `until` undefined: it follows the time. */
  let chosen: { readonly length: number; readonly until: number | undefined } | undefined;

  function get(): Range {
    const { whole, fitted } = known();
    if (chosen === undefined) return fitted;
    const to = chosen.until ?? whole.to;
    return { from: to - chosen.length, to };
  }

  function allowed(length: number): number {
    const { whole } = known();
    return Math.max(shortest, Math.min(whole.to - whole.from, length));
  }

  function show({ from, to }: Range): void {
    const { whole } = known();
    const length = allowed(to - from);
    const until = Math.max((from + to + length) / 2, whole.from + length);
    chosen = { length, until: until >= whole.to ? undefined : until };
  }

  return {
    get,
    zoom(factor, at) {
      const { from, to } = get();
      const isAtEnd = chosen?.until === undefined;
      const length = allowed((to - from) * factor);
      const [fixed, share] = [from + (to - from) * (at ?? 0.5), at ?? 0.5];
      if (at === undefined && isAtEnd) show({ from: to - length, to });
      else show({ from: fixed - length * share, to: fixed + length * (1 - share) });
    },
    move(share) {
      const { from, to } = get();
      const by = Math.min((to - from) * share, known().whole.to - to);
      show({ from: from + by, to: to + by });
    },
    show,
    fit() {
      chosen = undefined;
    },
  };
}

/** The part of the range since the first of what there is, with a margin, and not too short to read. */
export function fittedTo(whole: Range, first: number | undefined): Range {
  if (first === undefined) return whole;
  const length = Math.max(shortest, (whole.to - first) * (1 + margin));
  return { from: Math.max(whole.from, whole.to - length), to: whole.to };
}
