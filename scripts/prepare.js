/**
 * What `npm ci` does last: builds dist/weeder.js. Not after `npm ci --omit=dev`, which leaves the bundler out: with
 * production dependencies alone weeder runs from its sources. Any Node that starts npm runs this.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (existsSync('node_modules/rolldown')) {
  const { status } = spawnSync('npm run build', { shell: true, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
