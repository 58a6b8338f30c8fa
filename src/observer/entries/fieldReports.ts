import type { JsonObject } from '@weeder/kube-runtime/base';
import { compare } from '../drift/compare.ts';
import { conflictingManagerOf } from '../drift/conflictingManager.ts';
import { project } from '../drift/project.ts';
import { labelPath } from '../objects/fieldManagers.ts';
import type { Json } from '../objects/identity.ts';
import type { Drift, Projection } from '../objects/projection.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { leaf } from '../schema/fieldMask.ts';
import { needsApply } from './comparison.ts';
import type { ResourceEntry } from './entries.ts';

/** A field that a manifest has or a schema lists, with its live value. */
export interface FieldReport {
  readonly path: string;
  /** `same`: observed, and in the desired state. `unobserved`: the manifest has the field, and it is not corrected. */
  readonly type: Drift['type'] | 'same' | 'unobserved';
  /** Undefined: absent. */
  readonly desired: Json | undefined;
  readonly found: Json | undefined;
  /** The field manager that changed it. */
  readonly conflictingManager: string | undefined;
}

/** Returns the fields of a compared resource, in the order of their paths. */
export function fieldReports(entry: ResourceEntry, plan: ResourcePlan, live: JsonObject): readonly FieldReport[] {
  const { baseline } = entry.live;
  if (baseline === undefined) return [];
  const drifts = differences(entry, plan, live, baseline);
  const drifted = new Set(drifts.map(({ path }) => path));
  const same = [...baseline.fields]
    .filter(([path]) => !drifted.has(path) && path !== labelPath)
    .map(
      ([path, value]): FieldReport => ({
        path,
        type: 'same',
        desired: value,
        found: value,
        conflictingManager: undefined,
      }),
    );
  const different = drifts.map(
    (drift): FieldReport => ({ ...drift, conflictingManager: conflictingManagerOf(live, drift, plan.owner) }),
  );
  const observed = [...same, ...different];
  const reports = [...observed, ...unobserved(plan, live, observed)];
  return reports.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}

/** For a manifest that is not applied yet: what its apply would change. */
function differences(
  entry: ResourceEntry,
  { manifest, mask, topology }: ResourcePlan,
  live: JsonObject,
  baseline: Projection,
): readonly Drift[] {
  if (!needsApply(entry)) return entry.live.drifts;
  const projection = project(live, manifest, mask, topology);
  return compare(baseline, projection).filter(({ path }) => path !== labelPath);
}

function unobserved(
  { manifest, mask, topology }: ResourcePlan,
  live: JsonObject,
  observed: readonly FieldReport[],
): readonly FieldReport[] {
  if (mask.type === 'leaf') return [];
  const paths = new Set(observed.map(({ path }) => path));
  const above = new Set(observed.flatMap(({ path }) => pathsAbove(path)));
  const now = project(live, manifest, leaf, topology).fields;
  return [...project(manifest.object, manifest, leaf, topology).fields]
    .filter(([path]) => path !== labelPath && !paths.has(path) && !above.has(path))
    .filter(([path]) => !pathsAbove(path).some((each) => paths.has(each)))
    .map(([path, desired]) => ({
      path,
      type: 'unobserved',
      desired,
      found: now.get(path),
      conflictingManager: undefined,
    }));
}

/** Returns the number of observed fields without the ownership label. */
export function countObserved({ fields }: Projection): number {
  return fields.has(labelPath) ? fields.size - 1 : fields.size;
}

/** Returns `.a` and `.a.b` for `.a.b[0]`. */
function pathsAbove(path: string): readonly string[] {
  return [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).filter((each) => each !== '');
}
