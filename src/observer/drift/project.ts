import { isObject, type JsonObject, objectOf } from '../../base/json.ts';
import type { Json, Manifest } from '../model/identity.ts';
import { interned, isSameJson, keptJson, ownField } from '../model/jsonValue.ts';
import { labelName, labelPath } from '../model/managers.ts';
import { fieldTexts, sharedLists } from '../model/path.ts';
import type { LengthBounds, ObservedList, Projection } from '../model/projection.ts';
import type { At } from '../model/structure.ts';
import { fieldOf, observesAll, type Shape } from '../schema/shape.ts';
import { contentOf } from './content.ts';
import { inOrder, lookAtList } from './listElements.ts';

/** One place: what is live there, what the manifest has, and what of it is observed. */
interface Place {
  readonly live: unknown;
  readonly manifest: unknown;
  readonly shape: Shape;
  readonly at: At;
  readonly path: string;
}

/**
 * The observed part of an object: of the API server's reply to an apply it is the baseline, of what is live it is what
 * is compared with that. Elements of lists are found as the server itself tells them apart, so their order is
 * no part of it. Whose the resource is, is always observed.
 */
export function project(object: JsonObject, manifest: Manifest, shape: Shape, structure: At): Projection {
  const draft = createDraft();
  draft.put(labelPath, ownField(ownField(ownField(object, 'metadata'), 'labels'), labelName));
  const content = contentOf(manifest.object);
  visitFields(
    { live: object, manifest: content, shape: withoutIdentity(shape, content), at: structure, path: '' },
    draft,
  );
  return draft;
}

const identifying: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'status']);

/** A shape may be one of the whole manifest. Of the metadata there is always more than that has: a leaf would be all. */
function withoutIdentity(shape: Shape, content: JsonObject): Shape {
  if (shape.is !== 'map') return shape;
  const isAll = (name: string, field: Shape) => name === 'metadata' && field.is === 'leaf' && !(name in content);
  const fields = [...shape.fields].filter(([name, field]) => !identifying.has(name) && !isAll(name, field));
  return { is: 'map', fields: new Map(fields) };
}

function visit(place: Place, draft: Draft): void {
  const { live, manifest, shape, at, path } = place;
  if (shape.is === 'list' || (Array.isArray(manifest) && shape.is === 'leaf')) visitList(place, draft);
  else if (shape.is === 'leaf' && !isObject(manifest)) draft.put(path, inOrder(onceOf(live, manifest), at));
  else if (at.map === 'atomic' && isObject(manifest) && observesAll(shape, manifest))
    draft.put(path, onceOf(live, manifest));
  // Of an empty map only that it is there is observed: what others put into it is theirs.
  else if (shape.is === 'leaf' && isEmpty(manifest)) draft.put(path, isObject(live) ? {} : live);
  else visitFields(place, draft);
}

function visitFields({ live, manifest, shape, at, path }: Place, draft: Draft): void {
  const wanted = objectOf(manifest);
  const names = shape.is === 'map' ? [...shape.fields.keys()] : Object.keys(wanted);
  const hasParts = (name: string) => isBranch(ownField(wanted, name)) || fieldOf(shape, name)?.is !== 'leaf';
  for (const [name, text] of fieldTexts(names, hasParts)) {
    const field = fieldOf(shape, name);
    if (field === undefined) continue;
    const below = { live: ownField(live, name), manifest: ownField(wanted, name), shape: field, at: at.field(name) };
    visit({ ...below, path: path + text }, draft);
  }
}

function visitList({ live, manifest, shape, at, path }: Place, draft: Draft): void {
  const isByPosition = at.list.is === 'atomic' || at.list.is === 'unknown';
  if (isByPosition && observesAll(shape, manifest)) return void draft.put(path, onceOf(live, manifest));
  const { listed, duplicates, length, others } = lookAtList(live, manifest, shape, at.list);
  for (const { live: element, manifest: wanted, shape: below, step } of listed)
    visit({ live: element, manifest: wanted, shape: below, at: at.items(), path: path + step }, draft);
  for (const [step, count] of duplicates) draft.putDuplicate(path + step, count);
  // What other controllers add there is theirs, whatever the manifest has and the bounds allow.
  if (sharedLists.has(path)) return;
  const bounds = shape.is === 'list' ? shape : undefined;
  if (bounds === undefined) draft.putList(path, { length, bounds, others });
  else if (bounds.min > 0 || bounds.max > 0)
    draft.putList(path, { length, bounds: { min: bounds.min, max: bounds.max }, others });
}

/** What is as the manifest has it is kept with that, and not a second time. */
function onceOf(live: unknown, manifest: unknown): unknown {
  return isSameJson(live, manifest) ? manifest : live;
}

function isBranch(value: unknown): boolean {
  return isObject(value) || Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** A projection while it is made. */
interface Draft extends Projection {
  /** Undefined: it is absent. */
  put(path: string, value: unknown): void;
  putList(path: string, list: DraftList): void;
  putDuplicate(path: string, count: number): void;
}

interface DraftList {
  readonly length: number;
  readonly bounds: LengthBounds | undefined;
  readonly others: readonly (readonly [step: string, element: unknown])[];
}

const mostShared = 1_000;

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** 5,000 resources are kept at a time: each text of a path is there once, and a map that would be empty not at all. */
function createDraft(): Draft {
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
    put(path, value) {
      const kept = keptJson(value);
      // The paths of a large object are nobody else's, and would push out those that many have.
      if (kept !== undefined) fields.set(fields.size < mostShared ? interned(path) : path, kept);
    },
    putList(path, { length, bounds, others }) {
      const kept = others.flatMap(([step, element]) => {
        const value = keptJson(element);
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
