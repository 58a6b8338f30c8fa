import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type Architecture, readPins } from '../../../../scripts/image/pins.ts';
import { readTar } from '../../../../scripts/image/tar.ts';
import { folder } from '../../../support/cli.ts';
import { readImage } from '../../../support/image.ts';

export const checkout = fileURLToPath(new URL('../../../..', import.meta.url));

/** Runs `npm run image` for one architecture. */
export function build(architecture: Architecture, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const output = join(folder, `${architecture}.tar`);
  const args = ['scripts/image/build.ts', '--platform', `linux/${architecture}`, '--output', output, ...flags];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: checkout,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { output, status, stderr };
}

/** Builds the image for one architecture, and unpacks its root file system into a folder. */
export function builtImage(architecture: Architecture) {
  const { output, pins } = buildWithPins(architecture);
  const archive = readFileSync(output);
  const image = readImage(archive, architecture);
  const files = image.layers.flatMap(({ blob }) => readTar(gunzipSync(blob)));
  const root = join(folder, `image-${architecture}`);
  for (const { name, mode, content, link } of files) {
    const path = join(root, name);
    mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
    if (link !== undefined) symlinkSync(link, path);
    else if (!name.endsWith('/')) writeFileSync(path, content, { mode });
  }
  return { archive, pins, image, files, root };
}

/** The same without unpacking it. If the pins are outdated, those of today are used from here on. */
export function buildWithPins(architecture: Architecture) {
  let built = build(architecture);
  let pins = readPins();
  if (built.stderr.includes('npm run image:pins takes the version of today')) {
    process.env['WEEDER_IMAGE_PINS'] = pinsOfToday();
    built = build(architecture);
    pins = readPins(process.env['WEEDER_IMAGE_PINS']);
  }
  assert.equal(built.status, 0, built.stderr);
  return { output: built.output, pins };
}

/**
 * Debian's archive no longer has a package once a newer one replaces it. The image of today's packages is tested then,
 * because this checkout cannot know them.
 */
function pinsOfToday(): string {
  const path = join(folder, 'pins.json');
  execFileSync(process.execPath, ['scripts/image/updatePins.ts'], {
    cwd: checkout,
    env: { ...process.env, WEEDER_IMAGE_PINS: path },
  });
  return path;
}
