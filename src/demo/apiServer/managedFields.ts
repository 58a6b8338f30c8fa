import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, objectOf } from '../../json.ts';
import type { WriteOptions } from './assemble.ts';
import { type KubeObject, type ObjectMeta, timestamp } from './objects.ts';
import { apiVersionOf, type Resource } from './resource.ts';

/** Paths of fields: `f:data/f:key`. A map that has keys is a field of its own: `f:data/.`. */
type Paths = ReadonlySet<string>;
type Values = ReadonlyMap<string, unknown>;

interface Content {
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/**
 * managedFields after a write. Where a resource has field owners, they are those of the real server: who sets a field
 * owns it, and takes it from others; what is gone nobody owns; a time moves only with a field that was set, so never by
 * a removal; and an object whose last owner has gone is tracked no more. Elsewhere only who wrote when is kept.
 */
export function managedFieldsOf(
  resource: Resource,
  before: KubeObject | undefined,
  after: Content,
  now: number,
  options: WriteOptions,
): readonly JsonObject[] {
  const known = before?.metadata.managedFields ?? [];
  const { manager = 'unknown', subresource } = options;
  const isOwn = (entry: JsonObject) => entry['manager'] === manager && entry['subresource'] === subresource;
  const others = known.filter((entry) => !isOwn(entry));
  const time = timestamp(now);
  if (!resource.hasFieldOwners) return [...others, entryOf(resource, options, time, {})];
  if (before !== undefined && known.length === 0) return [];
  const old = before === undefined ? new Map<string, unknown>() : valuesOf(resource, before);
  const values = valuesOf(resource, after);
  const set = new Set([...values].filter(([path, value]) => isSet(path, value, old)).map(([path]) => path));
  const mine = known.find(isOwn);
  const owned = [...(mine === undefined ? [] : pathsOf(mine))].filter((path) => values.has(path));
  const mineNow = new Set([...owned, ...set]);
  const mineTime = set.size > 0 || mine === undefined ? time : String(mine['time']);
  const entries = [
    ...others.map((entry) => ({ ...entry, fieldsV1: fieldsOf(left(pathsOf(entry), values, set)) })),
    entryOf(resource, options, mineTime, fieldsOf(mineNow)),
  ];
  return entries.filter(({ fieldsV1 }) => Object.keys(fieldsV1).length > 0).sort(byTime);
}

function isSet(path: string, value: unknown, old: Values): boolean {
  return !old.has(path) || (!path.endsWith('/.') && !isDeepStrictEqual(old.get(path), value));
}

/** What another one's set leaves; a map's own field may have several owners. */
function left(paths: Paths, values: Values, taken: Paths): Paths {
  return new Set([...paths].filter((path) => values.has(path) && !taken.has(path)));
}

function entryOf(
  resource: Resource,
  { manager = 'unknown', subresource }: WriteOptions,
  time: string,
  fieldsV1: JsonObject,
) {
  const fixed = {
    manager,
    operation: 'Update',
    apiVersion: apiVersionOf(resource),
    time,
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
  return subresource === undefined ? fixed : { ...fixed, subresource };
}

function byTime(a: JsonObject, b: JsonObject): number {
  const [left, right] = [a, b].map(({ time, manager }) => `${String(time)} ${String(manager)}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

/** All fields of an object that somebody can own, with their values. */
function valuesOf(resource: Resource, object: Content): Values {
  const { labels, annotations, finalizers } = object.metadata;
  const values = new Map<string, unknown>();
  const add = (path: string, value: unknown) => {
    if (!isObject(value)) {
      if (value !== undefined) values.set(path, value);
      return;
    }
    const keys = Object.keys(value);
    if (keys.length > 0) values.set(`${path}/.`, true);
    for (const key of keys) values.set(`${path}/f:${escaped(key)}`, value[key]);
  };
  for (const field of resource.fields) add(`f:${field}`, object[field]);
  add('f:metadata/f:annotations', annotations);
  add('f:metadata/f:labels', labels);
  if ((finalizers ?? []).length > 0) values.set('f:metadata/f:finalizers/.', true);
  for (const each of finalizers ?? []) values.set(`f:metadata/f:finalizers/v:${escaped(JSON.stringify(each))}`, true);
  return values;
}

/** A slash in a key is no step of the path. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function fieldsOf(paths: Paths): JsonObject {
  return nested([...paths].sort().map((path) => path.split('/')));
}

function nested(paths: readonly (readonly string[])[]): JsonObject {
  const names = [...new Set(paths.flatMap((path) => path.slice(0, 1)))];
  const below = (name: string) => paths.filter((path) => path[0] === name && path.length > 1);
  return Object.fromEntries(names.map((name) => [unescaped(name), nested(below(name).map((path) => path.slice(1)))]));
}

function pathsOf({ fieldsV1 }: JsonObject): Paths {
  const paths = new Set<string>();
  const walk = (fields: JsonObject, path: readonly string[]) => {
    const names = Object.keys(fields);
    if (names.length === 0 && path.length > 0) paths.add(path.join('/'));
    for (const name of names) walk(objectOf(fields[name]), [...path, escaped(name)]);
  };
  walk(objectOf(fieldsV1), []);
  return paths;
}
