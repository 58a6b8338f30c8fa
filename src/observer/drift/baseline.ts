import type { Json } from '../model/identity.ts';
import { labelPath } from '../model/managers.ts';
import type { Projection } from '../model/projection.ts';
import type { ResourcePlan, Tried } from '../plan/resourceApi.ts';
import { project } from './project.ts';
import { rivalOf } from './rival.ts';

type Observing = Pick<ResourcePlan, 'manifest' | 'shape' | 'structure'>;

/**
 * What is wanted, from what the API server makes of the manifest. Where that was tried on the live object, lists
 * and sets are as long as in the manifest: whatever an intruder has put into them is in the reply, and would be wanted
 * from then on. The same goes for a field that the manifest does not have and somebody else owns: it is wanted to be
 * absent. `initialised`: what the server had filled in when the resource was made; a probe gets another clusterIP.
 */
export function baselineOf(
  { manifest, shape, structure, owner }: Observing & Pick<ResourcePlan, 'owner'>,
  { object, isOfItsOwn }: Tried,
  initialised: ReadonlyMap<string, Json> = new Map(),
): Projection {
  const made = project(object, manifest, shape, structure);
  if (isOfItsOwn) return { ...made, fields: new Map([...made.fields, ...initialised]) };
  const said = project(manifest.object, manifest, shape, structure);
  const isForeign = (path: string) =>
    !said.fields.has(path) && rivalOf(object, { path, is: 'changed' }, owner) !== undefined;
  const fields = [...made.fields].filter(([path]) => !isForeign(path));
  return { ...said, fields: new Map([...fields, ...initialised]) };
}

/**
 * What is wanted from now on, by a trial while `before` is wanted. One that was made on the live object is believed in
 * the values of what the manifest says, as those are the apply's own: an intruder may be in everything else.
 */
export function renewed(
  plan: Observing & Pick<ResourcePlan, 'owner'>,
  before: Projection,
  tried: Tried,
  initialised: ReadonlyMap<string, Json>,
): Projection {
  if (tried.isOfItsOwn) return baselineOf(plan, tried, initialised);
  const { manifest, shape, structure } = plan;
  const made = project(tried.object, manifest, shape, structure);
  const fields = new Map(before.fields);
  for (const path of project(manifest.object, manifest, shape, structure).fields.keys()) {
    const value = made.fields.get(path);
    if (value === undefined) fields.delete(path);
    else fields.set(path, value);
  }
  return { ...before, fields };
}

/** The values of fields that the schema lists and the manifest does not have: only the reply to the apply knows them. */
export function initialisedIn(
  { manifest, shape, structure }: Observing,
  baseline: Projection,
): ReadonlyMap<string, Json> {
  if (shape.is === 'leaf') return new Map();
  const said = project(manifest.object, manifest, shape, structure);
  return new Map([...baseline.fields].filter(([path]) => path !== labelPath && !said.fields.has(path)));
}
