import type { JsonObject } from '../json.ts';
import { hashOf } from './planHash.ts';
import type { ResourceEntry } from './resourceEntry.ts';
import { scaleOwnerOf, withoutReplicas } from './scaleOwned.ts';

/**
 * Leaves the replicas to whoever scales the object, unless the schema lists them (F): what is observed is another thing
 * then, and has to be applied so, before anything is compared or corrected.
 */
export function yieldReplicas(entry: ResourceEntry, live: JsonObject): void {
  const { plan } = entry;
  if (plan === undefined || entry.scaledBy !== undefined) return;
  const scaledBy = scaleOwnerOf(live);
  if (scaledBy === undefined) return;
  const shape = withoutReplicas(plan.shape, plan.manifest.object);
  if (shape === plan.shape) return;
  entry.scaledBy = scaledBy;
  entry.plan = { ...plan, shape, hash: hashOf(plan.manifest, shape) };
  entry.baseline = undefined;
}
