/**
 * `npm test`: node's own test runner over all tests that need no cluster, one file more than there are cores at a time.
 * Arguments: test files or patterns (default all), `--unit` for those that start no process and no browser, `--coverage`,
 * and what else `node --test` takes. What is compiled is kept between runs (NODE_COMPILE_CACHE).
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const unit = ['base', 'config', 'diagram', 'kube', 'machines', 'observer', 'restart', 'weeder'];
const others = ['bench', 'cli', 'demo', 'process', 'project', 'properties', 'recording', 'replay', 'telemetry', 'ui'];
const patternOf = (folder: string) => `test/${folder}/**/*.test.ts`;

const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const flags = given.filter((argument) => argument.startsWith('--'));
const files = given.filter((argument) => !argument.startsWith('--'));
const usual = flags.includes('--unit')
  ? unit.map(patternOf)
  : [...[...unit, ...others].map(patternOf), 'packages/*/test/**/*.test.ts'];
const covered = ['src', 'machines', 'packages'].map((folder) => `--test-coverage-include=${folder}/**`);

const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${availableParallelism() + 1}`,
    '--test-timeout=180000',
    ...(flags.includes('--coverage') ? ['--experimental-test-coverage', ...covered] : []),
    ...flags.filter((flag) => flag !== '--unit' && flag !== '--coverage'),
    ...(files.length > 0 ? files : usual),
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'), ...process.env },
  },
);
process.exitCode = status ?? 1;
