import type { JsonObject } from '../json.ts';
import type { ResourceEntry } from './resourceEntry.ts';
import { scaleOwnerOf } from './scaleOwned.ts';

/**
 * Leaves the replicas to whoever scales the object, unless the schema lists them (F): what is observed is another thing
 * then, and has to be applied so, before anything is compared or corrected.
 */
export function yieldReplicas(entry: ResourceEntry, live: JsonObject): void {
  if (entry.planIfScaled === undefined || entry.scaledBy !== undefined) return;
  entry.scaledBy = scaleOwnerOf(live);
  if (entry.scaledBy === undefined) return;
  entry.plan = entry.planIfScaled;
  entry.baseline = undefined;
}
