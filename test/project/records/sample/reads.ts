import type { Sample } from './sample.ts';

/** Writes a record of its own, which has fields of the same names. */
export function readAll(sample: Sample): unknown {
  const own = { assigned: sample.assigned, merged: sample.merged, set: new Set(sample.set) };
  own.assigned += sample.counted === 1 ? 1 : 2;
  own.set.add(sample.list.join());
  Object.assign(own, { merged: sample.map.get('1') });
  return [own, sizeOf(sample.untouched), [...sample.list].sort(), { ...sample, assigned: 3 }];
}

function sizeOf(names: ReadonlySet<string>): number {
  return names.size;
}
