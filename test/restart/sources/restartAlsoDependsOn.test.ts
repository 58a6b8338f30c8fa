import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  allowReferencesError,
  allowReferencesFrom,
  readAllowedNamespaces,
  readAlsoDependsOn,
  usedFrom,
} from '../../../src/restart/model/annotations.ts';
import { sourceKey } from '../../../src/restart/model/refs.ts';

const read = (text: string) => {
  const { uses, faults } = readAlsoDependsOn(text, 'shop');
  const named = uses.map(({ source, key }) => `${sourceKey(source)}${key === undefined ? '' : `#${key}`}`);
  return { uses: named, faults };
};

test('each entry is a ConfigMap or a Secret of a namespace, or one key of it', () => {
  assert.deepEqual(read('configmap/bank/rates, secret/vault/db.main#password ,'), {
    uses: ['configmap/bank/rates', 'secret/vault/db.main#password'],
    faults: [],
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

test('without a namespace it is the workload’s own', () => {
  assert.deepEqual(read('secret/db,configmap/rates#eur').uses, ['secret/shop/db', 'configmap/shop/rates#eur']);
});

test('what is said twice counts once; a source and one key of it are two', () => {
  assert.deepEqual(read('secret/a/b,secret/a/b,secret/a/b#k,secret/a/b#k').uses, ['secret/a/b', 'secret/a/b#k']);
  assert.deepEqual(read('secret/b,secret/shop/b').uses, ['secret/shop/b']);
});

test('nothing said is nothing wrong', () => {
  for (const text of ['', ' ', ',,']) assert.deepEqual(read(text), { uses: [], faults: [] });
});

test('each entry that cannot be read is told in one sentence, and costs no other', () => {
  const wrong = {
    settings: /wanted is configmap\/NAMESPACE\/NAME/,
    'cm/shop/settings': /wanted is/,
    'ConfigMap/shop/settings': /wanted is/,
    'configmap/a/b/c': /wanted is/,
    'secret/a/b#c#d': /wanted is/,
    'secret/Shop/db': /"Shop" is no name of a namespace/,
    'secret//db': /"" is no name of a namespace/,
    'secret/shop/': /"" is no name of a Secret/,
    'configmap/shop/a_b': /"a_b" is no name of a ConfigMap/,
    'secret/shop/db#': /"" is no name of a key/,
    'secret/shop/db#a b': /"a b" is no name of a key/,
  };
  for (const [entry, sentence] of Object.entries(wrong)) {
    const { uses, faults } = read(`secret/a/b,${entry},configmap/c/d`);
    const [fault = ''] = faults;
    assert.deepEqual(uses, ['secret/a/b', 'configmap/c/d'], entry);
    assert.equal(faults.length, 1, entry);
    assert.match(fault, sentence);
    assert.ok(fault.startsWith(`weeder.dev/also-depends-on says ${JSON.stringify(entry)}: `), fault);
  }
  assert.equal(read(Object.keys(wrong).join()).faults.length, Object.keys(wrong).length);
});

test('a fault quotes no more of a long text than it takes to recognise it, and on one line', () => {
  const [sentence = ''] = read(`secret/shop/a\n${'x'.repeat(5000)}`).faults;
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

test('where both names are set the new one alone counts, also where it allows less', () => {
  const both = { [allowReferencesFrom]: 'bank', [usedFrom]: 'shop,*' };
  assert.deepEqual(readAllowedNamespaces(both), new Set(['bank']));
  assert.equal(allowReferencesError(both), undefined);
  assert.equal(readAllowedNamespaces({ [allowReferencesFrom]: '', [usedFrom]: 'shop' }), 'none');
});

test('of an annotation of 256 KiB at most a hundred sources count, and a few faults are told', () => {
  const good = Array.from({ length: 10_000 }, (_, index) => `configmap/shop/settings-${index}`).join(',');
  const many = readAlsoDependsOn(good, 'shop');
  assert.equal(many.uses.length, 100);
  assert.deepEqual(many.faults, ['weeder.dev/also-depends-on names 10000 sources: the first 100 of them count.']);
  const bad = readAlsoDependsOn(Array.from({ length: 50 }, (_, index) => `?${index}`).join(','), 'shop');
  assert.equal(bad.faults.length, 11);
  assert.equal(bad.faults[10], 'weeder.dev/also-depends-on has 40 more entries that cannot be read.');
});

test('whatever text it is: each entry is a use or a fault, and never an exception', () => {
  const text = fc.array(fc.string({ unit: fc.constantFrom(...'configmap/secret#a.-_,* Ä\n'), maxLength: 30 }));
  fc.assert(
    fc.property(fc.oneof(fc.string(), text.map(String)), (any) => {
      const { uses, faults } = readAlsoDependsOn(any, 'shop');
      assert.ok(uses.length + faults.length <= any.split(',').length);
      allowed(any);
    }),
  );
});
