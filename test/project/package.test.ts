import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, suite, test } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };
import { checkout } from '../support/cache.ts';
import { signedRelease } from '../support/release.ts';

const folder = mkdtempSync(join(tmpdir(), 'weeder-package-'));
after(() => rmSync(folder, { recursive: true }));

/** The environment of a user: without npm's variables, and with the Node of the test. */
const env = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter), HOME: folder };

function run(cwd: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

suite('the package', () => {
  const { output } = signedRelease();
  run(folder, 'npm', 'install', '--offline', join(output, `weeder-${packageJson.version}.tgz`));

  test('is installed alone, without the registry', () => {
    assert.deepEqual(readdirSync(join(folder, 'node_modules')).sort(), ['.bin', '.package-lock.json', 'weeder']);
  });

  test('has the bundle, the JSON Schemas and the documents, and nothing else', () => {
    const files = readdirSync(join(folder, 'node_modules', 'weeder'));
    assert.deepEqual(files.sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json', 'schema']);
  });

  test('has of the package.json what its users need: no dependencies, and no scripts', () => {
    const keys = 'name version description license keywords type engines bin exports';
    assert.deepEqual(
      JSON.parse(readFileSync(join(folder, 'node_modules/weeder/package.json'), 'utf8')),
      Object.fromEntries(Object.entries(packageJson).filter(([key]) => keys.split(' ').includes(key))),
    );
  });

  test('has the license of each package in its bundle', () => {
    const notices = readFileSync(join(folder, 'node_modules/weeder/dist/licenses.txt'), 'utf8');
    for (const name of ['xstate', 'zod', '@kubernetes/client-node']) {
      assert.match(notices, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\n\n.*License`, 'ims'));
    }
    assert.ok((notices.match(/copyright/gi) ?? []).length > 20);
  });

  test('brings the command weeder: --version, check, demo', () => {
    const weeder = (...words: string[]): string => run(folder, 'npx', '--no', '--', 'weeder', ...words);
    assert.equal(weeder('--version'), `${packageJson.version}\n`);
    const config = join(checkout, 'test/data/config/original.yaml');
    assert.match(weeder('check', config), /\S/);
    assert.match(weeder('demo', '--speed=50', '--outage=40s'), /with weeder +without/);
  });
});

test('npm ci builds the bundle without a line about each of its files', () => {
  const built = spawnSync('npm', ['run', 'prepare'], { cwd: checkout, env, encoding: 'utf8' });
  const banner = ['', `> weeder@${packageJson.version} prepare`, `> ${packageJson.scripts.prepare}`, '', ''];
  assert.deepEqual([built.stdout, built.stderr], [banner.join('\n'), '']);
});

test('npm pack makes no package of the checkout, and says what does', () => {
  const packed = spawnSync('npm', ['pack', '--pack-destination', folder], { cwd: checkout, env, encoding: 'utf8' });
  assert.equal(packed.status, 1);
  assert.match(packed.stderr, /^npm run release makes the package, which has no dependencies\.$/m);
  assert.ok(!existsSync(join(folder, `weeder-${packageJson.version}.tgz`)));
});
