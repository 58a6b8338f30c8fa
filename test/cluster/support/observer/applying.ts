import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type JsonObject, objectOf, systemClock, textOf } from '@weeder/kube-runtime/base';
import { groupVersionPath } from '@weeder/kube-runtime/objects';
import { resourceRequests } from '../../../../src/observer/apply/resourceRequests.ts';
import { compare } from '../../../../src/observer/drift/compare.ts';
import { project } from '../../../../src/observer/drift/project.ts';
import { restMapperOf } from '../../../../src/observer/kinds/restMapper.ts';
import { groupVersionOf } from '../../../../src/observer/kinds/servedKinds.ts';
import type { Outcome } from '../../../../src/observer/objects/applyFailure.ts';
import { type ApplicationOwner, ownerOf } from '../../../../src/observer/objects/fieldManagers.ts';
import type { Manifest } from '../../../../src/observer/objects/identity.ts';
import type { Drift } from '../../../../src/observer/objects/projection.ts';
import { uidOf, versionOf } from '../../../../src/observer/ownership/ownership.ts';
import type { Applied, ResourceApi, ResourcePlan, Target } from '../../../../src/observer/plan/resourceApi.ts';
import { fieldMaskFor } from '../../../../src/observer/schema/fieldMaskFor.ts';
import { readObserverSchema } from '../../../../src/observer/schema/readObserverSchema.ts';
import { type Cleanup, cleanUp } from '../cleanup.ts';
import { eventually } from '../eventually.ts';
import { testNamespace } from '../namespace.ts';
import type { Cluster } from '../plane/access.ts';
import { kubeClientFor } from '../plane/kubeClient.ts';

/** The options of a plan, if they matter. */
export interface PlanOptions {
  /** One entry of an observer schema, without apiVersion, kind and metadata.name. Default: everything is observed. */
  readonly observed?: JsonObject;
  readonly owner?: ApplicationOwner;
  readonly before?: ResourcePlan;
  readonly account?: string;
  readonly mayRecreate?: boolean;
}

/** A namespace, and the requests of the observer against a real API server, without its machines. */
export type Applying = Awaited<ReturnType<typeof applying>>;

export interface EditOptions {
  readonly type?: 'merge' | 'json' | 'strategic-merge';
  readonly manager?: string;
  readonly subresource?: string;
}

export async function applying(t: Cleanup, prefix: string, ofCluster?: Cluster) {
  const ns = await testNamespace(t, prefix, ofCluster);
  const client = kubeClientFor(ns.cluster.kubeconfigFor('admin'));
  cleanUp(t, () => client.close());
  const kinds = restMapperOf(client, systemClock);
  const signal = new AbortController().signal;
  const own = ownerOf({ namespace: ns.name, name: 'shop' });
  return {
    ns,
    client,
    api: againAfterConflicts(resourceRequests(client)),
    owner: own,
    signal,
    async plan(object: JsonObject, { observed, owner = own, before, account, mayRecreate = false }: PlanOptions = {}) {
      const [apiVersion, kindName] = [text(object['apiVersion']), text(object['kind'])];
      const kind = good(await kinds.find(apiVersion, kindName, signal));
      const metadata = objectOf(object['metadata']);
      const namespace = kind.isNamespaced ? ns.name : '';
      const placed = { ...object, metadata: kind.isNamespaced ? { ...metadata, namespace } : metadata };
      const identity = { group: kind.group, kind: kindName, namespace, name: text(metadata['name']) };
      const manifest: Manifest = { identity, apiVersion, object: placed };
      const entry = { apiVersion, kind: kindName, metadata: { name: identity.name }, ...observed };
      const schema = readObserverSchema(observed === undefined ? undefined : [entry]);
      const fieldMask = fieldMaskFor(manifest, schema);
      assert(fieldMask.ok, JSON.stringify(fieldMask));
      return {
        target: targetOf(manifest, kind.plural, account),
        manifest,
        mask: fieldMask.value,
        // Discovery follows a new kind by about a second.
        topology: await eventually(async () => good(await kinds.topologyOf(kind, signal)), {
          what: `the document of ${kindName}`,
        }),
        owner,
        hash: randomBytes(4).toString('hex'),
        mayRecreate,
        ...(before === undefined ? {} : { previous: { manifest: before.manifest, mask: before.mask } }),
      };
    },
    /** As the server has it. */
    live: async ({ target }: Pick<ResourcePlan, 'target'>) => objectOf(await ns.cluster.api('GET', target.path)),
    /** An edit by a person: as `kubectl edit`, unless another manager is named. */
    async edit(
      { target }: Pick<ResourcePlan, 'target'>,
      patch: unknown,
      { type = 'merge', manager = 'kubectl-edit', subresource }: EditOptions = {},
    ) {
      const path = `${target.path}${subresource === undefined ? '' : `/${subresource}`}?fieldManager=${manager}`;
      return objectOf(await ns.cluster.api('PATCH', path, patch, `application/${type}-patch+json`));
    },
  };
}

/**
 * Corrects and updates the object as it is: controllers write its status at the same time, so the version that a test has
 * read may be an old one. The observer reads again, too.
 */
function againAfterConflicts(api: ResourceApi): ResourceApi {
  async function again(
    plan: ResourcePlan,
    live: JsonObject,
    signal: AbortSignal,
    request: (live: JsonObject) => Promise<Outcome<Applied>>,
  ): Promise<Outcome<Applied>> {
    const outcome = await request(live);
    if (outcome.ok || outcome.failure.type !== 'conflict') return outcome;
    const read = await api.read(plan.target, signal);
    const newer = read.ok ? read.value : undefined;
    const isNewer = newer !== undefined && versionOf(newer) !== versionOf(live) && uidOf(newer) === uidOf(live);
    return isNewer ? again(plan, newer, signal, request) : outcome;
  }

  return {
    ...api,
    correct: (plan, live, drifts, signal) =>
      again(plan, live, signal, (seen) => api.correct(plan, seen, drifts, signal)),
    update: (plan, live, signal) => again(plan, live, signal, (seen) => api.update(plan, seen, signal)),
  };
}

function targetOf({ identity, apiVersion }: Manifest, plural: string, account: string | undefined): Target {
  const { namespace, name } = identity;
  const scope = namespace === '' ? '' : `/namespaces/${namespace}`;
  assert.equal(identity.group, groupVersionOf(apiVersion).group);
  const collection = `${groupVersionPath(apiVersion)}${scope}/${plural}`;
  return { identity, apiVersion, path: `${collection}/${name}`, collection, account };
}

/** The drifts between a reply to an apply and the live object, in observed fields. */
export function driftsOf(
  { manifest, mask, topology }: ResourcePlan,
  reply: JsonObject,
  live: JsonObject,
): readonly Drift[] {
  const [desired, actual] = [reply, live].map((object) => project(object, manifest, mask, topology));
  assert(desired && actual);
  return compare(desired, actual);
}

/** The value of a result that has to be a success. */
export function good<T>(outcome: Outcome<T>): T {
  assert(outcome.ok, JSON.stringify(outcome));
  return outcome.value;
}

/** The failure of a result that has to be a refusal. */
export function bad(outcome: Outcome<unknown>) {
  assert(!outcome.ok, JSON.stringify(outcome));
  return outcome.failure;
}

function text(value: unknown): string {
  return textOf(value) ?? '';
}
