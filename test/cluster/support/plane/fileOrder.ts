import { readFileSync } from 'node:fs';

/** How a test file requests a control plane that it may break: ownControlPlane.ts. */
const hasOwnControlPlane = /\b(own|suite)ControlPlane\b/;

/**
 * The test files, those with a control plane of their own evenly among the others. Only one of these planes runs at a
 * time: next to each other such files would wait for each other, each in the place of one that could run.
 */
export function orderFiles(files: readonly string[], read = (file: string) => readFileSync(file, 'utf8')): string[] {
  const alone = new Set(files.filter((file) => hasOwnControlPlane.test(read(file))));
  return spread(
    [...alone],
    files.filter((file) => !alone.has(file)),
  );
}

/** Spreads the few at equal distances among the many, the first of them in front. */
function spread(few: readonly string[], many: readonly string[]): string[] {
  const between = many.length / few.length;
  const order = few.flatMap((file, index) => [
    file,
    ...many.slice(Math.round(index * between), Math.round((index + 1) * between)),
  ]);
  return few.length === 0 ? [...many] : order;
}
