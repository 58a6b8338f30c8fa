import { isObject, type JsonObject } from '../../base/json.ts';
import { isEmpty, itemStep, type ListShape, type Shape, shapeAt } from './shape.ts';

/**
 * Merges an applied configuration into the live value: atomic values are replaced, maps and associative lists are
 * merged.
 */
export function merge(shape: Shape, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const isMap = shape.is === 'any' || (shape.is === 'map' && !shape.isAtomic);
  const isList = shape.is === 'list' && shape.relation !== 'atomic';
  if (isMap && isObject(live) && isObject(config)) return mergeMaps(shape, live, config);
  if (isList && Array.isArray(live) && Array.isArray(config)) return mergeLists(shape, live, config);
  // A null removes nothing from a map or an associative list.
  const isKept = config === null && !isEmpty(live) && ((shape.is === 'map' && isMap) || isList);
  return isKept ? live : config;
}

function mergeMaps(shape: Shape, live: JsonObject, config: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(live), ...Object.keys(config)]);
  const merged = [...keys].map((key) => {
    const at = shapeAt(shape, key) ?? { is: 'any' };
    return [key, merge(at, live[key], config[key])] as const;
  });
  return Object.fromEntries(merged);
}

/**
 * Merges items in the order of the configuration; the others keep their place before their successor as far as that
 * order allows. If the live list holds an item twice, only that of the configuration remains.
 */
function mergeLists(shape: ListShape, live: readonly unknown[], config: readonly unknown[]): readonly unknown[] {
  const lives = live.map((item) => itemStep(shape, item));
  const wanted = config.map((item) => itemStep(shape, item));
  const [isLive, isWanted] = [new Set(lives), new Set(wanted)];
  const out: unknown[] = [];
  let at = 0;

  /** The other items of the live list up to this one, without those that the configuration places. */
  const takeOthers = (end: string | undefined) => {
    while (at < live.length && lives[at] !== end) {
      const isOther = !isWanted.has(lives[at]);
      if (isOther) out.push(live[at]);
      at += 1;
      if (!isOther && end === undefined) return;
    }
  };

  for (const [index, step] of wanted.entries()) {
    takeOthers(wanted.slice(index).find((each) => isLive.has(each)));
    const first = lives.indexOf(step);
    const isOnce = first !== -1 && lives.lastIndexOf(step) === first;
    out.push(merge(shape.items, isOnce ? live[first] : undefined, config[index]));
    if (lives[at] === step) at += 1;
  }
  for (; at < live.length; at += 1) if (!isWanted.has(lives[at])) out.push(live[at]);
  return out;
}
