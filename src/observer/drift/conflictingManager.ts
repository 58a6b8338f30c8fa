import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { ApplicationOwner } from '../objects/fieldManagers.ts';
import type { Drift } from '../objects/projection.ts';
import { type FieldsTree, ownsAt, stepTextOf } from './fieldsV1.ts';

/**
 * Returns the field manager that wrote a drifted field, by `metadata.managedFields`: `kubectl-edit/Update`, or
 * `kube-controller-manager/Update/scale` for a subresource. It is the newest if there are several; times are whole
 * seconds. Undefined if it is unknown: a deleted field has no owner.
 */
export function conflictingManagerOf(
  live: JsonObject,
  { path, type }: Pick<Drift, 'path' | 'type'>,
  { own, init }: Pick<ApplicationOwner, 'own' | 'init'>,
): string | undefined {
  if (type === 'missing') return undefined;
  const entries = arrayOf(objectOf(live['metadata'])['managedFields']).map(objectOf);
  const holders = entries.filter(({ fieldsV1 }) => isObject(fieldsV1) && ownsAt(fieldsV1, path));
  // If a manager owns the field itself, the map around it is not atomic, and the owner of the map owns only its
  // existence.
  const owners =
    holders.length > 0 ? holders : entries.filter(({ fieldsV1 }) => isObject(fieldsV1) && concerns(fieldsV1, path, ''));
  return newestOf(owners, { own, init });
}

/** Returns the other client that wrote the object last, in the same form. Undefined if there is none. */
export function lastManagerOf(live: JsonObject, owner: Pick<ApplicationOwner, 'own' | 'init'>): string | undefined {
  return newestOf(arrayOf(objectOf(live['metadata'])['managedFields']).map(objectOf), owner);
}

function newestOf(
  entries: readonly JsonObject[],
  { own, init }: Pick<ApplicationOwner, 'own' | 'init'>,
): string | undefined {
  const others = entries.filter(({ manager }) => manager !== own && manager !== init);
  const newest = others.toSorted((one, other) => timeOf(one).localeCompare(timeOf(other))).at(-1);
  return newest === undefined ? undefined : nameOf(newest);
}

/** Returns true if the manager owns a field below the path, or the atomic value that contains it. */
function concerns(tree: FieldsTree, path: string, prefix: string): boolean {
  return Object.entries(tree).some(([key, value]) => {
    const step = stepTextOf(key);
    if (step === undefined) return false;
    const text = prefix + step;
    if (text === path || isBelow(text, path)) return true;
    const below = objectOf(value);
    return isBelow(path, text) && (Object.keys(below).length === 0 || concerns(below, path, text));
  });
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(above) && /^[.[]/.test(path.slice(above.length));
}

function nameOf({ manager, operation, subresource }: JsonObject): string | undefined {
  if (typeof manager !== 'string') return undefined;
  return [manager, operation, subresource].filter((part) => typeof part === 'string' && part !== '').join('/');
}

function timeOf(entry: JsonObject): string {
  return textOf(entry['time']) ?? '';
}
