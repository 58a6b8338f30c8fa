import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { cacheFolder } from '../../scripts/cacheFolder.ts';
import { makeBundle } from '../../scripts/image/bundle.ts';
import { imageConfig, labels } from '../../scripts/image/config.ts';
import { readDeb } from '../../scripts/image/deb.ts';
import { buildImage } from '../../scripts/image/image.ts';
import { ociArchive, packLayer } from '../../scripts/image/oci.ts';
import type { Architecture } from '../../scripts/image/pins.ts';
import { fileEntry, folderEntry, linkEntry } from '../../scripts/image/tar.ts';
import { run } from '../../scripts/problem.ts';

const architecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** The version that is upgraded. No version was released before, so its image is this one with another label. */
export const formerVersion = '0.0.9';

export const archiveOf = (version: string): string => `weeder-${version}.oci.tar`;

/** What the workloads of the tutorial run, and no registry is asked for. */
export const workloadArchive = 'busybox.tar';

/**
 * Writes archives into a folder, once for all pages: of the image that `npm run image` gives to a reader, of the version
 * before, and of the image of the tutorial's workloads.
 */
export async function buildArchives(folder: string): Promise<void> {
  const { platforms, archive } = buildImage(await makeBundle(), [architecture]);
  writeFileSync(join(folder, archiveOf(packageJson.version)), archive);
  const Labels = { ...labels(), 'org.opencontainers.image.version': formerVersion };
  const former = { name: `docker.io/library/weeder:${formerVersion}`, config: { ...imageConfig, Labels }, created: 0 };
  writeFileSync(join(folder, archiveOf(formerVersion)), ociArchive(platforms, former).archive);
  writeFileSync(join(folder, workloadArchive), busyboxArchive(folder));
}

/** An image like that of Docker Hub, under its name, from the package of Debian: this machine may have no registry. */
function busyboxArchive(folder: string): Buffer {
  const advice = 'the workloads of the tutorial run busybox, from the Debian package busybox-static.';
  const cache = join(cacheFolder(), 'tutorial');
  mkdirSync(cache, { recursive: true });
  const find = (): string | undefined => globSync('busybox-static_*.deb', { cwd: cache })[0];
  if (find() === undefined) run('apt-get', ['download', 'busybox-static'], advice, cache);
  const { files } = readDeb(readFileSync(join(cache, find() ?? '')));
  const program = join(folder, 'busybox');
  const content = files.find(({ name }) => name.endsWith('bin/busybox'))?.content ?? '';
  writeFileSync(program, content, { mode: 0o755 });
  const applets = execFileSync(program, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const layer = packLayer({
    title: 'busybox',
    entries: [
      fileEntry('bin/busybox', content, 0o755),
      ...applets.filter((name) => name !== 'busybox').map((name) => linkEntry(`bin/${name}`, 'busybox')),
      folderEntry('tmp', 0o1777),
    ],
  });
  const config = { Env: ['PATH=/bin'], Cmd: ['sh'] };
  return ociArchive([{ architecture, layers: [layer] }], { name: 'docker.io/library/busybox:1.37', config, created: 0 })
    .archive;
}
