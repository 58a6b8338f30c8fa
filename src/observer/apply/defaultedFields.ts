import { arrayOf, isObject, type JsonObject } from '@weeder/kube-runtime/base';
import { findPaths } from '../objects/livePaths.ts';
import { elementStep, elementText, type Path, type PathElement } from '../objects/path.ts';
import type { Drift } from '../objects/projection.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import type { ApplyBodies, ResourcePlan } from '../plan/resourceApi.ts';

/**
 * Adds the values that the schema lists and the manifest leaves out, such as the type of a Service, to the observed
 * body where the live value differs. The apply would not restore them otherwise.
 */
export function withDefaultedFields(
  { topology }: ResourcePlan,
  bodies: ApplyBodies,
  live: JsonObject,
  drifts: readonly Drift[],
): ApplyBodies {
  const changed = new Map(
    drifts.flatMap(({ path, type, desired }) => (type === 'changed' ? [[path, desired] as const] : [])),
  );
  const texts = new Set(changed.keys());
  const said = findPaths(bodies.whole, topology, texts);
  let { observed } = bodies;
  for (const [text, { path }] of findPaths(live, topology, texts)) {
    const desired = changed.get(text);
    if (desired !== undefined && !said.has(text)) observed = putIn(observed, path, topology, desired);
  }
  return observed === bodies.observed ? bodies : { ...bodies, observed };
}

/** Returns the object with this value at the path. Creates the maps and list elements that lead there. */
export function putIn(object: JsonObject, [step, ...rest]: Path, at: SchemaNode, value: unknown): JsonObject {
  if (step === undefined || !('field' in step)) return object;
  const { field } = step;
  return {
    ...object,
    [field]: put(Object.hasOwn(object, field) ? object[field] : undefined, rest, at.field(field), value),
  };
}

function put(there: unknown, path: Path, at: SchemaNode, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if ('field' in step) return putIn(isObject(there) ? there : {}, path, at, value);
  const list = arrayOf(there);
  const index = list.findIndex((each) => elementText(elementStep(at.list, each, 0)) === elementText(step));
  const element = put(index === -1 ? madeOf(step) : list[index], rest, at.items(), value);
  return index === -1 ? [...list, element] : list.with(index, element);
}

/** Returns an element that has only its keys. */
function madeOf(step: PathElement): unknown {
  return 'key' in step ? step.key : undefined;
}
