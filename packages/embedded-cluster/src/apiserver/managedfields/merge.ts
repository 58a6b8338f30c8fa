import { isObject, type JsonObject } from '../../base/json.ts';
import { isEmpty, itemStep, type ListShape, type Shape, shapeAt } from './shape.ts';

/** The live value with what an applied configuration says: its wholes replace, its maps and keyed lists are merged. */
export function merge(shape: Shape, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const isMap = shape.is === 'any' || (shape.is === 'map' && !shape.isAtomic);
  const isList = shape.is === 'list' && shape.relation !== 'atomic';
  if (isMap && isObject(live) && isObject(config)) return mergeMaps(shape, live, config);
  if (isList && Array.isArray(live) && Array.isArray(config)) return mergeLists(shape, live, config);
  // A null takes nothing out of a map or a keyed list.
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
 * The configuration's items in its order; the others come where they were, each before what stood behind it as far as
 * that order allows. Of an item that the live list has twice the configuration's alone is left.
 */
function mergeLists(shape: ListShape, live: readonly unknown[], config: readonly unknown[]): readonly unknown[] {
  const lives = live.map((item) => itemStep(shape, item));
  const wanted = config.map((item) => itemStep(shape, item));
  const [isLive, isWanted] = [new Set(lives), new Set(wanted)];
  const out: unknown[] = [];
  let at = 0;

  /** The other items of the live list up to this one; those whose place the configuration says are passed over. */
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
