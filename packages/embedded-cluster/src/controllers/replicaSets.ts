import { isDeepStrictEqual } from 'node:util';
import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { apiVersionOf } from '../apiserver/registry/resource.ts';
import { endpointSlices, pods, replicaSets, services } from '../apiserver/strategies/resources.ts';
import { arrayOf, isObject, type JsonObject, numberOf, objectOf, textOf } from '../base/json.ts';
import { isPodReady } from '../base/podConditions.ts';
import type { Clock } from '../clock/clock.ts';
import { isActive, isTerminating, ownerReference, type Placement, podOf, podsIn } from './owned.ts';
import { manager, nonZero, reconcileOnChange, writeStatus } from './reconciling.ts';

/** The delays between a change and its reconciliation, in milliseconds. */
const replicaSetDelay = 300;
const endpointSliceDelay = 50;

/** Starts the ReplicaSet controller, which creates, deletes and counts pods. Returns a function that stops it. */
export function startReplicaSets(store: ApiStore, clock: Clock, placement: Placement = {}): () => void {
  function reconcile(): void {
    for (const set of store.list(replicaSets)) {
      if (isTerminating(set)) continue;
      const active = store.ownedBy(pods, set).filter(isActive);
      const missing = (numberOf(objectOf(set['spec'])['replicas']) ?? 1) - active.length;
      for (let count = 0; count < missing; count += 1)
        store.create(pods, podOf(set, objectOf(set['spec'])['template'], { spec: { ...placement } }), manager);
      // Pods that are not ready are deleted first.
      const order = active.toSorted((a, b) => Number(isPodReady(a)) - Number(isPodReady(b)));
      for (const { metadata } of order.slice(0, Math.max(0, -missing))) {
        store.delete(pods, metadata.namespace ?? '', metadata.name);
      }
      reportPods(store, set, active);
    }
  }
  return reconcileOnChange(store, clock, [pods, replicaSets], replicaSetDelay, reconcile);
}

/** Writes the status; counts of zero are omitted, except `replicas`. */
function reportPods(store: ApiStore, set: KubeObject, active: readonly KubeObject[]): void {
  const ready = active.filter(isPodReady).length;
  // Without minReadySeconds each ready pod is available.
  const counts = { fullyLabeledReplicas: active.length, readyReplicas: ready, availableReplicas: ready };
  const { generation } = set.metadata;
  writeStatus(store, replicaSets, set, { replicas: active.length, ...nonZero(counts), observedGeneration: generation });
}

/**
 * Starts the EndpointSlice controller, which writes one EndpointSlice for each Service with a selector. Returns a
 * function that stops it.
 */
export function startEndpointSlices(store: ApiStore, clock: Clock): () => void {
  function reconcile(): void {
    for (const service of store.list(services)) {
      const selector = labelsOf(objectOf(service['spec'])['selector']);
      if (selector === undefined) continue;
      const { name, namespace = '' } = service.metadata;
      const isPublished = objectOf(service['spec'])['publishNotReadyAddresses'] === true;
      const selected = podsIn(store, service, { matchLabels: selector }).filter(hasAddress);
      const endpoints = selected.map((pod) => endpointOf(pod, isPublished));
      const current = store.get(endpointSlices, namespace, sliceName(name));
      if (current === undefined) store.create(endpointSlices, sliceOf(service, endpoints), manager);
      else if (!isDeepStrictEqual(arrayOf(current['endpoints']), endpoints)) {
        store.patch(endpointSlices, namespace, sliceName(name), { endpoints }, manager);
      }
    }
  }
  return reconcileOnChange(store, clock, [pods, services], endpointSliceDelay, reconcile);
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

/** `isPublished`: the Service has `publishNotReadyAddresses`. */
function endpointOf(pod: KubeObject, isPublished: boolean): JsonObject {
  const { name, namespace, uid } = pod.metadata;
  const [serving, terminating] = [isPodReady(pod), isTerminating(pod)];
  return {
    addresses: [objectOf(pod['status'])['podIP']],
    conditions: { ready: isPublished || (serving && !terminating), serving, terminating },
    nodeName: objectOf(pod['spec'])['nodeName'],
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

function labelsOf(selector: unknown): Readonly<Record<string, string>> | undefined {
  if (!isObject(selector)) return undefined;
  return Object.fromEntries(Object.entries(selector).map(([key, value]) => [key, String(value)]));
}
