import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cacheFolder } from '../cacheFolder.ts';
import { Problem, run } from '../problem.ts';
import { readDeb, type Unpacked } from './deb.ts';
import { type Architecture, type DebianPackage, nodePackage, type Pins } from './pins.ts';
import { readTar, type TarEntry } from './tar.ts';

const cache = join(cacheFolder(), 'image');

/** Returns the files of the npm package with the binary of Node, by their paths in it. */
export function nodeFiles(pins: Pins, architecture: Architecture): TarEntry[] {
  const name = `${nodePackage(architecture)}-${pins.node}.tgz`;
  const path = cached(name, pins[architecture].nodeIntegrity, (folder) => {
    const spec = `${nodePackage(architecture)}@${pins.node}`;
    run('npm', ['pack', spec, '--pack-destination', folder], `the image needs the npm package ${spec}.`, folder);
  });
  return readTar(gunzipSync(readFileSync(path)));
}

export function debianFiles({ name, version, url, sha256 }: DebianPackage): Unpacked {
  const file = decodeURIComponent(basename(url));
  const integrity = `sha256-${Buffer.from(sha256, 'hex').toString('base64')}`;
  const path = cached(file, integrity, (folder) => {
    const advice = `the image needs ${name} ${version} of Debian; npm run image:pins takes the version of today.`;
    const script = join(import.meta.dirname, 'fetchFile.ts');
    run(process.execPath, ['--use-env-proxy', script, url, join(folder, file)], advice);
  });
  return readDeb(readFileSync(path));
}

/** Returns the path of a file in the cache, after `download` has put it into a folder, and its hash is the pinned one. */
function cached(name: string, integrity: string, download: (folder: string) => void): string {
  const path = join(cache, name);
  mkdirSync(cache, { recursive: true });
  if (!existsSync(path)) {
    const folder = mkdtempSync(join(cache, 'download-'));
    try {
      download(folder);
      renameSync(join(folder, name), path);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const [algorithm = '', expected] = integrity.split(/-(.*)/s);
  if (createHash(algorithm).update(readFileSync(path)).digest('base64') !== expected) {
    rmSync(path);
    throw new Problem(`${name} is not the file that scripts/image/pins.json names: its hash differs.`);
  }
  return path;
}
