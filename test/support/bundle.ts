import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import config from '../../rolldown.config.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
/** A folder for each checkout: several may share one node_modules. */
const cache = join(
  checkout,
  'node_modules',
  '.cache',
  'weeder',
  createHash('sha256').update(checkout).digest('hex').slice(0, 8),
);

/**
 * The path of the production bundle of the sources as they are now. It is built by the first test process that asks
 * for it, and kept: from sources each start of the program would take three times as long.
 */
export function bundle(): Promise<string> {
  return bundled('weeder', config.input, ['src/**/*.ts', 'machines/**/*.ts']);
}

/** Another program, bundled and kept in the same way; `sources` are the patterns of the files that it is made of. */
export function bundled(name: string, input: string, sources: readonly string[]): Promise<string> {
  const promise = built.get(name) ?? buildOnce(name, input, sources);
  built.set(name, promise);
  return promise;
}

const built = new Map<string, Promise<string>>();

async function buildOnce(program: string, input: string, sources: readonly string[]): Promise<string> {
  const name = `${program}-${fingerprint(sources)}.js`;
  const path = join(cache, name);
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  const unfinished = join(cache, `${process.pid}-${name}`);
  await build({ ...config, input, cwd: checkout, output: { ...config.output, file: unfinished } });
  // Another process may have been quicker, with the same outcome.
  renameSync(unfinished, path);
  for (const old of globSync(`${program}-*.js`, { cwd: cache })) if (old !== basename(path)) rmSync(join(cache, old));
  return path;
}

/** Changes with every source file that is edited, and with the dependencies. */
function fingerprint(sources: readonly string[]): string {
  const files = globSync([...sources, 'package*.json', 'rolldown.config.ts'], { cwd: checkout });
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const { mtimeMs, size } = statSync(join(checkout, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
