import type { Outcome } from '../objects/applyFailure.ts';
import type { ResourceApi, RestMapper, Target } from '../plan/resourceApi.ts';

/**
 * Returns requests whose failures with `typeMissing` say what the cluster serves instead, by a read of discovery that
 * begins after the failure: the API server itself responds only that it has no such path.
 */
export function namingVersions(api: ResourceApi, kinds: Pick<RestMapper, 'find' | 'findInGroup'>): ResourceApi {
  async function naming<T>(target: Target, signal: AbortSignal, request: Promise<Outcome<T>>): Promise<Outcome<T>> {
    const outcome = await request;
    if (outcome.ok || outcome.failure.type !== 'typeMissing') return outcome;
    const { identity, apiVersion } = target;
    await kinds.findInGroup(identity.group, identity.kind, signal);
    const found = await kinds.find(apiVersion, identity.kind, signal);
    if (!found.ok && found.failure.type !== 'typeMissing') return outcome;
    const reason = found.ok ? `The cluster has ${identity.kind} in ${apiVersion} only now.` : found.failure.reason;
    return { ok: false, failure: { ...outcome.failure, reason } };
  }

  return {
    ...api,
    read: (target, signal) => naming(target, signal, api.read(target, signal)),
    create: (plan, signal, isAbsent) => naming(plan.target, signal, api.create(plan, signal, isAbsent)),
    correct: (plan, live, drifts, signal) => naming(plan.target, signal, api.correct(plan, live, drifts, signal)),
    update: (plan, live, signal) => naming(plan.target, signal, api.update(plan, live, signal)),
    dryRunApply: (plan, signal) => naming(plan.target, signal, api.dryRunApply(plan, signal)),
  };
}
