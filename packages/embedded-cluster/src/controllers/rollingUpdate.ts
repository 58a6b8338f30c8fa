import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { pods } from '../apiserver/strategies/resources.ts';
import { numberOf, objectOf, textOf } from '../base/json.ts';

/** maxSurge and maxUnavailable as numbers of pods. */
interface Bounds {
  readonly surge: number;
  readonly unavailable: number;
}

/** Resolves percentages of the replicas: surge is rounded up, unavailable down; they cannot both be zero. */
export function limitsOf({ spec }: KubeObject): Bounds {
  const { strategy, replicas } = objectOf(spec);
  const { maxSurge, maxUnavailable } = objectOf(objectOf(strategy)['rollingUpdate']);
  const desired = numberOf(replicas) ?? 1;
  const surge = scaledValue(maxSurge, desired, Math.ceil);
  const unavailable = scaledValue(maxUnavailable, desired, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, desired) };
}

/** Returns the next step of a rollout: the new number of replicas of each ReplicaSet to scale. */
export function nextReplicas(
  store: ApiStore,
  deployment: KubeObject,
  current: KubeObject | undefined,
  old: readonly KubeObject[],
): readonly (readonly [KubeObject, number])[] {
  if (current === undefined) return [];
  const desired = replicasOf(deployment);
  const isRolling = objectOf(objectOf(deployment['spec'])['strategy'])['type'] !== 'Recreate';
  const up = isRolling ? scaledUp(deployment, current, old) : desired;
  if (isRolling) return up === replicasOf(current) ? scaledDown(deployment, current, old) : [[current, up]];
  const active = old.filter((set) => replicasOf(set) > 0);
  if (active.length > 0) return active.map((set) => [set, 0]);
  const hasPods = old.some((set) => store.ownedBy(pods, set).length > 0);
  return hasPods || up === replicasOf(current) ? [] : [[current, up]];
}

function scaledUp(deployment: KubeObject, current: KubeObject, old: readonly KubeObject[]): number {
  const desired = replicasOf(deployment);
  const now = replicasOf(current);
  if (now >= desired) return desired;
  const maxAdded = desired + limitsOf(deployment).surge - now - sum(old, replicasOf);
  return Math.min(desired, now + Math.max(0, maxAdded));
}

/** Scales down unavailable old pods first, and available ones as far as enough pods remain available. */
function scaledDown(
  deployment: KubeObject,
  current: KubeObject,
  old: readonly KubeObject[],
): readonly (readonly [KubeObject, number])[] {
  const minimum = replicasOf(deployment) - limitsOf(deployment).unavailable;
  const pending = Math.max(0, replicasOf(current) - availableOf(current));
  let maxRemoved = sum([current, ...old], replicasOf) - minimum - pending;
  if (maxRemoved <= 0) return [];
  const next = new Map(old.map((set) => [set, replicasOf(set)]));
  const scaleDown = (set: KubeObject, count: number) => next.set(set, (next.get(set) ?? 0) - count);
  for (const set of old) {
    const unhealthy = Math.min(maxRemoved, Math.max(0, replicasOf(set) - availableOf(set)));
    scaleDown(set, unhealthy);
    maxRemoved -= unhealthy;
  }
  let maxAvailableRemoved = sum([current, ...old], availableOf) - minimum;
  for (const set of old) {
    const count = Math.max(0, Math.min(maxAvailableRemoved, maxRemoved, next.get(set) ?? 0));
    scaleDown(set, count);
    maxAvailableRemoved -= count;
    maxRemoved -= count;
  }
  return [...next].filter(([set, count]) => count !== replicasOf(set));
}

function scaledValue(value: unknown, of: number, round: (value: number) => number): number {
  const percent = textOf(value);
  return percent === undefined ? (numberOf(value) ?? 0) : round((Number.parseFloat(percent) * of) / 100);
}

function replicasOf({ spec }: KubeObject): number {
  return numberOf(objectOf(spec)['replicas']) ?? 1;
}

function availableOf({ status }: KubeObject): number {
  return numberOf(objectOf(status)['availableReplicas']) ?? 0;
}

function sum(sets: readonly KubeObject[], countOf: (set: KubeObject) => number): number {
  return sets.reduce((total, set) => total + countOf(set), 0);
}
