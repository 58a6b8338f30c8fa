import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import packageJson from '../../package.json' with { type: 'json' };
import { readTar } from '../../scripts/image/tar.ts';
import { chartArchive } from '../../scripts/release/chart.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const chart = join(checkout, 'deploy/chart');
const { version } = packageJson;
const folder = mkdtempSync(join(tmpdir(), 'weeder-release-test-'));
after(() => rmSync(folder, { recursive: true }));

function release(...flags: string[]) {
  const args = ['scripts/release/release.ts', '--draft', '--without-image', ...flags];
  return spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' });
}

function keyFile(type: 'ed25519' | 'x25519'): string {
  // An overload of Node's types takes each type alone.
  const { privateKey } = type === 'ed25519' ? generateKeyPairSync(type) : generateKeyPairSync(type);
  const path = join(folder, `${type}.pem`);
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return path;
}

suite('a release', () => {
  const key = keyFile('ed25519');
  const output = join(folder, 'release');
  const built = release('--output', output, '--sign', key);
  const read = (name: string): Buffer => readFileSync(join(output, name));

  test('has the package, the chart, the install files and the SBOM', () => {
    assert.equal(built.stderr, '');
    assert.deepEqual(readdirSync(output), [
      'SHA256SUMS',
      'SHA256SUMS.sig',
      'install-all.yaml',
      'install-weeder.yaml',
      'install-with-observer.yaml',
      'install-with-restart-control.yaml',
      'krew-weeder.yaml',
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

test('a release is not built with a wrong key or into a folder that exists: one sentence says why', () => {
  const output = ['--output', join(folder, 'none')];
  for (const [flags, sentence] of [
    [
      [...output, '--sign', join(folder, 'no.pem')],
      /^\S+no\.pem is not read \(ENOENT.*\): --sign needs a private Ed25519/,
    ],
    [[...output, '--sign', keyFile('x25519')], /^\S+ is a key of the type x25519: --sign needs a private Ed25519 key/],
    [[...output, '--key', 'key.pem'], /^Unknown option '--key'/],
    [['--output', folder], /^\S+ exists: remove it, or name another folder with --output\.\n$/],
  ] as const) {
    const { status, stderr } = release(...flags);
    assert.deepEqual([status, stderr.trimEnd().split('\n').length], [1, 1], stderr);
    assert.match(stderr, sentence);
  }
});
