import type { Clock } from '@weeder/kube-runtime/base';
import { type ApplyFailure, done, failed, type Outcome } from '../objects/applyFailure.ts';
import type { AccessVerb, ResourceApi, Target } from '../plan/resourceApi.ts';
import type { ResourceEntry } from './entries.ts';

/** How long a proof of access is valid, since the permission may be revoked. Milliseconds. */
const proofValidFor = 300_000;

/** Returns true if there is a proof of access that has not expired. `now`: by the monotonic clock. */
export function isAccessProven({ desired: { plan }, proof }: ResourceEntry, now: number): boolean {
  const account = plan?.target.account;
  if (plan === undefined || account === undefined) return plan !== undefined;
  return proof?.account === account && now < proof.until;
}

/** Returns true if the state of the object may be reported. An expired proof counts until it is renewed or refused. */
export function mayDisclose({ desired: { plan }, proof }: ResourceEntry): boolean {
  const account = plan?.target.account;
  return plan !== undefined && (account === undefined || proof?.account === account);
}

/**
 * Records that a response to the ServiceAccount's own apply has contained the object. `now`: by the monotonic clock.
 */
export function recordAccess(entry: ResourceEntry, account: string | undefined, now: number): void {
  if (account !== undefined) entry.proof = { account, until: now + proofValidFor, hasReplied: true };
}

/** Verifies what accounts may see. */
export interface Access {
  /**
   * Proves that the account may see the object, and records the proof in `entry`. The result and the requests are the
   * same whether or not the object exists, unless the account may patch it. `forbidden`: the account may not see it.
   */
  verify(entry: ResourceEntry, target: Target, signal: AbortSignal): Promise<Outcome<undefined>>;
  /** Verifies that the account may apply the resource at all. `forbidden`: it may not. */
  verifyWrite(target: Target, signal: AbortSignal): Promise<Outcome<undefined>>;
}

/**
 * How long a denial is valid: a permission may be granted at any time, but hundreds of resources of one kind are
 * verified at once. Milliseconds.
 */
const denialValidFor = 1_000;

const rights = [
  { extent: 'kind', verb: 'get' },
  { extent: 'kind', verb: 'patch' },
  { extent: 'object', verb: 'get' },
  { extent: 'object', verb: 'patch' },
] as const;
type Right = (typeof rights)[number];

/** Failures that say nothing about the account's permissions. */
const inconclusive: ReadonlySet<ApplyFailure['type']> = new Set(['transient', 'cancelled', 'typeMissing']);

/** A request that several callers wait for is not aborted by one of them. */
const never = new AbortController().signal;

export function createAccess(clock: Clock, api: Pick<ResourceApi, 'may' | 'tryPatch'>): Access {
  /** By account, verb and collection: whether the account may access every object in it. */
  const reviews = new Map<string, { readonly response: Promise<Outcome<boolean>>; until: number }>();

  /** Checks the access to every object of the kind in its namespace, with one request for all of them. */
  function mayAll(target: Target, verb: AccessVerb): Promise<Outcome<boolean>> {
    const key = `${target.account} ${verb} ${target.collection}`;
    const now = clock.monotonic();
    const cached = reviews.get(key);
    if (cached !== undefined && now < cached.until) return cached.response;
    for (const [id, { until }] of reviews) if (until <= now) reviews.delete(id);
    const fresh = { response: review(), until: now + proofValidFor };
    reviews.set(key, fresh);
    return fresh.response;

    async function review(): Promise<Outcome<boolean>> {
      const answer = await api.may(target, verb, 'kind', never);
      if (!answer.ok) fresh.until = now;
      else if (!answer.value) fresh.until = clock.monotonic() + denialValidFor;
      return answer;
    }
  }

  function may(target: Target, verb: AccessVerb, extent: 'kind' | 'object', signal: AbortSignal) {
    return extent === 'kind' ? mayAll(target, verb) : api.may(target, verb, extent, signal);
  }

  /** Verifies that responses to the account's patches contain the object, since admission may still refuse them. */
  async function verifyPatch(entry: ResourceEntry, target: Target, signal: AbortSignal): Promise<Outcome<undefined>> {
    if (entry.proof?.account === target.account && entry.proof?.hasReplied === true) return done(undefined);
    const patched = await api.tryPatch(target, signal);
    return !patched.ok && patched.failure.type === 'missing' ? done(undefined) : patched;
  }

  /** Returns true if this permission lets the account see the object. */
  async function hasRight(entry: ResourceEntry, target: Target, right: Right, signal: AbortSignal) {
    const { verb, extent } = right;
    const answer = await may(target, verb, extent, signal);
    if (!answer.ok || !answer.value || verb === 'get') return answer;
    const reply = await verifyPatch(entry, target, signal);
    return reply.ok ? done(true) : reply;
  }

  /** Finds a permission by which the account may see the object. The cheapest check comes first. */
  async function prove(entry: ResourceEntry, target: Target, signal: AbortSignal): Promise<Outcome<AccessVerb>> {
    let refusal: Outcome<never> | undefined;
    for (const right of rights) {
      const answer = await hasRight(entry, target, right, signal);
      if (answer.ok && answer.value) return done(right.verb);
      if (answer.ok) continue;
      if (inconclusive.has(answer.failure.type)) return answer;
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
        entry.proof = { account, until: now + proofValidFor, hasReplied: proved.value === 'patch' };
        return done(undefined);
      }
      if (proved.failure.type !== 'cancelled') entry.proof = undefined;
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

/** A dry run of a creation determines the desired state. */
function neededFor({ application }: ResourceEntry): readonly string[] {
  return application.isDetectOnly ? ['get', 'create'] : toApply;
}

/** The message does not depend on whether the object exists. */
function denied({ account, identity, collection }: Target, verbs: readonly string[]): Outcome<never> {
  const { group, namespace } = identity;
  const plural = collection.split('/').at(-1) ?? '';
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const role = namespace === '' ? 'a ClusterRole' : `a Role in namespace ${namespace}`;
  const rule = `{apiGroups: ["${group}"], resources: ["${plural}"], verbs: [${verbs.map((verb) => `"${verb}"`).join(', ')}]}`;
  const may = `${account} may neither get nor patch ${plural} in API group "${group}" ${where}`;
  return failed('forbidden', `${may}. Grant it in ${role}: ${rule}.`);
}
