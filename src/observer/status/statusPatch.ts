import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, objectOf } from '../../base/json.ts';
import { type InventoryEntry, writeEntry } from '../spec/inventory.ts';
import type { ConditionSaid } from './conditions.ts';
import { nextConditions } from './writtenConditions.ts';

/** What the status is to say. */
interface StatusSaid {
  /** The generation of the spec that it is about. */
  readonly generation: number;
  readonly conditions: readonly ConditionSaid[];
  readonly inventory: readonly InventoryEntry[];
}

/** Bytes: the manifests may have a MiB, and etcd takes one and a half for all of it. */
const mostOfResources = 384 * 1024;

/**
 * The merge patch of an Application's status that brings it from `before`, the status as the API server has it, to what
 * is to be said: only what is different. Undefined: it says so already, and a write would wake up every watcher for
 * nothing. `now`: epoch milliseconds.
 */
export function statusPatch(before: unknown, said: StatusSaid, now: number): JsonObject | undefined {
  const there = objectOf(before);
  const wanted: JsonObject = {
    observedGeneration: said.generation,
    conditions: nextConditions(there['conditions'], said.conditions, said.generation, now),
    resources: fitting(said.inventory),
  };
  const different = Object.entries(wanted).filter(([key, value]) => !isDeepStrictEqual(there[key], value));
  return different.length === 0 ? undefined : { status: Object.fromEntries(different) };
}

/**
 * These fields of the status as a JSON patch that does nothing to a later application of the same name: a merge patch of
 * a status is done whatever uid it says.
 */
export function statusSteps(uid: string, before: unknown, fields: JsonObject): readonly JsonObject[] {
  const isIt = { op: 'test', path: '/metadata/uid', value: uid };
  if (!isObject(before)) return [isIt, { op: 'add', path: '/status', value: fields }];
  return [isIt, ...Object.entries(fields).map(([key, value]) => ({ op: 'add', path: `/status/${key}`, value }))];
}

/** Where that is too much, fewer drifts of each resource, and at last none: without the rows nothing could be pruned. */
function fitting(inventory: readonly InventoryEntry[]): readonly JsonObject[] {
  for (const most of [20, 5, 1]) {
    const rows = inventory.map((entry) => writeEntry({ ...entry, drifts: entry.drifts.slice(0, most) }));
    if (Buffer.byteLength(JSON.stringify(rows)) <= mostOfResources) return rows;
  }
  return inventory.map((entry) => writeEntry({ ...entry, drifts: [] }));
}
