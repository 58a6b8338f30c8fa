/**
 * `npm run release`: checks the checkout, and puts everything that is published of a version into one folder.
 *
 *   --output FOLDER    default: release
 *   --repository NAME  of the image, such as ghcr.io/acme/weeder: the files of the release name it, and where it is from
 *   --sign KEY         signs SHA256SUMS with a private Ed25519 key (PEM)
 *   --platform LIST    of the image (default: linux/amd64,linux/arm64)
 *   --without-image    for a trial on a machine without apt
 *   --draft            a trial: uncommitted files and a changelog without a date are accepted
 */
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { type Bundle, makeBundle } from '../image/bundle.ts';
import { buildImage, readPlatforms } from '../image/image.ts';
import { type Architecture, readPins } from '../image/pins.ts';
import { publishedPackageJson } from '../image/publishedPackageJson.ts';
import { sbomOf } from '../image/sbom.ts';
import { orProblem, Problem, run, runScript } from '../problem.ts';
import { type Publisher, readPublisher } from '../publisher.ts';
import { changesOf } from './changes.ts';
import { chartArchive } from './chart.ts';
import { checkCandidate } from './checks.ts';
import { checksumFiles, readKey } from './checksums.ts';
import { installationPage } from './installation.ts';
import { krewFiles } from './krew.ts';
import { publishedChartFile, publishedInstallFile } from './published.ts';

const checkout = join(import.meta.dirname, '..', '..');
const { name, version } = packageJson;

await runScript(async () => {
  const { output, sign, platform, repository, draft, 'without-image': withoutImage } = readFlags();
  const platforms = withoutImage ? [] : readPlatforms(platform);
  const key = sign === undefined ? undefined : readKey(sign);
  const publisher = readPublisher(repository);
  if (existsSync(output)) throw new Problem(`${output} exists: remove it, or name another folder with --output.`);
  checkCandidate({ checkout, version, draft });

  const artifacts = await makeArtifacts(platforms, publisher);
  const files = new Map([...artifacts, ...checksumFiles(artifacts, key)]);
  mkdirSync(output, { recursive: true });
  for (const [path, content] of files) writeFileSync(join(output, path), content);
  console.log([...files.keys()].map((path) => join(output, path)).join('\n'));
});

function readFlags() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = { sign: text, platform: text, repository: text, draft: flag, 'without-image': flag };
  return orProblem(() => parseArgs({ options: { ...options, output: { ...text, default: 'release' } } }).values);
}

/** The published files, without their checksums. */
async function makeArtifacts(
  platforms: readonly Architecture[],
  publisher: Publisher | undefined,
): Promise<Map<string, Buffer>> {
  const bundle = await makeBundle();
  const image = platforms.length === 0 ? undefined : buildImage(bundle, platforms, publisher);
  const publication = publisher === undefined ? undefined : { version, publisher, image };
  const changes = changesOf(readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8'), version);
  const chart = chartArchive(name, join(checkout, 'deploy/chart'), (path, content) =>
    publication === undefined ? content : publishedChartFile(path, content, publication, changes),
  );
  const files = new Map([
    [`${name}-${version}.tgz`, npmPackage(bundle, publisher)],
    // npm's package has the name that `helm package` gives to a chart.
    [`${name}-chart-${version}.tgz`, chart],
    [`${name}-${version}.cdx.json`, Buffer.from(sbomOf(bundle))],
    ...krewFiles(bundle, readFileSync(join(checkout, 'LICENSE')), publisher),
  ]);
  for (const path of globSync(join(checkout, 'deploy/install/*.yaml')).sort()) {
    const text = readFileSync(path, 'utf8');
    const published = publication === undefined ? text : publishedInstallFile(text, publication);
    files.set(`install-${basename(path)}`, Buffer.from(published));
  }
  if (publication !== undefined) files.set('INSTALL.md', Buffer.from(installationPage(publication)));
  if (image !== undefined) files.set(`${name}-${version}.oci.tar`, image.archive);
  for (const architecture of platforms) {
    const text = sbomOf(bundle, { pins: readPins(), architecture });
    files.set(`${name}-image-${version}-${architecture}.cdx.json`, Buffer.from(text));
  }
  return files;
}

/** The package with the same bundle as the other files; a build in the checkout would empty `dist` under its users. */
function npmPackage({ files: built }: Bundle, publisher: Publisher | undefined): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-release-'));
  try {
    writeFileSync(join(folder, 'package.json'), publishedPackageJson(publisher));
    for (const path of packageJson.files.filter((each) => each !== 'dist')) {
      cpSync(join(checkout, path), join(folder, path), { recursive: true });
    }
    for (const [path, content] of built) {
      mkdirSync(dirname(join(folder, 'dist', path)), { recursive: true });
      writeFileSync(join(folder, 'dist', path), content);
    }
    run('npm', ['pack', '--ignore-scripts'], 'a release needs the package of npm.', folder);
    return readFileSync(join(folder, `${name}-${version}.tgz`));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
