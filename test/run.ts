/**
 * `npm test`: node's own test runner over all tests that need no cluster, on all cores. The files of one area, and of
 * small areas, share a process, because most of them take longer to load than to run. A test file by its name has its own.
 * Arguments: test files or patterns (default all), `--unit` for those that start no process and no browser, `--coverage`,
 * and what else `node --test` takes. Compiled code is cached between runs (NODE_COMPILE_CACHE).
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Folders of tests with a runner of their own. */
const separate = ['cluster', 'faults', 'gitops', 'page', 'rules', 'soak'];
/** Folders whose tests start processes or a browser, or read the whole repository. */
const starting = [
  ...['bench', 'cli', 'demo', 'image', 'process', 'project'],
  ...['properties', 'recording', 'replay', 'telemetry', 'tutorial', 'ui'],
];
/**
 * The areas that share a process, each of which loads the sources again. Processes that take longest come first, so that
 * no core waits for them at the end; an area that is not named is in the last one.
 */
const shared = [
  ['packages/kube-runtime/watch', 'test/config'],
  ['test/recording', 'test/replay'],
  ['test/ui'],
  ['test/project'],
  ['test/otlp', 'test/process', 'test/telemetry', 'test/notifications'],
  ['test/cli', 'test/demo', 'test/bench', 'test/tutorial', 'test/image'],
  ['test/restart', 'test/weeder'],
  ['test/observer'],
  ['test/properties'],
  ['packages/kube-runtime', 'packages/embedded-cluster'],
];

const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const flags = given.filter((argument) => argument.startsWith('--'));
const files = given.filter((argument) => !argument.startsWith('--'));
const left = flags.includes('--unit') ? [...separate, ...starting] : separate;
const usual = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];
const covered = ['src', 'machines', 'packages'].map((folder) => `--test-coverage-include=${folder}/**`);
const isSeeded = process.env['SEED'] !== undefined || process.env['CI'] !== undefined;
const entries = mkdtempSync(join(tmpdir(), 'weeder-tests-'));
const env = {
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
  // The allocator of the bundler would occupy all memory that it reserves, which is 200 MB more than it uses.
  MIMALLOC_ARENA_EAGER_COMMIT: '0',
  ...process.env,
};

/** Returns the files to run: for each process one that imports all its test files. */
function processes(): readonly string[] {
  const files = globSync(usual, {
    cwd: root,
    exclude: ['**/node_modules/**', ...left.map((folder) => `test/${folder}/**`)],
  }).sort();
  const processes = Map.groupBy(files, processOf);
  return [...processes]
    .sort(([one], [other]) => one - other)
    .map(([index, tests]) => entryOf(index, (shared[index] ?? ['all others']).join(', '), tests));
}

/** The number of the process of a test file. */
function processOf(file: string): number {
  const path = file.replace('/test/', '/');
  const index = shared.findIndex((areas) => areas.some((area) => path.startsWith(`${area}/`)));
  return index === -1 ? shared.length : index;
}

/**
 * The first test ends when all files are loaded. Otherwise the runner would call the `after` hooks as soon as the tests
 * of the files loaded so far have ended. The number is in the name because the runner starts files in that order.
 */
function entryOf(index: number, name: string, tests: readonly string[]): string {
  const path = join(entries, `${`${index}`.padStart(2, '0')}-${name.replaceAll(/\W+/g, '-')}.js`);
  const support = isSeeded ? ['test/support/seed.ts'] : [];
  const urls = [...support, ...tests].map((test) => pathToFileURL(join(root, test)).href);
  writeFileSync(
    path,
    `import { test } from 'node:test';
const load = async () => {
  for (const url of ${JSON.stringify(urls)}) await import(url);
};
const loaded = load();
test('the test files of ${name} can be loaded', () => loaded);
`,
  );
  return path;
}

writeFileSync(join(entries, 'package.json'), JSON.stringify({ type: 'module' }));
if (files.length === 0)
  spawnSync(process.execPath, [join(root, 'test/support/buildBundle.ts')], { cwd: root, stdio: 'inherit', env });
const { status } = spawnSync(
  process.execPath,
  [
    // With 4 GB, V8 lets a heap grow fourfold between two collections; with less than 2 GB, at most twofold.
    '--max-old-space-size=1536',
    '--test',
    // At any time some of the processes wait, for timers, sockets and processes of their own.
    `--test-concurrency=${availableParallelism() + 3}`,
    // For a process as for each of its tests: minutes are for a machine with other work.
    '--test-timeout=600000',
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${join(root, 'test/support/slowest.ts')}`, '--test-reporter-destination=stdout'],
    ...(flags.includes('--coverage') ? ['--experimental-test-coverage', ...covered] : []),
    ...flags.filter((flag) => flag !== '--unit' && flag !== '--coverage'),
    ...(files.length > 0 ? files : processes()),
  ],
  { cwd: root, stdio: 'inherit', env },
);
rmSync(entries, { recursive: true });
process.exitCode = status ?? 1;
