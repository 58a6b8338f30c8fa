import { type At, anywhere, type ListStructure } from '../model/structure.ts';
import type { Place, Step } from './reduce.ts';

/**
 * Gives the places of a document's schemas as they are asked for, each made once: schemas refer to themselves (that of
 * a CustomResourceDefinition does), so they cannot all be laid out.
 */
export function openPlaces(table: ReadonlyMap<string, Step>): (step: Step) => At {
  const opened = new Map<Step, At>();

  function open(step: Step): At {
    if (step === undefined) return anywhere;
    const known = opened.get(step);
    if (known !== undefined) return known;
    const at = placeOf(layersOf(step));
    opened.set(step, at);
    return at;
  }

  /** The place and whatever it takes over, nearest first; a circle of references ends where it closes. */
  function layersOf(step: Step, seen = new Set<Step>()): readonly Place[] {
    if (step === undefined || seen.has(step)) return [];
    seen.add(step);
    if (typeof step === 'string') return layersOf(table.get(step), seen);
    return [step, ...step.bases.flatMap((base) => layersOf(base, seen))];
  }

  function defaultOf(items: Step, key: string): string | number | boolean | undefined {
    return layersOf(items).find(({ defaults }) => Object.hasOwn(defaults, key))?.defaults[key];
  }

  function listOf(layers: readonly Place[], items: Step): ListStructure {
    const list = layers.find((layer) => layer.list !== undefined)?.list;
    if (list?.is !== 'map') return list ?? anywhere.list;
    const defaults = list.keys.flatMap((key) => {
      const value = defaultOf(items, key);
      return value === undefined ? [] : [[key, value] as const];
    });
    return { is: 'map', keys: list.keys, defaults: Object.fromEntries(defaults) };
  }

  function placeOf(layers: readonly Place[]): At {
    const rest = layers.find((layer) => layer.rest !== undefined)?.rest;
    const items = layers.find((layer) => layer.items !== undefined)?.items;
    return {
      field: (name) => open(layers.find(({ fields }) => fields.has(name))?.fields.get(name) ?? rest),
      items: () => open(items),
      list: listOf(layers, items),
      map: layers.find((layer) => layer.map !== undefined)?.map ?? 'granular',
    };
  }

  return open;
}
