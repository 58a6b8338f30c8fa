import { instant } from '../format.ts';
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
  /** The range as in the address: `FROM/TO`, or `900s` until the newest time; empty: what there is. */
  text(): string;
  /** Shows the range of such a text, which a user may have typed. */
  read(text: string): void;
}

export function createShownRange(known: () => Known): ShownRange {
  /** Undefined: it is fitted. `until` undefined: it follows the time. */
  let chosen: { readonly length: number; readonly until: number | undefined } | undefined;

  // Each action reads what is known once, because the newest time advances.
  function rangeIn({ whole, fitted }: Known): Range {
    if (chosen === undefined) return fitted;
    const to = Math.min(chosen.until ?? whole.to, whole.to);
    return { from: to - allowed(chosen.length, whole), to };
  }

  function show({ from, to }: Range, { whole }: Known): void {
    const length = allowed(to - from, whole);
    const until = Math.max((from + to + length) / 2, whole.from + length);
    // Sums of times since 1970 are exact to a fraction of a millisecond only.
    chosen = { length, until: whole.to - until < 1 ? undefined : until };
  }

  return {
    get: () => rangeIn(known()),
    zoom(factor, at) {
      const all = known();
      const { from, to } = rangeIn(all);
      const isAtEnd = chosen?.until === undefined;
      const length = allowed((to - from) * factor, all.whole);
      const [fixed, share] = [from + (to - from) * (at ?? 0.5), at ?? 0.5];
      if (at === undefined && isAtEnd) show({ from: to - length, to }, all);
      else show({ from: fixed - length * share, to: fixed + length * (1 - share) }, all);
    },
    move(share) {
      const all = known();
      const { from, to } = rangeIn(all);
      const by = Math.min((to - from) * share, all.whole.to - to);
      show({ from: from + by, to: to + by }, all);
    },
    show: (range) => show(range, known()),
    fit() {
      chosen = undefined;
    },
    text() {
      if (chosen === undefined) return '';
      const { length, until } = chosen;
      return until === undefined ? `${Math.round(length) / 1000}s` : `${instant(until - length)}/${instant(until)}`;
    },
    read(text) {
      const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(text) ?? [];
      const [, first = '', last = ''] = /^(\d{4}-[^\s/]+Z)\/(\d{4}-[^\s/]+Z)$/.exec(text) ?? [];
      const [from, to] = [Date.parse(first), Date.parse(last)];
      if (seconds !== undefined) chosen = { length: Number(seconds) * 1000, until: undefined };
      else chosen = from < to ? { length: to - from, until: to } : undefined;
    },
  };
}

/** The part of the range since the first of what there is, with a margin, and not too short to read. */
export function fittedTo(whole: Range, first: number | undefined): Range {
  if (first === undefined) return whole;
  const length = Math.max(shortest, (whole.to - first) * (1 + margin));
  return { from: Math.max(whole.from, whole.to - length), to: whole.to };
}

function allowed(length: number, whole: Range): number {
  return Math.max(shortest, Math.min(whole.to - whole.from, length));
}
