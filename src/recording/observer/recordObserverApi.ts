import type { Outcome } from '../../observer/model/applyFailure.ts';
import { type Identity, identityKey, identityText } from '../../observer/model/identity.ts';
import type { AccessVerb, ResourceApi, RestMapper, RestMapping, Target } from '../../observer/plan/resourceApi.ts';
import type { ApplicationApi } from '../../observer/status/applicationApi.ts';
import type { AppendObserver, RecordedObserverResponse } from './observerLines.ts';
import type { RecordedObserverEvent } from './recordedObserverEvent.ts';
import { recordSchemaNodes } from './recordSchemaNodes.ts';
import type { ReduceObserved } from './reduceObserved.ts';

type About = { readonly namespace: string; readonly name: string };
/** The requests that change a resource. */
type ResourceWrite = 'create' | 'correct' | 'update' | 'delete' | 'release' | 'removeStaleClaim';

/** The keys by which a replay finds the response to a request. */
export const observerRequests = {
  resource: (what: ResourceWrite | 'read' | 'dryRunApply' | 'dryRunAgain', identity: Identity) =>
    `${what} ${identityKey(identity)}`,
  find: (apiVersion: string, kind: string) => `find ${apiVersion} ${kind}`,
  findServed: (group: string, kind: string) => `findServed ${group}/${kind}`,
  served: (apiVersion: string, kind: string) => `served ${apiVersion} ${kind}`,
  structure: (kind: Pick<RestMapping, 'group' | 'version' | 'kind'>) => `structure ${kindKey(kind)}`,
  application: (what: 'status' | 'application' | 'addFinalizer' | 'removeFinalizer', { namespace, name }: About) =>
    `${what} ${namespace}/${name}`,
  access: (verb: AccessVerb, extent: 'kind' | 'object', { account = '', collection, path }: Target) =>
    `access ${account} ${verb} ${extent === 'kind' ? collection : path}`,
  patchable: ({ account = '', path }: Target) => `patchable ${account} ${path}`,
  account: (namespace: string, name: string) => `account ${namespace}/${name}`,
  terminating: (namespace: string) => `terminating ${namespace}`,
};

/** Such as `apps/v1/Deployment`. */
export function kindKey({ group, version, kind }: Pick<RestMapping, 'group' | 'version' | 'kind'>): string {
  return `${group}/${version}/${kind}`;
}

/** Returns the event for a write request. `application`: `namespace/name`. */
export function writeEvent(what: ResourceWrite, application: string, identity: Identity): RecordedObserverEvent {
  return { out: 'resource.write', about: `${application} ${identityText(identity)}`, detail: what };
}

export interface ObserverApis {
  readonly api: ResourceApi;
  readonly kinds: RestMapper;
  readonly applications: ApplicationApi;
}

