import type { JsonObject } from '../../base/json.ts';
import { compare } from '../drift/compare.ts';
import { project } from '../drift/project.ts';
import { rivalOf } from '../drift/rival.ts';
import type { Json } from '../model/identity.ts';
import { labelPath } from '../model/managers.ts';
import type { Drift, Projection } from '../model/projection.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { leaf } from '../schema/shape.ts';
import type { ResourceEntry } from './entries.ts';
import { needsApply } from './hear.ts';

/** A field that a manifest says or a schema lists, and how it is now. */
export interface SeenField {
  readonly path: string;
  /** `same`: observed, and as it is wanted. `unobserved`: the manifest says it, and whoever sets it is left alone. */
  readonly is: Drift['is'] | 'same' | 'unobserved';
  /** Undefined: absent. */
  readonly wanted: Json | undefined;
  readonly found: Json | undefined;
  /** The field manager that changed it. */
  readonly rival: string | undefined;
}

/** The fields of a resource that was compared, in the order of their paths. */
export function fieldsSeen(entry: ResourceEntry, plan: ResourcePlan, live: JsonObject): readonly SeenField[] {
  const { baseline } = entry;
  if (baseline === undefined) return [];
  const drifts = differences(entry, plan, live, baseline);
  const drifted = new Set(drifts.map(({ path }) => path));
  const same = [...baseline.fields]
    .filter(([path]) => !drifted.has(path) && path !== labelPath)
    .map(([path, value]): SeenField => ({ path, is: 'same', wanted: value, found: value, rival: undefined }));
  const different = drifts.map((drift): SeenField => ({ ...drift, rival: rivalOf(live, drift, plan.owner) }));
  const observed = [...same, ...different];
  const all = [...observed, ...unobserved(plan, live, observed)];
  return all.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}

/** Of a manifest that is not applied yet: what its apply would change. */
function differences(
  entry: ResourceEntry,
  { manifest, shape, structure }: ResourcePlan,
  live: JsonObject,
  baseline: Projection,
): readonly Drift[] {
  if (!needsApply(entry)) return entry.drifts;
  const found = project(live, manifest, shape, structure);
  return compare(baseline, found).filter(({ path }) => path !== labelPath);
}

function unobserved(
  { manifest, shape, structure }: ResourcePlan,
  live: JsonObject,
  observed: readonly SeenField[],
): readonly SeenField[] {
  if (shape.is === 'leaf') return [];
  const paths = new Set(observed.map(({ path }) => path));
  const above = new Set(observed.flatMap(({ path }) => pathsAbove(path)));
  const now = project(live, manifest, leaf, structure).fields;
  return [...project(manifest.object, manifest, leaf, structure).fields]
    .filter(([path]) => path !== labelPath && !paths.has(path) && !above.has(path))
    .filter(([path]) => !pathsAbove(path).some((each) => paths.has(each)))
    .map(([path, wanted]) => ({ path, is: 'unobserved', wanted, found: now.get(path), rival: undefined }));
}

/** How many fields are observed, but for the label that says whose the resource is. */
export function countObserved({ fields }: Projection): number {
  return fields.has(labelPath) ? fields.size - 1 : fields.size;
}

/** Of `.a.b[0]`: `.a` and `.a.b`. */
function pathsAbove(path: string): readonly string[] {
  return [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).filter((each) => each !== '');
}
