import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkout } from '../support/cache.ts';
import { packages } from '../support/packages.ts';

for (const { folder, name, peerDependencies } of packages) {
  test(`the example in the README of ${name} runs, and has at most 15 lines`, (t) => {
    const readme = readFileSync(join(checkout, folder, 'README.md'), 'utf8');
    const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? assert.fail('there is no example');
    assert.ok(example.trim().split('\n').length <= 15);
    const user = mkdtempSync(join(tmpdir(), 'weeder-example-'));
    t.after(() => rmSync(user, { recursive: true }));
    // The package is resolved as an installed one.
    mkdirSync(join(user, 'node_modules/@weeder'), { recursive: true });
    symlinkSync(join(checkout, folder), join(user, 'node_modules', name));
    for (const dependency of Object.keys(peerDependencies))
      symlinkSync(join(checkout, 'node_modules', dependency), join(user, 'node_modules', dependency));
    writeFileSync(join(user, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(user, 'example.test.ts'), example);
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    // Without `--test`, which would start another process for the file.
    const output = execFileSync(process.execPath, ['example.test.ts'], { cwd: user, env, encoding: 'utf8' });
    assert.match(output, /^(ℹ|#) pass 1$/m);
  });
}
