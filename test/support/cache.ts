import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** For what takes long to make. Each checkout has its own folder, because several may share one node_modules. */
export const cache = join(
  checkout,
  'node_modules',
  '.cache',
  'weeder',
  createHash('sha256').update(checkout).digest('hex').slice(0, 8),
);

/** Returns a hash of the source files and the dependencies. */
export function fingerprint(sources: readonly string[]): string {
  const files = globSync([...sources, 'package*.json', 'rolldown.config.ts'], { cwd: checkout });
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const content = readFileSync(join(checkout, file));
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Removes what was made of earlier sources. */
export function removeOthers(name: string, version: string): void {
  for (const old of globSync(`${name}-*`, { cwd: cache })) {
    if (old !== version) rmSync(join(cache, old), { recursive: true });
  }
}
