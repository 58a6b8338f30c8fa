import assert from 'node:assert/strict';
import { test } from 'node:test';
import { svgStyle } from '../src/svgStyle.ts';

const [withoutVariables = '', withVariables = ''] = svgStyle
  .replaceAll(/@media[^{]*\{[^}]*\}\}/g, '')
  .split('@supports');
const colours = (css: string) => [...css.matchAll(/[{;](?:fill|stroke):([^;}]+)/g)].map(([, colour]) => colour);

test('a viewer without custom properties finds a colour for whatever has one of the theme', () => {
  const [plain, themed] = [colours(withoutVariables), colours(withVariables)];
  assert.ok(plain.length > 10);
  assert.deepEqual(
    plain.filter((colour) => !/^(none|#[0-9a-f]{3,6})$/.test(colour ?? '')),
    [],
  );
  assert.equal(plain.length, themed.length);
});

test('other viewers take each of these colours from the theme', () => {
  assert.deepEqual(
    colours(withVariables).filter((colour) => !/^(none|var\(--[a-z]+\))$/.test(colour ?? '')),
    [],
  );
});
