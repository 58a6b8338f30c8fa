import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** What follows from content alone is in here, and of use to a copy of the node_modules in another checkout, too. */
const shared = join(checkout, 'node_modules', '.cache', 'weeder');

/** For what takes long to make. Each checkout has its own folder, because several may share one node_modules. */
export const cache = join(shared, createHash('sha256').update(checkout).digest('hex').slice(0, 8));

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
export function removeOthers(name: string, version: string, folder = cache): void {
  for (const old of globSync(`${name}-*`, { cwd: folder })) {
    if (old !== version) rmSync(join(folder, old), { recursive: true });
  }
}

/** Returns the text that `make` returns for this input, if it follows from that and from the sources alone. */
export async function cachedText(
  name: string,
  sources: readonly string[],
  input: string,
  make: () => Promise<string>,
): Promise<string> {
  const inputHash = createHash('sha256').update(input).digest('hex').slice(0, 16);
  const version = `${name}-${fingerprint(sources)}-${inputHash}`;
  const path = join(shared, version);
  if (existsSync(path)) return readFileSync(path, 'utf8');
  const text = await make();
  mkdirSync(shared, { recursive: true });
  const unfinished = join(shared, `${process.pid}-${version}`);
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
  removeOthers(name, version, shared);
  return text;
}
