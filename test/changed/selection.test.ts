import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referencesOf } from './references.ts';
import { select } from './selection.ts';

const entries = new Map([['@weeder/queue/times', 'packages/queue/src/times.ts']]);

/** The tests that reach the files, of sources of which each has one line. */
function reaching(sources: Readonly<Record<string, string>>, ...changed: readonly string[]) {
  return select(new Map(Object.entries(sources)), entries, changed);
}

const low = 'src/base/low.ts';
const chain = {
  [low]: 'export const low = 1;',
  'src/base/middle.ts': "export { low } from './low.ts';",
  'src/top.ts': "const { low } = await import('./base/middle.ts');",
  'test/far.test.ts': "import '../src/top.ts';",
  'test/base/broad.test.ts': "import { low } from '../../src/base/low.ts';\nimport '../../src/top.ts';",
  'test/base/near.test.ts': "import { low } from '../../src/base/low.ts';",
  'test/other.test.ts': "import { deepEqual } from 'node:assert/strict';",
};

test('the nearest tests come first, of equally near ones that which loads the least, and others not at all', () => {
  const tests = ['test/base/near.test.ts', 'test/base/broad.test.ts', 'test/far.test.ts'];
  assert.deepEqual(reaching(chain, low), { tests, unreached: [] });
  assert.deepEqual(reaching(chain, 'src/top.ts').tests, ['test/far.test.ts', 'test/base/broad.test.ts']);
});

test('a changed test reaches itself, and each changed file has its nearest test before any has its second', () => {
  const tests = ['test/base/near.test.ts', 'test/other.test.ts', 'test/base/broad.test.ts', 'test/far.test.ts'];
  assert.deepEqual(reaching(chain, low, 'test/other.test.ts').tests, tests);
});

test('a file that no test reaches is named, as is one that is imported only for its types', () => {
  const types = {
    'src/a.ts': '',
    'test/a.test.ts': "import type {\n  A,\n} from '../src/a.ts';\nlet b: typeof import('../src/a.ts');",
  };
  assert.deepEqual(reaching(types, 'src/a.ts', 'LICENSE'), { tests: [], unreached: ['src/a.ts', 'LICENSE'] });
});

test('a file may be named by a package, a URL, a process, parts of a path or a template, but not by a comment', () => {
  const names = (text: string) => [...referencesOf('test/a/b.test.ts', text, entries).paths];
  assert.deepEqual(names("import { Time } from '@weeder/queue/times';"), ['packages/queue/src/times.ts']);
  assert.ok(names("fork(new URL('other.ts', import.meta.url));").includes('test/a/other.ts'));
  assert.ok(names("spawn(process.execPath, ['src/cli/weeder.ts']);").includes('src/cli/weeder.ts'));
  assert.ok(names("join(import.meta.dirname, '..', 'data', 'x.json')").includes('test/data/x.json'));
  assert.ok(names('read(`$' + '{root}/docs/page.md`)').includes('docs/page.md'));
  assert.ok(names('new URL(`../data/config/x-$' + '{name}`, import.meta.url)').includes('test/data/config'));
  assert.ok(names("const folder = new URL('../data/', url);\nread('x.yaml');").includes('test/data/x.yaml'));
  assert.deepEqual(names("// See './c.ts'.\n/** `d.ts` */\n * `e/f.ts`"), []);
});

test('what is not code is reached by a pattern and by its folder, and code only by a pattern of a test', () => {
  const readers = {
    'src/code.ts': '',
    'test/folder.test.ts': "readdirSync(new URL('../deploy/', import.meta.url)); readdirSync('src/');",
    'test/pattern.test.ts': "globSync('{src,docs}/**/*.{ts,md}')",
    'test/bundle.ts': "const patterns = ['src/**/*', 'docs/**/*.md'];",
    'test/bundle.test.ts': "import './bundle.ts';",
  };
  assert.deepEqual(reaching(readers, 'deploy/base/x.yaml').tests, ['test/folder.test.ts']);
  assert.deepEqual(reaching(readers, 'docs/a/b.md').tests, ['test/pattern.test.ts', 'test/bundle.test.ts']);
  assert.deepEqual(reaching(readers, 'src/code.ts').tests, ['test/pattern.test.ts']);
});
