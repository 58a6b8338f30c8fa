import type { JsonObject } from '@weeder/kube-runtime/base';
import type { ApplicationOwner } from '../objects/fieldManagers.ts';
import { isScaledByUnknown, scaleOwnerOf, withoutReplicas } from '../ownership/replicas.ts';
import { type Desired, withAppliedPlan } from './desired.ts';

/** Who has applied an object, and the hash of the last apply. */
interface Applier {
  readonly owner: ApplicationOwner;
  readonly appliedHash: string | undefined;
}

/**
 * Leaves the replicas to the client that scales the object, unless the schema lists them. This changes the observed
 * fields, so the resource has to be applied again before anything is compared or corrected. Returns the same object if
 * nothing changes.
 */
export function yieldReplicas(desired: Desired, live: JsonObject, applier: Applier): Desired {
  const next = yieldLastKnownGood(desired, live, applier);
  const { plan, planIfScaled } = next;
  if (planIfScaled === undefined || next.scaledBy !== undefined) return next;
  const scaledBy = scalerOf(live, [plan?.hash, planIfScaled.hash], applier);
  if (scaledBy === undefined) return next;
  const applied = withAppliedPlan(next, applier.appliedHash);
  const { appliedPlan: previous } = applied;
  const scaled = { ...planIfScaled, ...(previous === undefined ? {} : { previous }) };
  return { ...applied, scaledBy, plan: scaled, lastKnownGood: undefined };
}

/**
 * The current manifest may have no replicas, or leave them to an autoscaler, while the last known good one has some.
 */
function yieldLastKnownGood(desired: Desired, live: JsonObject, applier: Applier): Desired {
  const { lastKnownGood, isAutoscaled, scaledBy } = desired;
  if (lastKnownGood === undefined) return desired;
  const { plan } = lastKnownGood;
  const mask = withoutReplicas(plan.mask, plan.manifest.object);
  const isScaled = isAutoscaled || (scaledBy ?? scalerOf(live, [plan.hash], applier)) !== undefined;
  if (mask === plan.mask || !isScaled) return desired;
  return { ...desired, lastKnownGood: { ...lastKnownGood, plan: { ...plan, mask } } };
}

/**
 * Missing ownership of the replicas shows that another client scales the object only if they were applied, or were left
 * out because another client scales it. Replicas that no earlier manifest had are the API server's default.
 */
function scalerOf(
  live: JsonObject,
  withReplicas: readonly (string | undefined)[],
  { appliedHash, owner }: Applier,
): string | undefined {
  const scaleOwner = scaleOwnerOf(live);
  if (scaleOwner !== undefined || appliedHash === undefined || !withReplicas.includes(appliedHash)) return scaleOwner;
  return isScaledByUnknown(live, owner) ? 'another manager' : undefined;
}
