import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFile } from '../weeder.ts';
import { chartFolder } from './helm.ts';

const checkout = join(import.meta.dirname, '../../../..');

/**
 * Returns the path of the chart that users upgrade from: the archive of the release before this version, which is kept
 * in `test/data/charts`. Before 0.1.0 there is none, so it is this chart with an older version.
 */
export function previousChart(): string {
  const changelog = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8');
  const [, previous] = changelog.match(/(?<=^## )\S+/gm) ?? [];
  if (previous !== undefined) return join(checkout, `test/data/charts/weeder-chart-${previous}.tgz`);
  const folder = temporaryFile('chart');
  cpSync(chartFolder, folder, { recursive: true });
  const about = join(folder, 'Chart.yaml');
  writeFileSync(about, readFileSync(about, 'utf8').replace(/^(version|appVersion): .*$/gm, '$1: 0.0.1'));
  return folder;
}
