import { arrayOf, isObject, type JsonObject, objectOf } from '../json.ts';
import { cut, type FieldsTree, treeOf, union } from './fieldsV1.ts';
import { type Path, pathText } from './path.ts';

/** One entry of `metadata.managedFields`. */
interface Entry extends JsonObject {
  readonly fieldsV1: FieldsTree;
}

/**
 * A merge patch that makes `manager` the only owner of what is at these paths and below, by its Apply entry: what it
 * owns and its next apply does not have, the API server removes, together with everything else that apply does, in one
 * write of the content (A3). Server-side apply alone never removes what somebody else added.
 *
 * Only of the version that was read: a 409 means to read it again.
 */
export function takeOver(live: JsonObject, paths: readonly Path[], manager: string): JsonObject {
  const metadata = objectOf(live['metadata']);
  const texts = new Set(paths.map(pathText));
  const entries = arrayOf(metadata['managedFields']).filter(isEntry);
  const isOwn = ({ manager: who, operation, subresource }: Entry) =>
    who === manager && operation === 'Apply' && (subresource === undefined || subresource === '');
  const own = entries.find(isOwn);
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
  const { uid, resourceVersion } = metadata;
  return { metadata: { uid, resourceVersion, managedFields: [...others, { ...entry, fieldsV1: taken }] } };
}

/** The other managers' entries of an object; an empty list would be taken for no change at all, so it has one empty entry. */
export function withoutManagers(live: JsonObject, managers: ReadonlySet<string>): readonly JsonObject[] {
  const entries = arrayOf(objectOf(live['metadata'])['managedFields']).map(objectOf);
  const others = entries.filter(({ manager }) => typeof manager !== 'string' || !managers.has(manager));
  return others.length === 0 ? [{}] : others;
}

function isEntry(value: unknown): value is Entry {
  return isObject(value) && isObject(value['fieldsV1']);
}
