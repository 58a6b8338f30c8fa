import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './cache.ts';
import { packages } from './packages.ts';

/** Returns the texts of the files that match the pattern, by their paths from the root of the repository. */
export function textsIn(pattern: string): ReadonlyMap<string, string> {
  const files = globSync(pattern, { cwd: checkout, exclude: ['**/node_modules/**'] });
  return new Map(files.map((file) => [file, readFileSync(join(checkout, file), 'utf8')]));
}

/** The files behind what a package exports, by the names under which they are imported. */
export const entries: ReadonlyMap<string, string> = new Map(
  packages.flatMap(({ folder, name, exports }) =>
    Object.entries(exports).map(([path, file]) => [join(name, path), join(folder, file)] as const),
  ),
);

/** Returns the text without the imports of types alone, which load nothing. */
export function withoutTypes(text: string): string {
  return text.replace(/^(?:import|export) type [^;]+;|\btypeof import\([^)]+\)/gm, '');
}
