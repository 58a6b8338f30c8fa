import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
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
 * The path of `weeder.js` in a production bundle of the sources as they are now. It is built by the first test process that asks
 * for it, and kept: from sources each start of the program would take three times as long.
 */
export function bundle(): Promise<string> {
  built ??= buildOnce();
  return built;
}

let built: Promise<string> | undefined;

async function buildOnce(): Promise<string> {
  const name = `dist-${fingerprint()}`;
  const [folder, unfinished] = [join(cache, name), join(cache, `${process.pid}-${name}`)];
  const program = join(folder, 'weeder.js');
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  await build({ ...config, cwd: checkout, output: { ...config.output, dir: unfinished } });
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was quicker, with the same outcome.
    if (!existsSync(program)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  for (const old of globSync('dist-*', { cwd: cache })) if (old !== name) rmSync(join(cache, old), { recursive: true });
  return program;
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
