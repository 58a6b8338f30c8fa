import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { formatFieldErrors } from '../../src/base/fieldError.ts';
import { parseConfig } from '../../src/config/parse.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = globSync('docs/**/*.md', { cwd: root }).filter((page) => !/^docs\/(adr|README\.md)/.test(page));
const [usersPart = '', contributorsPart = ''] = read('docs/README.md').split('\n| contribute | |\n');
const isIn = (part: string, page: string) => part.includes(`](${page.replace('docs/', '')})`);

/** The number of words outside of tables, code and comments. */
function wordsOf(text: string): number {
  const prose = text.replaceAll(/```[\s\S]*?```|<!--[\s\S]*?-->/g, '').replaceAll(/^\s*\|.*$/gm, '');
  return prose.split(/\s+/).filter((word) => word !== '').length;
}

/** Whether the page says in its first sentence what it is, and for whom. */
function introduces(text: string): boolean {
  return /^# .+\n\nThis (page|guide|tutorial) is (for|a reference for) /.test(text);
}

test('each page begins with what it is for and for whom, and is in the index', () => {
  assert.ok(pages.length > 20);
  assert.deepEqual(
    pages.filter((page) => !introduces(read(page))),
    [],
  );
  assert.deepEqual(
    pages.filter((page) => !isIn(usersPart, page) && !isIn(contributorsPart, page)),
    [],
  );
  assert.ok(!introduces('# Title\n\nThis page describes the format.'));
});

test('the README has at most 900 words of prose, and the docs for users at most 20,500', () => {
  assert.equal(wordsOf('one two\n| a table |\n```\ncode\n```\n<!-- comment --> three'), 3);
  assert.ok(wordsOf(read('README.md')) <= 900);
  const users = ['README.md', 'deploy/README.md', ...pages.filter((page) => isIn(usersPart, page))];
  const words = users.map((page) => wordsOf(read(page))).reduce((sum, count) => sum + count, 0);
  assert.ok(words > 10_000 && words <= 20_500, `${words} words`);
});

function errorsIn(config: string): string {
  const parsed = parseConfig(config, 'weeder.yaml');
  return parsed.ok ? '' : formatFieldErrors(parsed.error);
}

test('each weeder.yaml that the README and the docs show is valid', () => {
  const configs = ['README.md', ...pages].flatMap((page) => {
    return [...read(page).matchAll(/```yaml\n(# weeder\.yaml\n[\s\S]*?)```/g)].map(([, config = '']) => ({
      page,
      config,
    }));
  });
  assert.ok(configs.length >= 4, `${configs.length} configs`);
  assert.deepEqual(
    configs.map(({ page, config }) => `${page}: ${errorsIn(config)}`).filter((line) => !line.endsWith(': ')),
    [],
  );
  assert.notEqual(errorsIn('watchDuration: 5'), '');
});
