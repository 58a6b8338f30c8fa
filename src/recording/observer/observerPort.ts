import { done } from '../../observer/model/applyFailure.ts';
import { type Identity, identityKey, identityText } from '../../observer/model/identity.ts';
import { type SchemaNode, unknownNode } from '../../observer/model/schemaNode.ts';
import type { AccessVerb, ResourceApi, RestMapper, RestMapping, Target } from '../../observer/plan/resourceApi.ts';
import type { ApplicationApi } from '../../observer/status/applicationApi.ts';
import type { Requests } from '../file/requests.ts';
import { outcomeFormat, responseFormats } from './observerResponses.ts';
import type { ReduceObserved } from './reduceObserved.ts';

type About = { readonly namespace: string; readonly name: string };
type Kind = Pick<RestMapping, 'group' | 'version' | 'kind'>;
/** The requests that change a resource. */
type ResourceWrite = 'create' | 'correct' | 'update' | 'delete' | 'release' | 'removeStaleClaim';

/** The keys by which a replay finds the response to a request. */
export const observerRequests = {
  resource: (what: ResourceWrite | 'read' | 'dryRunApply' | 'dryRunAgain', { identity }: Pick<Target, 'identity'>) =>
    `${what} ${identityKey(identity)}`,
  find: (apiVersion: string, kind: string) => `find ${apiVersion} ${kind}`,
  findServed: (group: string, kind: string) => `findServed ${group}/${kind}`,
  served: (apiVersion: string, kind: string) => `served ${apiVersion} ${kind}`,
  structure: (kind: Kind) => `structure ${kindKey(kind)}`,
  application: (what: 'status' | 'application' | 'addFinalizer' | 'removeFinalizer', { namespace, name }: About) =>
    `${what} ${namespace}/${name}`,
  access: (verb: AccessVerb, extent: 'kind' | 'object', { account = '', collection, path }: Target) =>
    `access ${account} ${verb} ${extent === 'kind' ? collection : path}`,
  patchable: ({ account = '', path }: Target) => `patchable ${account} ${path}`,
  account: (namespace: string, name: string) => `account ${namespace}/${name}`,
  terminating: (namespace: string) => `terminating ${namespace}`,
};

/** Such as `apps/v1/Deployment`. */
function kindKey({ group, version, kind }: Kind): string {
  return `${group}/${version}/${kind}`;
}

export interface ObserverPort {
  readonly api: ResourceApi;
  readonly kinds: RestMapper;
  readonly applications: ApplicationApi;
}

interface ObserverPortOptions {
  /** Sends the requests; a replay never calls it. */
  readonly real: () => ObserverPort;
  readonly requests: Requests;
  readonly reduce: ReduceObserved;
  /** Wraps the schema of a kind from the API server's document. A replay returns the recorded one instead. */
  readonly topology: (kind: string, real: SchemaNode) => SchemaNode;
}

/** The requests of the application observer. */
export function observerPort({ real, requests, reduce, topology }: ObserverPortOptions): ObserverPort {
  const { send, report } = requests;
  const { resource, application } = observerRequests;
  const { nothing, permitted, terminating, mapping } = responseFormats;
  const live = responseFormats.live(reduce.resource);
  const applied = responseFormats.applied(reduce.resource);
  const tried = responseFormats.tried(reduce.resource);
  const api = () => real().api;
  const kinds = () => real().kinds;
  const applications = () => real().applications;

  function writing(what: ResourceWrite, owner: string, identity: Identity): void {
    report({ out: 'resource.write', about: `${owner} ${identityText(identity)}`, detail: what });
  }

  return {
    api: {
      may: (target, verb, extent, signal) =>
        send(observerRequests.access(verb, extent, target), () => api().may(target, verb, extent, signal), permitted),
      tryPatch: (target, signal) =>
        send(observerRequests.patchable(target), () => api().tryPatch(target, signal), nothing),
      read: (target, signal) => send(resource('read', target), () => api().read(target, signal), live),
      create(plan, signal, isAbsent) {
        writing('create', plan.owner.name, plan.target.identity);
        return send(resource('create', plan.target), () => api().create(plan, signal, isAbsent), applied);
      },
      correct(plan, its, drifts, signal) {
        writing('correct', plan.owner.name, plan.target.identity);
        return send(resource('correct', plan.target), () => api().correct(plan, its, drifts, signal), applied);
      },
      update(plan, its, signal) {
        writing('update', plan.owner.name, plan.target.identity);
        return send(resource('update', plan.target), () => api().update(plan, its, signal), applied);
      },
      dryRunApply: (plan, signal) =>
        send(resource('dryRunApply', plan.target), () => api().dryRunApply(plan, signal), tried),
      dryRunAgain: (plan, signal) =>
        send(resource('dryRunAgain', plan.target), () => api().dryRunAgain(plan, signal), tried),
      delete(target, owner, appliedUid, signal) {
        writing('delete', owner.name, target.identity);
        return send(resource('delete', target), () => api().delete(target, owner, appliedUid, signal), nothing);
      },
      removeStaleClaim(plan, its, signal) {
        writing('removeStaleClaim', plan.owner.name, plan.target.identity);
        const format = responseFormats.object(reduce.resource);
        return send(resource('removeStaleClaim', plan.target), () => api().removeStaleClaim(plan, its, signal), format);
      },
      release(target, owner, appliedUid, signal) {
        writing('release', owner.name, target.identity);
        return send(resource('release', target), () => api().release(target, owner, appliedUid, signal), nothing);
      },
    },
    kinds: {
      find: (apiVersion, kind, signal) =>
        send(observerRequests.find(apiVersion, kind), () => kinds().find(apiVersion, kind, signal), mapping),
      findInGroup: (group, kind, signal) =>
        send(observerRequests.findServed(group, kind), () => kinds().findInGroup(group, kind, signal), mapping),
      awaitServed: (apiVersion, kind, signal, isExpected) =>
        send(
          observerRequests.served(apiVersion, kind),
          () => kinds().awaitServed(apiVersion, kind, signal, isExpected),
          mapping,
        ),
      topologyOf: (kind, signal) =>
        send(
          observerRequests.structure(kind),
          async () => {
            const found = await kinds().topologyOf(kind, signal);
            return found.ok ? done(topology(kindKey(kind), found.value)) : found;
          },
          outcomeFormat(
            () => undefined,
            () => topology(kindKey(kind), unknownNode),
          ),
        ),
    },
    applications: {
      read: (ref) =>
        send(
          application('application', ref),
          () => applications().read(ref),
          responseFormats.object(reduce.application),
        ),
      patchStatus(ref, before, fields) {
        report({ out: 'status.write', about: `${ref.namespace}/${ref.name}`, detail: '' });
        return send(application('status', ref), () => applications().patchStatus(ref, before, fields), nothing);
      },
      addFinalizer: (ref, seen) =>
        send(application('addFinalizer', ref), () => applications().addFinalizer(ref, seen), nothing),
      removeFinalizer: (ref) =>
        send(application('removeFinalizer', ref), () => applications().removeFinalizer(ref), nothing),
      hasAccount: (namespace, name) =>
        send(observerRequests.account(namespace, name), () => applications().hasAccount(namespace, name), permitted),
      isTerminating: (namespace) =>
        send(observerRequests.terminating(namespace), () => applications().isTerminating(namespace), terminating),
    },
  };
}
