import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'weeder-package-'));
after(() => rmSync(folder, { recursive: true }));

/** The environment of a user: without npm's variables, and with the Node of the test. */
const env = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter), HOME: folder };

function run(cwd: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

suite('the package', () => {
  // It shows what the script `prepare` prints, which npm ci runs, too.
  const pack = ['pack', '--foreground-scripts', '--pack-destination', folder];
  const packed = spawnSync('npm', pack, { cwd: checkout, env, encoding: 'utf8' });
  run(folder, 'npm', 'install', '--offline', `weeder-${packageJson.version}.tgz`);

  test('is built without a line about each of its files', () => {
    const { version, scripts } = packageJson;
    const lines = ['', `> weeder@${version} prepare`, `> ${scripts.prepare}`, '', `weeder-${version}.tgz`, ''];
    assert.deepEqual([packed.stdout, packed.stderr], [lines.join('\n'), '']);
  });

  test('is installed alone, without the registry', () => {
    assert.deepEqual(readdirSync(join(folder, 'node_modules')).sort(), ['.bin', '.package-lock.json', 'weeder']);
  });

  test('has the bundle, the JSON Schemas and the documents, and nothing else', () => {
    const files = readdirSync(join(folder, 'node_modules', 'weeder'));
    assert.deepEqual(files.sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json', 'schema']);
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
