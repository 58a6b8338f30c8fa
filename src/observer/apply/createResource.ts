import type { JsonObject } from '../../base/json.ts';
import { type ApplyFailure, done, failed, type Outcome } from '../model/applyFailure.ts';
import { identityText } from '../model/identity.ts';
import { isManagedOnlyBy, isTerminating, ownershipConflict, ownershipOf, versionOf } from '../ownership/ownership.ts';
import type { Applied, ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf } from './applyBodies.ts';
import { applyInSteps, forceOwnOnly } from './applySteps.ts';
import type { ObserverApi } from './observerApi.ts';

/** An object can come and go between two requests. */
const mostTries = 3;

/**
 * The whole resource, whether there is nothing of its name, what an earlier try has left, or an object of somebody's
 *. Of the last one only the observed fields are set; where others have written what is not observed, that is
 * left to them. Refused as `claimed` when another application has it: of two that try at once, one succeeds. `isAbsent`
 * is a guess: where it is wrong, the first apply is a conflict, is refused, or says that it has made nothing new.
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
    const found = await api.read(plan.target, signal);
    if (!found.ok && found.failure.is !== 'missing') return found;
    if (!found.ok && guessed !== undefined && isRefused(guessed)) return guessed;
    const outcome = await (found.ok ? adopt(api, plan, found.value, signal) : createNew(api, plan, signal));
    if (outcome.ok || !hasChangedMeanwhile(outcome.failure) || tries === mostTries)
      return withOwnerName(api, plan, outcome, signal);
  }
}

/** Where it was there all the same, its elements may be what is in the way. */
function mayBeThere(outcome: Outcome<Applied>): boolean {
  return isRefused(outcome) || (!outcome.ok && hasChangedMeanwhile(outcome.failure));
}

function isRefused(outcome: Outcome<Applied>): boolean {
  return !outcome.ok && outcome.failure.is === 'permanent';
}

/** What was read a moment ago is there no more, or is there now. */
function hasChangedMeanwhile({ is }: ApplyFailure): boolean {
  return is === 'missing' || is === 'otherUid' || is === 'conflict';
}

/**
 * One apply. Where only a part is observed, the init manager has all of it until the first correction or update: the
 * own manager takes what is observed by force then, and nobody else has any of it before.
 */
async function createNew(api: ObserverApi, plan: ResourcePlan, signal: AbortSignal): Promise<Outcome<Applied>> {
  const { target, owner } = plan;
  const { whole, unobserved } = bodiesOf(plan);
  const isAllObserved = unobserved === undefined;
  const made = await api.create(target, whole, isAllObserved ? owner.own : owner.init, signal);
  if (!made.ok) return made;
  const { object, isNew } = made.value;
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
  if (ownership.is === 'anothers') return ownershipConflict(ownership.by, plan.owner, plan.target.identity);
  if (isTerminating(live)) return failed('terminating', `${identityText(plan.target.identity)} is being deleted.`);
  const applied = await applyInSteps(api, plan, live, forceOwnOnly(plan, live), signal);
  if (!applied.ok) return applied;
  return done({ object: applied.value, hasChanged: versionOf(applied.value) !== versionOf(live), isNew: false });
}

/** A conflict over the label names a manager, which nobody can read: the object's annotation has the name. */
export async function withOwnerName(
  api: ObserverApi,
  { target, owner }: Pick<ResourcePlan, 'target' | 'owner'>,
  outcome: Outcome<Applied>,
  signal: AbortSignal,
): Promise<Outcome<Applied>> {
  if (outcome.ok || outcome.failure.is !== 'claimed') return outcome;
  const found = await api.read(target, signal);
  const ownership = found.ok ? ownershipOf(found.value, owner) : undefined;
  const by = ownership?.is === 'anothers' ? ownership.by : (outcome.failure.by ?? 'another one');
  return ownershipConflict(by, owner, target.identity);
}
