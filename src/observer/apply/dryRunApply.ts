import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { type ApplyFailureType, done, type Outcome } from '../objects/applyFailure.ts';
import { hasManager } from '../ownership/ownership.ts';
import type { DryRun, ResourcePlan } from '../plan/resourceApi.ts';
import { appliedFields } from './appliedFields.ts';
import { bodiesOf, observedFor } from './applyBodies.ts';
import { isRefusal } from './applyUnblocked.ts';
import type { ObserverApi } from './observerApi.ts';
import { retryOnConflict } from './retryOnConflict.ts';

/** The suffix of the name for dry-run creates. A dry run on the live object would include foreign elements. */
const probeSuffix = '-weeder-probe';

/** Failures that also occur under another name, unless `isUncalled`: a webhook may be for CREATE only. */
const notRetryable: ReadonlySet<ApplyFailureType> = new Set([
  'transient',
  'cancelled',
  'typeMissing',
  'namespaceTerminating',
]);

/**
 * Returns the object that the API server makes of the manifest, by a dry-run create under a probe name. If that is
 * refused (a nodePort or clusterIP that is in use, an exceeded quota, a name that is too long or fixed), it uses a
 * dry-run apply on the live object, which does not show foreign elements of lists.
 */
export async function dryRunApply(api: ObserverApi, plan: ResourcePlan, signal: AbortSignal): Promise<Outcome<DryRun>> {
  const { target, owner } = plan;
  const { whole } = bodiesOf(plan);
  const probe = named(whole, `${target.identity.name}${probeSuffix}`);
  const probed = await api.dryRunCreate(target, probe, owner.own, signal);
  if (probed.ok) return done({ object: named(probed.value, target.identity.name), isIndependent: true });
  const { type, isTaken, isUncalled } = probed.failure;
  const isFinal = notRetryable.has(type) && isTaken !== true && isUncalled !== true;
  return isFinal ? probed : dryRunOnLive(api, plan, signal);
}

/**
 * Does the same, and if admission refuses dry runs, returns the object that was applied last, by its field managers. If
 * there is none, the next apply creates it or is refused.
 */
export async function dryRunOrApplied(
  api: ObserverApi,
  plan: ResourcePlan,
  signal: AbortSignal,
): Promise<Outcome<DryRun>> {
  const dryRun = await dryRunApply(api, plan, signal);
  if (dryRun.ok || !(isRefusal(dryRun.failure) || dryRun.failure.isUncalled === true)) return dryRun;
  const existing = await api.read(plan.target, signal);
  const { own, init } = plan.owner;
  if (!existing.ok)
    return existing.failure.type === 'missing' ? done({ object: bodiesOf(plan).whole, isIndependent: false }) : dryRun;
  const isApplied = hasManager(existing.value, own) || hasManager(existing.value, init);
  return isApplied ? done({ object: appliedFields(existing.value, plan), isIndependent: false }) : dryRun;
}

async function dryRunOnLive(api: ObserverApi, plan: ResourcePlan, signal: AbortSignal): Promise<Outcome<DryRun>> {
  const { target, owner } = plan;
  const bodies = bodiesOf(plan);
  const tryOnce = async (): Promise<Outcome<DryRun>> => {
    const existing = await api.read(target, signal);
    if (!existing.ok && existing.failure.type !== 'missing') return existing;
    const body = existing.ok ? observedFor(existing.value, bodies, plan) : bodies.whole;
    const reply = await api.apply(target, body, { manager: owner.own, force: true, isDryRun: true }, signal);
    return reply.ok ? done({ object: reply.value, isIndependent: !existing.ok }) : reply;
  };
  return retryOnConflict(tryOnce, ({ type }) => type === 'conflict' || type === 'missing');
}

function named(object: JsonObject, name: string): JsonObject {
  return { ...object, metadata: { ...objectOf(object['metadata']), name } };
}
