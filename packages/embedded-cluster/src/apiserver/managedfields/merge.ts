import { isObject, type JsonObject } from '../../base/json.ts';
import { isEmpty, itemStep, type ListShape, type Shape, shapeAt } from './shape.ts';

/**
 * Merges an applied configuration into the live value: atomic values are replaced, maps and associative lists are
 * merged.
 */
export function merge(shape: Shape, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const isMap = shape.type === 'any' || (shape.type === 'map' && !shape.isAtomic);
  const isList = shape.type === 'list' && shape.relation !== 'atomic';
  if (isMap && isObject(live) && isObject(config)) return mergeMaps(shape, live, config);
  if (isList && Array.isArray(live) && Array.isArray(config)) return mergeLists(shape, live, config);
  // A null removes nothing from a map or an associative list.
  const keepsLive = config === null && !isEmpty(live) && ((shape.type === 'map' && isMap) || isList);
  return keepsLive ? live : config;
}

function mergeMaps(shape: Shape, live: JsonObject, config: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(live), ...Object.keys(config)]);
  const merged = [...keys].map((key) => {
    const at = shapeAt(shape, key) ?? { type: 'any' };
    return [key, merge(at, live[key], config[key])] as const;
  });
  return Object.fromEntries(merged);
}

/**
 * Merges items in the order of the configuration. Each other item remains before its successor as far as that order
 * allows. If the live list contains an item twice, only that of the configuration remains.
 */
function mergeLists(shape: ListShape, live: readonly unknown[], config: readonly unknown[]): readonly unknown[] {
  const liveSteps = live.map((item) => itemStep(shape, item));
  const configSteps = config.map((item) => itemStep(shape, item));
  const [liveSet, configSet] = [new Set(liveSteps), new Set(configSteps)];
  const out: unknown[] = [];
  let at = 0;

  /** Copies the live items before `end` that the configuration does not have. */
  const copyOthers = (end: string | undefined) => {
    while (at < live.length && liveSteps[at] !== end) {
      const isOther = !configSet.has(liveSteps[at]);
      if (isOther) out.push(live[at]);
      at += 1;
      if (!isOther && end === undefined) return;
    }
  };

  for (const [index, step] of configSteps.entries()) {
    copyOthers(configSteps.slice(index).find((each) => liveSet.has(each)));
    const first = liveSteps.indexOf(step);
    const isOnce = first !== -1 && liveSteps.lastIndexOf(step) === first;
    out.push(merge(shape.items, isOnce ? live[first] : undefined, config[index]));
    if (liveSteps[at] === step) at += 1;
  }
  for (; at < live.length; at += 1) if (!configSet.has(liveSteps[at])) out.push(live[at]);
  return out;
}
