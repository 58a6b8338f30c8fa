import type { Path } from '../../base/fieldError.ts';

/** A value of the file together with where it stands. */
export interface Located {
  /** The plain value, with everything below it. */
  readonly value: unknown;
  /** Where the value begins, as an index into the text. */
  readonly offset: number;
  /** Where its key begins, when it is the value of one. */
  readonly keyOffset: number | undefined;
  /** How a plain (unquoted) scalar is written. */
  readonly source: string | undefined;
  readonly children: ReadonlyMap<PropertyKey, Located>;
}

/** Something wrong at one place of the text; whoever reads the file turns the offset into a line and a column. */
export interface LocatedError {
  readonly offset: number;
  readonly path: Path;
  readonly message: string;
}

/** What stands at a path, or undefined when the path ends earlier. */
export function located(root: Located, path: Path): Located | undefined {
  let here: Located | undefined = root;
  for (const step of path) here = here?.children.get(step);
  return here;
}

/** The place to point at for a path: the value; where that is left empty or out, its key or the nearest key above. */
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
