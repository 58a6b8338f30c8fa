import { execFileSync } from 'node:child_process';
import packageJson from '../../package.json' with { type: 'json' };
import { Problem } from '../problem.ts';
import type { Publisher } from '../publisher.ts';
import type { Bundle } from './bundle.ts';
import { imageConfig, labels } from './config.ts';
import { runtimeLayers, weederLayer } from './layers.ts';
import { ociArchive, type PlatformImage, packLayer } from './oci.ts';
import { type Architecture, architectures, readPins } from './pins.ts';

/** The image of weeder for several platforms. */
export interface Image {
  readonly platforms: readonly PlatformImage[];
  /** An OCI image layout as a tar archive. */
  readonly archive: Buffer;
  /** Of the index of all platforms. */
  readonly digest: string;
}

/** Builds the image, which has its name in the registry of a publisher. SOURCE_DATE_EPOCH is its date; without it, that is the beginning of 1970. */
export function buildImage(bundle: Bundle, platforms: readonly Architecture[], publisher?: Publisher): Image {
  const created = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0);
  if (!Number.isInteger(created) || created < 0) throw new Problem('SOURCE_DATE_EPOCH is a number of seconds.');
  const pins = readPins();
  const images = platforms.map((architecture) => ({
    architecture,
    layers: [...runtimeLayers(pins, architecture), weederLayer(bundle, pins, architecture)].map(packLayer),
  }));
  const config = { ...imageConfig, Labels: labels(revision(), publisher?.source) };
  const name = `${publisher?.image ?? 'docker.io/library/weeder'}:${packageJson.version}`;
  return { platforms: images, ...ociArchive(images, { name, config, created }) };
}

/** Reads a list such as `linux/amd64,linux/arm64`. Without one, returns all architectures. */
export function readPlatforms(list: string | undefined): readonly Architecture[] {
  const supported = Object.keys(architectures).map((each) => `linux/${each}`);
  const platforms = (list ?? supported.join()).split(',').map((platform) => {
    const architecture = platform.replace('linux/', '');
    if (!supported.includes(platform) || !isArchitecture(architecture)) {
      throw new Problem(`--platform is a list of ${supported.join(' and ')}; found ${platform}.`);
    }
    return architecture;
  });
  return [...new Set(platforms)];
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
