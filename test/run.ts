/**
 * `npm test`: node's own test runner over all tests that need no cluster, on all cores. The files of one area, and of
 * small areas, share a process, because most of them take longer to load than to run. A test file by its name has its own.
 * Arguments: test files or patterns (default all), `--unit` for those that start no process and no browser, `--coverage`,
 * and what else `node --test` takes. Compiled code is cached between runs (NODE_COMPILE_CACHE).
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Folders of tests with a runner of their own. */
const separate = ['cluster', 'faults', 'gitops', 'page', 'rules', 'soak'];
/** Folders whose tests start processes or a browser, or read the whole repository. */
const starting = [
  ...['bench', 'cli', 'demo', 'image', 'process', 'project'],
  ...['properties', 'recording', 'replay', 'telemetry', 'tutorial', 'ui'],
];
/** The processes that take longest, from the longest on: they begin first, so that no core waits for them at the end. */
const longest = [
  ...[
    'test/demo',
    'test/project',
    'packages/kube-runtime/test/watch',
    'small areas',
    'test/ui',
    'test/observer',
    'test/recording',
  ],
  ...[
    'test/cli',
    'test/replay',
    'test/process',
    'packages/kube-runtime/test/events',
    'test/properties',
    'test/observer/*',
  ],
  ...['test/restart', 'packages/embedded-cluster', 'test/weeder', 'test/machines', 'test/telemetry', 'test/config'],
];
/** Areas of few and short tests. */
const small = [
  ...['actors', 'base', 'bench', 'kube', 'controller', 'diagram', 'image', 'suggest', 'tutorial'],
  ...['live-page', 'machine-diagrams'],
];

const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const flags = given.filter((argument) => argument.startsWith('--'));
const files = given.filter((argument) => !argument.startsWith('--'));
const left = flags.includes('--unit') ? [...separate, ...starting] : separate;
const usual = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];
const covered = ['src', 'machines', 'packages'].map((folder) => `--test-coverage-include=${folder}/**`);
const entries = mkdtempSync(join(tmpdir(), 'weeder-tests-'));

/** Returns the files to run: for each process one that imports all its test files. */
function processes(): readonly string[] {
  const files = globSync(usual, {
    cwd: root,
    exclude: ['**/node_modules/**', ...left.map((folder) => `test/${folder}/**`)],
  }).sort();
  const processes = Map.groupBy(files, processOf);
  const first = longest.filter((name) => processes.has(name));
  const order = [...first, ...[...processes.keys()].filter((name) => !first.includes(name))];
  return order.map((name, index) => entryOf(index, name, processes.get(name) ?? []));
}

/** The folders of an area, and the small areas, share a process; the largest areas have several. */
function processOf(file: string): string {
  const folder = dirname(file);
  const [root, area = ''] = folder.split('/');
  if (small.includes(area)) return 'small areas';
  if (area === 'kube-runtime') return folder;
  return area === 'observer' && folder !== 'test/observer' ? 'test/observer/*' : `${root}/${area}`;
}

/**
 * The first test ends when all files are loaded. Otherwise the runner would call the `after` hooks as soon as the tests
 * of the files loaded so far have ended. The number is in the name because the runner starts files in that order.
 */
function entryOf(index: number, name: string, tests: readonly string[]): string {
  const path = join(entries, `${`${index}`.padStart(2, '0')}-${name.replaceAll(/\W+/g, '-')}.js`);
  const support = process.env['SEED'] === undefined ? [] : ['test/support/seed.ts'];
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
const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    // At any time about half of the processes wait, for timers, sockets and processes of their own.
    `--test-concurrency=${availableParallelism() * 3 + 1}`,
    // For a process as for each of its tests: minutes are for a machine with other work.
    '--test-timeout=600000',
    ...(flags.includes('--coverage') ? ['--experimental-test-coverage', ...covered] : []),
    ...flags.filter((flag) => flag !== '--unit' && flag !== '--coverage'),
    ...(files.length > 0 ? files : processes()),
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'), ...process.env },
  },
);
rmSync(entries, { recursive: true });
process.exitCode = status ?? 1;
