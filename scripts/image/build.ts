/**
 * `npm run image`: builds the image of weeder as an OCI archive, without a daemon.
 *
 *   --platform LIST    such as linux/amd64 (default: linux/amd64,linux/arm64)
 *   --output FILE      default: weeder-VERSION.oci.tar
 *
 * SOURCE_DATE_EPOCH is the date of the image; without it, that is the beginning of 1970.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { makeBundle } from './bundle.ts';
import { imageConfig, labels } from './config.ts';
import { runtimeLayers, weederLayer } from './layers.ts';
import { ociArchive, packLayer } from './oci.ts';
import { type Architecture, architectures, readPins } from './pins.ts';
import { ImageProblem } from './problem.ts';

async function main(): Promise<void> {
  const { platforms, output } = readFlags();
  const created = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0);
  if (!Number.isInteger(created) || created < 0) throw new ImageProblem('SOURCE_DATE_EPOCH is a number of seconds.');
  const pins = readPins();
  const bundle = await makeBundle();
  const images = platforms.map((architecture) => ({
    architecture,
    layers: [...runtimeLayers(pins, architecture), weederLayer(bundle, pins, architecture)].map(packLayer),
  }));
  const config = { ...imageConfig, Labels: labels(revision()) };
  const { archive, digest } = ociArchive(images, { name: `weeder:${packageJson.version}`, config, created });
  writeFileSync(output, archive);
  for (const { architecture, layers } of images) {
    const sizes = layers.map(
      ({ title, blob }) => `${title.split(/[: ]/)[0]} ${(blob.length / 1024 ** 2).toFixed(1)} MiB`,
    );
    console.log(`linux/${architecture}: ${sizes.join(', ')}`);
  }
  console.log(`${output} ${digest}`);
}

function readFlags(): { readonly platforms: readonly Architecture[]; readonly output: string } {
  const all = Object.keys(architectures).map((each) => `linux/${each}`);
  const { platform = all.join(), output = `weeder-${packageJson.version}.oci.tar` } = parseFlags();
  const platforms = platform.split(',').map((each) => {
    const architecture = each.replace('linux/', '');
    if (!all.includes(each) || !isArchitecture(architecture)) {
      throw new ImageProblem(`--platform is a list of ${all.join(' and ')}; found ${each}.`);
    }
    return architecture;
  });
  return { platforms: [...new Set(platforms)], output };
}

function parseFlags() {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({ options: { platform: text, output: text } }).values;
  } catch (error) {
    throw new ImageProblem(error instanceof Error ? error.message : String(error));
  }
}

function isArchitecture(text: string): text is Architecture {
  return text in architectures;
}

/** The commit of the sources, unless they were changed since, or come without git. */
function revision(): string | undefined {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD').trim() : undefined;
  } catch {
    return undefined;
  }
}

try {
  await main();
} catch (error) {
  console.error(error instanceof ImageProblem ? error.message : error);
  process.exitCode = 1;
}
