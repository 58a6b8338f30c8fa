import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { labelName, labelPath } from '../objects/fieldManagers.ts';
import type { Json, Manifest } from '../objects/identity.ts';
import { boundedJson, interned, isSameJson, ownField, serializableJson } from '../objects/jsonValue.ts';
import { fieldTexts, sharedLists } from '../objects/path.ts';
import type { LengthBounds, ObservedList, Projection } from '../objects/projection.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import { type FieldMask, fieldOf, observesAll } from '../schema/fieldMask.ts';
import { contentOf } from './content.ts';
import { canonicalOrder, matchElements } from './listElements.ts';

/** A place in an object: the live value, the manifest's value, and the part that is observed. */
interface Place {
  readonly live: unknown;
  readonly manifest: unknown;
  readonly mask: FieldMask;
  readonly at: SchemaNode;
  readonly path: string;
}

/**
 * Projects an object onto its observed fields. The projection of the response to an apply is the baseline, and that of
 * the live object is compared with it. List elements are matched as the API server does, so their order does not count.
 * The ownership label is always observed.
 */
export function project(object: JsonObject, manifest: Manifest, mask: FieldMask, topology: SchemaNode): Projection {
  const draft = createProjectionBuilder();
  draft.put(labelPath, ownField(ownField(ownField(object, 'metadata'), 'labels'), labelName));
  const content = contentOf(manifest.object);
  visitFields({ live: object, manifest: content, mask: withoutIdentity(mask, content), at: topology, path: '' }, draft);
  return draft;
}

const identifying: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'status']);

/**
 * A mask may be one of the whole manifest. The live metadata always has more than the manifest, so a leaf for all of it
 * would be wrong.
 */
function withoutIdentity(mask: FieldMask, content: JsonObject): FieldMask {
  if (mask.type !== 'map') return mask;
  const isAll = (name: string, field: FieldMask) => name === 'metadata' && field.type === 'leaf' && !(name in content);
  const fields = [...mask.fields].filter(([name, field]) => !identifying.has(name) && !isAll(name, field));
  return { type: 'map', fields: new Map(fields) };
}

function visit(place: Place, draft: ProjectionBuilder): void {
  const { live, manifest, mask, at, path } = place;
  if (mask.type === 'list' || (Array.isArray(manifest) && mask.type === 'leaf')) visitList(place, draft);
  else if (mask.type === 'leaf' && !isObject(manifest)) draft.put(path, canonicalOrder(live, at), manifest);
  else if (at.map === 'atomic' && isObject(manifest) && observesAll(mask, manifest)) draft.put(path, live, manifest);
  // Only the existence of an empty map is observed: keys that other clients add stay.
  else if (mask.type === 'leaf' && isEmpty(manifest)) draft.put(path, isObject(live) ? {} : live);
  else visitFields(place, draft);
}

function visitFields({ live, manifest, mask, at, path }: Place, draft: ProjectionBuilder): void {
  const desired = objectOf(manifest);
  const names = mask.type === 'map' ? [...mask.fields.keys()] : Object.keys(desired);
  const hasParts = (name: string) => isBranch(ownField(desired, name)) || fieldOf(mask, name)?.type !== 'leaf';
  for (const [name, text] of fieldTexts(names, hasParts)) {
    const field = fieldOf(mask, name);
    if (field === undefined) continue;
    const below = { live: ownField(live, name), manifest: ownField(desired, name), mask: field, at: at.field(name) };
    visit({ ...below, path: path + text }, draft);
  }
}

function visitList({ live, manifest, mask, at, path }: Place, draft: ProjectionBuilder): void {
  const isByPosition = at.list.type === 'atomic' || at.list.type === 'unknown';
  if (isByPosition && observesAll(mask, manifest)) return void draft.put(path, live, manifest);
  const { listed, duplicates, length, others } = matchElements(live, manifest, mask, at.list);
  for (const { live: element, manifest: desired, mask: below, step } of listed)
    visit({ live: element, manifest: desired, mask: below, at: at.items(), path: path + step }, draft);
  for (const [step, count] of duplicates) draft.putDuplicate(path + step, count);
  // Elements that other controllers add here belong to them, regardless of the manifest and the bounds.
  if (sharedLists.has(path)) return;
  const bounds = mask.type === 'list' ? mask : undefined;
  if (bounds === undefined) draft.putList(path, { length, bounds, others });
  else if (bounds.min > 0 || bounds.max > 0)
    draft.putList(path, { length, bounds: { min: bounds.min, max: bounds.max }, others });
}

function isBranch(value: unknown): boolean {
  return isObject(value) || Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** Builds a projection. */
interface ProjectionBuilder extends Projection {
  /** Undefined: it is absent. A value that equals the manifest's is the same object in memory. */
  put(path: string, value: unknown, manifest?: unknown): void;
  putList(path: string, list: DraftList): void;
  putDuplicate(path: string, count: number): void;
}

interface DraftList {
  readonly length: number;
  readonly bounds: LengthBounds | undefined;
  readonly others: readonly (readonly [step: string, element: unknown])[];
}

const maxShared = 1_000;

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** Thousands of resources are held in memory, so path texts are interned and empty maps are left out. */
function createProjectionBuilder(): ProjectionBuilder {
  const fields = new Map<string, Json>();
  let lists: Map<string, ObservedList> | undefined;
  let duplicates: Map<string, number> | undefined;
  return {
    fields,
    get lists() {
      return lists ?? none;
    },
    get duplicates() {
      return duplicates ?? none;
    },
    put(path, value, manifest) {
      const kept = isSameJson(value, manifest) ? serializableJson(manifest) : boundedJson(value);
      // Paths of a large object are unique to it, and would evict shared ones.
      if (kept !== undefined) fields.set(fields.size < maxShared ? interned(path) : path, kept);
    },
    putList(path, { length, bounds, others }) {
      const kept = others.flatMap(([step, element]) => {
        const value = boundedJson(element);
        return value === undefined ? [] : [[interned(step), value] as const];
      });
      lists ??= new Map();
      lists.set(interned(path), { length, bounds, others: kept.length === 0 ? none : new Map(kept) });
    },
    putDuplicate(path, count) {
      duplicates ??= new Map();
      duplicates.set(interned(path), count);
    },
  };
}
