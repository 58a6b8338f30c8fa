import { isDeepStrictEqual } from 'node:util';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { cut, difference, type FieldsTree, treeOf, union } from '../drift/fieldsV1.ts';
import { done, type Outcome } from '../objects/applyFailure.ts';
import type { ApplicationOwner } from '../objects/fieldManagers.ts';
import { type Path, pathText } from '../objects/path.ts';
import { entriesOf, isApplied, isOfWhole, type ManagedFieldsEntry } from '../ownership/managedFields.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { ObserverApi } from './observerApi.ts';

/**
 * Returns a merge patch that makes `manager` the only owner of these paths and the fields below, in its Apply entry.
 * The next apply of `manager` then removes the fields that it leaves out, in the same write as its other changes.
 * Server-side apply alone never removes fields that other clients have added.
 *
 * The patch applies only to the version that was read. After a 409, read the object again.
 */
export function takeOver(live: JsonObject, paths: readonly Path[], manager: string): JsonObject {
  const texts = new Set(paths.map(pathText));
  const entries = entriesOf(live);
  const own = entries.find((entry) => entry['manager'] === manager && isApplied(entry));
  let taken = paths.map(treeOf).reduce(union, own?.fieldsV1 ?? {});
  const others = entries.flatMap((entry) => {
    if (entry === own) return [];
    const parts = cut(entry.fieldsV1, texts);
    if (parts.taken !== undefined) taken = union(taken, parts.taken);
    return parts.rest === undefined ? [] : [{ ...entry, fieldsV1: parts.rest }];
  });
  const entry = own ?? {
    manager,
    operation: 'Apply',
    apiVersion: live['apiVersion'],
    fieldsType: 'FieldsV1',
  };
  const { uid, resourceVersion } = objectOf(live['metadata']);
  return { metadata: { uid, resourceVersion, managedFields: [...others, { ...entry, fieldsV1: taken }] } };
}

/**
 * Returns a merge patch that removes kubectl as an owner of the fields that the application has applied as well, or
 * undefined if there are none. Without it, fields that a user once wrote with `kubectl apply` would keep kubectl as an
 * owner, and would stay when they leave the manifest. It does not change entries of server-side apply, because that
 * client may apply again; fields that the manifest does not have; or replicas, which the subresource `scale` writes.
 */
export function takenFromKubectl(
  live: JsonObject,
  { own, init }: Pick<ApplicationOwner, 'own' | 'init'>,
): JsonObject | undefined {
  const { uid, resourceVersion } = objectOf(live['metadata']);
  const entries = entriesOf(live);
  const ours = entries
    .filter((entry) => isApplied(entry) && (entry['manager'] === own || entry['manager'] === init))
    .reduce((all: FieldsTree, { fieldsV1 }) => union(all, fieldsV1), {});
  const left = entries.flatMap((entry) => {
    if (!isOfKubectl(entry)) return [entry];
    const fieldsV1 = difference(entry.fieldsV1, ours);
    return fieldsV1 === undefined ? [] : [{ ...entry, fieldsV1 }];
  });
  const isSame = isDeepStrictEqual(left, entries);
  return isSame ? undefined : { metadata: { uid, resourceVersion, managedFields: left } };
}

/** Any kubectl command. `before-first-apply` owns the fields from before server-side apply. */
function isOfKubectl({ manager, operation, subresource }: ManagedFieldsEntry): boolean {
  const isKubectl = typeof manager === 'string' && /^(?:kubectl(?:-.*)?|before-first-apply)$/.test(manager);
  return isKubectl && operation === 'Update' && isOfWhole(subresource);
}

/**
 * Returns the other managers' entries of an object. The API server ignores an empty list, so the list has one empty
 * entry instead.
 */
export function withoutManagers(live: JsonObject, managers: ReadonlySet<string>): readonly JsonObject[] {
  const entries = arrayOf(objectOf(live['metadata'])['managedFields']).map(objectOf);
  const others = entries.filter(({ manager }) => typeof manager !== 'string' || !managers.has(manager));
  return others.length === 0 ? [{}] : others;
}

/** Returns the entries of an object with other names of managers; `names` has the new ones by the old ones. */
export function withManagers(live: JsonObject, names: ReadonlyMap<string, string>): readonly JsonObject[] {
  // What a new manager owned already, from an earlier time, it would own twice.
  const others = withoutManagers(live, new Set(names.values()));
  return others.map(({ manager, ...entry }) =>
    manager === undefined ? entry : { ...entry, manager: names.get(String(manager)) ?? manager },
  );
}

/**
 * Makes `manager` the only owner of these paths, so that its next apply removes them. Returns the resulting object.
 * `conflict`: the object has changed since it was read, and may belong to another application.
 */
export async function takeOverAll(
  api: ObserverApi,
  { target }: ResourcePlan,
  live: JsonObject,
  paths: readonly Path[],
  manager: string,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  return paths.length === 0 ? done(live) : api.patch(target, takeOver(live, paths, manager), manager, signal);
}

/** Gives the fields of `taken` back to their owners in `before`. `conflict`: the object has changed in between. */
export async function restoreOwners(
  api: ObserverApi,
  { target, owner }: ResourcePlan,
  before: JsonObject,
  taken: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const { uid, resourceVersion } = objectOf(taken['metadata']);
  const managedFields = withoutManagers(before, new Set());
  return api.patch(target, { metadata: { uid, resourceVersion, managedFields } }, owner.own, signal);
}
