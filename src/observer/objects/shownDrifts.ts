import { isSecret } from './confidential.ts';
import type { Identity, Json } from './identity.ts';
import type { Drift } from './projection.ts';

/** A drift as it is shown: its values are JSON and truncated, and left out for a Secret. */
export interface ShownDrift {
  readonly path: string;
  readonly type: Drift['type'];
  readonly desired?: string;
  readonly found?: string;
}

/** The number of drifts of a resource in the status, on the page and in the log. `weeder explain` has all of them. */
const maxDrifts = 20;
/** Characters. */
const longestValue = 256;
const longestPath = 512;

/**
 * Returns drifts as they may be shown to users: the first 20, with their values as truncated JSON, and no values of a
 * Secret. Inside the process the original drifts are used.
 */
export function shownDrifts(identity: Identity, drifts: readonly Drift[]): readonly ShownDrift[] {
  const isHidden = isSecret(identity);
  return drifts.slice(0, maxDrifts).map(({ path, type, desired, found }) => ({
    path: shownPath(path),
    type,
    ...(isHidden || desired === undefined ? {} : { desired: shown(desired) }),
    ...(isHidden || found === undefined ? {} : { found: shown(found) }),
  }));
}

/** A key or an element of a list can be as long as its object. */
export function shownPath(path: string): string {
  return cut(path, longestPath);
}

function shown(value: Json): string {
  return cut(JSON.stringify(value), longestValue);
}

/** Never splits a surrogate pair. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
