import type { Clock } from '../../base/clock.ts';
import { type ApplyFailure, done, failed, type Outcome } from '../model/applyFailure.ts';
import type { AccessVerb, ResourceApi, Target } from '../plan/resourceApi.ts';
import type { ResourceEntry } from './entries.ts';

/** How long a proof of access is valid: the right may be revoked. Milliseconds. */
const believedFor = 300_000;

/** Whether there is a proof of access that has not expired. `now`: by the monotonic clock. */
export function isAccessProven({ plan, proof }: ResourceEntry, now: number): boolean {
  const account = plan?.target.account;
  if (plan === undefined || account === undefined) return plan !== undefined;
  return proof?.account === account && now < proof.until;
}

/**
 * Whether what was found of the object may be reported. A proof that has expired counts until it is renewed or refused.
 */
export function mayDisclose({ plan, proof }: ResourceEntry): boolean {
  const account = plan?.target.account;
  return plan !== undefined && (account === undefined || proof?.account === account);
}

/** Records that a reply to the ServiceAccount's own apply has held the object. `now`: by the monotonic clock. */
export function recordAccess(entry: ResourceEntry, account: string | undefined, now: number): void {
  if (account !== undefined) entry.proof = { account, until: now + believedFor, hasReplied: true };
}

/** What accounts may see. */
export interface Access {
  /**
   * Proves that the account may see the object, and notes that in `entry`. The answer, and what is asked, are the same
   * whether or not there is such an object, unless the account may patch it. `forbidden`: the account may not see it.
   */
  verify(entry: ResourceEntry, target: Target, signal: AbortSignal): Promise<Outcome<undefined>>;
  /** Whether the account may apply the resource at all. `forbidden`: it may not. */
  verifyWrite(target: Target, signal: AbortSignal): Promise<Outcome<undefined>>;
}

/** A right may be granted at any moment; hundreds of resources of one kind ask at once. Milliseconds. */
const deniedFor = 1_000;

const rights = [
  { extent: 'kind', verb: 'get' },
  { extent: 'kind', verb: 'patch' },
  { extent: 'object', verb: 'get' },
  { extent: 'object', verb: 'patch' },
] as const;
type Right = (typeof rights)[number];

/** Failures that say nothing of the account's rights. */
const mayPass: ReadonlySet<ApplyFailure['is']> = new Set(['transient', 'cancelled', 'typeMissing']);

/** A request that others wait for, too, is not ended by one of them. */
const never = new AbortController().signal;

export function createAccess(clock: Clock, api: Pick<ResourceApi, 'may' | 'tryPatch'>): Access {
  /** By account, verb and collection: whether everything in it is allowed. */
  const known = new Map<string, { readonly asked: Promise<Outcome<boolean>>; until: number }>();

  /** To every object of the kind in its namespace: asked once for all of them. */
  function mayAll(target: Target, verb: AccessVerb): Promise<Outcome<boolean>> {
    const key = `${target.account} ${verb} ${target.collection}`;
    const now = clock.monotonic();
    const its = known.get(key);
    if (its !== undefined && now < its.until) return its.asked;
    for (const [id, { until }] of known) if (until <= now) known.delete(id);
    const fresh = { asked: ask(), until: now + believedFor };
    known.set(key, fresh);
    return fresh.asked;

    async function ask(): Promise<Outcome<boolean>> {
      const answer = await api.may(target, verb, 'kind', never);
      if (!answer.ok) fresh.until = now;
      else if (!answer.value) fresh.until = clock.monotonic() + deniedFor;
      return answer;
    }
  }

  function may(target: Target, verb: AccessVerb, extent: 'kind' | 'object', signal: AbortSignal) {
    return extent === 'kind' ? mayAll(target, verb) : api.may(target, verb, extent, signal);
  }

  /** Whether the object is in replies to the account's patches, where it may patch: admission may still refuse them. */
  async function replies(entry: ResourceEntry, target: Target, signal: AbortSignal): Promise<Outcome<undefined>> {
    if (entry.proof?.account === target.account && entry.proof?.hasReplied === true) return done(undefined);
    const tried = await api.tryPatch(target, signal);
    return !tried.ok && tried.failure.is === 'missing' ? done(undefined) : tried;
  }

  /** Whether this right lets the account see the object. */
  async function hasRight(entry: ResourceEntry, target: Target, right: Right, signal: AbortSignal) {
    const { verb, extent } = right;
    const answer = await may(target, verb, extent, signal);
    if (!answer.ok || !answer.value || verb === 'get') return answer;
    const reply = await replies(entry, target, signal);
    return reply.ok ? done(true) : reply;
  }

  /** By which right the account may see the object, if by any. What costs least is asked first. */
  async function prove(entry: ResourceEntry, target: Target, signal: AbortSignal): Promise<Outcome<AccessVerb>> {
    let refusal: Outcome<never> | undefined;
    for (const right of rights) {
      const answer = await hasRight(entry, target, right, signal);
      if (answer.ok && answer.value) return done(right.verb);
      if (answer.ok) continue;
      if (mayPass.has(answer.failure.is)) return answer;
      refusal = answer;
    }
    return refusal ?? denied(target, neededFor(entry));
  }

  return {
    async verify(entry, target, signal) {
      const { account } = target;
      const now = clock.monotonic();
      if (account === undefined || isAccessProven(entry, now)) return done(undefined);
      const proved = await prove(entry, target, signal);
      if (proved.ok) {
        entry.proof = { account, until: now + believedFor, hasReplied: proved.value === 'patch' };
        return done(undefined);
      }
      if (proved.failure.is !== 'cancelled') entry.proof = undefined;
      return proved;
    },
    async verifyWrite(target, signal) {
      if (target.account === undefined) return done(undefined);
      for (const extent of ['kind', 'object'] as const) {
        const patch = await may(target, 'patch', extent, signal);
        if (!patch.ok) return patch;
        if (patch.value) return done(undefined);
      }
      return denied(target, toApply);
    },
  };
}

const toApply = ['get', 'create', 'patch'];

/** What is desired is found out by a dry run of a creation. */
function neededFor({ application }: ResourceEntry): readonly string[] {
  return application.isDetectOnly ? ['get', 'create'] : toApply;
}

/** Nothing in it depends on what there is. */
function denied({ account, identity, collection }: Target, verbs: readonly string[]): Outcome<never> {
  const { group, namespace } = identity;
  const plural = collection.split('/').at(-1) ?? '';
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const role = namespace === '' ? 'a ClusterRole' : `a Role in namespace ${namespace}`;
  const rule = `{apiGroups: ["${group}"], resources: ["${plural}"], verbs: [${verbs.map((verb) => `"${verb}"`).join(', ')}]}`;
  const may = `${account} may neither get nor patch ${plural} in API group "${group}" ${where}`;
  return failed('forbidden', `${may}. Grant it in ${role}: ${rule}.`);
}
