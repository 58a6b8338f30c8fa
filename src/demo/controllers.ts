import { isDeepStrictEqual } from 'node:util';
import type { Clock, TimerHandle } from '../clock.ts';
import { arrayOf, isObject, type JsonObject, numberOf, objectOf, textOf } from '../json.ts';
import type { LabelSelector } from '../kube/selector.ts';
import type { ApiStore } from './apiServer/apiStore.ts';
import type { KubeObject } from './apiServer/objects.ts';
import { apiVersionOf, type Resource } from './apiServer/resource.ts';
import { endpointSlices, pods, replicaSets, services } from './apiServer/resources.ts';
import { isPodReady } from './podView.ts';

/** From a change to what the controller does about it, in milliseconds. */
const replicaSetDelay = 300;
const endpointSliceDelay = 50;

/** Keeps as many pods as each ReplicaSet wants, and its status true: pods that end count no more. Returns what ends it. */
export function startReplicaSets(store: ApiStore, clock: Clock): () => void {
  function reconcile(): void {
    for (const set of store.list(replicaSets)) {
      const active = inNamespaceOf(store, set).filter((pod) => isOwnedBy(pod, set) && isActive(pod));
      const missing = (numberOf(objectOf(set['spec'])['replicas']) ?? 1) - active.length;
      for (let count = 0; count < missing; count += 1) store.create(pods, podOf(set), manager);
      for (const { metadata } of active.slice(0, Math.max(0, -missing))) {
        store.delete(pods, metadata.namespace ?? '', metadata.name);
      }
      writeStatus(store, set, active);
    }
  }
  return whenChanged(store, clock, [pods, replicaSets], replicaSetDelay, reconcile);
}

/** The status says what is there; counts of zero are left out, but that of the pods. */
function writeStatus(store: ApiStore, { metadata, status: before }: KubeObject, active: readonly KubeObject[]): void {
  const ready = active.filter(isPodReady).length;
  // Without minReadySeconds whatever is ready is available.
  const counts = { fullyLabeledReplicas: active.length, readyReplicas: ready, availableReplicas: ready };
  const nonZero = Object.entries(counts).filter(([, count]) => count > 0);
  const now = { replicas: active.length, ...Object.fromEntries(nonZero), observedGeneration: metadata.generation };
  if (isDeepStrictEqual({ ...objectOf(before) }, now)) return;
  const removed = Object.fromEntries(Object.keys(objectOf(before)).map((key) => [key, null]));
  const status = { ...removed, ...now };
  store.patch(replicaSets, metadata.namespace ?? '', metadata.name, { status }, { subresource: 'status', ...manager });
}

/** Keeps one EndpointSlice for each Service with a selector. Returns what ends it. */
export function startEndpointSlices(store: ApiStore, clock: Clock): () => void {
  function reconcile(): void {
    for (const service of store.list(services)) {
      const selector = labelsOf(objectOf(service['spec'])['selector']);
      if (selector === undefined) continue;
      const { name, namespace = '' } = service.metadata;
      const endpoints = inNamespaceOf(store, service, { matchLabels: selector }).filter(hasAddress).map(endpointOf);
      const current = store.get(endpointSlices, namespace, sliceName(name));
      if (current === undefined) store.create(endpointSlices, sliceOf(service, endpoints), manager);
      else if (!isDeepStrictEqual(arrayOf(current['endpoints']), endpoints)) {
        store.patch(endpointSlices, namespace, sliceName(name), { endpoints }, manager);
      }
    }
  }
  return whenChanged(store, clock, [pods, services], endpointSliceDelay, reconcile);
}

const manager = { manager: 'kube-controller-manager' };

/** Many changes within the delay are answered at once. */
function whenChanged(
  store: ApiStore,
  clock: Clock,
  resources: readonly Resource[],
  delay: number,
  reconcile: () => void,
): () => void {
  let timer: TimerHandle | undefined;
  const onChange = () => {
    timer ??= clock.setTimeout(() => {
      timer = undefined;
      reconcile();
    }, delay);
  };
  const unwatch = resources.map((resource) => store.watch(resource, {}, onChange));
  return () => {
    clock.clearTimeout(timer);
    for (const each of unwatch) each();
  };
}

function inNamespaceOf(store: ApiStore, { metadata }: KubeObject, labelSelector: LabelSelector = {}) {
  return store.list(pods, { namespace: metadata.namespace ?? '', labelSelector });
}

function isOwnedBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    (each) => each['controller'] === true && each['uid'] === owner.metadata.uid,
  );
}

function isActive(pod: KubeObject): boolean {
  const phase = textOf(objectOf(pod['status'])['phase']) ?? '';
  return !isEnding(pod) && !['Succeeded', 'Failed'].includes(phase);
}

function isEnding({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function ownerReference({ metadata, kind, apiVersion }: KubeObject): JsonObject {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

function podOf(set: KubeObject): JsonObject {
  const { metadata, spec } = objectOf(objectOf(set['spec'])['template']);
  const { name, namespace } = set.metadata;
  const given = objectOf(metadata);
  return {
    metadata: { ...given, generateName: `${name}-`, namespace, ownerReferences: [ownerReference(set)] },
    spec,
  };
}

function sliceName(service: string): string {
  return `${service}-slice`;
}

function sliceOf(service: KubeObject, endpoints: readonly JsonObject[]): JsonObject {
  const { name, namespace } = service.metadata;
  const labels = {
    'kubernetes.io/service-name': name,
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
  };
  return {
    apiVersion: apiVersionOf(endpointSlices),
    metadata: { name: sliceName(name), namespace, labels, ownerReferences: [ownerReference(service)] },
    addressType: 'IPv4',
    endpoints,
  };
}

function hasAddress(pod: KubeObject): boolean {
  return textOf(objectOf(pod['status'])['podIP']) !== undefined;
}

function endpointOf(pod: KubeObject): JsonObject {
  const { name, namespace, uid } = pod.metadata;
  const serving = isPodReady(pod);
  return {
    addresses: [objectOf(pod['status'])['podIP']],
    conditions: { ready: serving && !isEnding(pod), serving, terminating: isEnding(pod) },
    nodeName: objectOf(pod['spec'])['nodeName'],
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

function labelsOf(selector: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(selector)) return undefined;
  return Object.fromEntries(Object.entries(selector).map(([key, value]) => [key, String(value)]));
}
