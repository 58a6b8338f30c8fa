import { arrayOf, isObject, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { type ResourceState, resourceStates } from '../../../machines/observer/resource.ts';
import type { Identity, Json } from '../objects/identity.ts';
import { parseBoundedJson } from '../objects/jsonValue.ts';
import type { Drift } from '../objects/projection.ts';
import type { ShownDrift } from '../objects/shownDrifts.ts';

/** One row of `status.resources`: what an application has applied, or is about to apply. */
export interface InventoryEntry {
  readonly identity: Identity;
  /** The version of its last apply: after a restart, its stream and its requests use it. */
  readonly apiVersion: string;
  /**
   * The uid in the response to an apply of this application, never the uid of an object that was only found. Undefined
   * before the first response: then only the object itself shows whether an apply has succeeded.
   */
  readonly appliedUid: string | undefined;
  /** The hash of the manifest and mask of the last apply; undefined if there was none. */
  readonly hash: string | undefined;
  readonly state: ResourceState;
  readonly drifts: readonly ShownDrift[];
  /**
   * By path: values that the API server has filled in for fields that the schema lists and the manifest leaves out.
   * They are part of the desired state from then on.
   */
  readonly initialised: ReadonlyMap<string, Json>;
}

/**
 * Reads `status.resources`. Any client that may write the status can put anything there: a row without kind, name or
 * apiVersion is left out, and any other value that weeder would not write is ignored.
 */
export function readInventory(resources: unknown): readonly InventoryEntry[] {
  return arrayOf(resources).flatMap((row) => {
    const entry = readEntry(objectOf(row));
    return entry === undefined ? [] : [entry];
  });
}

/** Returns the row that `readInventory` reads, without unknown and empty values. */
export function writeEntry(entry: InventoryEntry): JsonObject {
  const { identity, apiVersion, appliedUid, hash, state, drifts, initialised } = entry;
  const { group, kind, namespace, name } = identity;
  const texts = [...initialised].map(([path, value]) => [path, JSON.stringify(value)]);
  return {
    ...(group === '' ? {} : { group }),
    apiVersion,
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(appliedUid === undefined ? {} : { appliedUid }),
    ...(hash === undefined ? {} : { hash }),
    state: statusValue(state),
    ...(drifts.length === 0 ? {} : { drifts: drifts.map((drift) => ({ ...drift, type: statusValue(drift.type) })) }),
    ...(texts.length === 0 ? {} : { initialised: Object.fromEntries(texts) }),
  };
}

/**
 * An enum value as the status has it: in CamelCase, as the Kubernetes API conventions require. A state has the name of the
 * reason of `Degraded` where that is a term of the field.
 */
export function statusValue(value: ResourceState | Drift['type']): string {
  if (value === 'claimed') return 'OwnershipConflict';
  if (value === 'typeMissing') return 'NoKindMatch';
  return `${value.charAt(0).toUpperCase()}${value.slice(1)}`;
}

/** Also reads camelCase, which earlier versions wrote. */
function readStatusValue<T extends ResourceState | Drift['type']>(values: readonly T[], text: unknown): T | undefined {
  return values.find((value) => text === statusValue(value) || text === value);
}

function readEntry(row: JsonObject): InventoryEntry | undefined {
  const [kind, name, apiVersion] = [textOf(row['kind']), textOf(row['name']), textOf(row['apiVersion'])];
  if (!kind || !name || !apiVersion) return undefined;
  const appliedUid = textOf(row['appliedUid']) || undefined;
  return {
    identity: { group: textOf(row['group']) ?? '', kind, namespace: textOf(row['namespace']) ?? '', name },
    apiVersion,
    appliedUid,
    // Earlier versions wrote rows without the applied uid. Then the hash proves nothing, and the manifest is applied
    // again.
    hash: appliedUid === undefined ? undefined : textOf(row['hash']) || undefined,
    state: readStatusValue(resourceStates, row['state']) ?? 'pending',
    drifts: arrayOf(row['drifts']).flatMap(readDrift),
    initialised: readInitialised(row['initialised']),
  };
}

const differences: readonly Drift['type'][] = ['changed', 'missing', 'excess', 'duplicate'];

function readDrift(value: unknown): readonly ShownDrift[] {
  const drift = objectOf(value);
  const [path, desired, found] = [textOf(drift['path']), textOf(drift['desired']), textOf(drift['found'])];
  const type = readStatusValue(differences, drift['type']);
  if (path === undefined || type === undefined) return [];
  return [{ path, type, ...(desired === undefined ? {} : { desired }), ...(found === undefined ? {} : { found }) }];
}

function readInitialised(value: unknown): ReadonlyMap<string, Json> {
  const values = new Map<string, Json>();
  if (!isObject(value)) return values;
  for (const [path, text] of Object.entries(value)) {
    // A value that weeder has not written is ignored.
    const read = parseBoundedJson(textOf(text) ?? '');
    if (read !== undefined) values.set(path, read);
  }
  return values;
}
