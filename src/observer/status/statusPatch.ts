import { isDeepStrictEqual } from 'node:util';
import {
  arrayOf,
  isObject,
  type JsonObject,
  numberOf,
  objectOf,
  textOf,
  timeInSeconds,
} from '@weeder/kube-runtime/base';
import { type InventoryEntry, writeEntry } from '../spec/inventory.ts';
import { type ConditionType, conditionTypes, type DesiredCondition } from './condition.ts';

/** The desired content of the status. */
interface DesiredStatus {
  /** The generation of the spec that the status describes. */
  readonly generation: number;
  readonly conditions: readonly DesiredCondition[];
  readonly inventory: readonly InventoryEntry[];
}

/** Bytes: the manifests may have 1 MiB, and etcd accepts 1.5 MiB for the whole object. */
const maxInventoryBytes = 384 * 1024;

/**
 * Returns the merge patch that changes an Application's status from `before`, the status on the API server, to the
 * desired one. It has only the fields that differ. Returns undefined if there are none, since a write would wake up
 * every watcher for nothing. `now`: epoch milliseconds.
 */
export function statusPatch(before: unknown, desired: DesiredStatus, now: number): JsonObject | undefined {
  const there = objectOf(before);
  const fields: JsonObject = {
    observedGeneration: desired.generation,
    conditions: nextConditions(there['conditions'], desired.conditions, desired.generation, now),
    resourcesInSync: inSyncOf(desired.inventory),
    resources: withinLimit(desired.inventory),
  };
  const different = Object.entries(fields).filter(([key, value]) => !isDeepStrictEqual(there[key], value));
  return different.length === 0 ? undefined : { status: Object.fromEntries(different) };
}

/**
 * Returns these fields of the status as a JSON patch that fails for a later application of the same name: a merge patch
 * of a status succeeds whatever uid it has.
 */
export function statusJsonPatch(uid: string, before: unknown, fields: JsonObject): readonly JsonObject[] {
  const isIt = { op: 'test', path: '/metadata/uid', value: uid };
  if (!isObject(before)) return [isIt, { op: 'add', path: '/status', value: fields }];
  return [isIt, ...Object.entries(fields).map(([key, value]) => ({ op: 'add', path: `/status/${key}`, value }))];
}

/** Returns how many resources of the manifests are in sync, of how many: `2/3`. */
function inSyncOf(inventory: readonly InventoryEntry[]): string {
  const current = inventory.filter(({ state }) => state !== 'leaving' && state !== 'terminating');
  return `${current.filter(({ state }) => state === 'inSync').length}/${current.length}`;
}

/**
 * If the rows are too large, retains fewer drifts of each resource, and none in the end. The rows themselves are needed
 * to prune resources.
 */
function withinLimit(inventory: readonly InventoryEntry[]): readonly JsonObject[] {
  for (const max of [20, 5, 1]) {
    const rows = inventory.map((entry) => writeEntry({ ...entry, drifts: entry.drifts.slice(0, max) }));
    if (Buffer.byteLength(JSON.stringify(rows)) <= maxInventoryBytes) return rows;
  }
  return inventory.map((entry) => writeEntry({ ...entry, drifts: [] }));
}

/** A condition in the status. */
export interface Condition extends DesiredCondition {
  readonly observedGeneration: number;
  /** RFC 3339 with whole seconds: when `status` changed. */
  readonly lastTransitionTime: string;
}

const longestMessage = 4_096;

/**
 * Returns the conditions to write. A condition whose status is the same retains its time, whatever else has changed.
 * Conditions of other clients are retained, after weeder's.
 */
function nextConditions(
  before: unknown,
  desired: readonly DesiredCondition[],
  generation: number,
  now: number,
): readonly JsonObject[] {
  const there = arrayOf(before).map(objectOf);
  const ours = desired.map((condition): Condition => {
    const earlier = there.find(({ type }) => type === condition.type);
    const isSame = earlier?.['status'] === condition.status;
    const since = (isSame ? textOf(earlier['lastTransitionTime']) : undefined) ?? timeInSeconds(now);
    return {
      type: condition.type,
      status: condition.status,
      reason: condition.reason,
      message: cut(condition.message),
      observedGeneration: generation,
      lastTransitionTime: since,
    };
  });
  const foreign = there.filter(({ type }) => typeof type === 'string' && !ownTypes.has(type));
  return [...ours.map((each): JsonObject => ({ ...each })), ...foreign];
}

const ownTypes: ReadonlySet<string> = new Set(conditionTypes);

/** Returns the condition of a type in a status; undefined if there is none that can be read. */
export function conditionOf(conditions: unknown, type: ConditionType): Condition | undefined {
  const previous = arrayOf(conditions)
    .map(objectOf)
    .find((each) => each['type'] === type);
  const status = (['True', 'False', 'Unknown'] as const).find((each) => each === previous?.['status']);
  if (previous === undefined || status === undefined) return undefined;
  return {
    type,
    status,
    reason: textOf(previous['reason']) ?? '',
    message: textOf(previous['message']) ?? '',
    observedGeneration: numberOf(previous['observedGeneration']) ?? 0,
    lastTransitionTime: textOf(previous['lastTransitionTime']) ?? '',
  };
}

function cut(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1)}…`;
}
