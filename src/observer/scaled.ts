import type { JsonObject } from '../json.ts';
import { type Kept, rememberApplied } from './kept.ts';
import type { ResourceEntry } from './resourceEntry.ts';
import { scaleOwnerOf, withoutReplicas } from './scaleOwned.ts';

/**
 * Leaves the replicas to whoever scales the object, unless the schema lists them (F): what is observed is another thing
 * then, and has to be applied so, before anything is compared or corrected.
 */
export function yieldReplicas(entry: ResourceEntry, live: JsonObject): void {
  if (entry.kept !== undefined) yieldKept(entry, entry.kept, live);
  if (entry.planIfScaled === undefined || entry.scaledBy !== undefined) return;
  entry.scaledBy = scaleOwnerOf(live);
  if (entry.scaledBy === undefined) return;
  rememberApplied(entry);
  entry.plan = entry.planIfScaled;
  entry.kept = undefined;
  entry.baseline = undefined;
}

/** The manifest of now may have no replicas, or leave them to an autoscaler, where the one that is kept has some. */
function yieldKept(entry: ResourceEntry, kept: Kept, live: JsonObject): void {
  const shape = withoutReplicas(kept.plan.shape, kept.plan.manifest.object);
  const isScaled = entry.isAutoscaled || (entry.scaledBy ?? scaleOwnerOf(live)) !== undefined;
  if (shape === kept.plan.shape || !isScaled) return;
  entry.kept = { ...kept, plan: { ...kept.plan, shape } };
  entry.baseline = undefined;
}
