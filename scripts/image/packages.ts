import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A package of npm of which the bundle has code. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** The text of the license, with the copyright. */
  readonly licenseText: string;
}

const Package = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** Returns the packages to which these modules belong, without weeder and its workspaces. */
export function packagesOf(modules: readonly string[]): BundledPackage[] {
  const roots = modules.flatMap((id) => /^\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? []);
  return [...new Set(roots)].sort().map((root) => {
    const about = Package.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    const [file] = globSync('LICENSE*', { cwd: root });
    if (file === undefined) throw new Error(`${about.name} has no file with its license.`);
    return { ...about, licenseText: readFileSync(join(root, file), 'utf8').trim() };
  });
}

/** The notices that the licenses of bundled code require to be passed on. */
export function notices(packages: readonly BundledPackage[]): string {
  const sections = packages.map(({ name, version, licenseText }) => `${name} ${version}\n\n${licenseText}\n`);
  return `This program contains code of these packages.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
