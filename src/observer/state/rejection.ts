import type { ApplyFailure } from '../model/applyFailure.ts';
import type { Drift } from '../model/projection.ts';
import type { Rejection, ResourceEntry } from './entries.ts';

/** How often a permanently refused request is retried. Milliseconds. */
export const rejectedRetryInterval = 300_000;

/** Records a refusal. A refused field is retried with those that were refused before it. */
export function recordRejection(
  entry: ResourceEntry,
  of: Rejection['of'],
  { is: failure, reason }: Pick<ApplyFailure, 'is' | 'reason'>,
  drifts: readonly Drift[],
  now: number,
): void {
  const before = of === 'correct' ? rejectionOf(entry, of, now) : undefined;
  const paths = new Set([...(before?.paths ?? []), ...drifts.map(({ path }) => path)]);
  entry.rejection = { of, paths, reason, failure, until: before?.until ?? now + rejectedRetryInterval };
}

/** Forgets refusals after a success, except those of fields that were not tried again. */
export function forgetRejection(entry: ResourceEntry, of: Rejection['of'], now: number): void {
  if (of !== 'correct' || rejectionOf(entry, of, now) === undefined) entry.rejection = undefined;
}

/** Returns the refusal of such a request, until it is due to be retried. */
export function rejectionOf({ rejection }: ResourceEntry, of: Rejection['of'], now: number): Rejection | undefined {
  return rejection?.of === of && now < rejection.until ? rejection : undefined;
}

/** Returns the drifts that may be corrected, and the paths of those that the API server refuses to correct. */
export function splitDrifts(
  entry: ResourceEntry,
  now: number,
): { readonly open: readonly Drift[]; readonly refused: ReadonlySet<string> } {
  const rejection = rejectionOf(entry, 'correct', now);
  if (rejection === undefined) return { open: entry.drifts, refused: new Set() };
  const isOpen = ({ path }: Drift) => !rejection.paths.has(path);
  return { open: entry.drifts.filter(isOpen), refused: rejection.paths };
}
