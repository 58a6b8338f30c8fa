import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { walk } from '../objects/livePaths.ts';
import { elementStep, elementText } from '../objects/path.ts';
import type { Drift } from '../objects/projection.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { pathTextsIn } from './foreignElements.ts';
import { versionOf } from './ownership.ts';

/** Drifts that can only be corrected together: of one missing element or map, or of one atomic value. */
export type DriftGroup = readonly Drift[];

export function groupDrifts(
  drifts: readonly Drift[],
  body: JsonObject,
  live: JsonObject,
  topology: SchemaNode,
): readonly DriftGroup[] {
  const there = pathTextsIn(live, topology);
  const units: string[] = [];
  walk(body, topology, (text, _path, value, at) => {
    const hasParts = isObject(value) ? at.map === 'granular' : at.list.type === 'map' || at.list.type === 'set';
    const isUnit = !there.has(text) || !hasParts;
    if (isUnit) units.push(text);
    return !isUnit;
  });
  const groups = new Map<string, Drift[]>();
  for (const drift of drifts) {
    const unit = units.find((text) => isWithin(drift.path, text)) ?? drift.path;
    groups.set(unit, [...(groups.get(unit) ?? []), drift]);
  }
  return [...groups.values()];
}

/**
 * Returns the body with the live values of the fields that the plan keeps. A field that is only left out would be
 * deleted, because its manager owns it. Then the resource version must match.
 */
export function keepLive(
  body: JsonObject,
  live: JsonObject,
  { kept, topology }: Pick<ResourcePlan, 'kept' | 'topology'>,
): JsonObject {
  if (kept === undefined || kept.size === 0) return body;
  const result = objectOf(keepBelow(body, live, topology, '', [...kept]));
  return { ...result, metadata: { ...objectOf(result['metadata']), resourceVersion: versionOf(live) } };
}

/** Returns undefined if the value is to be left out. */
function keepBelow(body: unknown, live: unknown, at: SchemaNode, text: string, kept: readonly string[]): unknown {
  const within = kept.filter((each) => isWithin(each, text));
  if (within.length === 0) return body;
  if (live === undefined || within.includes(text)) return live;
  if (isObject(body) && isObject(live) && at.map === 'granular') {
    const fields = Object.entries(body).flatMap(([name, value]) => {
      const below = live[name];
      const left = keepBelow(value, below, at.field(name), text + elementText({ field: name }), within);
      return left === undefined ? [] : [[name, left] as const];
    });
    return Object.fromEntries(fields);
  }
  if (!Array.isArray(body) || !Array.isArray(live) || (at.list.type !== 'map' && at.list.type !== 'set')) return live;
  const stepOf = (element: unknown) => elementText(elementStep(at.list, element, 0));
  const elements = new Map(live.map((element) => [stepOf(element), element]));
  return body.flatMap((element) => {
    const step = stepOf(element);
    const left = keepBelow(element, elements.get(step), at.items(), text + step, within);
    return left === undefined ? [] : [left];
  });
}

function isWithin(path: string, above: string): boolean {
  return path === above || (path.startsWith(above) && /^[.[]/.test(path.slice(above.length)));
}
