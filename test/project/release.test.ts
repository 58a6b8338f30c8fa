import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { objectOf } from '@weeder/kube-runtime/base';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { readTar } from '../../scripts/image/tar.ts';
import { changesOf } from '../../scripts/release/changes.ts';
import { chartArchive } from '../../scripts/release/chart.ts';
import { checkout } from '../support/cache.ts';
import { folder, keyFile, release, signedRelease } from '../support/release.ts';

const chart = join(checkout, 'deploy/chart');
const { version } = packageJson;
/** In two parts, so that this file has none. */
const placeholder = ['OWN', 'ER'].join('');

suite('a release', () => {
  const { output, key, stderr } = signedRelease();
  const read = (name: string): Buffer => readFileSync(join(output, name));

  test('has the package, the chart, the install files and the SBOM', () => {
    assert.equal(stderr, '');
    assert.deepEqual(readdirSync(output), [
      'SHA256SUMS',
      'SHA256SUMS.sig',
      'install-all.yaml',
      'install-weeder.yaml',
      'install-with-observer.yaml',
      'install-with-restart-control.yaml',
      `kubectl-weeder-${version}.tar.gz`,
      `weeder-${version}.cdx.json`,
      `weeder-${version}.tgz`,
      `weeder-chart-${version}.tgz`,
    ]);
    assert.ok(read('install-all.yaml').equals(readFileSync(join(checkout, 'deploy/install/all.yaml'))));
    assert.match(`${read(`weeder-${version}.cdx.json`)}`, /"bomFormat": "CycloneDX"/);
    const packed = readTar(gunzipSync(read(`weeder-${version}.tgz`))).map(({ name }) => name);
    const parts = new Set(packed.map((name) => name.split('/')[1]));
    assert.deepEqual([...parts].sort(), ['package.json', ...packageJson.files].sort());
    assert.ok(packed.includes('package/dist/weeder.js') && packed.includes('package/dist/licenses.txt'));
  });

  test('has the checksum of each file', () => {
    const sums = [...`${read('SHA256SUMS')}`.matchAll(/^([0-9a-f]{64}) {2}(\S+)\n/gm)];
    const summed = new Map(sums.map(([, sum = '', name = '']) => [name, sum]));
    assert.deepEqual(
      [...summed.keys()].sort(),
      readdirSync(output).filter((name) => !name.startsWith('SHA256SUMS')),
    );
    for (const [name, sum] of summed) {
      assert.equal(createHash('sha256').update(read(name)).digest('hex'), sum, name);
    }
  });

  test('is signed with the given key, and a changed checksum is noticed', () => {
    const isValid = (content: Buffer) =>
      verify(null, content, createPublicKey(readFileSync(key)), read('SHA256SUMS.sig'));
    assert.ok(isValid(read('SHA256SUMS')));
    assert.ok(!isValid(Buffer.concat([read('SHA256SUMS'), Buffer.from(' ')])));
  });

  test('has the files of the chart below a folder of its name, and is packed the same each time', () => {
    const archive = read(`weeder-chart-${version}.tgz`);
    const packed = readTar(gunzipSync(archive)).filter(({ name }) => !name.endsWith('/'));
    const files = globSync('**', { cwd: chart }).filter((path) => statSync(join(chart, path)).isFile());
    assert.deepEqual(packed.map(({ name }) => name).sort(), files.map((path) => `weeder/${path}`).sort());
    const about = packed.find(({ name }) => name === 'weeder/Chart.yaml');
    assert.deepEqual(about?.content, readFileSync(join(chart, 'Chart.yaml')));
    assert.ok(chartArchive('weeder', chart).equals(archive));
  });
});

