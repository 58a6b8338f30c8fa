import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '../json.ts';
import type { Identity } from './identity.ts';

/** What is so of a resource, as it stands in the status. */
export const resourceStates = [
  'pending',
  'inSync',
  'drifted',
  'correcting',
  'missing',
  'creating',
  'terminating',
  'backingOff',
  'refused',
  'claimed',
  'pruning',
] as const;
export type ResourceState = (typeof resourceStates)[number];

/** A difference as the status holds it: the values as JSON, cut; of a Secret there are none. */
export interface ShownDrift {
  readonly path: string;
  readonly is: 'changed' | 'missing' | 'excess' | 'duplicate';
  readonly wanted?: string;
  readonly found?: string;
}

/** One row of `status.resources`: what an application has applied, or is about to apply. */
export interface InventoryEntry {
  readonly identity: Identity;
  /** Under which it was applied last; its streams and requests after a restart go there. */
  readonly apiVersion: string;
  /** Undefined: the row was written before the first apply, and nobody knows whether that came through. */
  readonly uid: string | undefined;
  /** Of manifest and shape as applied last; undefined: not applied yet. */
  readonly hash: string | undefined;
  readonly state: ResourceState;
  readonly drifts: readonly ShownDrift[];
  /** By path, as JSON: what the reply had in fields that the schema lists and the manifest does not have. */
  readonly initialised: Readonly<Record<string, string>>;
}

/**
 * Reads `status.resources`. Whoever may write the status can put anything there: a row without kind or name is left
 * out, and everything else that is not as weeder writes it counts as not said.
 */
export function readInventory(resources: unknown): readonly InventoryEntry[] {
  return arrayOf(resources).flatMap((row) => {
    const entry = readEntry(objectOf(row));
    return entry === undefined ? [] : [entry];
  });
}

/** A row as `readInventory` reads it; what is not known or empty is left out. */
export function writeEntry(entry: InventoryEntry): JsonObject {
  const { identity, apiVersion, uid, hash, state, drifts, initialised } = entry;
  const { group, kind, namespace, name } = identity;
  return {
    ...(group === '' ? {} : { group }),
    apiVersion,
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(hash === undefined ? {} : { hash }),
    state,
    ...(drifts.length === 0 ? {} : { drifts }),
    ...(Object.keys(initialised).length === 0 ? {} : { initialised }),
  };
}

function readEntry(row: JsonObject): InventoryEntry | undefined {
  const [kind, name] = [textOf(row['kind']), textOf(row['name'])];
  const apiVersion = textOf(row['apiVersion']);
  if (!kind || !name || !apiVersion) return undefined;
  const identity = { group: textOf(row['group']) ?? '', kind, namespace: textOf(row['namespace']) ?? '', name };
  return {
    identity,
    apiVersion,
    uid: textOf(row['uid']) || undefined,
    hash: textOf(row['hash']) || undefined,
    state: resourceStates.find((state) => state === row['state']) ?? 'pending',
    drifts: arrayOf(row['drifts']).flatMap(readDrift),
    initialised: textsOf(row['initialised']),
  };
}

const differences: readonly ShownDrift['is'][] = ['changed', 'missing', 'excess', 'duplicate'];

function readDrift(value: unknown): readonly ShownDrift[] {
  const drift = objectOf(value);
  const [path, wanted, found] = [textOf(drift['path']), textOf(drift['wanted']), textOf(drift['found'])];
  const is = differences.find((each) => each === drift['is']);
  if (path === undefined || is === undefined) return [];
  return [{ path, is, ...(wanted === undefined ? {} : { wanted }), ...(found === undefined ? {} : { found }) }];
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
