import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { z } from 'zod';
import { readTar } from '../../scripts/image/tar.ts';
import { readPublisher } from '../../scripts/publisher.ts';
import { krewFiles } from '../../scripts/release/krew.ts';
import { imageBundle } from '../support/image.ts';

const publisher = readPublisher('ghcr.io/acme/weeder');

/** The rules of krew's validation (pkg/index/indexscanner and internal/index/validation), as far as they apply. */
const Manifest = z.strictObject({
  apiVersion: z.literal('krew.googlecontainertools.github.com/v1alpha2'),
  kind: z.literal('Plugin'),
  metadata: z.strictObject({ name: z.string().regex(/^[\w-]+$/) }),
  spec: z.strictObject({
    version: z.string().regex(/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/),
    homepage: z.url({ protocol: /^https$/ }),
    shortDescription: z.string().min(1).max(50),
    description: z.string().min(1),
    caveats: z.string(),
    platforms: z
      .array(
        z.strictObject({
          selector: z.strictObject({ matchLabels: z.strictObject({ os: z.string(), arch: z.string() }) }),
          uri: z.url({ protocol: /^https$/ }).regex(/\.tar\.gz$/),
          sha256: z.string().regex(/^[0-9a-f]{64}$/),
          bin: z.string().min(1),
        }),
      )
      .min(1),
  }),
});

test('krew can install the plugin, which shows its usage as kubectl weeder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-krew-'));
  after(() => rmSync(folder, { recursive: true }));
  const [archive, manifest] = krewFiles(await imageBundle(), Buffer.from('the license'), publisher);
  assert.ok(archive !== undefined && manifest !== undefined);
  const { spec } = Manifest.parse(parse(`${manifest[1]}`));
  const sha256 = createHash('sha256').update(archive[1]).digest('hex');
  assert.equal(spec.platforms.length, 4);
  for (const platform of spec.platforms) {
    assert.equal(platform.sha256, sha256);
    assert.ok(platform.uri.endsWith(`/${spec.version}/${archive[0]}`));
  }
  for (const { name, content, mode } of readTar(gunzipSync(archive[1]))) {
    const path = join(folder, 'store', name);
    if (name.endsWith('/')) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    chmodSync(path, mode);
  }
  // As krew does.
  const link = join(folder, 'kubectl-weeder');
  symlinkSync(join(folder, 'store', spec.platforms[0]?.bin ?? ''), link);
  const run = (path: string, ...words: string[]) =>
    execFileSync(link, words, { env: { PATH: path }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  assert.match(run(path, 'status', '--help'), /^Usage: kubectl weeder status /);
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  assert.throws(() => run(tools, 'status'), /weeder: node is not in the PATH: weeder needs Node 26 or newer\./);
});
