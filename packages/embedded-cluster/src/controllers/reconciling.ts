import { isDeepStrictEqual } from 'node:util';
import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import type { Resource } from '../apiserver/registry/resource.ts';
import { type JsonObject, objectOf } from '../base/json.ts';
import type { Clock, TimerHandle } from '../clock/clock.ts';

/** The field manager of all controllers. */
export const manager = { manager: 'kube-controller-manager' };

/** The delay between a change and its reconciliation, in milliseconds. */
export const workloadDelay = 50;

/**
 * Calls `reconcile` `delay` milliseconds after a change of these resources, once for all changes in between. Returns a
 * function that stops it.
 */
export function reconcileOnChange(
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
    for (const stopWatch of unwatch) stopWatch();
  };
}

/** Replaces the status if it differs. As in the real controllers, the same request sets annotations. */
export function writeStatus(
  store: ApiStore,
  resource: Resource,
  { metadata, status: before }: KubeObject,
  now: JsonObject,
  annotations: Readonly<Record<string, string>> = {},
): void {
  const hasAnnotations = Object.entries(annotations).every(([key, value]) => metadata.annotations?.[key] === value);
  if (hasAnnotations && isDeepStrictEqual({ ...objectOf(before) }, now)) return;
  const removed = Object.fromEntries(Object.keys(objectOf(before)).map((key) => [key, null]));
  const change = { metadata: { annotations }, status: { ...removed, ...now } };
  store.patch(resource, metadata.namespace ?? '', metadata.name, change, { subresource: 'status', ...manager });
}

/** Omits counts of zero. */
export function nonZero(counts: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
