import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@weeder/kube-runtime/base';
import { codedError, type ErrorCode, errorTable } from '../../src/base/errors.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = globSync('{src,packages/kube-runtime/src}/**/*.ts', { cwd: root })
  .filter((name) => name !== 'src/base/errors.ts')
  .map((name) => readFileSync(`${root}/${name}`, 'utf8'))
  .join('\n');
const codes = Object.keys(errorTable).filter((code): code is ErrorCode => code in errorTable);

test('every code of the table is used by the program', () => {
  const unused = codes.filter((code) => !sources.includes(`'${code}'`));
  assert.deepEqual(unused, []);
});

test('every row has whole sentences, and a hint', () => {
  for (const code of codes) {
    assert.match(code, /^[A-Z]+(_[A-Z]+)*$/);
    const { meaning, hint } = errorTable[code];
    for (const text of [meaning, hint]) assert.match(text, /^(`[^`]+`|[A-Z])[^\n|]*\.$/, code);
  }
});

test('the docs list the codes of the table with the same text, and no others', () => {
  const docs = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8');
  const rows = docs.split('\n').filter((line) => /^\| [A-Z_]+ \|/.test(line));
  assert.deepEqual(
    rows,
    codes.map((code) => `| ${code} | ${errorTable[code].meaning} | ${errorTable[code].hint} |`),
  );
});

test('a problem has the hint of its code, unless it has a more specific one', () => {
  assert.equal(codedError('USAGE', 'x').hint, errorTable.USAGE.hint);
  assert.equal(codedError('USAGE', 'x', 'y').hint, 'y');
});

test('any thrown value has a message', () => {
  assert.equal(messageOf(new Error('x')), 'x');
  assert.equal(messageOf('x'), 'x');
  assert.equal(messageOf(undefined), 'undefined');
});
