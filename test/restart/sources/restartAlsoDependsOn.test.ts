import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  allowReferencesError,
  allowReferencesFrom,
  readAllowedNamespaces,
  readAlsoDependsOn,
  usedFrom,
} from '../../../src/restart/references/annotations.ts';
import { sourceKey } from '../../../src/restart/references/refs.ts';

const read = (text: string) => {
  const { uses, errors } = readAlsoDependsOn(text, 'shop');
  const named = uses.map(({ source, key }) => `${sourceKey(source)}${key === undefined ? '' : `#${key}`}`);
  return { uses: named, errors };
};

test('each entry is a ConfigMap or a Secret of a namespace, or one key of it', () => {
  assert.deepEqual(read('configmap/bank/rates, secret/vault/db.main#password ,'), {
    uses: ['configmap/bank/rates', 'secret/vault/db.main#password'],
    errors: [],
  });
  assert.deepEqual(readAlsoDependsOn('secret/vault/db#password', 'shop').uses, [
    {
      source: { kind: 'Secret', namespace: 'vault', name: 'db' },
      key: 'password',
      how: 'annotation',
      isOptional: false,
      containers: [],
    },
  ]);
});

test('the default namespace is the workload’s own', () => {
  assert.deepEqual(read('secret/db,configmap/rates#eur').uses, ['secret/shop/db', 'configmap/shop/rates#eur']);
});

test('a repeated entry counts once; a source and one key of it are two entries', () => {
  assert.deepEqual(read('secret/a/b,secret/a/b,secret/a/b#k,secret/a/b#k').uses, ['secret/a/b', 'secret/a/b#k']);
  assert.deepEqual(read('secret/b,secret/shop/b').uses, ['secret/shop/b']);
});

test('an empty annotation names no source and is valid', () => {
  for (const text of ['', ' ', ',,']) assert.deepEqual(read(text), { uses: [], errors: [] });
});

test('each invalid entry is one error message, and does not affect the other entries', () => {
  const wrong = {
    settings: /expected configmap\/NAMESPACE\/NAME/,
    'cm/shop/settings': /expected configmap/,
    'ConfigMap/shop/settings': /expected configmap/,
    'configmap/a/b/c': /expected configmap/,
    'secret/a/b#c#d': /expected configmap/,
    'secret/Shop/db': /"Shop" is not a valid name of a namespace/,
    'secret//db': /"" is not a valid name of a namespace/,
    'secret/shop/': /"" is not a valid name of a Secret/,
    'configmap/shop/a_b': /"a_b" is not a valid name of a ConfigMap/,
    'secret/shop/db#': /"" is not a valid name of a key/,
    'secret/shop/db#a b': /"a b" is not a valid name of a key/,
  };
  for (const [entry, sentence] of Object.entries(wrong)) {
    const { uses, errors } = read(`secret/a/b,${entry},configmap/c/d`);
    const [message = ''] = errors;
    assert.deepEqual(uses, ['secret/a/b', 'configmap/c/d'], entry);
    assert.equal(errors.length, 1, entry);
    assert.match(message, sentence);
    assert.ok(message.startsWith(`weeder.dev/also-depends-on contains ${JSON.stringify(entry)}: `), message);
  }
  assert.equal(read(Object.keys(wrong).join()).errors.length, Object.keys(wrong).length);
});

test('an error quotes a long text in part, and on one line', () => {
  const [sentence = ''] = read(`secret/shop/a\n${'x'.repeat(5000)}`).errors;
  assert.ok(sentence.length < 400 && !sentence.includes('\n'), sentence);
});

const allowed = (text: string | undefined) => readAllowedNamespaces({ [allowReferencesFrom]: text });

test('a source allows references from the namespaces that it names, and from no other', () => {
  assert.deepEqual(allowed('shop, bank,'), new Set(['shop', 'bank']));
  for (const text of [undefined, '', ',', '*', 'true', 'all namespaces', 'Shop']) {
    const given = allowed(text);
    assert.ok(given === 'none' || !given.has('shop'), String(text));
  }
  assert.equal(allowed('*'), 'none');
  assert.deepEqual(allowed('*,shop,b_c'), new Set(['shop']));
});

test('the former name of the annotation is still read, and an error in it names it', () => {
  assert.deepEqual(readAllowedNamespaces({ [usedFrom]: 'shop' }), new Set(['shop']));
  assert.equal(allowReferencesError({ [usedFrom]: 'shop' }), undefined);
  assert.equal(allowReferencesError({ [usedFrom]: '*' })?.annotation, usedFrom);
});

test('if both annotation names are set, only the new one counts, even if it allows less', () => {
  const both = { [allowReferencesFrom]: 'bank', [usedFrom]: 'shop,*' };
  assert.deepEqual(readAllowedNamespaces(both), new Set(['bank']));
  assert.equal(allowReferencesError(both), undefined);
  assert.equal(readAllowedNamespaces({ [allowReferencesFrom]: '', [usedFrom]: 'shop' }), 'none');
});

test('an annotation of 256 KiB yields at most a hundred sources and a few errors', () => {
  const good = Array.from({ length: 10_000 }, (_, index) => `configmap/shop/settings-${index}`).join(',');
  const many = readAlsoDependsOn(good, 'shop');
  assert.equal(many.uses.length, 100);
  assert.deepEqual(many.errors, [
    'weeder.dev/also-depends-on names 10000 sources: only the first 100 of them are used.',
  ]);
  const bad = readAlsoDependsOn(Array.from({ length: 50 }, (_, index) => `?${index}`).join(','), 'shop');
  assert.equal(bad.errors.length, 11);
  assert.equal(bad.errors[10], 'weeder.dev/also-depends-on has 40 more entries that cannot be read.');
});

test('any text: each entry is a use or an error, and nothing throws', () => {
  const text = fc.array(fc.string({ unit: fc.constantFrom(...'configmap/secret#a.-_,* Ä\n'), maxLength: 30 }));
  fc.assert(
    fc.property(fc.oneof(fc.string(), text.map(String)), (any) => {
      const { uses, errors } = readAlsoDependsOn(any, 'shop');
      assert.ok(uses.length + errors.length <= any.split(',').length);
      allowed(any);
    }),
  );
});
