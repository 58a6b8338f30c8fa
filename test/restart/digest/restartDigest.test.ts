import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dependenciesHash,
  hasLostKeys,
  missingKeys,
  readContent,
  type SourceContent,
  tagOf,
  usesFingerprint,
} from '../../../src/restart/digest/digest.ts';
import { contentOf, hashKey, password, settings, use } from '../../support/objects/restartObjects.ts';

const content = contentOf({ log: 'debug', level: '3' });
const whole = [use('envFrom')];
const tag = (...args: Partial<Parameters<typeof tagOf>>) => {
  const [key = hashKey, ref = settings, source = content, uses = whole, optOut = 'none'] = args;
  return tagOf(key, ref, source, uses, optOut).tag;
};

test('a ConfigMap’s data is text; its binaryData and a Secret’s data are base64', () => {
  const binaryData = { raw: Buffer.from([0, 255]).toString('base64') };
  assert.deepEqual(readContent({ kind: 'ConfigMap', data: { log: 'ä' }, binaryData }), {
    data: new Map([['log', Buffer.from('ä')]]),
    binaryData: new Map([['raw', Buffer.from([0, 255])]]),
    isImmutable: false,
  });
  assert.deepEqual(readContent({ kind: 'Secret', data: { raw: binaryData.raw }, immutable: true }), {
    data: new Map([['raw', Buffer.from([0, 255])]]),
    binaryData: new Map(),
    isImmutable: true,
  });
  assert.equal(readContent({ kind: 'Secret', immutable: 'true' }).isImmutable, false);
});

test('values that are not strings, and anything that is not a source, have no content', () => {
  const { data } = readContent({ kind: 'ConfigMap', data: { a: 'x', b: 7, c: null, d: {} } });
  assert.deepEqual([...data.keys()], ['a']);
  for (const garbage of [undefined, null, 'x', [], { data: [1], binaryData: 'x' }]) {
    assert.deepEqual(readContent(garbage), contentOf({}));
  }
});

test('a tag has 128 bits and reveals no content', () => {
  assert.match(tag(), /^[-\w]{22}$/);
  assert.match(tagOf(hashKey, settings, 'absent', whole, 'none').tag, /^[-\w]{22}$/);
});

test('the tags of this version: a change to them requires a new state version, or every workload restarts', () => {
  const uses = [use('env', { key: 'log' }), use('volume')];
  assert.deepEqual(tagOf(hashKey, settings, contentOf({ log: 'debug' }, { raw: 'x' }), uses, 'none'), {
    tag: 'ND_WHUzp5kmVh4C1z3wIBA',
    keys: { log: 'z2oC9h', raw: 'hSBWNN' },
  });
  const workload = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
  assert.equal(
    dependenciesHash(hashKey, workload, new Map([['configmap/shop/settings', { tag: 'x' }]])),
    'THKy-eGeuiYoZ9FwVgZt4Q',
  );
  assert.equal(usesFingerprint(uses, 'none'), 'UatPycou');
});

test('kind, namespace, name and hash key are part of a tag: equal content elsewhere has another tag', () => {
  const others = [password, { ...settings, namespace: 'bank' }, { ...settings, name: 'setting' }].map((ref) =>
    tag(hashKey, ref),
  );
  const otherKey = tag({ ...hashKey, bytes: Buffer.alloc(32, 8) });
  assert.equal(new Set([tag(), ...others, otherKey, tag(hashKey, { ...settings, kind: 'Secret' })]).size, 6);
  const moved = (namespace: string, name: string) => tag(hashKey, { ...settings, namespace, name });
  assert.notEqual(moved('ab', 'c'), moved('a', 'bc'));
});

test('environment variables see only data, files see binaryData too', () => {
  const inBinary = contentOf({}, { log: 'debug', level: '3' });
  for (const how of ['env', 'envFrom'] as const) {
    const uses = [use(how, { key: how === 'env' ? 'log' : undefined })];
    assert.notEqual(tag(hashKey, settings, content, uses), tag(hashKey, settings, inBinary, uses), how);
    assert.equal(tag(hashKey, settings, contentOf({}), uses), tag(hashKey, settings, inBinary, uses), how);
  }
  for (const how of ['volume', 'annotation'] as const) {
    const uses = [use(how)];
    assert.equal(tag(hashKey, settings, content, uses), tag(hashKey, settings, inBinary, uses), how);
    assert.notEqual(tag(hashKey, settings, contentOf({}), uses), tag(hashKey, settings, inBinary, uses), how);
  }
  const both = [use('env', { key: 'log' }), use('volume')];
  assert.notEqual(tag(hashKey, settings, content, both), tag(hashKey, settings, inBinary, both));
});

