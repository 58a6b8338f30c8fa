import type { JsonObject } from '../../base/json.ts';
import { isScaledByUnknown, scaleOwnerOf, withoutReplicas } from '../ownership/replicas.ts';
import type { LastKnownGood, ResourceEntry } from './entries.ts';
import { rememberApplied } from './lastKnownGood.ts';

/**
 * Leaves the replicas to whoever scales the object, unless the schema lists them: what is observed is another thing
 * then, and has to be applied so, before anything is compared or corrected.
 */
export function yieldReplicas(entry: ResourceEntry, live: JsonObject): void {
  if (entry.lastKnownGood !== undefined) yieldLastKnownGood(entry, entry.lastKnownGood, live);
  if (entry.planIfScaled === undefined || entry.scaledBy !== undefined) return;
  entry.scaledBy = scalerOf(entry, live, [entry.plan?.hash, entry.planIfScaled.hash]);
  if (entry.scaledBy === undefined) return;
  rememberApplied(entry);
  const { appliedPlan: previous } = entry;
  entry.plan = { ...entry.planIfScaled, ...(previous === undefined ? {} : { previous }) };
  entry.lastKnownGood = undefined;
  entry.baseline = undefined;
}

/** The manifest of now may have no replicas, or leave them to an autoscaler, where the one that is kept has some. */
function yieldLastKnownGood(entry: ResourceEntry, kept: LastKnownGood, live: JsonObject): void {
  const mask = withoutReplicas(kept.plan.mask, kept.plan.manifest.object);
  const isScaled = entry.isAutoscaled || (entry.scaledBy ?? scalerOf(entry, live, [kept.plan.hash])) !== undefined;
  if (mask === kept.plan.mask || !isScaled) return;
  entry.lastKnownGood = { ...kept, plan: { ...kept.plan, mask } };
  entry.baseline = undefined;
}

/**
 * Only of what was applied with replicas, or without them because they were left to somebody, does it say anything that
 * nobody owns them: replicas that the manifest has not had before are the API server's default.
 */
function scalerOf(
  { appliedHash, application }: ResourceEntry,
  live: JsonObject,
  withReplicas: readonly (string | undefined)[],
): string | undefined {
  const owner = scaleOwnerOf(live);
  if (owner !== undefined || appliedHash === undefined || !withReplicas.includes(appliedHash)) return owner;
  return isScaledByUnknown(live, application.owner) ? 'another manager' : undefined;
}
