import type { Drift } from '../model/projection.ts';

/** How often, and when last, one thing of a resource was corrected. */
interface Corrections {
  readonly count: number;
  /** Epoch milliseconds. */
  readonly last: number;
}

/** Of one resource, by `paceKey`: what was corrected lately. A fight over one resource delays no other. */
export type CorrectionHistory = ReadonlyMap<string, Corrections>;

/** Milliseconds. Without them a fight is 300 writes a second, a rollout each, and thousands of pods. */
const firstWait = 2_000;
const longestWait = 300_000;
const quiet = 600_000;

/** As many as are remembered; a conflictingManager who keeps finding new places is not let through by that (`paceKey`). */
const mostRemembered = 200;

/** Nothing was corrected. */
export const noCorrections: CorrectionHistory = new Map();

/** What stands for a resource that is missing. */
export const missingKey = '';

/**
 * The key under which corrections are counted: the path. An added element counts as its list, since whoever adds it can
 * choose another name each time.
 */
export function correctionKey({ path, is }: Pick<Drift, 'path' | 'is'>): string {
  return is === 'excess' || is === 'duplicate' ? withoutLastElement(path) : path;
}

/** Without `[name="a"]` or `[0]` at the end; texts in it may hold brackets. Whoever adds an element chooses its length. */
function withoutLastElement(path: string): string {
  let [begin, end] = [-1, -1];
  let isInText = false;
  for (let index = 0; index < path.length; index += 1) {
    const character = path[index];
    if (isInText && character === '\\') index += 1;
    else if (character === '"' && begin > end) isInText = !isInText;
    else if (character === '[' && !isInText) begin = index;
    else if (character === ']' && !isInText) end = index;
  }
  return begin >= 0 && end === path.length - 1 ? path.slice(0, begin) : path;
}

/**
 * Milliseconds from `now` until these may be corrected: none the first time, and from the second on twice as long each
 * time, counted from the correction before. One correction applies all of them, so the longest wait holds.
 */
export function backoffFor(pace: CorrectionHistory, keys: readonly string[], now: number): number {
  return keys.reduce((longest, key) => Math.max(longest, waitOf(pace.get(key), now)), 0);
}

function waitOf(corrections: Corrections | undefined, now: number): number {
  if (corrections === undefined) return 0;
  const due = corrections.last + Math.min(longestWait, firstWait * 2 ** (corrections.count - 1));
  // A clock that was set back never makes the wait longer than it is.
  return Math.max(0, Math.min(due - now, longestWait));
}

/** After a correction of these at `now`; what was quiet for ten minutes is forgotten. */
export function withCorrection(pace: CorrectionHistory, keys: readonly string[], now: number): CorrectionHistory {
  const recent = new Map([...pace].filter(([, { last }]) => now - last < quiet));
  for (const key of new Set(keys)) {
    const count = (recent.get(key)?.count ?? 0) + 1;
    recent.delete(key);
    recent.set(key, { count: Math.min(count, 32), last: now });
  }
  return new Map([...recent].slice(-mostRemembered));
}

/** Whether one of these was corrected recently and has drifted again. */
export function wasCorrectedRecently(pace: CorrectionHistory, keys: readonly string[], now: number): boolean {
  return keys.some((key) => now - (pace.get(key)?.last ?? Number.NEGATIVE_INFINITY) < quiet);
}
