import type { Json } from '../model/identity.ts';
import { interned } from '../model/intern.ts';
import { keptJson } from '../model/jsonValue.ts';
import type { LengthBounds, ObservedList, Projection } from '../model/projection.ts';

/** A projection while it is made. */
export interface Draft extends Projection {
  /** Undefined: it is absent. */
  put(path: string, value: unknown): void;
  putList(path: string, list: DraftList): void;
  putDuplicate(path: string, count: number): void;
}

interface DraftList {
  readonly length: number;
  readonly bounds: LengthBounds | undefined;
  readonly others: readonly (readonly [step: string, element: unknown])[];
}

const mostShared = 1_000;

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** 5,000 resources are kept at a time: each text of a path is there once, and a map that would be empty not at all. */
export function createDraft(): Draft {
  const fields = new Map<string, Json>();
  let lists: Map<string, ObservedList> | undefined;
  let duplicates: Map<string, number> | undefined;
  return {
    fields,
    get lists() {
      return lists ?? none;
    },
    get duplicates() {
      return duplicates ?? none;
    },
    put(path, value) {
      const kept = keptJson(value);
      // The paths of a large object are nobody else's, and would push out those that many have.
      if (kept !== undefined) fields.set(fields.size < mostShared ? interned(path) : path, kept);
    },
    putList(path, { length, bounds, others }) {
      const kept = others.flatMap(([step, element]) => {
        const value = keptJson(element);
        return value === undefined ? [] : [[interned(step), value] as const];
      });
      lists ??= new Map();
      lists.set(interned(path), { length, bounds, others: kept.length === 0 ? none : new Map(kept) });
    },
    putDuplicate(path, count) {
      duplicates ??= new Map();
      duplicates.set(interned(path), count);
    },
  };
}