test('an absent key differs from an empty one; an absent source equals a source without keys', () => {
  const uses = [use('env', { key: 'log', isOptional: true })];
  const withLog = (log?: string) => tag(hashKey, settings, contentOf(log === undefined ? {} : { log }), uses);
  assert.equal(new Set([withLog(), withLog(''), withLog('absent')]).size, 3);
  assert.equal(tag(hashKey, settings, 'absent', uses), withLog());
  assert.equal(tag(hashKey, settings, 'absent'), tag(hashKey, settings, contentOf({})));
  assert.notEqual(tag(hashKey, settings, 'absent'), tag(hashKey, settings, contentOf({ log: '' })));
});

test('only the keys of an image pull secret that the kubelet reads change its tag', () => {
  const pull = (data: Readonly<Record<string, string>>) =>
    tag(hashKey, password, contentOf(data), [use('imagePullSecret', { source: password, containers: [] })]);
  assert.notEqual(pull({ '.dockerconfigjson': 'a' }), pull({ '.dockerconfigjson': 'b' }));
  assert.notEqual(pull({ '.dockercfg': 'a' }), pull({ '.dockercfg': 'b' }));
  assert.equal(pull({ '.dockercfg': 'a', note: 'x' }), pull({ '.dockercfg': 'a', note: 'y' }));
});

test('the content of an unmounted volume does not change the tag', () => {
  const unmounted = [use('unmounted', { containers: [] })];
  assert.equal(
    tag(hashKey, settings, content, unmounted),
    tag(hashKey, settings, contentOf({ other: 'x' }), unmounted),
  );
});

test('key tags identify the changed key; with more than 20 keys there are no key tags', () => {
  const keysOf = (data: Readonly<Record<string, string>>) =>
    tagOf(hashKey, settings, contentOf(data), whole, 'none').keys;
  const [before, after] = [keysOf({ log: 'debug', level: '3' }), keysOf({ log: 'debug', level: '4' })];
  assert.deepEqual(Object.keys(before ?? {}), ['level', 'log']);
  assert.equal(before?.['log'], after?.['log']);
  assert.notEqual(before?.['level'], after?.['level']);
  assert.match(before?.['log'] ?? '', /^[-\w]{6}$/);
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'same']));
  const twenty = keysOf(many(20)) ?? {};
  assert.equal(new Set(Object.values(twenty)).size, 20);
  assert.equal(keysOf(many(21)), undefined);
});

test('a removed key is lost; a new key, a changed key and a key that moved to binaryData are not', () => {
  const tagged = (source: SourceContent | 'absent', uses = whole) => tagOf(hashKey, settings, source, uses, 'none');
  const before = tagged(content);
  assert.equal(hasLostKeys(before, tagged(contentOf({ log: 'debug' }))), true);
  assert.equal(hasLostKeys(before, tagged('absent')), true);
  assert.equal(hasLostKeys(before, tagged(contentOf({ log: 'info', level: '3', more: '' }))), false);
  const files = [use('volume')];
  const moved = tagged(contentOf({ log: 'debug' }, { level: '3' }), files);
  assert.equal(hasLostKeys(tagged(content, files), moved), false);
  const byKey = [use('env', { key: 'log', isOptional: true })];
  assert.equal(hasLostKeys(tagged(content, byKey), tagged(contentOf({}), byKey)), true);
  assert.equal(hasLostKeys(tagged(contentOf({}), byKey), tagged(content, byKey)), false);
  assert.equal(hasLostKeys(tagged(content, byKey), tagged(contentOf({ log: 'debug' }), byKey)), false);
});

test('a missing key tag counts as a lost key', () => {
  const without = { tag: 'x', keys: undefined };
  const withKeys = { tag: 'x', keys: {} };
  assert.deepEqual([hasLostKeys(without, withKeys), hasLostKeys(withKeys, without)], [true, true]);
  assert.equal(hasLostKeys(withKeys, withKeys), false);
  assert.equal(hasLostKeys({ tag: 'x', keys: { toString: '123456' } }, withKeys), true);
});

