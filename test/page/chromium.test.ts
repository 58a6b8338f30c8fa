import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cli } from '../support/cli.ts';

const program = fileURLToPath(new URL('screenshots.ts', import.meta.url));

test('without Chromium one sentence states what to do', async () => {
  const none = await cli([], { program, env: { PATH: '/nowhere' } });
  const sentence = 'There is no chromium in PATH: install the package chromium, or name one in CHROMIUM.\n';
  assert.deepEqual([none.code, none.stdout, none.stderr], [1, '', sentence]);
  const wrong = await cli([], { program, env: { CHROMIUM: '/nowhere/chromium' } });
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /^CHROMIUM is \/nowhere\/chromium, which cannot be run: .*\.\n$/);
});
