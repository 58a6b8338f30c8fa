import { labelPath } from '../model/fieldManagers.ts';
import type { Json } from '../model/identity.ts';
import type { Projection } from '../model/projection.ts';
import type { DryRun, ResourcePlan } from '../plan/resourceApi.ts';
import { conflictingManagerOf } from './conflictingManager.ts';
import { project } from './project.ts';

type Observing = Pick<ResourcePlan, 'manifest' | 'mask' | 'topology'>;

/**
 * What is desired, from what the API server makes of the manifest. Where that was tried on the live object, lists
 * and sets are as long as in the manifest: whatever an intruder has put into them is in the reply, and would be desired
 * from then on. The same goes for a field that the manifest does not have and somebody else owns: it is desired to be
 * absent. `initialised`: what the server had filled in when the resource was made; a probe gets another clusterIP.
 */
export function baselineOf(
  { manifest, mask, topology, owner }: Observing & Pick<ResourcePlan, 'owner'>,
  { object, isIndependent }: DryRun,
  initialised: ReadonlyMap<string, Json> = new Map(),
): Projection {
  const made = project(object, manifest, mask, topology);
  if (isIndependent) return { ...made, fields: new Map([...made.fields, ...initialised]) };
  const said = project(manifest.object, manifest, mask, topology);
  const isForeign = (path: string) =>
    !said.fields.has(path) && conflictingManagerOf(object, { path, is: 'changed' }, owner) !== undefined;
  const fields = [...made.fields].filter(([path]) => !isForeign(path));
  return { ...said, fields: new Map([...fields, ...initialised]) };
}

/**
 * What is desired from now on, by a trial while `before` is desired. One that was made on the live object is believed in
 * the values of what the manifest says, as those are the apply's own: an intruder may be in everything else.
 */
export function updatedBaseline(
  plan: Observing & Pick<ResourcePlan, 'owner'>,
  before: Projection,
  tried: DryRun,
  initialised: ReadonlyMap<string, Json>,
): Projection {
  if (tried.isIndependent) return baselineOf(plan, tried, initialised);
  const { manifest, mask, topology } = plan;
  const made = project(tried.object, manifest, mask, topology);
  const fields = new Map(before.fields);
  for (const path of project(manifest.object, manifest, mask, topology).fields.keys()) {
    const value = made.fields.get(path);
    if (value === undefined) fields.delete(path);
    else fields.set(path, value);
  }
  return { ...before, fields };
}

/** The values of fields that the schema lists and the manifest does not have: only the reply to the apply knows them. */
export function initialisedIn(
  { manifest, mask, topology }: Observing,
  baseline: Projection,
): ReadonlyMap<string, Json> {
  if (mask.is === 'leaf') return new Map();
  const said = project(manifest.object, manifest, mask, topology);
  return new Map([...baseline.fields].filter(([path]) => path !== labelPath && !said.fields.has(path)));
}
