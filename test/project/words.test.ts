import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const texts = globSync(
  [
    '*.md',
    '{docs,deploy,.github}/**/*.{md,yaml,yml,json}',
    '{src,machines,packages,bench,scripts,test}/**/*.{ts,html,md}',
    'test/replays/**/*.yaml',
  ],
  { cwd: root, exclude: ['test/project/words.test.ts', '**/node_modules/**'] },
);

/** Words that do not say what is meant, and the terms of the field. */
const terms: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again, recreate'],
  [/\btold\b/, 'notified, reported'],
  [/\b(hears?|heard|news)\b/, 'observe, update'],
  [/\btrouble\b/, 'failure'],
  [/\blook(s|ed|ing)? after\b/, 'manage'],
  [/\b(put|puts|putting) back\b|\bputs? (?:\w+ ){1,3}back\b(?!-)/, 'restore'],
  [/\b(lets?|letting) go of\b|\bcomes? to rest\b/, 'release, become idle'],
  [/\bfor good\b|\ball the same\b|\b(goes|going) on\b/, 'permanently, anyway, continues'],
  [/\b(every|no|some)body\b|\bwhoever\b/i, 'all users, no client, a user that'],
  [/\brivals?\b/, 'conflicting manager'],
];

test('texts use the terms of the field, and none of those that they replaced', () => {
  const violations = texts.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return lines.flatMap((line, index) =>
      terms.flatMap(([old, now]) =>
        old.test(line) ? [`${file}:${index + 1}: ${old.exec(line)?.[0]}; say ${now}`] : [],
      ),
    );
  });
  assert.ok(texts.length > 600);
  assert.deepEqual(violations, []);
});

test('comments give reasons and cite no codes', () => {
  const sources = globSync('{src,machines,packages,test,bench}/**/*.ts', { cwd: root });
  const coded = sources.filter((file) => /\([AF]\d+[,)]|[Dd]esign §/.test(readFileSync(join(root, file), 'utf8')));
  assert.ok(sources.length > 1_000);
  assert.deepEqual(coded, []);
});
