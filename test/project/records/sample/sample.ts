/** A record whose fields `writes.ts` writes in every form, and `reads.ts` only reads. */
export interface Sample {
  assigned: number;
  byKey: number;
  byAnyKey: number;
  defaulted: number | undefined;
  counted: number;
  destructured: number;
  inList: number;
  deleted?: number;
  merged: number;
  picked: number;
  list: string[];
  readonly map: Map<string, string>;
  readonly set: Set<string>;
  readonly alias: Set<string>;
  readonly passed: Set<string>;
  readonly untouched: Set<string>;
}
