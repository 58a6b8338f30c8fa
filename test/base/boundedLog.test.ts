import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, objectOf } from '@weeder/kube-runtime/base';
import { boundedFields } from '../../src/base/boundedLog.ts';
import { createLogger } from '../../src/base/log.ts';

const huge = 'x'.repeat(1_200_000);
const cut = `${'x'.repeat(1021)}… (1200000 bytes)`;

test('fields of a usual line stay the same object', () => {
  const usual = { pod: 'web-0', window: { service: 'db', count: 3 }, names: ['a', 'é'.repeat(300)], at: new Date(0) };
  assert.equal(boundedFields(usual), usual);
  const longest = { names: ['é'.repeat(512)], at: new Date(0) };
  assert.deepEqual(boundedFields(longest), longest);
});

test('a text has at most 1 KB and says its length, however deep it is, and as a name, too', () => {
  assert.deepEqual(boundedFields({ pod: huge, of: { owners: [{ name: huge }] }, [huge]: 1 }), {
    pod: cut,
    of: { owners: [{ name: cut }] },
    [cut]: 1,
  });
  const astral = String(boundedFields({ pod: '🌱'.repeat(300) })['pod']);
  assert.match(astral, /^(?:🌱){255}… \(1200 bytes\)$/u);
});

test('long lists, large mappings and deep ones are cut', () => {
  let deep: object = { end: 'short' };
  for (let depth = 0; depth < 5_000; depth += 1) deep = { deep };
  const many = Array.from({ length: 5_000 }, (_, index) => `name-${index}`);
  const mapping = Object.fromEntries(many.map((name) => [name, 1]));
  // Each alone, because one that is too long is enough for the whole line.
  const [cutDeep, cutMany, cutMapping] = [deep, many, mapping].map((field) => boundedFields({ field })['field']);
  assert.equal(JSON.stringify(cutDeep), `${'{"deep":'.repeat(7)}"…"${'}'.repeat(7)}`);
  assert.deepEqual([cutMany].flat().slice(99), ['name-99', '… (5000 entries)']);
  assert.deepEqual(Object.entries(objectOf(cutMapping)).at(-1), ['…', '5000 entries']);
});

/** What the logger writes for these fields. */
async function written(isTTY: boolean, fields: object): Promise<string> {
  let text = '';
  const output = Object.assign(Object.create(process.stdout), {
    isTTY,
    hasColors: () => false,
    write: (chunk: string | Buffer) => {
      text += String(chunk);
      return true;
    },
  });
  const logger = await createLogger('info', output);
  logger.warn(fields, 'a message');
  await new Promise((resolve) => setImmediate(resolve));
  return text;
}

test('the log is bounded at one place, also of errors, whose stack stays readable', async () => {
  const error = new Error(`no object ${huge}`, { cause: new TypeError(huge) });
  const line = await written(false, { err: error, pod: huge, path: [{ name: huge }] });
  assert.ok(line.length < 16_000, `${line.length}`);
  const { err, pod } = JSON.parse(line);
  assert.equal(pod, cut);
  assert.ok(isObject(err) && String(err['message']).length < 1_100);
  assert.match(String(err['stack']), /^Error: no object x+… \(1200017 bytes\)\n +at .*boundedLog\.test/);
  assert.match(String(err['stack']), /caused by: TypeError: x+… \(\d+ bytes\)\n +at /);
  assert.ok((await written(true, { err: error, pod: huge, path: [{ name: huge }] })).length < 20_000);
});

test('an error of usual length is logged as before', async () => {
  const error = Object.assign(new Error('not found'), { code: 'ENOENT' });
  assert.partialDeepStrictEqual(JSON.parse(await written(false, { err: error })), {
    err: { type: 'Error', message: 'not found', code: 'ENOENT', stack: error.stack },
    msg: 'a message',
  });
});