test('a key named like an Object.prototype property is an ordinary key', () => {
  const { keys = {} } = tagOf(hashKey, settings, readContent(JSON.parse('{"data":{"__proto__":"x"}}')), whole, 'none');
  assert.deepEqual(Object.keys(keys), ['__proto__']);
});

test('missingKeys lists what is required and absent: the key, or * for the whole source', () => {
  const byKey = (how: 'env' | 'volume' | 'unmounted' | 'annotation', key: string) => use(how, { key });
  const source = contentOf({ log: '' }, { raw: 'x' });
  const uses = [...(['env', 'volume', 'unmounted', 'annotation'] as const).map((how) => byKey(how, 'log')), ...whole];
  assert.deepEqual(missingKeys(source, uses), []);
  assert.deepEqual(missingKeys(source, [byKey('volume', 'raw'), byKey('unmounted', 'raw')]), []);
  assert.deepEqual(missingKeys(source, [byKey('env', 'raw')]), ['raw']);
  assert.deepEqual(missingKeys(source, [byKey('volume', 'z'), byKey('unmounted', 'y'), byKey('env', 'z')]), ['y', 'z']);
  assert.deepEqual(missingKeys('absent', [byKey('env', 'log'), use('volume')]), ['*', 'log']);
  for (const how of ['envFrom', 'volume', 'unmounted', 'imagePullSecret', 'annotation'] as const) {
    assert.deepEqual(missingKeys('absent', [use(how)]), ['*'], how);
    assert.deepEqual(missingKeys(contentOf({}), [use(how)]), [], how);
  }
});

test('an optional source or key is never missing', () => {
  const isOptional = true;
  const uses = [use('env', { key: 'z', isOptional }), use('volume', { isOptional })];
  assert.deepEqual(missingKeys('absent', uses), []);
  assert.deepEqual(missingKeys(contentOf({}), uses), []);
  assert.deepEqual(missingKeys('absent', [...uses, use('env', { key: 'z' })]), ['z']);
});

test('the hash in a pod template depends on the workload and on all of its tags, in any order', () => {
  const workload = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
  const tags = new Map([
    ['configmap/shop/a', { tag: 'x' }],
    ['secret/shop/b', { tag: 'y' }],
  ]);
  const hash = dependenciesHash(hashKey, workload, tags);
  assert.match(hash, /^[-\w]{22}$/);
  assert.equal(dependenciesHash(hashKey, workload, new Map([...tags].reverse())), hash);
  const others = [
    dependenciesHash(hashKey, { ...workload, name: 'api' }, tags),
    dependenciesHash(hashKey, { ...workload, kind: 'StatefulSet' }, tags),
    dependenciesHash(hashKey, workload, new Map([...tags, ['secret/shop/b', { tag: 'z' }]])),
    dependenciesHash(hashKey, workload, new Map([...tags].slice(1))),
    dependenciesHash({ ...hashKey, bytes: Buffer.alloc(32) }, workload, tags),
  ];
  assert.equal(new Set([hash, ...others]).size, 6);
});

test('a fingerprint covers what is used and what is required, not by which container, how often or in which order', () => {
  const [log, level] = [use('env', { key: 'log' }), use('volume', { key: 'level' })];
  const fingerprint = usesFingerprint([log, level], 'none');
  assert.match(fingerprint, /^[-\w]{8}$/);
  for (const same of [
    [level, log],
    [log, level, log],
    [{ ...log, containers: ['b', 'c'] }, level],
  ]) {
    assert.equal(usesFingerprint(same, 'none'), fingerprint);
  }
  const others = [
    usesFingerprint([log], 'none'),
    usesFingerprint([log, level, use('volume')], 'none'),
    usesFingerprint([log, { ...level, isOptional: true }], 'none'),
    usesFingerprint([log, { ...level, how: 'env' }], 'none'),
    usesFingerprint([log, level], 'all'),
    usesFingerprint([log, level], new Set(['level'])),
  ];
  assert.equal(new Set([fingerprint, ...others]).size, 7);
});

test('an opt-out changes the fingerprint only if it covers a used key', () => {
  const log = [use('env', { key: 'log' })];
  assert.equal(usesFingerprint(log, new Set(['other'])), usesFingerprint(log, 'none'));
  assert.notEqual(usesFingerprint(whole, new Set(['other'])), usesFingerprint(whole, 'none'));
  assert.equal(usesFingerprint(whole, new Set(['a', 'b'])), usesFingerprint(whole, new Set(['b', 'a'])));
});
