import type { JsonObject } from '../../base/json.ts';
import { rivalOf } from '../drift/rival.ts';
import type { ApplicationOwner } from '../model/managers.ts';
import type { Drift } from '../model/projection.ts';
import { isOwnedBy } from './strangers.ts';

/**
 * An update is several applies, and may be refused after the first of them: what that one has brought in belongs to
 * weeder's own managers alone, and is nobody's change of what was applied before. Put back, it would come again with
 * every further try.
 */
export function isOurDoing(live: JsonObject, drift: Drift, owner: ApplicationOwner): boolean {
  if (drift.is !== 'changed' && drift.is !== 'excess') return false;
  const managers = new Set([owner.own, owner.init]);
  return isOwnedBy(live, managers, drift.path) && rivalOf(live, drift, owner) === undefined;
}
