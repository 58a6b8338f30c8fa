import { join } from 'node:path';
import { build } from 'rolldown';
import config from '../../rolldown.config.ts';
import { type BundledPackage, packagesOf } from './packages.ts';

/** The production bundle. */
export interface Bundle {
  /** The text of each file, by its path in `dist`. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly packages: readonly BundledPackage[];
}

/** Builds the bundle in memory, and lists the packages whose modules are in it. */
export async function makeBundle(): Promise<Bundle> {
  const { output } = await build({ ...config, cwd: join(import.meta.dirname, '..', '..'), write: false });
  return {
    files: new Map(output.map((each) => [each.fileName, each.type === 'chunk' ? each.code : each.source])),
    packages: packagesOf(output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))),
  };
}
