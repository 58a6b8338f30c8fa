import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test("the README's example runs, and has at most 15 lines", (t) => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? assert.fail('there is no example');
  assert.ok(example.trim().split('\n').length <= 15);
  const folder = mkdtempSync(join(tmpdir(), 'embedded-cluster-'));
  t.after(() => rmSync(folder, { recursive: true }));
  // The package is resolved as an installed one.
  mkdirSync(join(folder, 'node_modules/@weeder'), { recursive: true });
  symlinkSync(join(import.meta.dirname, '..'), join(folder, 'node_modules/@weeder/embedded-cluster'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'example.test.ts'), example);
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const output = execFileSync(process.execPath, ['--test', 'example.test.ts'], { cwd: folder, env, encoding: 'utf8' });
  assert.match(output, /^(ℹ|#) pass 1$/m);
});
