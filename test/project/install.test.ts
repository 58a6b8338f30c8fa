import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

test('npm ci --omit=dev builds nothing, because it does not install what the build needs', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-omit-'));
  t.after(() => rmSync(folder, { recursive: true }));
  copyFileSync(join(checkout, 'package.json'), join(folder, 'package.json'));
  const env = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter), HOME: folder };
  const prepare = () => spawnSync('npm', ['run', '--silent', 'prepare'], { cwd: folder, env, encoding: 'utf8' });
  assert.partialDeepStrictEqual(prepare(), { status: 0, stdout: '', stderr: '' });
  mkdirSync(join(folder, 'node_modules/rolldown'), { recursive: true });
  assert.match(prepare().stderr, /scripts\/build\.ts/);
});

test('npm ci prints no warning for a package that needs a newer Node than the one that starts npm', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-install-'));
  t.after(() => rmSync(folder, { recursive: true }));
  copyFileSync(join(checkout, '.npmrc'), join(folder, '.npmrc'));
  for (const name of ['package.json', 'package-lock.json', 'packages/embedded-cluster/package.json']) {
    const text = readFileSync(join(checkout, name), 'utf8');
    // No Node is new enough for any of the packages.
    const content = JSON.parse(text, (key, value) => (key === 'engines' ? { node: '>=1000' } : value));
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(content));
  }
  const warningsOf = (...flags: readonly string[]) => {
    const env = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter), HOME: folder };
    const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', ...flags];
    const { status, stderr } = spawnSync('npm', args, { cwd: folder, env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stderr;
  };
  assert.equal(warningsOf(), '');
  assert.match(warningsOf('--loglevel=warn'), /^npm warn EBADENGINE/m);
});
