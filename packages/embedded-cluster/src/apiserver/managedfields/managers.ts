import { isObject, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { type FieldSet, joined, parseStep, separator } from './fieldSet.ts';

/** One entry of managedFields. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  /** Undefined if the manager has only applied values that the fields had already. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Compares managers without fields and time; those of apply are the same across API versions. */
export function isSameManager(a: Manager, b: Manager): boolean {
  const isVersionSame = a.operation === 'Apply' || a.apiVersion === b.apiVersion;
  const isNameSame = a.manager === b.manager && a.operation === b.operation;
  return isNameSame && isVersionSame && a.subresource === b.subresource;
}

/** Parses managedFields; undefined if they are not in the server's form. */
export function readManagers(entries: readonly unknown[]): readonly Manager[] | undefined {
  const managers: Manager[] = [];
  for (const entry of entries) {
    const { manager, operation, apiVersion, subresource, time, fieldsType, fieldsV1 } = objectOf(entry);
    const fields = pathsOf(objectOf(fieldsV1));
    if ((operation !== 'Apply' && operation !== 'Update') || fieldsType !== 'FieldsV1') return undefined;
    if (fields === undefined || !textOf(apiVersion)) return undefined;
    managers.push({
      manager: textOf(manager) || 'unknown',
      operation,
      apiVersion: String(apiVersion),
      subresource: textOf(subresource) || undefined,
      time: textOf(time),
      fields,
    });
  }
  return managers;
}

/**
 * Serializes managers in the order of the API: managers of apply first, then by time and name. Those without fields are
 * omitted.
 */
export function writeManagers(managers: readonly Manager[]): readonly JsonObject[] {
  return managers
    .filter(({ fields }) => fields.size > 0)
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .map(({ manager, operation, apiVersion, subresource, time, fields }) => ({
      manager,
      operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: fieldsV1Of(fields),
      ...(subresource === undefined ? {} : { subresource }),
    }));
}

function orderOf({ operation, time = '', manager, apiVersion, subresource = '' }: Manager): string {
  return [operation, time, manager, apiVersion, subresource].join(separator);
}

/** A cache of fieldsV1: most objects of one kind have the same owners. */
const serialized = new Map<string, JsonObject>();
const cacheLimit = 500;
/** The same for the sets themselves, in both directions: most writes leave the owners as they are. */
const serializedSets = new WeakMap<FieldSet, JsonObject>();
const parsedSets = new WeakMap<JsonObject, FieldSet>();

function fieldsV1Of(fields: FieldSet): JsonObject {
  const fieldsV1 = serializedSets.get(fields) ?? serializedOf(fields);
  serializedSets.set(fields, fieldsV1);
  if (!parsedSets.has(fieldsV1)) parsedSets.set(fieldsV1, fields);
  return fieldsV1;
}

function serializedOf(fields: FieldSet): JsonObject {
  const paths = [...fields].sort();
  const key = paths.join('\n');
  const cachedFields = serialized.get(key);
  if (cachedFields !== undefined) return cachedFields;
  const fieldsV1 = nested(paths);
  if (serialized.size >= cacheLimit) serialized.clear();
  serialized.set(key, fieldsV1);
  return fieldsV1;
}

interface Node {
  isMember: boolean;
  readonly below: Map<string, Node>;
}

function nested(paths: readonly string[]): JsonObject {
  const root: Node = { isMember: false, below: new Map() };
  for (const path of paths) {
    let node = root;
    for (const step of path.split(separator)) {
      const next: Node = node.below.get(step) ?? { isMember: false, below: new Map() };
      node.below.set(step, next);
      node = next;
    }
    node.isMember = true;
  }
  return jsonOf(root);
}

function jsonOf({ isMember, below }: Node): JsonObject {
  const children = [...below].map(([step, node]) => [step, jsonOf(node)] as const);
  return Object.fromEntries(isMember && children.length > 0 ? [['.', {}], ...children] : children);
}

function pathsOf(fieldsV1: JsonObject): FieldSet | undefined {
  const known = parsedSets.get(fieldsV1);
  if (known !== undefined) return known;
  const paths = new Set<string>();
  const walk = (fields: JsonObject, path: string): boolean => {
    const entries = Object.entries(fields);
    if (entries.length === 0 && path !== '') paths.add(path);
    return entries.every(([name, below]) => {
      if (name === '.') return paths.add(path) !== undefined;
      // Step types of newer servers are skipped.
      if (!/^[fkvi]:/.test(name)) return true;
      const step = parseStep(name);
      return step !== undefined && isObject(below) && walk(below, joined(path, step));
    });
  };
  return walk(fieldsV1, '') ? paths : undefined;
}
