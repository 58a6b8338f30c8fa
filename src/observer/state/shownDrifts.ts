import { toldDrifts } from '../model/confidential.ts';
import type { Identity, Json } from '../model/identity.ts';
import type { Drift } from '../model/projection.ts';
import type { ShownDrift } from '../spec/inventory.ts';

/** So many of a resource stand in the status; all of them are in the log, `weeder explain` and on the page. */
const mostDrifts = 20;
/** Characters of a value. */
const longestValue = 256;
const longestPath = 512;

/** Drifts as the status holds them: the first 20, their values as JSON and cut, and none of a Secret. */
export function shownDrifts(identity: Identity, drifts: readonly Drift[]): readonly ShownDrift[] {
  return toldDrifts(identity, drifts.slice(0, mostDrifts)).map(({ path, is, wanted, found }) => ({
    path: cut(path, longestPath),
    is,
    ...(wanted === undefined ? {} : { wanted: shown(wanted) }),
    ...(found === undefined ? {} : { found: shown(found) }),
  }));
}

function shown(value: Json): string {
  return cut(JSON.stringify(value), longestValue);
}

/** Never through the middle of a character that takes two places. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
