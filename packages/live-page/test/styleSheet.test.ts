import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const packages = new URL('../../', import.meta.url).pathname;
const read = (name: string) => readFileSync(`${packages}${name}`, 'utf8');
const sheet = read('live-page/src/page.css');
/** What makes the elements of the page, and of the pictures of machines in it. */
const sources = globSync(['live-page/src/**/*.{ts,html}', 'machine-diagrams/src/*.ts'], { cwd: packages }).map(read);

/** The classes and attributes of a style sheet that no source names. */
function unknownOf(css: string): string[] {
  const selectors = css.replaceAll(/\/\*.*?\*\/|\{[^{}]*\}/gs, '{}');
  const names = [...selectors.matchAll(/\.([a-z][\w-]*)|\[([a-z-]+)/g)].map(
    ([, name, attribute = '']) => name ?? attribute,
  );
  const words = new Set(sources.flatMap((text) => text.match(/[\w-]+/g) ?? []));
  return [...new Set(names)].filter((name) => !words.has(name) && !words.has(camelCase(name)));
}

/** The key of `data-health` in a dataset: `health`. */
function camelCase(attribute: string): string {
  return attribute.replace('data-', '').replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

test('the style sheet has at most 900 lines', () => {
  const { length } = sheet.trimEnd().split('\n');
  assert.ok(length <= 900, `${length} lines`);
});

test('the style sheet names only classes and attributes that an element of the page can have', () => {
  assert.deepEqual(unknownOf(sheet), []);
});

test('a class or an attribute that no element has is found, also in a media query', () => {
  const css = '@media (width > 1px) { .not-made.head p { margin: 0.5px } }\n[data-never-made="x"] .skip { top: 0 }';
  assert.deepEqual(unknownOf(css), ['not-made', 'data-never-made']);
});
