/**
 * `npm run test:tutorial`: follows the tutorial and the upgrade guide, command by command, on a cluster of one real node,
 * and compares the outputs that they show. `substitutes.ts` has the few commands that this machine replaces. Needs root,
 * containerd, runc, CNI plugins and iptables; takes about seven minutes. It prints all outputs, for the pages to show.
 * Arguments: names of scenarios, or paths of other pages.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '../../scripts/problem.ts';
import { guardFolder, SetupProblem } from '../cluster/support/plane/process.ts';
import { buildArchives } from './archives.ts';
import { findPrograms } from './programs.ts';
import { scenarios } from './scenarios.ts';

async function main(): Promise<number> {
  const names = process.argv.length > 2 ? process.argv.slice(2) : [...scenarios.keys()];
  // Builds here, where the registries of Go and npm are reachable.
  await findPrograms();
  const archives = mkdtempSync(join(tmpdir(), 'weeder-archives-'));
  const removeArchives = guardFolder(archives);
  try {
    await buildArchives(archives);
    const failed = names.filter((name) => {
      console.log(`== ${name}`);
      const command = [process.execPath, join(import.meta.dirname, 'scenario.ts'), name, archives];
      // Addresses, routes and rules end with the namespace, and pods reach no other network.
      return spawnSync('unshare', ['--net', ...command], { stdio: 'inherit' }).status !== 0;
    });
    if (failed.length > 0) console.log(`== failed: ${failed.join(', ')}`);
    return failed.length > 0 ? 1 : 0;
  } finally {
    removeArchives();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof SetupProblem || error instanceof Problem ? error.message : error);
  process.exitCode = 1;
}
