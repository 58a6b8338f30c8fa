import type { JsonObject } from '@weeder/kube-runtime/base';
import type { ApplyFailure, Outcome } from '../objects/applyFailure.ts';
import { type Path, pathText } from '../objects/path.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { ObserverApi } from './observerApi.ts';
import { restoreOwners, takeOverAll } from './takeOver.ts';

/** One apply by a manager, and what may block it. */
interface Unblocking<T> {
  readonly manager: string;
  readonly apply: (live: JsonObject) => Promise<Outcome<T>>;
  /** What the apply removes in any case. Default: nothing. */
  readonly excess?: readonly Path[];
  /** Returns what may be the reason for the refusal, and is not in the manifest. */
  readonly blocking: (live: JsonObject, failure: ApplyFailure) => readonly Path[];
}

/** The outcome, and the object before the last apply. */
export interface Unblocked<T> {
  readonly outcome: Outcome<T>;
  readonly live: JsonObject;
}

/** Returns true if the API server would accept other values. */
export function isRefusal({ type, isDenied }: ApplyFailure): boolean {
  return type === 'permanent' || type === 'immutable' || isDenied === true;
}

/** The API server may name another reason once the first one is gone. */
const maxRounds = 3;

/**
 * Applies, and if that is refused permanently, again without what blocks it: the same write removes that. If it is
 * still refused or fails, the previous owners get back what was taken from them, so that a later apply does not remove
 * it.
 */
export async function applyUnblocked<T>(
  api: ObserverApi,
  plan: ResourcePlan,
  seen: JsonObject,
  { manager, apply, excess = [], blocking }: Unblocking<T>,
  signal: AbortSignal,
): Promise<Unblocked<T>> {
  let live = seen;
  let paths = excess;
  const taken = new Set<string>();
  for (let round = 0; ; round += 1) {
    for (const path of paths) taken.add(pathText(path));
    const cleared = await takeOverAll(api, plan, live, paths, manager, signal);
    if (!cleared.ok) return { outcome: cleared, live };
    live = cleared.value;
    const outcome = await apply(live);
    if (outcome.ok || (round === 0 && !isRefusal(outcome.failure))) return { outcome, live };
    const blockers = outcome.failure.type === 'permanent' ? blocking(live, outcome.failure) : [];
    paths = blockers.filter((path) => !taken.has(pathText(path)));
    if (paths.length === 0 || round === maxRounds) return giveBack(api, plan, seen, { outcome, live }, signal);
  }
}

async function giveBack<T>(
  api: ObserverApi,
  plan: ResourcePlan,
  seen: JsonObject,
  refused: Unblocked<T>,
  signal: AbortSignal,
): Promise<Unblocked<T>> {
  if (refused.live === seen) return refused;
  const restored = await restoreOwners(api, plan, seen, refused.live, signal);
  return restored.ok ? { ...refused, live: restored.value } : { ...refused, outcome: restored };
}
