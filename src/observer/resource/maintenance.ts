import { closedWords, maintenanceAt } from '../../config/maintenance.ts';
import { effectivePlan } from '../entries/comparison.ts';
import { memoryOf, type ResourceEntry } from '../entries/entries.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';

/** How long corrections wait. */
interface Pending {
  /** Milliseconds until a maintenance window opens. */
  readonly opensIn: number;
  /** Which one, in a clause. */
  readonly pending: string;
}

/** Returns undefined while a maintenance window is open, and if none limits corrections. */
export function pendingMaintenance({
  runtime,
  maintenanceWindows,
}: Pick<ObserverEffects, 'runtime' | 'maintenanceWindows'>): Pending | undefined {
  const now = runtime.clock.now();
  const state = maintenanceAt(maintenanceWindows(), now);
  if (state.type === 'open') return undefined;
  return { opensIn: (state.opensAt ?? Number.MAX_SAFE_INTEGER) - now, pending: closedWords(state) };
}

/**
 * Whether a write would only restore what was applied before, and not apply what its Application demands since it has
 * changed: maintenance windows limit only the former.
 */
export function isCorrection(entry: ResourceEntry): boolean {
  return memoryOf(entry.actor).appliedHash !== undefined && effectivePlan(entry) !== undefined;
}
