import { isObject, type JsonObject } from '@weeder/kube-runtime/base';
import { type FieldsTree, ownsAt, union } from '../drift/fieldsV1.ts';
import { walk } from '../objects/livePaths.ts';
import { entriesOf, isApplied } from '../ownership/managedFields.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf } from './applyBodies.ts';
import { putIn } from './defaultedFields.ts';

/**
 * Returns the object as the application applied it last, without asking the API server: a field that its managers still
 * own has the applied value, in the API server's form. The others have the value of the manifest, because a client that
 * changes a field takes it from its owner.
 */
export function appliedFields(live: JsonObject, plan: ResourcePlan): JsonObject {
  const { topology, owner } = plan;
  const owned = entriesOf(live)
    .filter((entry) => isApplied(entry) && (entry['manager'] === owner.own || entry['manager'] === owner.init))
    .reduce((all: FieldsTree, { fieldsV1 }) => union(all, fieldsV1), {});
  let object = live;
  walk(bodiesOf(plan).whole, topology, (text, path, value) => {
    const isBranch = (isObject(value) || Array.isArray(value)) && Object.keys(value).length > 0;
    if (!ownsAt(owned, text)) object = putIn(object, path, topology, value);
    return isBranch;
  });
  return object;
}
