/**
 * `npm run test:changed`: runs the tests of `npm test` that reach the changed files by imports, by paths or by patterns,
 * the nearest first. Changed is what differs from the last commit, with `-- --base REV` from where REV was left, or the
 * given files. It runs the 20 nearest test files, with `-- --all` every one. Imports of types do not count.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runScript } from '../../scripts/problem.ts';
import { checkout } from '../support/cache.ts';
import { entries, textsIn } from '../support/sources.ts';
import { changedFiles, readOptions } from './changes.ts';
import { select } from './selection.ts';

const code = '{{src,machines,packages,test,bench,visualizations,scripts}/**/*,*.config}.{ts,js}';
const most = 20;
const mostNamed = 4;

/** How to run what is not part of `npm test`; what follows a # is a comment for the shell, too. */
const others: Readonly<Record<string, string>> = {
  cluster: 'npm run test:cluster --',
  faults: 'npm run test:faults --',
  page: 'npm test --',
  gitops: 'npm run test:gitops #',
};

function main(): number {
  const options = readOptions(process.argv.slice(2));
  const changed = changedFiles(checkout, options);
  if (changed.length === 0) {
    console.log('Nothing has changed.');
    return 0;
  }
  const { tests, unreached } = select(textsIn(code), entries, changed);
  const byRunner = Map.groupBy(tests, (test) => others[/^test\/(\w+)\//.exec(test)?.[1] ?? ''] ?? 'npm test');
  const own = byRunner.get('npm test') ?? [];
  const chosen = options.all ? own : own.slice(0, most);
  console.log(`Changed: ${shortened(changed, 10)}`);
  if (unreached.length > 0) console.log(`No test reaches ${shortened(unreached, 10)}`);
  const rest = own.length - chosen.length;
  const left = rest === 0 ? '' : `, and not the ${rest} further away (-- --all, or npm test)`;
  console.log(`Runs ${chosen.length} test files of npm test that reach them${left}.`);
  for (const command of Object.values(others)) {
    const files = byRunner.get(command) ?? [];
    if (files.length > 0) console.log(`Not run: ${command} ${shortened(files, mostNamed)}`);
  }
  if (chosen.length === 0) return 0;
  const runner = join(checkout, 'test/run.ts');
  return spawnSync(process.execPath, [runner, ...chosen], { stdio: 'inherit' }).status ?? 1;
}

function shortened(files: readonly string[], count: number): string {
  const more = files.length > count ? [`# and ${files.length - count} more`] : [];
  return [...files.slice(0, count), ...more].join(' ');
}

await runScript(async () => {
  process.exitCode = main();
});
