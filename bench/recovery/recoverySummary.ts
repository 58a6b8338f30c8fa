import { median } from '../support/statistics.ts';
import type { RecoveryCase, RecoveryRound } from './recoveryResults.ts';

/** The figures of a round that are plain numbers. */
export type Figure = {
  [K in keyof RecoveryRound]-?: RecoveryRound[K] extends number ? K : never;
}[keyof RecoveryRound];

/** The median over the rounds. */
export function medianOf(recoveryCase: RecoveryCase, candidate: string, figure: Figure): number {
  return median((recoveryCase.rounds[candidate] ?? []).map((round) => round[figure]));
}

/** The ratio to the bare client: the median of the ratios in each round, because the speed of the machine varies. */
export function ratioOf(recoveryCase: RecoveryCase, candidate: string, figure: Figure): number {
  const bare = recoveryCase.rounds['bare'] ?? [];
  const ratios = (recoveryCase.rounds[candidate] ?? []).map(
    (round, index) => round[figure] / (bare[index]?.[figure] ?? Number.NaN),
  );
  return median(ratios);
}
