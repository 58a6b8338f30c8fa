import type { Drift } from '../objects/projection.ts';
import { listed } from '../objects/wording.ts';

export function pathsOf(drifts: readonly Drift[]): readonly string[] {
  return drifts.map(({ path }) => path);
}

/** Excess and duplicate elements were removed; all other drifts were restored. */
export function correctedNote(drifts: readonly Drift[]): string {
  const removed = drifts.filter(({ type }) => type === 'excess' || type === 'duplicate');
  const restored = drifts.filter((each) => !removed.includes(each));
  return [
    ...(restored.length === 0 ? [] : [`${listed(pathsOf(restored))} restored`]),
    ...(removed.length === 0 ? [] : [`${listed(pathsOf(removed))} removed`]),
  ].join('; ');
}

export function byManager(manager: string | undefined): string {
  return manager === undefined ? '' : ` (by ${manager})`;
}

export function attemptOf({ failure, attempt }: { readonly failure: string; readonly attempt: number }): string {
  return `${failure}, attempt ${attempt}`;
}
