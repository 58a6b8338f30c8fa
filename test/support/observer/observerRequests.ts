import { AsyncLocalStorage } from 'node:async_hooks';
import { objectOf } from '@weeder/kube-runtime/base';
import type { ApiRequest, ApiResult, KubeClient } from '@weeder/kube-runtime/client';
import type { Refusal, RequestFault, VirtualClock } from '@weeder/kube-runtime/testing';
import type { AccessVerb, ResourceApi, Target } from '../../../src/observer/plan/resourceApi.ts';
import type { SimulatedCluster } from '../world/cluster.ts';
import {
  about,
  accountOf,
  type ObserverFaults,
  type ObserverRequest,
  type ObserverRequests,
  otherKeysOf,
  withStale,
} from './observerFaults.ts';

interface Procedure {
  readonly what: keyof ResourceApi | AccessVerb;
  readonly key: string;
}

export function createObserverRequests(
  clock: VirtualClock,
  world: () => ObserverFaults & ObserverRequests,
  onRequest: ((request: ObserverRequest) => void) | undefined,
) {
  const startedAt = clock.now();
  const current = new AsyncLocalStorage<Procedure>();
  let procedures = 0;
  let calls = 0;
  let sent = 0;

  function textsOf(request: ApiRequest): readonly string[] {
    const { method, path, query } = request;
    const procedure = current.getStore();
    if (procedure === undefined) return [path, ...(otherKeysOf(request) ?? [])];
    const { what, key } = procedure;
    if ((method === 'GET') !== (what === 'read')) return [];
    return [`${what} ${key}`, what, ...(method === 'POST' && query?.['dryRun'] ? ['probe'] : [])];
  }

  function faultOf(request: ApiRequest): RequestFault | undefined {
    const texts = textsOf(request);
    const first = <T>(map: ReadonlyMap<string, T>) =>
      texts.map((text) => map.get(text)).find((each) => each !== undefined);
    const refused = first(world().refusals) ?? unservedBy(request) ?? rejectedBy(request);
    const late = first(world().lateReplies);
    const then =
      refused === undefined ? (late === undefined ? undefined : { lateReply: late }) : about(request, refused);
    const procedure = current.getStore();
    const takesTime = procedure !== undefined && isRequest(procedure.what) && texts.length > 0;
    const slow = first(world().slow) ?? (takesTime ? world().requestTime : 0);
    return slow === 0 ? then : { slow, ...(then === undefined ? {} : { then }) };
  }

  function unservedBy({ path }: ApiRequest): Refusal | undefined {
    const isAway = [...world().unavailable].some((group) => `${path}/`.includes(`/apis/${group}/`));
    if (isAway) return { status: 503, message: 'The API group is away.' };
    const account = accountOf(path);
    return current.getStore() === undefined && account !== undefined && world().missingAccounts.has(account)
      ? { status: 404, details: {} }
      : undefined;
  }

  function rejectedBy({ method, body }: ApiRequest): Refusal | undefined {
    const isApply = ['create', 'correct', 'update'].includes(current.getStore()?.what ?? '') && method === 'PATCH';
    return isApply ? world().rejects(objectOf(body)) : undefined;
  }

  async function counted(client: KubeClient, request: ApiRequest): Promise<ApiResult> {
    const account = accountOf(request.path);
    if (account !== undefined && current.getStore() === undefined) world().accountLookups.push(account);
    calls += 1;
    sent += 1;
    try {
      const result = await client.call(request);
      return request.path === '/apis' ? withStale(result, world().unavailable) : result;
    } finally {
      calls -= 1;
    }
  }

  /** Calls a method of the API as a procedure. */
  async function run<T>(procedure: Procedure, { account }: Target, act: () => Promise<T>): Promise<T> {
    const { what, key } = procedure;
    if (isRequest(what)) {
      const request = { at: clock.now() - startedAt, what, key, account };
      world().requests.push(request);
      onRequest?.(request);
    }
    procedures += 1;
    world().maxInFlight = Math.max(world().maxInFlight, procedures);
    try {
      return await current.run(procedure, act);
    } finally {
      procedures -= 1;
    }
  }

  return {
    /** Changes with each request. */
    get sent() {
      return sent;
    },
    /** The number of requests in flight. */
    get inFlight() {
      return calls;
    },
    client(cluster: () => SimulatedCluster): KubeClient {
      const call = (request: ApiRequest) => counted(cluster().client(faultOf), request);
      return { ...cluster().client(faultOf), call };
    },
    api(api: ResourceApi): ResourceApi {
      const of = (what: keyof ResourceApi, target: Target) => ({ what, key: shortOf(target) });
      return {
        may(target, verb, extent, signal) {
          world().accessReviews.push(`${verb} ${extent} ${shortOf(target)}`);
          return run({ ...of('may', target), what: verb }, target, () => api.may(target, verb, extent, signal));
        },
        tryPatch(target, signal) {
          world().accessReviews.push(`tryPatch ${shortOf(target)}`);
          return run(of('tryPatch', target), target, () => api.tryPatch(target, signal));
        },
        read: (target, ...its) => run(of('read', target), target, () => api.read(target, ...its)),
        delete: (target, ...its) => run(of('delete', target), target, () => api.delete(target, ...its)),
        release: (target, ...its) => run(of('release', target), target, () => api.release(target, ...its)),
        create: (plan, ...its) => run(of('create', plan.target), plan.target, () => api.create(plan, ...its)),
        correct: (plan, ...its) => run(of('correct', plan.target), plan.target, () => api.correct(plan, ...its)),
        update: (plan, ...its) => run(of('update', plan.target), plan.target, () => api.update(plan, ...its)),
        dryRunApply: (plan, ...its) =>
          run(of('dryRunApply', plan.target), plan.target, () => api.dryRunApply(plan, ...its)),
        dryRunAgain: (plan, ...its) =>
          run(of('dryRunAgain', plan.target), plan.target, () => api.dryRunAgain(plan, ...its)),
        removeStaleClaim: (plan, ...its) =>
          run(of('removeStaleClaim', plan.target), plan.target, () => api.removeStaleClaim(plan, ...its)),
      };
    },
  };
}

function isRequest(what: Procedure['what']): what is ObserverRequest['what'] {
  return !['may', 'get', 'patch', 'tryPatch'].includes(what);
}

function shortOf({ identity: { kind, name } }: Target): string {
  return `${kind}/${name}`;
}
