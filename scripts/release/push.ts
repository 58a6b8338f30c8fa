/**
 * `npm run --silent release:push`: pushes the image and the chart of a release with crane and helm, which are in the
 * PATH and logged in to the registry. Prints the digests as `name=value`, which GitHub reads as outputs of a step. It needs
 * no package, so that the job that may publish installs none.
 *
 *   --repository NAME  of the image, as for `npm run release`
 *   --input FOLDER     that of the release (default: release)
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { orProblem, Problem, run, runScript } from '../problem.ts';
import { readPublisher } from '../publisher.ts';

const { name, version } = packageJson;

/** What the script reads of an index of OCI. */
interface Index {
  readonly manifests: readonly { readonly digest: string; readonly platform?: { readonly architecture: string } }[];
}

await runScript(async () => {
  const text = { type: 'string' } as const;
  const options = { repository: text, input: { ...text, default: 'release' } };
  const { repository, input } = orProblem(() => parseArgs({ options }).values);
  const publisher = readPublisher(repository);
  if (publisher === undefined) throw new Problem('--repository names the image, such as ghcr.io/acme/weeder.');
  const image = pushImage(join(input, `${name}-${version}.oci.tar`), publisher.image);
  const chart = pushChart(join(input, `${name}-chart-${version}.tgz`), publisher.charts);
  const outputs = { image: publisher.image, ...image, chart: `${publisher.charts}/${name}`, ...chart };
  console.log(
    Object.entries(outputs)
      .map(([key, value]) => `${key}=${value}`)
      .join('\n'),
  );
});

/** Pushes all platforms of an OCI archive, and returns the digests of the index and of each platform, whose SBOM is a file. */
function pushImage(archive: string, image: string): Readonly<Record<string, string>> {
  const layout = mkdtempSync(join(tmpdir(), 'weeder-layout-'));
  try {
    run('tar', ['-xf', archive, '-C', layout], 'npm run release makes this archive; the folder of --input has it.');
    const index = (path: string) => (JSON.parse(readFileSync(join(layout, path), 'utf8')) as Index).manifests;
    const [{ digest } = { digest: '' }] = index('index.json');
    run('crane', ['push', layout, `${image}:${version}`], 'the push needs crane, and its login to the registry.');
    const platforms = index(`blobs/${digest.replace(':', '/')}`).flatMap((each) => {
      const architecture = each.platform?.architecture;
      return [
        [`image-digest-${architecture}`, each.digest],
        [`image-sbom-${architecture}`, `${name}-image-${version}-${architecture}.cdx.json`],
      ];
    });
    return { 'image-digest': digest, ...Object.fromEntries(platforms) };
  } finally {
    rmSync(layout, { recursive: true });
  }
}

function pushChart(archive: string, charts: string): Readonly<Record<string, string>> {
  // As crane does by itself.
  const flags = /^(localhost|127\.0\.0\.1)[:/]/.test(charts) ? ['--plain-http'] : [];
  run('helm', ['push', archive, `oci://${charts}`, ...flags], 'the push needs Helm, and its login to the registry.');
  const digest = run('crane', ['digest', `${charts}/${name}:${version}`], 'the chart was pushed, but is not found.');
  return { 'chart-digest': String(digest).trim() };
}
