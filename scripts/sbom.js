/**
 * `npm run sbom`: writes the components of weeder as CycloneDX to the standard output. `npm sbom --omit=dev` omits packages
 * that a development package needs as well (npm/cli#7909), such as xstate, so npm runs in a folder whose lock file has
 * only the production packages. This script has to run on every Node that npm supports.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const {
  devDependencies: _development,
  workspaces: _workspaces,
  ...manifest
} = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { '': root, ...packages } = lock.packages;
const { devDependencies: _locked, workspaces: _linked, ...production } = root;
// Workspaces are part of weeder.
const isForeign = ([path, { link }]) => path.startsWith('node_modules/') && link !== true;
const needed = Object.entries(packages).filter((each) => isForeign(each) && each[1].dev !== true);
const folder = mkdtempSync(join(tmpdir(), 'weeder-sbom-'));
try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const pruned = { ...lock, packages: { '': production, ...Object.fromEntries(needed) } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(pruned));
  const command = 'npm sbom --package-lock-only --sbom-format=cyclonedx --sbom-type=application';
  const { status } = spawnSync(command, { cwd: folder, shell: true, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
