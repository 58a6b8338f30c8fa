import { isDeepStrictEqual } from 'node:util';
import { arrayOf, isObject, type JsonObject } from '@weeder/kube-runtime/base';
import { type CausePath, causePathsOf, concerns } from '../objects/causePath.ts';
import type { ApplicationOwner } from '../objects/fieldManagers.ts';
import { elementStep, elementText, type Path, pathText } from '../objects/path.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { isOwnedBy } from './foreignElements.ts';

/** A map in which a field is to change, with the live fields that the manifest does not have. */
interface ChangedMap {
  readonly path: Path;
  /** The fields of the manifest that have their live value. */
  readonly unchanged: ReadonlySet<string>;
  readonly others: readonly string[];
}

/**
 * Returns the live fields that may exclude the refused ones: they are beside a field that this apply sets or removes, in
 * a map that a cause of the refusal is about, and the manifest does not have them. Of a variable the API server takes
 * `value` or `valueFrom`, of a probe one handler, and server-side apply leaves the other one beside what it sets. The
 * schema does not say which fields these are, but the causes do.
 */
export function siblingFieldsIn(
  live: JsonObject,
  body: JsonObject,
  { manifest, topology, owner }: Pick<ResourcePlan, 'manifest' | 'topology' | 'owner'>,
  refusedFields: readonly string[],
): readonly Path[] {
  const causes = causePathsOf(refusedFields);
  const maps = [...changedMaps({ live, body, manifest: manifest.object, at: topology, path: [] }, live, owner)];
  return maps.flatMap(({ path, unchanged, others }) => {
    const named = new Set(causes.flatMap((cause) => namedIn(cause, path, unchanged, others)));
    return [...named].map((field) => [...path, { field }]);
  });
}

/** Returns the other fields of this map that a cause is about: one if it has that name, and otherwise all. */
function namedIn(
  cause: CausePath,
  path: Path,
  unchanged: ReadonlySet<string>,
  others: readonly string[],
): readonly string[] {
  if (!concerns(cause, path)) return [];
  const name = cause[path.length];
  if (name === undefined) return others;
  if (others.includes(name)) return [name];
  return unchanged.has(name) ? [] : others;
}

interface Place {
  readonly live: unknown;
  readonly body: unknown;
  readonly manifest: unknown;
  readonly at: SchemaNode;
  readonly path: Path;
}

function* changedMaps(place: Place, root: JsonObject, owner: ApplicationOwner): Generator<ChangedMap> {
  const { live, body, manifest, at, path } = place;
  if (isObject(live) && isObject(body) && isObject(manifest) && at.map === 'granular') {
    const map = changedMap(place, live, body, manifest, root, owner);
    if (map !== undefined) yield map;
    for (const [field, value] of Object.entries(body)) {
      // Metadata has no fields that exclude each other.
      if (field === 'metadata' || (path.length === 0 && field === 'status')) continue;
      const below = { live: live[field], body: value, manifest: manifest[field], at: at.field(field) };
      yield* changedMaps({ ...below, path: [...path, { field }] }, root, owner);
    }
  } else if (at.list.type === 'map') {
    const textOf = (element: unknown) => elementText(elementStep(at.list, element, 0));
    const [there, said] = [live, manifest].map((list) => new Map(arrayOf(list).map((each) => [textOf(each), each])));
    for (const element of arrayOf(body)) {
      const step = elementStep(at.list, element, 0);
      const below = { live: there?.get(textOf(element)), body: element, manifest: said?.get(textOf(element)) };
      yield* changedMaps({ ...below, at: at.items(), path: [...path, step] }, root, owner);
    }
  }
}

const ofEveryObject: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

function changedMap(
  { at, path }: Place,
  live: JsonObject,
  body: JsonObject,
  manifest: JsonObject,
  root: JsonObject,
  { own, init }: ApplicationOwner,
): ChangedMap | undefined {
  const isOther = (name: string) => !(name in manifest) && !(path.length === 0 && ofEveryObject.has(name));
  const others = Object.keys(live).filter(isOther);
  const unchanged = Object.keys(manifest).filter((name) => !isChanged(live[name], body[name], at.field(name)));
  const isSet = unchanged.length < Object.keys(manifest).length;
  const managers = new Set([own, init]);
  // An apply removes a field that only weeder has, but not the parts of it that others have added.
  const isRemoved = () => others.some((field) => isOwnedBy(root, managers, pathText([...path, { field }])));
  return others.length > 0 && (isSet || isRemoved()) ? { path, unchanged: new Set(unchanged), others } : undefined;
}

/** Returns true if the value itself changes, and not only a part of it. */
function isChanged(live: unknown, body: unknown, at: SchemaNode): boolean {
  if (body === undefined) return false;
  if (isObject(live) && isObject(body) && at.map === 'granular') return false;
  if (Array.isArray(live) && Array.isArray(body) && (at.list.type === 'map' || at.list.type === 'set')) return false;
  return !isDeepStrictEqual(live, body);
}
