import type { JsonObject } from '../../base/json.ts';
import { isScaledByUnknown, scaleOwnerOf, withoutReplicas } from '../ownership/replicas.ts';
import { type LastKnownGood, memoryOf, type ResourceEntry } from './entries.ts';
import { recordAppliedPlan } from './lastKnownGood.ts';

/**
 * Leaves the replicas to the client that scales the object, unless the schema lists them. This changes the observed
 * fields, so the resource has to be applied again before anything is compared or corrected.
 */
export function yieldReplicas(entry: ResourceEntry, live: JsonObject): void {
  if (entry.lastKnownGood !== undefined) yieldLastKnownGood(entry, entry.lastKnownGood, live);
  if (entry.planIfScaled === undefined || entry.scaledBy !== undefined) return;
  entry.scaledBy = scalerOf(entry, live, [entry.plan?.hash, entry.planIfScaled.hash]);
  if (entry.scaledBy === undefined) return;
  recordAppliedPlan(entry);
  const { appliedPlan: previous } = entry;
  entry.plan = { ...entry.planIfScaled, ...(previous === undefined ? {} : { previous }) };
  entry.lastKnownGood = undefined;
  entry.baseline = undefined;
}

/**
 * The current manifest may have no replicas, or leave them to an autoscaler, while the last known good one has some.
 */
function yieldLastKnownGood(entry: ResourceEntry, lastKnownGood: LastKnownGood, live: JsonObject): void {
  const mask = withoutReplicas(lastKnownGood.plan.mask, lastKnownGood.plan.manifest.object);
  const isScaled =
    entry.isAutoscaled || (entry.scaledBy ?? scalerOf(entry, live, [lastKnownGood.plan.hash])) !== undefined;
  if (mask === lastKnownGood.plan.mask || !isScaled) return;
  entry.lastKnownGood = { ...lastKnownGood, plan: { ...lastKnownGood.plan, mask } };
  entry.baseline = undefined;
}

/**
 * Missing ownership of the replicas shows that another client scales the object only if they were applied, or were left
 * out because another client scales it. Replicas that no earlier manifest had are the API server's default.
 */
function scalerOf(
  entry: ResourceEntry,
  live: JsonObject,
  withReplicas: readonly (string | undefined)[],
): string | undefined {
  const owner = scaleOwnerOf(live);
  const { appliedHash } = memoryOf(entry);
  if (owner !== undefined || appliedHash === undefined || !withReplicas.includes(appliedHash)) return owner;
  return isScaledByUnknown(live, entry.application.owner) ? 'another manager' : undefined;
}
