/**
 * `npm run image`: builds the image of weeder as an OCI archive, without a daemon.
 *
 *   --platform LIST    such as linux/amd64 (default: linux/amd64,linux/arm64)
 *   --output FILE      default: weeder-VERSION.oci.tar
 *   --repository NAME  as for `npm run release`, to build the same image as a release
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { orProblem, runScript } from '../problem.ts';
import { readPublisher } from '../publisher.ts';
import { makeBundle } from './bundle.ts';
import { buildImage, readPlatforms } from './image.ts';

await runScript(async () => {
  const text = { type: 'string' } as const;
  const flags = orProblem(() => parseArgs({ options: { platform: text, output: text, repository: text } }).values);
  const { platform, repository, output = `weeder-${packageJson.version}.oci.tar` } = flags;
  const architectures = readPlatforms(platform);
  const publisher = readPublisher(repository);
  const { platforms, archive, digest } = buildImage(await makeBundle(), architectures, publisher);
  writeFileSync(output, archive);
  for (const { architecture, layers } of platforms) {
    const sizes = layers.map(
      ({ title, blob }) => `${title.split(/[: ]/)[0]} ${(blob.length / 1024 ** 2).toFixed(1)} MiB`,
    );
    console.log(`linux/${architecture}: ${sizes.join(', ')}`);
  }
  console.log(`${output} ${digest}`);
});