/** Wraps the API so that its responses are recorded, as far as decisions depend on them. */
export function recordObserverApi(
  { api, kinds, applications }: ObserverApis,
  reduce: ReduceObserved,
  append: AppendObserver,
): ObserverApis {
  const recordSchema = recordSchemaNodes(append);

  async function recorded<T>(
    to: string,
    pending: Promise<Outcome<T>>,
    reduced: (value: T) => unknown,
  ): Promise<Outcome<T>> {
    const outcome = await pending;
    append({ in: 'response', request: to, response: recordedOf(outcome, reduced) });
    return outcome;
  }

  const { resource, application } = observerRequests;
  const nothing = () => undefined;
  return {
    api: {
      may: (target, verb, extent, signal) =>
        recorded(observerRequests.access(verb, extent, target), api.may(target, verb, extent, signal), (is) => is),
      tryPatch: (target, signal) => recorded(observerRequests.patchable(target), api.tryPatch(target, signal), nothing),
      read: (target, signal) =>
        recorded(resource('read', target.identity), api.read(target, signal), (object) =>
          object === undefined ? undefined : reduce.resource(object),
        ),
      create(plan, signal, isAbsent) {
        append(writeEvent('create', plan.owner.name, plan.target.identity));
        return recorded(resource('create', plan.target.identity), api.create(plan, signal, isAbsent), (applied) => ({
          ...applied,
          object: reduce.resource(applied.object),
        }));
      },
      correct(plan, live, drifts, signal) {
        append(writeEvent('correct', plan.owner.name, plan.target.identity));
        return recorded(
          resource('correct', plan.target.identity),
          api.correct(plan, live, drifts, signal),
          (applied) => ({
            ...applied,
            object: reduce.resource(applied.object),
          }),
        );
      },
      update(plan, live, signal) {
        append(writeEvent('update', plan.owner.name, plan.target.identity));
        return recorded(resource('update', plan.target.identity), api.update(plan, live, signal), (applied) => ({
          ...applied,
          object: reduce.resource(applied.object),
        }));
      },
      dryRunApply: (plan, signal) =>
        recorded(resource('dryRunApply', plan.target.identity), api.dryRunApply(plan, signal), (tried) => ({
          ...tried,
          object: reduce.resource(tried.object),
        })),
      dryRunAgain: (plan, signal) =>
        recorded(resource('dryRunAgain', plan.target.identity), api.dryRunAgain(plan, signal), (tried) => ({
          ...tried,
          object: reduce.resource(tried.object),
        })),
      delete(target, owner, appliedUid, signal) {
        append(writeEvent('delete', owner.name, target.identity));
        return recorded(resource('delete', target.identity), api.delete(target, owner, appliedUid, signal), nothing);
      },
      removeStaleClaim(plan, live, signal) {
        append(writeEvent('removeStaleClaim', plan.owner.name, plan.target.identity));
        return recorded(
          resource('removeStaleClaim', plan.target.identity),
          api.removeStaleClaim(plan, live, signal),
          reduce.resource,
        );
      },
      release(target, owner, appliedUid, signal) {
        append(writeEvent('release', owner.name, target.identity));
        return recorded(resource('release', target.identity), api.release(target, owner, appliedUid, signal), nothing);
      },
    },
    kinds: {
      find: (apiVersion, kind, signal) =>
        recorded(observerRequests.find(apiVersion, kind), kinds.find(apiVersion, kind, signal), (found) => found),
      findInGroup: (group, kind, signal) =>
        recorded(observerRequests.findServed(group, kind), kinds.findInGroup(group, kind, signal), (found) => found),
      awaitServed: (apiVersion, kind, signal, isExpected) =>
        recorded(
          observerRequests.served(apiVersion, kind),
          kinds.awaitServed(apiVersion, kind, signal, isExpected),
          (found) => found,
        ),
      async topologyOf(kind, signal) {
        const found = await recorded(observerRequests.structure(kind), kinds.topologyOf(kind, signal), nothing);
        return found.ok ? { ok: true, value: recordSchema(kindKey(kind), found.value) } : found;
      },
    },
    applications: {
      read: (ref) => recorded(application('application', ref), applications.read(ref), reduce.application),
      patchStatus(ref, before, fields) {
        append({ out: 'status.write', about: `${ref.namespace}/${ref.name}`, detail: '' });
        return recorded(application('status', ref), applications.patchStatus(ref, before, fields), nothing);
      },
      addFinalizer: (ref, seen) =>
        recorded(application('addFinalizer', ref), applications.addFinalizer(ref, seen), nothing),
      removeFinalizer: (ref) =>
        recorded(application('removeFinalizer', ref), applications.removeFinalizer(ref), nothing),
      hasAccount: (namespace, name) =>
        recorded(observerRequests.account(namespace, name), applications.hasAccount(namespace, name), (is) => is),
      isTerminating: (namespace) =>
        recorded(observerRequests.terminating(namespace), applications.isTerminating(namespace), (is) => is),
    },
  };
}

/** Omits the message of a failure, because an API server may quote the request in it. */
function recordedOf<T>(outcome: Outcome<T>, reduced: (value: T) => unknown): RecordedObserverResponse {
  if (!outcome.ok) {
    const { is: failure, retryAfter, by } = outcome.failure;
    return { is: 'failed', failure, retryAfter, ...(by === undefined ? {} : { by }) };
  }
  const value = reduced(outcome.value);
  return value === undefined ? { is: 'ok' } : { is: 'ok', value };
}
