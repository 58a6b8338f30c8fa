import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { optOutError, optOutOf } from '../../../src/restart/references/annotations.ts';

const own = (value: unknown) => optOutOf({ 'weeder.dev/skip-hash-calculation': value });
const errorOf = (value: unknown) => optOutError({ 'weeder.dev/skip-hash-calculation': value });

test('a source without an opt-out, or with "false", is used in full', () => {
  for (const annotations of [{}, { 'weeder.dev/skip': 'true' }]) assert.equal(optOutOf(annotations), 'none');
  for (const value of ['false', '', ' , ', null]) assert.equal(own(value), 'none', JSON.stringify(value));
});

test('"true" excludes the whole source, key names exclude these keys', () => {
  assert.equal(own('true'), 'all');
  assert.deepEqual(own('log.level'), new Set(['log.level']));
  assert.deepEqual(own(' a , b_c,,a,'), new Set(['a', 'b_c']));
  assert.deepEqual(own('true,false'), new Set(['true', 'false']));
});

test('KUDO’s annotation counts if present, whatever its value', () => {
  for (const value of ['true', 'false', '', 'key1,key2']) {
    assert.equal(optOutOf({ 'kudo.dev/skip-hash-calculation': value }), 'all', value);
  }
});

test('Reloader’s annotation counts only with the value "true"', () => {
  assert.equal(optOutOf({ 'reloader.stakater.com/ignore': 'true' }), 'all');
  for (const value of ['false', '', 'True', true]) {
    assert.equal(optOutOf({ 'reloader.stakater.com/ignore': value }), 'none', JSON.stringify(value));
  }
});

test('with several annotations the one that excludes most applies', () => {
  const keys = { 'weeder.dev/skip-hash-calculation': 'a' };
  assert.equal(optOutOf({ ...keys, 'kudo.dev/skip-hash-calculation': '' }), 'all');
  assert.equal(optOutOf({ ...keys, 'reloader.stakater.com/ignore': 'true' }), 'all');
  assert.deepEqual(optOutOf({ ...keys, 'reloader.stakater.com/ignore': 'false' }), new Set(['a']));
});

test('an invalid opt-out excludes the whole source, and has one error message', () => {
  for (const value of ['a;b', 'good,not good', 'ä', 7, {}, ['a']]) {
    assert.equal(own(value), 'all', JSON.stringify(value));
    assert.match(errorOf(value) ?? '', /^".*" is not a valid name of a key: /);
  }
  assert.match(errorOf('good,not good') ?? '', /^"not good" is/);
  assert.ok((errorOf('ä'.repeat(5000)) ?? '').length < 400);
  for (const value of ['true', 'false', 'a,b', '', undefined]) assert.equal(errorOf(value), undefined);
});

test('any annotation value is read as an opt-out or none, and nothing throws', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      assert.ok(own(value) === 'none' || own(value) === 'all' || own(value) instanceof Set);
      errorOf(value);
    }),
  );
});
