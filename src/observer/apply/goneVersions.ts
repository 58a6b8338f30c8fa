import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { objectOf } from '@weeder/kube-runtime/base';
import { union } from '../drift/fieldsV1.ts';
import type { Outcome } from '../objects/applyFailure.ts';
import { entriesOf, type ManagedFieldsEntry } from '../ownership/managedFields.ts';
import type { Target } from '../plan/resourceApi.ts';
import type { ObserverApi } from './observerApi.ts';

/**
 * Returns requests that also work on an object with fields of a version that is no longer served. The API server refuses
 * every apply to such a custom resource with a 500, until its managed fields no longer name that version: their managers
 * then own the same fields in the version of the apply.
 */
export function withoutGoneVersions(api: ObserverApi): ObserverApi {
  async function retried<T>(
    target: Target,
    manager: string,
    signal: AbortSignal,
    send: () => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const outcome = await send();
    if (outcome.ok || outcome.failure.goneVersion === undefined) return outcome;
    const existing = await api.read(target, signal);
    if (!existing.ok) return outcome;
    const patch = withVersion(existing.value, outcome.failure.goneVersion, target.apiVersion);
    const patched = await api.patch(target, patch, manager, signal);
    return patched.ok ? send() : outcome;
  }
  return {
    ...api,
    apply: (target, body, how, signal) => {
      const send = () => api.apply(target, body, how, signal);
      return how.isDryRun === true ? send() : retried(target, how.manager, signal, send);
    },
    create: (target, body, manager, signal) =>
      retried(target, manager, signal, () => api.create(target, body, manager, signal)),
  };
}

/** Returns a patch of the managed fields, for the version that was read. */
function withVersion(live: JsonObject, gone: string, served: string): JsonObject {
  const { uid, resourceVersion } = objectOf(live['metadata']);
  const entries: ManagedFieldsEntry[] = [];
  for (const managed of entriesOf(live)) {
    const entry = managed['apiVersion'] === gone ? { ...managed, apiVersion: served } : managed;
    const index = entries.findIndex((other) => isDeepStrictEqual(managerOf(other), managerOf(entry)));
    const same = entries[index];
    if (same === undefined) entries.push(entry);
    else entries[index] = { ...entry, fieldsV1: union(same.fieldsV1, entry.fieldsV1) };
  }
  return { metadata: { uid, resourceVersion, managedFields: entries } };
}

/** A manager has one entry for each operation, version and subresource. */
function managerOf({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): readonly unknown[] {
  return [manager, operation, apiVersion, subresource];
}
