import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { namesOf } from '../src/inspect.ts';
import { bundle } from './support/bundle.ts';
import { cli, config, folder, oneSentence } from './support/cli.ts';

test('of a context only what names something is shown', () => {
  const context = {
    namespace: 'a',
    name: 'b',
    window: 1,
    token: 'secret',
    pod: { spec: {} },
    error: new Error('x'),
    uid: {},
  };
  assert.deepEqual(namesOf(context), { namespace: 'a', name: 'b', window: 1 });
  assert.deepEqual(namesOf(undefined), {});
});

test('where the inspector is not installed, as beside the bundle, --inspect says so', async () => {
  const program = join(folder, 'uninspected', 'weeder.js');
  mkdirSync(join(folder, 'uninspected'), { recursive: true });
  copyFileSync(await bundle(), program);
  const words = ['--config-file', config, '--health-bind-addr=0', '--metrics-bind-addr=0', '--inspect'];
  const ended = await cli(words, { program });
  assert.match(
    oneSentence(ended, 2),
    /^The flag --inspect needs the package @statelyai\/inspect, which is not installed/,
  );
});
