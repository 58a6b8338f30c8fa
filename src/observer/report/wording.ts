import type { AboutResource, Release } from '../objects/events.ts';
import { identityText } from '../objects/identity.ts';
import type { Drift } from '../objects/projection.ts';
import { shownPath } from '../objects/shownDrifts.ts';
import { listed } from '../objects/wording.ts';

export function pathsOf(drifts: readonly Drift[]): readonly string[] {
  return drifts.map(({ path }) => shownPath(path));
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

/** Says who has the object now. */
export function releasedNote({ resource, to, listedBy, keptBy }: Release & AboutResource): string {
  const text = identityText(resource);
  if (to !== undefined) return `${text} was handed over to the Application ${to.name}, which lists it.`;
  if (keptBy !== undefined) return `${text} was released and not deleted, because of ${keptBy}.`;
  if (listedBy === undefined) return `${text} was released.`;
  return `${text} was released and not deleted: the Application ${listedBy} lists it, but its account may not patch it.`;
}

export function releaseDetail({ to, listedBy, keptBy }: Release): string {
  if (to !== undefined) return `to ${to.name}`;
  if (listedBy !== undefined) return `listed by ${listedBy}`;
  return keptBy ?? '';
}

export function byManager(manager: string | undefined): string {
  return manager === undefined ? '' : ` (by ${manager})`;
}

export function attemptOf({ failure, attempt }: { readonly failure: string; readonly attempt: number }): string {
  return `${failure}, attempt ${attempt}`;
}
