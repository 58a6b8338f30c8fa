import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.endsWith('.ts` |'))
  .map((line) => {
    const [file = '', title = ''] = line.split(' | ').toReversed();
    return { title, file: file.replace(/^`|` \|$/g, '') };
  });

/** Every text in a source that may be a test title, as an expression in which each placeholder matches anything. */
function titlesIn(file: string): RegExp[] {
  const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  return [...source.matchAll(/(?:test\(|title:)\s*(['`])(.*?)\1,/g)].map(([, , text = '']) => {
    const parts = text.split(/\$\{.*?\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.+')}$`);
  });
}

function isIn(file: string, title: string): boolean {
  return titlesIn(file).some((each) => each.test(title));
}

test('every test that the README of the application observer names exists', () => {
  assert.ok(rows.length > 30, `${rows.length} rows`);
  const missing = rows.filter(
    ({ file, title }) => !existsSync(new URL(`../${file}`, import.meta.url)) || !isIn(file, title),
  );
  assert.deepEqual(missing, []);
});

test('every topic of the findings has a test', () => {
  const findings = page.slice(page.indexOf('## Findings'), page.indexOf('## Replicas'));
  const topics = new Set([...findings.matchAll(/^\| (.+?) \|.*\.ts` \|$/gm)].map(([, topic]) => topic));
  assert.equal(topics.size, 29, [...topics].join(', '));
});

test('a title that no file of the application observer contains is reported as missing', () => {
  const file = 'observer/observerOrder.test.ts';
  assert.ok(isIn(file, 'is reversed for a deletion'));
  assert.ok(!isIn(file, 'is the same for a deletion'));
});
