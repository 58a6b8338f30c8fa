import { arrayOf, isObject, numberOf, objectOf, textOf } from '../../base/json.ts';
import { failed } from '../../base/result.ts';
import type { KubeObject } from '../meta/objects.ts';
import { failure, notFound, type Outcome, type Status } from '../meta/status.ts';
import { matchesSelector } from '../selectors/matchesSelector.ts';
import { selectorOf } from '../selectors/selectorOf.ts';
import type { Storage } from '../storage/storage.ts';
import { podDisruptionBudgets, pods, replicaSets } from '../strategies/resources.ts';
import { type DeleteOptions, type Removed, remove } from './delete.ts';

/**
 * Deletes a pod. Fails with 429 if a PodDisruptionBudget forbids it. The budget is calculated from the existing pods,
 * so that no controller has to maintain its status.
 */
export function evict(
  storage: Storage,
  namespace: string,
  name: string,
  options: DeleteOptions = {},
): Outcome<Removed> {
  const pod = storage.collectionOf(pods).get(namespace, name);
  if (pod === undefined) return failed(notFound(pods, name));
  if (isUnprotected(pod)) return remove(storage, pods, namespace, name, options);
  const budgets = [...storage.collectionOf(podDisruptionBudgets).scan({ namespace })].filter((each) =>
    covers(each, pod),
  );
  if (budgets.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    return failed(failure(500, 'InternalError', message));
  }
  const [budget] = budgets;
  const refused = budget === undefined ? undefined : budgetError(storage, budget, pod);
  return refused === undefined ? remove(storage, pods, namespace, name, options) : failed(refused);
}

/** Only running pods are protected. */
function isUnprotected({ metadata, status }: KubeObject): boolean {
  const phase = objectOf(status)['phase'];
  return metadata.deletionTimestamp !== undefined || phase === 'Pending' || phase === 'Succeeded' || phase === 'Failed';
}

function covers(budget: KubeObject, pod: KubeObject): boolean {
  const { selector } = objectOf(budget['spec']);
  return isObject(selector) && matchesSelector(selectorOf(selector), pod.metadata.labels);
}

function budgetError(storage: Storage, budget: KubeObject, pod: KubeObject): Status | undefined {
  const namespace = budget.metadata.namespace ?? '';
  const covered = [...storage.collectionOf(pods).scan({ namespace })].filter((each) => covers(budget, each));
  const healthy = covered.filter(isHealthy).length;
  const desired = desiredHealthy(storage, budget, covered);
  const { unhealthyPodEvictionPolicy } = objectOf(budget['spec']);
  if (!isHealthy(pod) && (unhealthyPodEvictionPolicy === 'AlwaysAllow' || (healthy >= desired && desired > 0))) {
    return undefined;
  }
  if (healthy - desired > 0) return undefined;
  const message = `The disruption budget ${budget.metadata.name} needs ${desired} healthy pods and has ${healthy} currently`;
  return failure(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message }],
  });
}

function isHealthy({ metadata, status }: KubeObject): boolean {
  const conditions = arrayOf(objectOf(status)['conditions']).map(objectOf);
  return (
    metadata.deletionTimestamp === undefined &&
    conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True')
  );
}

function desiredHealthy(storage: Storage, budget: KubeObject, covered: readonly KubeObject[]): number {
  const { minAvailable, maxUnavailable } = objectOf(budget['spec']);
  if (maxUnavailable !== undefined) {
    const expected = expectedPods(storage, covered);
    return Math.max(0, expected - scaledValue(maxUnavailable, expected));
  }
  return scaledValue(
    minAvailable ?? 1,
    typeof minAvailable === 'string' ? expectedPods(storage, covered) : covered.length,
  );
}

/** The desired number of pods, according to their ReplicaSets. */
function expectedPods(storage: Storage, covered: readonly KubeObject[]): number {
  const owners = new Map<string, number>();
  for (const { metadata } of covered) {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    const set = storage.collectionOf(replicaSets).get(metadata.namespace ?? '', textOf(owner?.['name']) ?? '');
    const replicas = numberOf(objectOf(set?.['spec'])['replicas']);
    if (set !== undefined && replicas !== undefined) owners.set(set.metadata.uid, replicas);
  }
  return owners.size === 0 ? covered.length : [...owners.values()].reduce((sum, each) => sum + each, 0);
}

/** Resolves a number, or a percentage of `whole`, rounded up. */
function scaledValue(value: unknown, whole: number): number {
  if (typeof value === 'number') return value;
  const percent = Number(/^(\d+)%$/.exec(textOf(value) ?? '')?.[1] ?? 0);
  return Math.ceil((percent * whole) / 100);
}
