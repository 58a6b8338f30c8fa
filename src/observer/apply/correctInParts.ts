import type { JsonObject } from '@weeder/kube-runtime/base';
import { type ApplyFailure, done, type Outcome } from '../objects/applyFailure.ts';
import { causePathsOf, concerns } from '../objects/causePath.ts';
import { findPaths } from '../objects/livePaths.ts';
import type { Drift } from '../objects/projection.ts';
import { type DriftGroup, groupDrifts } from '../ownership/keptFields.ts';
import { versionOf } from '../ownership/ownership.ts';
import type { Applied, ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf } from './applyBodies.ts';
import { isRefusal, type Unblocked } from './applyUnblocked.ts';

/** Corrects these drifts of the live object. The plan keeps the others as they are. */
type CorrectSome = (plan: ResourcePlan, live: JsonObject, drifts: readonly Drift[]) => Promise<Unblocked<Applied>>;

/** The maximum number of attempts, for an object of which many fields are refused. */
const maxAttempts = 20;

/** What was corrected so far. */
interface Progress {
  live: JsonObject;
  attempts: number;
  readonly refused: Drift[];
  failure: ApplyFailure | undefined;
}

/**
 * Corrects what can be corrected of an object whose correction was refused: a refused field does not protect the others
 * of its object. The causes say which fields to leave out first. If they name the whole object, halves of the drifts are
 * tried. Fails only if nothing could be corrected.
 */
export async function correctInParts(
  plan: ResourcePlan,
  seen: JsonObject,
  drifts: readonly Drift[],
  refusal: ApplyFailure,
  correctSome: CorrectSome,
): Promise<Outcome<Applied>> {
  const groups = groupDrifts(drifts, bodiesOf(plan).whole, seen, plan.topology);
  const parts = [...partsOf(groups, refusal, plan, seen)];
  if (parts.length === 0) return { ok: false, failure: refusal };
  const progress: Progress = { live: seen, attempts: 0, refused: [], failure: undefined };
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const next = await correctPart(plan, part, parts.flat(2), progress, correctSome);
    if (!next.ok) return next;
    parts.unshift(...next.value);
  }
  const { live, refused, failure } = progress;
  if (failure !== undefined && refused.length === drifts.length) return { ok: false, failure };
  const rest = failure === undefined ? {} : { refused: { drifts: refused, failure } };
  return done({ object: live, hasChanged: versionOf(live) !== versionOf(seen), isNew: false, ...rest });
}

/** Tries one part. Returns the smaller parts to try after it. */
async function correctPart(
  plan: ResourcePlan,
  part: readonly DriftGroup[],
  waiting: readonly Drift[],
  progress: Progress,
  correctSome: CorrectSome,
): Promise<Outcome<readonly (readonly DriftGroup[])[]>> {
  const others = [...waiting, ...progress.refused].map(({ path }) => path);
  const kept = new Set([...(plan.kept ?? []), ...others]);
  const { outcome, live } = await correctSome({ ...plan, kept }, progress.live, part.flat());
  progress.live = outcome.ok ? outcome.value.object : live;
  progress.attempts += 1;
  if (outcome.ok) return done([]);
  if (!isRefusal(outcome.failure)) return outcome;
  const smaller = progress.attempts < maxAttempts ? partsOf(part, outcome.failure, plan, progress.live) : [];
  if (smaller.length > 0) return done(smaller);
  progress.failure ??= outcome.failure;
  progress.refused.push(...part.flat());
  return done([]);
}

/**
 * Returns what the causes do not name, and then what they name; halves if that is all or nothing. Empty: it cannot be
 * split.
 */
function partsOf(
  groups: readonly DriftGroup[],
  { fields }: ApplyFailure,
  plan: ResourcePlan,
  live: JsonObject,
): readonly (readonly DriftGroup[])[] {
  if (groups.length < 2) return [];
  const causes = causePathsOf(fields);
  const texts = new Set(groups.flat().map(({ path }) => path));
  const places = [live, plan.manifest.object].map((object) => findPaths(object, plan.topology, texts));
  const isNamed = (group: DriftGroup) =>
    group.some(({ path: text }) => {
      const located = places.map((place) => place.get(text)).find((each) => each !== undefined);
      return located === undefined || causes.some((cause) => concerns(cause, located.path));
    });
  const named = groups.filter(isNamed);
  const others = groups.filter((group) => !named.includes(group));
  if (named.length > 0 && others.length > 0) return [others, named];
  const middle = Math.ceil(groups.length / 2);
  return [groups.slice(0, middle), groups.slice(middle)];
}
