import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, ExactInteger, integerOf, isObject, objectOf, parseJson } from '@weeder/kube-runtime/base';
import fc from 'fast-check';
import { stepTextOf, treeOf } from '../../src/observer/drift/fieldsV1.ts';
import { boundedJson, isSameJson } from '../../src/observer/objects/jsonValue.ts';
import { hashManifest } from '../../src/observer/plan/manifestHash.ts';
import { secretMask } from '../../src/observer/recording/secretMask.ts';
import { leaf } from '../../src/observer/schema/fieldMask.ts';
import { readObserverSchema } from '../../src/observer/schema/readObserverSchema.ts';
import { readSpec } from '../../src/observer/spec/readApplication.ts';

const home = { namespace: 'shop', name: 'web' };
const thing = (id: unknown) => ({ apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { id } });

function errorsOf(json: string): readonly string[] {
  return readSpec({ manifests: [thing(parseJson(json))] }, home).errors.map(({ message }) => message);
}

suite('integers beyond 2^53', () => {
  test('are written as they were read, at any position', () => {
    const text = '{"a":9007199254740993,"b":[-9223372036854775808,{"c":9223372036854775807}],"d":1152921504606846976}';
    assert.equal(JSON.stringify(parseJson(text)), text);
    assert.equal(JSON.stringify(parseJson('9007199254740993')), '9007199254740993');
    const spaced = '{"a": 9007199254740993, "b": [\n 9007199254740995 ]}';
    assert.equal(JSON.stringify(parseJson(spaced)), '{"a":9007199254740993,"b":[9007199254740995]}');
  });

  test('of 64 bits are written as they were read, whatever their value', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (id) => {
        assert.equal(JSON.stringify(parseJson(`{"id":${id}}`)), `{"id":${id}}`);
      }),
    );
  });

  test('are not used if a number is exact, for fractions, or within strings', () => {
    const text = '{"a":9007199254740991,"b":"9007199254740993","c":":9007199254740993","d":0.12345678901234568}';
    assert.deepEqual(parseJson(text), JSON.parse(text));
    assert.equal(parseJson('1e3'), 1000);
    assert.equal(integerOf('17'), 17);
    assert.throws(() => parseJson('{"a":9007199254740993'));
  });

  test('are found at any depth, and not in fractions, exponents and strings beside them', () => {
    const inner =
      '[9007199254740993,-9007199254740993,1.2345678901234567,1e-0000000000000001,"\\\\","\\"9007199254740993"]';
    const depth = 200_000;
    let value = parseJson(`${'['.repeat(depth)}${inner}${']'.repeat(depth)}`);
    for (let left = depth; left > 0; left--) [value] = arrayOf(value);
    const [one, minus, ...others] = arrayOf(value);
    assert.deepEqual([`${one}`, `${minus}`], ['9007199254740993', '-9007199254740993']);
    assert.deepEqual(others, JSON.parse(inner).slice(2));
  });

  test('are equal to themselves and not to a neighbour', () => {
    const [one, same, other] = ['9007199254740993', '9007199254740993', '9007199254740992'].map(integerOf);
    assert.ok(isSameJson({ a: [one] }, { a: [same] }));
    assert.ok(!isSameJson({ a: [one] }, { a: [other] }));
    assert.ok(!isSameJson(one, {}) && !isObject(one));
    assert.equal(boundedJson(one), one);
    const hashes = [one, same, other].map((id) =>
      hashManifest({ apiVersion: 'example.org/v1', object: thing(id) }, leaf),
    );
    assert.deepEqual([hashes[0] === hashes[1], hashes[0] === hashes[2]], [true, false]);
  });

  test('are list keys as the API server writes them', () => {
    const step = stepTextOf('k:{"id":9007199254740993}');
    assert.equal(step, '[id=9007199254740993]');
    const tree = treeOf([{ key: { id: new ExactInteger('9007199254740993') } }]);
    assert.deepEqual(Object.keys(tree), ['k:{"id":9007199254740993}']);
  });

  test('of more than 64 bits are refused with a message and a path, because the API server has rounded them', () => {
    const sentence = ['an integer beyond 64 bits, which Kubernetes rounds: write it as a text, if its field takes one'];
    for (const json of ['9223372036854775808', '-9223372036854775809', '18446744073709551615', '18446744073709552000'])
      assert.deepEqual(errorsOf(json), sentence, json);
    for (const json of [
      '9223372036854775807',
      '-9223372036854775808',
      '9007199254740993',
      '1e30',
      '0.5',
      '"18446744073709551615"',
    ])
      assert.deepEqual(errorsOf(json), [], json);
    const { errors } = readSpec({ manifests: [thing([{ of: integerOf('18446744073709551615') }])] }, home);
    assert.deepEqual(errors[0]?.path, ['spec', 'manifests', 0, 'spec', 'id', 0, 'of']);
  });

  test('are not maps for an observer schema, and their values are not in the recording of a Secret', () => {
    const entry = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: integerOf('9007199254740993') };
    assert.deepEqual(
      readObserverSchema([entry]).errors.map(({ code, message }) => [code, message]),
      [['leaf', 'has a number for a value']],
    );
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a' },
      data: { pin: integerOf('9007199254740993') },
    };
    assert.ok(!JSON.stringify(secretMask(Buffer.from('key')).object(secret)).includes('9007199254740993'));
  });
});

test('integers of 64 bits are read in a text of as many levels as the API server accepts', () => {
  const levels = 10_000;
  const deep = `${'{"a":['.repeat(levels / 2)}-12345678901234567890${']}'.repeat(levels / 2)}`;
  const texts = `["12345678901234567890", "a\\"1234567890123456789", 1234567890123456.5, "\\\\"]`;
  const text = `{"deep":${deep},"exact":9007199254740993,"texts":${texts}}`;
  assert.throws(() => JSON.parse(text, (_key, value) => value), RangeError, 'or this test shows nothing');
  const { deep: top, exact, texts: read } = objectOf(parseJson(text));
  let inner = top;
  for (let level = 0; level < levels; level += 1) inner = Array.isArray(inner) ? inner[0] : objectOf(inner)['a'];
  assert.equal(
    JSON.stringify([inner, exact, read]),
    `[-12345678901234567890,9007199254740993,${texts.replaceAll(', ', ',')}]`,
  );
  assert.throws(() => parseJson(text.slice(0, -1)), SyntaxError);
});
