import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { z } from 'zod';
import config from '../../rolldown.config.ts';

/** A package of npm of which the bundle has code. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
}

/** The production bundle. */
export interface Bundle {
  /** The text of each file, by its path in `dist`. */
  readonly files: ReadonlyMap<string, string>;
  readonly packages: readonly BundledPackage[];
}

const checkout = join(import.meta.dirname, '..', '..');
const Package = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** Builds the bundle in memory, and lists the packages whose modules are in it. */
export async function makeBundle(): Promise<Bundle> {
  const { output } = await build({ ...config, cwd: checkout, write: false });
  const chunks = output.flatMap((each) => (each.type === 'chunk' ? [each] : []));
  const roots = chunks.flatMap(({ moduleIds }) => moduleIds.flatMap(packageRoot));
  return {
    files: new Map(chunks.map(({ fileName, code }) => [fileName, code])),
    packages: [...new Set(roots)].sort().map((root) => {
      return Package.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    }),
  };
}

/** Returns the folder of the package that a module belongs to, unless that is weeder or the bundler itself. */
function packageRoot(id: string): string[] {
  return /^\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? [];
}
