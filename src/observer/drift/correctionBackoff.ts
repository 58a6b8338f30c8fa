import type { Drift } from '../model/projection.ts';

/** The number of corrections of one path of a resource, and the time of the last one. */
interface Corrections {
  readonly count: number;
  /** Epoch milliseconds. */
  readonly last: number;
}

/**
 * The recent corrections of one resource, by `correctionKey`. Repeated drift of one resource delays no other resource.
 */
export type CorrectionHistory = ReadonlyMap<string, Corrections>;

/**
 * Milliseconds. Without a back-off, two conflicting managers cause 300 writes a second, a rollout for each, and
 * thousands of pods.
 */
const firstWait = 2_000;
const longestWait = 300_000;
const quiet = 600_000;

/**
 * The maximum number of entries. A conflicting manager that changes another path each time does not escape the
 * back-off, because an added element counts as its list.
 */
const mostRemembered = 200;

/** No corrections yet. */
export const noCorrections: CorrectionHistory = new Map();

/** The key for a resource that is missing. */
export const missingKey = '';

/**
 * Returns the key under which corrections are counted: the path. An added element counts as its list, since the client
 * that adds it can choose another name each time.
 */
export function correctionKey({ path, is }: Pick<Drift, 'path' | 'is'>): string {
  return is === 'excess' || is === 'duplicate' ? withoutLastElement(path) : path;
}

/**
 * Removes `[name="a"]` or `[0]` at the end. A key's text may contain brackets, and the client that adds an element
 * chooses its length.
 */
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
 * Returns the milliseconds from `now` until these may be corrected: 0 the first time, then doubled each time, counted
 * from the previous correction. One correction applies all paths, so the longest delay counts.
 */
export function backoffFor(pace: CorrectionHistory, keys: readonly string[], now: number): number {
  return keys.reduce((longest, key) => Math.max(longest, waitOf(pace.get(key), now)), 0);
}

function waitOf(corrections: Corrections | undefined, now: number): number {
  if (corrections === undefined) return 0;
  const due = corrections.last + Math.min(longestWait, firstWait * 2 ** (corrections.count - 1));
  // A clock that was set back never makes the delay longer than `longestWait`.
  return Math.max(0, Math.min(due - now, longestWait));
}

/** Records a correction of these at `now`. Entries without a correction for ten minutes are dropped. */
export function withCorrection(pace: CorrectionHistory, keys: readonly string[], now: number): CorrectionHistory {
  const recent = new Map([...pace].filter(([, { last }]) => now - last < quiet));
  for (const key of new Set(keys)) {
    const count = (recent.get(key)?.count ?? 0) + 1;
    recent.delete(key);
    recent.set(key, { count: Math.min(count, 32), last: now });
  }
  return new Map([...recent].slice(-mostRemembered));
}

/** Returns true if one of these was corrected recently and has drifted again. */
export function wasCorrectedRecently(pace: CorrectionHistory, keys: readonly string[], now: number): boolean {
  return keys.some((key) => now - (pace.get(key)?.last ?? Number.NEGATIVE_INFINITY) < quiet);
}
