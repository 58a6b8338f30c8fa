import { isDeepStrictEqual } from 'node:util';
import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import type { Resource } from '../apiserver/registry/resource.ts';
import { type JsonObject, objectOf } from '../base/json.ts';
import type { Clock, TimerHandle } from '../clock/clock.ts';

/** Who all the controllers are for the API. */
export const manager = { manager: 'kube-controller-manager' };

/** From a change to what the controller of a workload does about it, in milliseconds. */
export const workloadDelay = 50;

/** Many changes within the delay, in milliseconds, are answered at once. Returns what ends it. */
export function whenChanged(
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

/** Writes a status as a whole, unless it is that already; with annotations in the same write, as the real ones do. */
export function writeStatus(
  store: ApiStore,
  resource: Resource,
  { metadata, status: before }: KubeObject,
  now: JsonObject,
  annotations: Readonly<Record<string, string>> = {},
): void {
  const isNoted = Object.entries(annotations).every(([key, value]) => metadata.annotations?.[key] === value);
  if (isNoted && isDeepStrictEqual({ ...objectOf(before) }, now)) return;
  const removed = Object.fromEntries(Object.keys(objectOf(before)).map((key) => [key, null]));
  const change = { metadata: { annotations }, status: { ...removed, ...now } };
  store.patch(resource, metadata.namespace ?? '', metadata.name, change, { subresource: 'status', ...manager });
}

/** Counts of zero are left out of a status. */
export function nonZero(counts: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