suite('a release with a publisher', () => {
  const output = join(folder, 'published');
  const built = release('--output', output, '--repository', 'ghcr.io/acme/weeder');
  const source = 'https://github.com/acme/weeder';
  const packed = (name: string) => readTar(gunzipSync(readFileSync(join(output, name))));
  const read = (name: string, path: string) => String(packed(name).find((each) => each.name === path)?.content);

  test('names the image, the chart and the sources in every file that a user runs', () => {
    assert.equal(built.stderr, '');
    const install = readFileSync(join(output, 'install-all.yaml'), 'utf8');
    assert.match(install, new RegExp(`^ +image: ghcr.io/acme/weeder:${version}$`, 'm'));
    assert.doesNotMatch(install, /image: weeder/);
    const published = objectOf(JSON.parse(read(`weeder-${version}.tgz`, 'package/package.json')));
    assert.partialDeepStrictEqual(published, {
      homepage: `${source}#readme`,
      repository: { type: 'git', url: `git+${source}.git` },
      bugs: `${source}/issues`,
    });
    const plugin = readFileSync(join(output, 'krew-weeder.yaml'), 'utf8');
    assert.ok(plugin.includes(`uri: ${source}/releases/download/v${version}/kubectl-weeder-${version}.tar.gz`));
    const page = readFileSync(join(output, 'INSTALL.md'), 'utf8');
    assert.match(page, new RegExp(`helm install weeder oci://ghcr.io/acme/charts/weeder --version ${version} `));
    assert.match(page, new RegExp(`${source}/releases/download/v${version}/install-weeder.yaml`));
  });

  test('has a chart with its image, addresses, and what Artifact Hub shows', () => {
    const archive = `weeder-chart-${version}.tgz`;
    const about = objectOf(parse(read(archive, 'weeder/Chart.yaml')));
    assert.deepEqual([about['home'], about['sources']], [source, [source]]);
    assert.deepEqual(about['maintainers'], [{ name: 'acme', url: 'https://github.com/acme' }]);
    const annotations = objectOf(about['annotations']);
    const links = parse(String(annotations['artifacthub.io/links']));
    assert.deepEqual(links[0], { name: 'documentation', url: `${source}/blob/v${version}/docs/README.md` });
    assert.ok(parse(String(annotations['artifacthub.io/changes'])).length > 5);
    assert.equal(
      objectOf(objectOf(parse(read(archive, 'weeder/values.yaml')))['image'])['repository'],
      'ghcr.io/acme/weeder',
    );
    const readme = read(archive, 'weeder/README.md');
    assert.ok(readme.includes(`](${source}/blob/v${version}/docs/reference/configuration.md)`));
    assert.doesNotMatch(readme, /]\((?!https:)/);
  });
});

test('the changes of a version are those of its section, without markup', () => {
  const changelog = `# Changelog

## 1.1.0 - 2026-01-31

### Added

- **Charts**: by \`helm install\` ([chart](deploy/chart/README.md)), and [more](docs/README.md).

### Fixed

- A crash.

## 1.0.0 - 2025-01-31

### Added

- Everything.
`;
  assert.deepEqual(changesOf(changelog, '1.1.0'), [
    { kind: 'added', description: 'Charts: by helm install, and more.' },
    { kind: 'fixed', description: 'A crash.' },
  ]);
  assert.throws(() => changesOf(changelog, '1.1'), { message: 'CHANGELOG.md has no section of the version 1.1.' });
});

test('no file of the sources has a placeholder for the publisher', () => {
  const { stdout } = spawnSync('git', ['grep', '--files-with-matches', '--word-regexp', placeholder], {
    cwd: checkout,
    encoding: 'utf8',
  });
  assert.equal(stdout, '');
});

test('a release is not built with a wrong key or into a folder that exists: one sentence says why', () => {
  const output = ['--output', join(folder, 'none')];
  for (const [flags, sentence] of [
    [
      [...output, '--sign', join(folder, 'no.pem')],
      /^\S+no\.pem is not read \(ENOENT.*\): --sign needs a private Ed25519/,
    ],
    [[...output, '--sign', keyFile('x25519')], /^\S+ is a key of the type x25519: --sign needs a private Ed25519 key/],
    [[...output, '--key', 'key.pem'], /^Unknown option '--key'/],
    [
      [...output, '--repository', 'ghcr.io/Acme/weeder'],
      /^--repository is a registry, an owner and a name in lower case, such as ghcr\.io\/acme\/weeder; found ghcr\.io\/Acme\/weeder\.\n$/,
    ],
    [['--output', folder], /^\S+ exists: remove it, or name another folder with --output\.\n$/],
  ] as const) {
    const { status, stderr } = release(...flags);
    assert.deepEqual([status, stderr.trimEnd().split('\n').length], [1, 1], stderr);
    assert.match(stderr, sentence);
  }
});
