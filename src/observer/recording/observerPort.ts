import type { Requests, ResponseFormat } from '../../recording/file/requests.ts';
import { done } from '../objects/applyFailure.ts';
import type { ApplicationOwner } from '../objects/fieldManagers.ts';
import { identityKey, identityText } from '../objects/identity.ts';
import { type SchemaNode, unknownNode } from '../objects/schemaNode.ts';
import type { ResourceApi, RestMapper, RestMapping, Target } from '../plan/resourceApi.ts';
import type { ApplicationApi, ApplicationRef } from '../status/applicationApi.ts';
import { outcomeFormat, responseFormats } from './observerResponses.ts';
import type { ReduceObserved } from './reduceObserved.ts';

/** The requests that change a resource. */
type ResourceWrite = 'create' | 'correct' | 'update' | 'delete' | 'release' | 'removeStaleClaim';

/** The key by which a replay finds the response to a request about a resource. */
export function resourceRequest(what: ResourceWrite | 'read' | 'dryRunApply' | 'dryRunAgain', of: Target): string {
  return `${what} ${identityKey(of.identity)}`;
}

/** Such as `apps/v1/Deployment`. */
function kindKey({ group, version, kind }: Pick<RestMapping, 'group' | 'version' | 'kind'>): string {
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
  const { nothing, deleted, permitted, terminating, mapping } = responseFormats;
  const live = responseFormats.live(reduce.resource);
  const applied = responseFormats.applied(reduce.resource);
  const dryRun = responseFormats.dryRun(reduce.resource);
  const api = () => real().api;
  const kinds = () => real().kinds;
  const applications = () => real().applications;
  const nameOf = ({ namespace, name }: ApplicationRef) => `${namespace}/${name}`;

  function write<R>(
    what: ResourceWrite,
    owner: ApplicationOwner,
    target: Target,
    call: () => Promise<R>,
    format: ResponseFormat<R>,
  ) {
    report({ out: 'resource.write', about: `${owner.name} ${identityText(target.identity)}`, detail: what });
    return send(resourceRequest(what, target), call, format);
  }

  return {
    api: {
      may: (target, verb, extent, signal) =>
        send(
          `access ${target.account ?? ''} ${verb} ${extent === 'kind' ? target.collection : target.path}`,
          () => api().may(target, verb, extent, signal),
          permitted,
        ),
      tryPatch: (target, signal) =>
        send(`patchable ${target.account ?? ''} ${target.path}`, () => api().tryPatch(target, signal), nothing),
      read: (target, signal) => send(resourceRequest('read', target), () => api().read(target, signal), live),
      create: (plan, signal, isAbsent) =>
        write('create', plan.owner, plan.target, () => api().create(plan, signal, isAbsent), applied),
      correct: (plan, its, drifts, signal) =>
        write('correct', plan.owner, plan.target, () => api().correct(plan, its, drifts, signal), applied),
      update: (plan, its, signal) =>
        write('update', plan.owner, plan.target, () => api().update(plan, its, signal), applied),
      dryRunApply: (plan, signal) =>
        send(resourceRequest('dryRunApply', plan.target), () => api().dryRunApply(plan, signal), dryRun),
      dryRunAgain: (plan, signal) =>
        send(resourceRequest('dryRunAgain', plan.target), () => api().dryRunAgain(plan, signal), dryRun),
      delete: (target, owner, appliedUid, signal, contents) =>
        write('delete', owner, target, () => api().delete(target, owner, appliedUid, signal, contents), deleted),
      removeStaleClaim: (plan, resourceVersion, signal) =>
        write(
          'removeStaleClaim',
          plan.owner,
          plan.target,
          () => api().removeStaleClaim(plan, resourceVersion, signal),
          responseFormats.object(reduce.resource),
        ),
      release: (target, owner, appliedUid, signal, to) =>
        write('release', owner, target, () => api().release(target, owner, appliedUid, signal, to), nothing),
    },
    kinds: {
      find: (apiVersion, kind, signal) =>
        send(`find ${apiVersion} ${kind}`, () => kinds().find(apiVersion, kind, signal), mapping),
      findInGroup: (group, kind, signal) =>
        send(`findServed ${group}/${kind}`, () => kinds().findInGroup(group, kind, signal), mapping),
      // Only the request for a deletion calls it, whose response is recorded as a whole.
      namespacedKinds: () => kinds().namespacedKinds(),
      awaitServed: (apiVersion, kind, signal, isExpected) =>
        send(`served ${apiVersion} ${kind}`, () => kinds().awaitServed(apiVersion, kind, signal, isExpected), mapping),
      whenChanged: (kind, known, signal) =>
        send(`changed ${kindKey(kind)}`, () => kinds().whenChanged(kind, known, signal), nothing),
      topologyOf: (kind, signal) =>
        send(
          `structure ${kindKey(kind)}`,
          async () => {
            const outcome = await kinds().topologyOf(kind, signal);
            return outcome.ok ? done(topology(kindKey(kind), outcome.value)) : outcome;
          },
          outcomeFormat(
            () => undefined,
            () => topology(kindKey(kind), unknownNode),
          ),
        ),
    },
    applications: {
      read: (ref) =>
        send(`application ${nameOf(ref)}`, () => applications().read(ref), responseFormats.object(reduce.application)),
      patchStatus(ref, before, fields) {
        report({ out: 'status.write', about: nameOf(ref), detail: '' });
        return send(`status ${nameOf(ref)}`, () => applications().patchStatus(ref, before, fields), nothing);
      },
      addFinalizer: (ref, seen) =>
        send(`addFinalizer ${nameOf(ref)}`, () => applications().addFinalizer(ref, seen), nothing),
      removeFinalizer: (ref) =>
        send(`removeFinalizer ${nameOf(ref)}`, () => applications().removeFinalizer(ref), nothing),
      hasAccount: (namespace, name) =>
        send(`account ${namespace}/${name}`, () => applications().hasAccount(namespace, name), permitted),
      isTerminating: (namespace) =>
        send(`terminating ${namespace}`, () => applications().isTerminating(namespace), terminating),
    },
  };
}
