import { isDeepStrictEqual } from 'node:util';
import { arrayOf, isObject, type JsonObject, numberOf, objectOf, textOf } from '../../base/json.ts';
import { type InventoryEntry, writeEntry } from '../spec/inventory.ts';
import type { ConditionType, DesiredCondition } from './conditions.ts';

/** What the status is to say. */
interface DesiredStatus {
  /** The generation of the spec that it is about. */
  readonly generation: number;
  readonly conditions: readonly DesiredCondition[];
  readonly inventory: readonly InventoryEntry[];
}

/** Bytes: the manifests may have a MiB, and etcd takes one and a half for all of it. */
const mostOfResources = 384 * 1024;

/**
 * The merge patch of an Application's status that brings it from `before`, the status as the API server has it, to what
 * is to be said: only what is different. Undefined: it says so already, and a write would wake up every watcher for
 * nothing. `now`: epoch milliseconds.
 */
export function statusPatch(before: unknown, said: DesiredStatus, now: number): JsonObject | undefined {
  const there = objectOf(before);
  const desired: JsonObject = {
    observedGeneration: said.generation,
    conditions: nextConditions(there['conditions'], said.conditions, said.generation, now),
    resources: withinLimit(said.inventory),
  };
  const different = Object.entries(desired).filter(([key, value]) => !isDeepStrictEqual(there[key], value));
  return different.length === 0 ? undefined : { status: Object.fromEntries(different) };
}

/**
 * These fields of the status as a JSON patch that does nothing to a later application of the same name: a merge patch of
 * a status is done whatever uid it says.
 */
export function statusJsonPatch(uid: string, before: unknown, fields: JsonObject): readonly JsonObject[] {
  const isIt = { op: 'test', path: '/metadata/uid', value: uid };
  if (!isObject(before)) return [isIt, { op: 'add', path: '/status', value: fields }];
  return [isIt, ...Object.entries(fields).map(([key, value]) => ({ op: 'add', path: `/status/${key}`, value }))];
}

/** Where that is too much, fewer drifts of each resource, and at last none: without the rows nothing could be pruned. */
function withinLimit(inventory: readonly InventoryEntry[]): readonly JsonObject[] {
  for (const most of [20, 5, 1]) {
    const rows = inventory.map((entry) => writeEntry({ ...entry, drifts: entry.drifts.slice(0, most) }));
    if (Buffer.byteLength(JSON.stringify(rows)) <= mostOfResources) return rows;
  }
  return inventory.map((entry) => writeEntry({ ...entry, drifts: [] }));
}

/** A condition as it stands in the status. */
export interface Condition extends DesiredCondition {
  readonly observedGeneration: number;
  /** RFC 3339 with whole seconds: when `status` became what it is. */
  readonly lastTransitionTime: string;
}

const longestMessage = 4_096;

/**
 * The conditions to be written: the time of one whose status is what it was is kept, whatever else it says. Conditions
 * that somebody else put there stay, behind ours.
 */
function nextConditions(
  before: unknown,
  said: readonly DesiredCondition[],
  generation: number,
  now: number,
): readonly JsonObject[] {
  const there = arrayOf(before).map(objectOf);
  const ours = said.map((each): Condition => {
    const earlier = there.find(({ type }) => type === each.type);
    const isSame = earlier?.['status'] === each.status;
    const since = (isSame ? textOf(earlier['lastTransitionTime']) : undefined) ?? secondsOf(now);
    return {
      type: each.type,
      status: each.status,
      reason: each.reason,
      message: cut(each.message),
      observedGeneration: generation,
      lastTransitionTime: since,
    };
  });
  const foreign = there.filter(({ type }) => typeof type === 'string' && !conditionTypes.has(type));
  return [...ours.map((each): JsonObject => ({ ...each })), ...foreign];
}

const conditionTypes: ReadonlySet<string> = new Set<ConditionType>(['Applied', 'InSync', 'Degraded', 'Invalid']);

/** The condition of a type as it stands in a status; undefined: there is none that can be read. */
export function conditionOf(conditions: unknown, type: ConditionType): Condition | undefined {
  const found = arrayOf(conditions)
    .map(objectOf)
    .find((each) => each['type'] === type);
  const status = (['True', 'False', 'Unknown'] as const).find((each) => each === found?.['status']);
  if (found === undefined || status === undefined) return undefined;
  return {
    type,
    status,
    reason: textOf(found['reason']) ?? '',
    message: textOf(found['message']) ?? '',
    observedGeneration: numberOf(found['observedGeneration']) ?? 0,
    lastTransitionTime: textOf(found['lastTransitionTime']) ?? '',
  };
}

/** As the API server writes times. */
function secondsOf(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

function cut(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1)}…`;
}
