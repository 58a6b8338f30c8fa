import { readFileSync } from 'node:fs';

/** Test files with a separate control plane import ownControlPlane.ts. */
const hasOwnControlPlane = /\b(own|suite)ControlPlane\b/;

/**
 * Distributes the test files with a separate control plane evenly among the others. Only one of these control planes
 * runs at a time, so adjacent files would wait for each other, and block slots that other files could use.
 */
export function orderFiles(files: readonly string[], read = (file: string) => readFileSync(file, 'utf8')): string[] {
  const alone = new Set(files.filter((file) => hasOwnControlPlane.test(read(file))));
  return spread(
    [...alone],
    files.filter((file) => !alone.has(file)),
  );
}

/** Distributes the few at equal distances among the many, starting with one of the few. */
function spread(few: readonly string[], many: readonly string[]): string[] {
  const between = many.length / few.length;
  const order = few.flatMap((file, index) => [
    file,
    ...many.slice(Math.round(index * between), Math.round((index + 1) * between)),
  ]);
  return few.length === 0 ? [...many] : order;
}
