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
  built ??= buildOnce();
  return built;
}

let built: Promise<string> | undefined;

async function buildOnce(): Promise<string> {
  const name = `weeder-${fingerprint()}.js`;
  const path = join(cache, name);
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  const unfinished = join(cache, `${process.pid}-${name}`);
  await build({ ...config, cwd: checkout, output: { ...config.output, file: unfinished } });
  // Another process may have been quicker, with the same outcome.
  renameSync(unfinished, path);
  for (const old of globSync('weeder-*.js', { cwd: cache })) if (old !== basename(path)) rmSync(join(cache, old));
  return path;
}

/** Changes with every source file that is edited, and with the dependencies. */
function fingerprint(): string {
  const files = globSync(['src/**/*.ts', 'machines/**/*.ts', 'package*.json', 'rolldown.config.ts'], { cwd: checkout });
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const { mtimeMs, size } = statSync(join(checkout, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
