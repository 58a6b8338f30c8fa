import { labelPath } from '../objects/fieldManagers.ts';
import type { Json } from '../objects/identity.ts';
import type { Projection } from '../objects/projection.ts';
import type { DryRun, ResourcePlan } from '../plan/resourceApi.ts';
import { conflictingManagerOf } from './conflictingManager.ts';
import { project } from './project.ts';

type Observing = Pick<ResourcePlan, 'manifest' | 'mask' | 'topology'>;

/**
 * Returns the desired state from the API server's response to the manifest. If the response is from a dry run on the
 * live object, lists and sets get the length that they have in the manifest, because the response contains foreign
 * elements, which must not become desired. For the same reason a field is desired to be absent if the manifest does not
 * have it and another manager owns it. `initialised`: the values that the server filled in at creation; a dry run under
 * a probe name gets another clusterIP.
 */
export function baselineOf(
  { manifest, mask, topology, owner }: Observing & Pick<ResourcePlan, 'owner'>,
  { object, isIndependent }: DryRun,
  initialised: ReadonlyMap<string, Json> = new Map(),
): Projection {
  const projection = project(object, manifest, mask, topology);
  if (isIndependent) return { ...projection, fields: new Map([...projection.fields, ...initialised]) };
  const said = project(manifest.object, manifest, mask, topology);
  const isForeign = (path: string) =>
    !said.fields.has(path) && conflictingManagerOf(object, { path, type: 'changed' }, owner) !== undefined;
  const fields = [...projection.fields].filter(([path]) => !isForeign(path));
  return { ...said, fields: new Map([...fields, ...initialised]) };
}

/**
 * Returns the desired state after a dry run, while `before` is desired. A dry run on the live object can be trusted
 * only for fields in the manifest, because the others may have been changed by any client.
 */
export function updatedBaseline(
  plan: Observing & Pick<ResourcePlan, 'owner'>,
  before: Projection,
  dryRun: DryRun,
  initialised: ReadonlyMap<string, Json>,
): Projection {
  if (dryRun.isIndependent) return baselineOf(plan, dryRun, initialised);
  const { manifest, mask, topology } = plan;
  const projection = project(dryRun.object, manifest, mask, topology);
  const fields = new Map(before.fields);
  for (const path of project(manifest.object, manifest, mask, topology).fields.keys()) {
    const value = projection.fields.get(path);
    if (value === undefined) fields.delete(path);
    else fields.set(path, value);
  }
  return { ...before, fields };
}

/**
 * Returns the values of fields that the schema lists and the manifest does not have. Only the response to the apply has
 * them.
 */
export function initialisedIn(
  { manifest, mask, topology }: Observing,
  baseline: Projection,
): ReadonlyMap<string, Json> {
  if (mask.type === 'leaf') return new Map();
  const said = project(manifest.object, manifest, mask, topology);
  return new Map([...baseline.fields].filter(([path]) => path !== labelPath && !said.fields.has(path)));
}
