import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'rolldown';
import packageJson from '../../package.json' with { type: 'json' };
import config from '../../rolldown.config.ts';
import { cache, checkout, fingerprint, removeOthers } from './cache.ts';

/**
 * Returns the path of `weeder.js` in a production bundle of the current sources. The first test process that needs the
 * bundle builds it for the others, too: started from sources, the program would take three times as long.
 */
export function bundle(): Promise<string> {
  const sources = ['{src,machines}/**/*.ts', 'packages/*/{src,machines,protocol}/**/*.ts', 'generated/*.json'];
  return bundled('weeder', config.input, sources);
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
  removeOthers(name, version);
  return program;
}
