import type { JsonObject } from '@weeder/kube-runtime/base';
import { type ApplyFailure, done, failed, type Outcome } from '../objects/applyFailure.ts';
import { identityText } from '../objects/identity.ts';
import { isManagedOnlyBy, isTerminating, ownershipConflict, ownershipOf, versionOf } from '../ownership/ownership.ts';
import type { Applied, ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf } from './applyBodies.ts';
import { applyInSteps, forceOwnOnly } from './applySteps.ts';
import type { ObserverApi } from './observerApi.ts';

/** An object can be created and deleted between two requests. */
const maxAttempts = 3;

/**
 * Creates the resource, or applies it to an existing object that has no owner or was left by an earlier attempt. On an
 * existing object only the observed fields are forced. Fails with `claimed` if another application owns it: of two
 * concurrent attempts, one succeeds. `isAbsent` is a guess. If it is wrong, the first apply is a conflict, is refused,
 * or responds that nothing was created.
 */
export async function createResource(
  api: ObserverApi,
  plan: ResourcePlan,
  signal: AbortSignal,
  isAbsent = false,
): Promise<Outcome<Applied>> {
  const guessed = isAbsent ? await createNew(api, plan, signal) : undefined;
  if (guessed !== undefined && !mayBeThere(guessed)) return withOwnerName(api, plan, guessed, signal);
  for (let tries = 1; ; tries += 1) {
    const existing = await api.read(plan.target, signal);
    if (!existing.ok && existing.failure.type !== 'missing') return existing;
    if (!existing.ok && guessed !== undefined && isRefused(guessed)) return guessed;
    const outcome = await (existing.ok ? adopt(api, plan, existing.value, signal) : createNew(api, plan, signal));
    if (outcome.ok || !hasChangedMeanwhile(outcome.failure) || tries === maxAttempts)
      return withOwnerName(api, plan, outcome, signal);
  }
}

/** If the object exists, its elements may have caused the failure. */
function mayBeThere(outcome: Outcome<Applied>): boolean {
  return isRefused(outcome) || (!outcome.ok && hasChangedMeanwhile(outcome.failure));
}

function isRefused(outcome: Outcome<Applied>): boolean {
  return !outcome.ok && outcome.failure.type === 'permanent';
}

/** The object was created or deleted since it was read. */
function hasChangedMeanwhile({ type }: ApplyFailure): boolean {
  return type === 'missing' || type === 'otherUid' || type === 'conflict';
}

/**
 * Creates the object with one apply. If only a part is observed, the init manager owns all of it until the first
 * correction or update, when the own manager takes the observed fields by force.
 */
async function createNew(api: ObserverApi, plan: ResourcePlan, signal: AbortSignal): Promise<Outcome<Applied>> {
  const { target, owner } = plan;
  const { whole, unobserved } = bodiesOf(plan);
  const isAllObserved = unobserved === undefined;
  const created = await api.create(target, whole, isAllObserved ? owner.own : owner.init, signal);
  if (!created.ok) return created;
  const { object, isNew } = created.value;
  if (!isNew) return adopt(api, plan, object, signal);
  return done({ object, hasChanged: true, isNew: isManagedOnlyBy(object, owner) });
}

async function adopt(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<Applied>> {
  const ownership = ownershipOf(live, plan.owner);
  if (ownership.type === 'otherApplication') return ownershipConflict(ownership.by, plan.owner, plan.target.identity);
  if (isTerminating(live)) return failed('terminating', `${identityText(plan.target.identity)} is being deleted.`);
  const applied = await applyInSteps(api, plan, live, forceOwnOnly(plan, live), signal);
  if (!applied.ok) return applied;
  return done({ object: applied.value, hasChanged: versionOf(applied.value) !== versionOf(live), isNew: false });
}

/** Replaces the field manager in an ownership conflict, which is a hash, by the name in the object's annotation. */
export async function withOwnerName(
  api: ObserverApi,
  { target, owner }: Pick<ResourcePlan, 'target' | 'owner'>,
  outcome: Outcome<Applied>,
  signal: AbortSignal,
): Promise<Outcome<Applied>> {
  if (outcome.ok || outcome.failure.type !== 'claimed') return outcome;
  const existing = await api.read(target, signal);
  const ownership = existing.ok ? ownershipOf(existing.value, owner) : undefined;
  const by = ownership?.type === 'otherApplication' ? ownership.by : (outcome.failure.by ?? 'another one');
  return ownershipConflict(by, owner, target.identity);
}
