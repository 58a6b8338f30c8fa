/**
 * The last step of `npm ci`: builds dist/weeder.js. After `npm ci --omit=dev` there is no bundler, and weeder runs from
 * its sources. This script has to run on every Node that npm supports.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (existsSync('node_modules/rolldown')) {
  const { status } = spawnSync('npm run build', { shell: true, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
