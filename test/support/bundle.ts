import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import packageJson from '../../package.json' with { type: 'json' };
import config from '../../rolldown.config.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
/** Each checkout has its own folder, because several may share one node_modules. */
const cache = join(
  checkout,
  'node_modules',
  '.cache',
  'weeder',
  createHash('sha256').update(checkout).digest('hex').slice(0, 8),
);

/**
 * Returns the path of `weeder.js` in a production bundle of the current sources. The first test process that needs the
 * bundle builds it for the others, too: started from sources, the program would take three times as long.
 */
export function bundle(): Promise<string> {
  return bundled('weeder', config.input, ['src/**/*.ts', 'machines/**/*.ts', 'generated/*.json']);
}

/**
 * Bundles another program in the same way; `sources` are the patterns of its source files. `readable`: with line feeds,
 * and a comment before each module that names it.
 */
export function bundled(
  name: string,
  input: string,
  sources: readonly string[],
  layout: 'dense' | 'readable' = 'dense',
): Promise<string> {
  const promise = built.get(name) ?? buildOnce(name, input, sources, layout);
  built.set(name, promise);
  return promise;
}

const built = new Map<string, Promise<string>>();

async function buildOnce(
  name: string,
  input: string,
  sources: readonly string[],
  layout: 'dense' | 'readable',
): Promise<string> {
  const version = `${name}-${layout}-${fingerprint(sources)}`;
  const [folder, unfinished] = [join(cache, version), join(cache, `${process.pid}-${version}`)];
  const program = join(folder, `${basename(input, '.ts')}.js`);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  // As in the image: without a package.json that declares it a module, the file is compiled twice, which takes 4 MiB
  // for the lifetime of the process.
  const packageFile = `${unfinished}.json`;
  writeFileSync(packageFile, JSON.stringify({ type: packageJson.type }));
  renameSync(packageFile, join(cache, 'package.json'));
  const minify = layout === 'dense' && config.output.minify;
  await build({ ...config, input, cwd: checkout, output: { ...config.output, dir: unfinished, minify } });
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process was faster, with the same result.
    if (!existsSync(program)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  for (const old of globSync(`${name}-*`, { cwd: cache })) {
    if (old !== version) rmSync(join(cache, old), { recursive: true });
  }
  return program;
}

/** Returns a hash that changes with every edit of a source file, and with the dependencies. */
function fingerprint(sources: readonly string[]): string {
  const files = globSync([...sources, 'package*.json', 'rolldown.config.ts'], { cwd: checkout });
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const { mtimeMs, size } = statSync(join(checkout, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
