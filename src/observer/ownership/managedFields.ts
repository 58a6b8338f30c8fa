import { arrayOf, isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { difference, type FieldsTree, union } from '../drift/fieldsV1.ts';

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry extends JsonObject {
  readonly fieldsV1: FieldsTree;
}

export function entriesOf(live: JsonObject): readonly ManagedFieldsEntry[] {
  return arrayOf(objectOf(live['metadata'])['managedFields']).filter(isEntry);
}

function isEntry(value: unknown): value is ManagedFieldsEntry {
  return isObject(value) && isObject(value['fieldsV1']);
}

/** Returns true for an entry of server-side apply. */
export function isApplied({ operation, subresource }: ManagedFieldsEntry): boolean {
  return operation === 'Apply' && isOfWhole(subresource);
}

export function isOfWhole(subresource: unknown): boolean {
  return subresource === undefined || subresource === '';
}

/**
 * Returns the fields that only this manager owns, by apply: its next apply removes those that it leaves out. Undefined
 * if there are none.
 */
export function fieldsOnlyOf(live: JsonObject, manager: string): FieldsTree | undefined {
  const entries = entriesOf(live);
  const own = entries.find((entry) => entry['manager'] === manager && isApplied(entry));
  if (own === undefined) return undefined;
  const others = entries.filter((entry) => entry !== own).map(({ fieldsV1 }) => fieldsV1);
  return difference(own.fieldsV1, others.reduce(union, {}));
}
