import type { AboutResource } from '../objects/events.ts';
import type { ApplicationOwner } from '../objects/fieldManagers.ts';
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

interface Released extends AboutResource {
  readonly to?: ApplicationOwner;
  readonly listedBy?: string;
}

/** Says who has the object now. */
export function releasedNote({ resource, to, listedBy }: Released): string {
  const text = identityText(resource);
  if (to !== undefined) return `${text} was handed over to the Application ${to.name}, which lists it.`;
  if (listedBy === undefined) return `${text} was released.`;
  return `${text} was released and not deleted: the Application ${listedBy} lists it, but its account may not patch it.`;
}

export function byManager(manager: string | undefined): string {
  return manager === undefined ? '' : ` (by ${manager})`;
}

export function attemptOf({ failure, attempt }: { readonly failure: string; readonly attempt: number }): string {
  return `${failure}, attempt ${attempt}`;
}
