import type { Path } from '../../base/fieldError.ts';

/** A value of the file with its position. */
export interface Located {
  /** The plain value, with all its descendants. */
  readonly value: unknown;
  /** The start of the value, as an index into the text. */
  readonly offset: number;
  /** The start of its key, if it has one. */
  readonly keyOffset: number | undefined;
  /** The source text of a plain (unquoted) scalar. */
  readonly source: string | undefined;
  readonly children: ReadonlyMap<PropertyKey, Located>;
}

/** An error at one position of the text; the reader of the file converts the offset into a line and a column. */
export interface LocatedError {
  readonly offset: number;
  readonly path: Path;
  readonly message: string;
  /** A key is written twice, and the last value counts. */
  readonly isRepeatedKey?: true;
}

/** The value at a path; undefined if the path does not exist. */
export function located(root: Located, path: Path): Located | undefined {
  let here: Located | undefined = root;
  for (const step of path) here = here?.children.get(step);
  return here;
}

/** The position to report for a path: the value; if that is empty or missing, its key or the nearest key above. */
export function offsetOf(root: Located, path: Path): number {
  let here = root;
  let isMissing = false;
  for (const step of path) {
    const next = here.children.get(step);
    isMissing = next === undefined;
    if (next === undefined) break;
    here = next;
  }
  return isMissing || here.value === null ? (here.keyOffset ?? here.offset) : here.offset;
}
