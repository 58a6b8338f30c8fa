import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import packageJson from '../../../package.json' with { type: 'json' };
import { imageConfig } from '../../../scripts/image/config.ts';
import { architectures } from '../../../scripts/image/pins.ts';
import { config } from '../../support/cli.ts';
import { builtImage } from '../support/deploy/builtImage.ts';

/** The architecture that this machine does not have. */
const architecture = process.arch === 'arm64' ? 'amd64' : 'arm64';
const emulator = `qemu-${{ amd64: 'x86_64', arm64: 'aarch64' }[architecture]}-static`;
const isMissing = spawnSync(emulator, ['--version']).error !== undefined;
const skip = isMissing && `${emulator} is not in PATH: install the package qemu-user-static.`;

test(`weeder runs from the image for linux/${architecture}: --version, check`, { skip }, () => {
  const { root } = builtImage(architecture);
  const [node = '', , entry = ''] = imageConfig.Entrypoint.map((path) => join(root, path));
  // The emulator looks for the loader and the libraries in the image.
  const run = (...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(emulator, ['-L', root, node, ...words], {
      encoding: 'utf8',
      cwd: '/',
    });
    return { status, stdout, stderr };
  };
  const printed = (stdout: string) => ({ status: 0, stdout: `${stdout}\n`, stderr: '' });
  assert.deepEqual(run('--print', 'process.arch'), printed(architectures[architecture]));
  assert.deepEqual(run(entry, '--version'), printed(packageJson.version));
  assert.match(run(entry, 'check', config).stdout, /^\S+: ok/);
  assert.equal(run(entry, 'check', join(root, 'etc/passwd')).status, 1);
});
