import type { ApplyFailure } from '../model/applyFailure.ts';
import type { Drift } from '../model/projection.ts';
import type { Desired, Rejection } from './desired.ts';

/** How often a permanently refused request is retried. Milliseconds. */
export const rejectedRetryInterval = 300_000;

/** Adds a refusal. A refused field is retried with those that were refused before it. */
export function withRejection(
  desired: Desired,
  of: Rejection['of'],
  { is: failure, reason }: Pick<ApplyFailure, 'is' | 'reason'>,
  drifts: readonly Drift[],
  now: number,
): Desired {
  const before = of === 'correct' ? rejectionOf(desired, of, now) : undefined;
  const paths = new Set([...(before?.paths ?? []), ...drifts.map(({ path }) => path)]);
  const until = before?.until ?? now + rejectedRetryInterval;
  return { ...desired, rejection: { of, paths, reason, failure, until } };
}

/** Drops refusals after a success, except those of fields that were not tried again. */
export function afterSuccess(desired: Desired, of: Rejection['of'], now: number): Desired {
  if (of === 'correct' && rejectionOf(desired, of, now) !== undefined) return desired;
  return { ...desired, rejection: undefined };
}

/** Returns the refusal of such a request, until it is due to be retried. */
export function rejectionOf({ rejection }: Desired, of: Rejection['of'], now: number): Rejection | undefined {
  return rejection?.of === of && now < rejection.until ? rejection : undefined;
}

/** Returns the drifts that may be corrected, and the paths of those that the API server refuses to correct. */
export function splitDrifts(
  desired: Desired,
  drifts: readonly Drift[],
  now: number,
): { readonly open: readonly Drift[]; readonly refused: ReadonlySet<string> } {
  const refused = rejectionOf(desired, 'correct', now)?.paths ?? new Set<string>();
  return { open: drifts.filter(({ path }) => !refused.has(path)), refused };
}
