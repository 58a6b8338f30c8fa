import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { pods } from '../apiserver/strategies/resources.ts';
import { numberOf, objectOf, textOf } from '../base/json.ts';
import { ownedBy } from './owned.ts';

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
  const surge = share(maxSurge, desired, Math.ceil);
  const unavailable = share(maxUnavailable, desired, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, desired) };
}

/** The next step of a rollout: the new number of replicas of each ReplicaSet that is to be scaled. */
export function nextReplicas(
  store: ApiStore,
  deployment: KubeObject,
  current: KubeObject | undefined,
  old: readonly KubeObject[],
): readonly (readonly [KubeObject, number])[] {
  if (current === undefined) return [];
  const desired = replicasOf(deployment);
  const isRolling = objectOf(objectOf(deployment['spec'])['strategy'])['type'] !== 'Recreate';
  const up = isRolling ? raised(deployment, current, old) : desired;
  if (isRolling) return up === replicasOf(current) ? lowered(deployment, current, old) : [[current, up]];
  const left = old.filter((set) => replicasOf(set) > 0);
  if (left.length > 0) return left.map((set) => [set, 0]);
  const hasPods = old.some((set) => ownedBy(store, pods, set).length > 0);
  return hasPods || up === replicasOf(current) ? [] : [[current, up]];
}

function raised(deployment: KubeObject, current: KubeObject, old: readonly KubeObject[]): number {
  const desired = replicasOf(deployment);
  const now = replicasOf(current);
  if (now >= desired) return desired;
  const room = desired + limitsOf(deployment).surge - now - sum(old, replicasOf);
  return Math.min(desired, now + Math.max(0, room));
}

/** Scales down unavailable old pods first, and available ones as far as enough pods stay available. */
function lowered(
  deployment: KubeObject,
  current: KubeObject,
  old: readonly KubeObject[],
): readonly (readonly [KubeObject, number])[] {
  const minimum = replicasOf(deployment) - limitsOf(deployment).unavailable;
  const pending = Math.max(0, replicasOf(current) - availableOf(current));
  let room = sum([current, ...old], replicasOf) - minimum - pending;
  if (room <= 0) return [];
  const next = new Map(old.map((set) => [set, replicasOf(set)]));
  const take = (set: KubeObject, count: number) => next.set(set, (next.get(set) ?? 0) - count);
  for (const set of old) {
    const broken = Math.min(room, Math.max(0, replicasOf(set) - availableOf(set)));
    take(set, broken);
    room -= broken;
  }
  let spare = sum([current, ...old], availableOf) - minimum;
  for (const set of old) {
    const count = Math.max(0, Math.min(spare, room, next.get(set) ?? 0));
    take(set, count);
    spare -= count;
    room -= count;
  }
  return [...next].filter(([set, count]) => count !== replicasOf(set));
}

function share(value: unknown, of: number, round: (value: number) => number): number {
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
