import { median } from '../support/statistics.ts';
import type { RecoveryCase, RecoveryRound } from './recoveryResults.ts';

/** The figures of a round that are plain numbers. */
export type Figure = {
  [K in keyof RecoveryRound]-?: RecoveryRound[K] extends number ? K : never;
}[keyof RecoveryRound];

/** The median over the rounds. */
export function medianOf(found: RecoveryCase, candidate: string, figure: Figure): number {
  return median((found.rounds[candidate] ?? []).map((round) => round[figure]));
}

/** How many times the bare client's: the median of the ratios round by round, because the machine's speed drifts. */
export function ratioOf(found: RecoveryCase, candidate: string, figure: Figure): number {
  const bare = found.rounds['bare'] ?? [];
  const ratios = (found.rounds[candidate] ?? []).map(
    (round, index) => round[figure] / (bare[index]?.[figure] ?? Number.NaN),
  );
  return median(ratios);
}
