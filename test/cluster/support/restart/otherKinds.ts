import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { arrayOf, type JsonObject, numberOf, objectOf, textOf, timeOf } from '@weeder/kube-runtime/base';
import { type Cleanup, cleanUp } from '../cleanup.ts';
import type { TestNamespace } from '../namespace.ts';
import type { Pod } from '../objects.ts';
import { isReady, podsOf } from './workloads.ts';

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A definition of a namespaced kind with a status, of any fields. */
export function definitionOf(group: string, version: string, kind: string, plural = `${kind.toLowerCase()}s`): object {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}

/** Kinds of other projects, by the fields that weeder reads. */
export const rollouts = definitionOf('argoproj.io', 'v1alpha1', 'Rollout');
export const cloneSets = definitionOf('apps.kruise.io', 'v1alpha1', 'CloneSet');

type Reconcile = (ns: TestNamespace, path: string, workload: JsonObject) => Promise<void>;

/** Runs a stand-in for the controller of the objects of this collection. */
export function startController(t: Cleanup, ns: TestNamespace, path: string, reconcile: Reconcile): void {
  let isRunning = true;
  const running = (async () => {
    while (isRunning) {
      const { items } = objectOf(await ns.cluster.api('GET', path));
      for (const workload of arrayOf(items).map(objectOf)) {
        const { name } = objectOf(workload['metadata']);
        await reconcile(ns, `${path}/${String(name)}`, workload);
      }
      await pause(100);
    }
  })();
  cleanUp(t, async () => {
    isRunning = false;
    await running;
  });
}

/** Argo Rollouts without steps: a ReplicaSet for the template, and a restart that deletes one pod after the other. */
export const reconcileRollout: Reconcile = async (ns, path, rollout) => {
  const { metadata, spec, status } = partsOf(rollout);
  const name = String(metadata['name']);
  const template = await templateOf(ns, spec);
  const hash = hashOf(template);
  const replicaSets = ns.path('apis/apps/v1', 'replicasets');
  const labels = { ...objectOf(objectOf(template['metadata'])['labels']), 'rollouts-pod-template-hash': hash };
  const body = {
    metadata: { name: `${name}-${hash}`, labels, ownerReferences: [ownerOf(rollout)] },
    spec: {
      replicas: spec['replicas'],
      selector: { matchLabels: labels },
      template: { ...template, metadata: { ...objectOf(template['metadata']), labels } },
    },
  };
  await ns.cluster.send('POST', replicaSets, { body });
  const own = objectOf((await ns.cluster.send('GET', `${replicaSets}/${name}-${hash}`)).body);
  const { replicas = 0, availableReplicas = 0 } = objectOf(own['status']);
  const isAvailable = availableReplicas === spec['replicas'];
  const restartAt = timeOf(spec['restartAt']);
  let restartedAt = status['restartedAt'];
  if (restartAt !== undefined && timeOf(restartedAt) !== restartAt && Date.now() > restartAt && isAvailable) {
    const pods = (await remainingPods(ns, name)).filter(
      ({ metadata }) => (timeOf(metadata.creationTimestamp) ?? 0) < restartAt,
    );
    if (pods.length === 0) restartedAt = spec['restartAt'];
    else await deletePod(ns, pods[0]);
  }
  await report(ns, path, {
    observedGeneration: String(metadata['generation']),
    ...{ replicas, updatedReplicas: replicas, availableReplicas, restartedAt },
  });
};

/** Of a Rollout with `workloadRef`, the Deployment has it. */
async function templateOf(ns: TestNamespace, spec: JsonObject): Promise<JsonObject> {
  const { name } = objectOf(spec['workloadRef']);
  if (typeof name !== 'string') return objectOf(spec['template']);
  const deployment = objectOf(await ns.cluster.api('GET', ns.path('apis/apps/v1', 'deployments', name)));
  return objectOf(partsOf(deployment).spec['template']);
}

/** OpenKruise without updates in place: its own pods, of which it replaces one after the other but the partition. */
export const reconcileCloneSet: Reconcile = async (ns, path, cloneSet) => {
  const { metadata, spec } = partsOf(cloneSet);
  const name = String(metadata['name']);
  const hash = hashOf(spec['template']);
  const replicas = numberOf(spec['replicas']) ?? 1;
  const kept = numberOf(objectOf(spec['updateStrategy'])['partition']) ?? 0;
  const pods = await remainingPods(ns, name);
  const isNew = ({ metadata }: Pod) => metadata.labels?.['controller-revision-hash'] === hash;
  const available = pods.filter(isReady).length;
  const updated = pods.filter(isNew).length;
  if (pods.length < replicas) await createPod(ns, cloneSet, hash);
  else if (available === replicas && updated < replicas - kept)
    await deletePod(
      ns,
      pods.find((pod) => !isNew(pod)),
    );
  await report(ns, path, {
    observedGeneration: metadata['generation'],
    ...{ replicas: pods.length, updatedReplicas: updated, availableReplicas: available },
    updateRevision: `${name}-${hash}`,
  });
};

async function createPod(ns: TestNamespace, owner: JsonObject, hash: string): Promise<void> {
  const { metadata, spec } = partsOf(owner);
  const template = objectOf(spec['template']);
  const ofTemplate = objectOf(template['metadata']);
  const labels = { ...objectOf(ofTemplate['labels']), 'controller-revision-hash': hash };
  const generateName = `${String(metadata['name'])}-`;
  await ns.cluster.api('POST', ns.path('api/v1', 'pods'), {
    ...template,
    metadata: { ...ofTemplate, labels, generateName, ownerReferences: [ownerOf(owner)] },
  });
}

async function deletePod(ns: TestNamespace, pod: Pod | undefined): Promise<void> {
  if (pod !== undefined) await ns.cluster.send('DELETE', ns.path('api/v1', 'pods', pod.metadata.name));
}

/** Its pods that are not terminating. */
async function remainingPods(ns: TestNamespace, workload: string): Promise<Pod[]> {
  return (await podsOf(ns, { workload })).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

async function report(ns: TestNamespace, path: string, status: JsonObject): Promise<void> {
  await ns.cluster.send('PATCH', `${path}/status`, { body: { status } });
}

function ownerOf(object: JsonObject): object {
  const { name, uid } = partsOf(object).metadata;
  const { apiVersion, kind } = object;
  return { apiVersion, kind, name, uid, controller: true };
}

function partsOf({ metadata, spec, status }: JsonObject) {
  return { metadata: objectOf(metadata), spec: objectOf(spec), status: objectOf(status) };
}

function hashOf(template: unknown): string {
  return createHash('sha256')
    .update(textOf(JSON.stringify(template)) ?? '')
    .digest('hex')
    .slice(0, 8);
}
