import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import {
  allSources,
  decodeState,
  encodeState,
  inFormOf,
  isForged,
  isSameState,
  type StoredTag,
  type StoredTags,
  type WorkloadState,
} from '../../../src/restart/content/state.ts';
import { hashKeyOf, hashKeysOf } from '../../../src/restart/digest/hashKeys.ts';
import { type SealPurpose, sealOf } from '../../../src/restart/digest/seal.ts';

const limit = 64 * 1024;
const key = hashKeyOf(Buffer.alloc(32, 'a key'));
const keys = hashKeysOf(key, [key]);
const encode = (each: WorkloadState): string => encodeState(each, key);
const now = Date.parse('2026-11-21T12:00:00Z');

const stored = (tag: string, more: Partial<StoredTag> = {}): StoredTag => ({
  tag: tag.padEnd(22, '_'),
  uses: 'uses-123',
  isImmutable: false,
  keys: undefined,
  ...more,
});
const state = (more: Partial<WorkloadState> = {}): WorkloadState => ({
  keyId: key.id,
  workloadUid: 'uid-1',
  rolledOut: new Map([['configmap/shop/settings', stored('old', { keys: { log: '123456' } })]]),
  target: undefined,
  restarts: [],
  reverts: [],
  ...more,
});
const target = (tags: StoredTags, cause = 'ConfigMap settings') => ({ tags, since: now, attempt: 2, cause });
/** This many sources with names of this length and this many keys each. */
const many = (count: number, nameLength: number, keyCount: number, tag = 'old') =>
  new Map(
    Array.from({ length: count }, (_, index) => {
      const keys = Object.fromEntries(
        Array.from({ length: keyCount }, (_, key) => [`some.file-${key}.yaml`, '123456']),
      );
      return [`configmap/${String(index).padStart(nameLength, 'n')}`, stored(`${tag}${index}`, { keys })];
    }),
  );
const decoded = (text: string): WorkloadState => {
  const read = decodeState(text);
  assert.ok(typeof read === 'object', String(read));
  return read;
};

/** Whether weeder trusts the state: it is sealed with weeder's key, and readable. */
function isTrusted(text: string): boolean {
  const read = decodeState(text);
  return typeof read === 'object' && keys.byId(read.keyId) !== undefined && !isForged(text, keys);
}
function partsOf(text: string): { readonly seal: string; readonly json: string } {
  const [, seal = '', json = ''] = /^\{"version":1,"seal":"([^"]+)","state":(.*)\}$/.exec(text) ?? [];
  return { seal, json };
}

const short = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('__proto__', '*', '7', 'constructor'));
/** Objects like those that the codec makes. */
const plain = { noNullPrototype: true };
const time = fc.nat({ max: 4e12 });
const anyTag: fc.Arbitrary<StoredTag> = fc.record(
  {
    tag: short,
    uses: short,
    isImmutable: fc.boolean(),
    keys: fc.option(
      fc.array(fc.tuple(short, short), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
      { nil: undefined },
    ),
  },
  plain,
);
const anyTags = fc.array(fc.tuple(short, anyTag), { maxLength: 4 }).map((entries) => new Map(entries));
const anyState: fc.Arbitrary<WorkloadState> = fc.record(
  {
    keyId: short,
    workloadUid: short,
    rolledOut: anyTags,
    target: fc.option(fc.record({ tags: anyTags, since: time, attempt: fc.nat(), cause: fc.string() }, plain), {
      nil: undefined,
    }),
    restarts: fc.array(time, { maxLength: 5 }),
    reverts: fc.array(time, { maxLength: 2 }),
  },
  plain,
);

test('decodeState returns what encodeState was given, for any state', () => {
  fc.assert(fc.property(anyState, (each) => assert.deepEqual(decodeState(encode(each)), each)));
});

test('equal states have equal texts, whatever the order of their entries', () => {
  const reverse = (tags: StoredTags) => {
    const keysReversed = ({ keys, ...tag }: StoredTag) => ({
      ...tag,
      keys: keys && Object.fromEntries(Object.entries(keys).reverse()),
    });
    return new Map([...tags].reverse().map(([key, tag]) => [key, keysReversed(tag)]));
  };
  fc.assert(
    fc.property(anyState, (state) => {
      const other = { ...state, rolledOut: reverse(state.rolledOut) };
      assert.equal(encode(other), encode(state));
    }),
  );
});

test('a missing annotation is not a state; an empty one is unreadable', () => {
  assert.equal(decodeState(undefined), 'none');
  assert.equal(decodeState(''), 'unreadable');
});

test('a text that is damaged in any one place is not trusted', () => {
  const text = encode(state({ target: target(new Map([['secret/shop/password', stored('new')]])), restarts: [now] }));
  const damage = fc.tuple(fc.nat({ max: text.length - 1 }), fc.nat({ max: 5 }), fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(damage, ([at, length, instead]) => {
      const broken = text.slice(0, at) + instead + text.slice(at + length);
      if (broken !== text) assert.equal(isTrusted(broken), false, broken);
    }),
    propertyRuns(2000),
  );
  for (let length = 0; length < text.length; length += 1)
    assert.equal(decodeState(text.slice(0, length)), 'unreadable');
});

test('a state that was sealed with an unknown key or for another purpose is not trusted', () => {
  const real = state({ restarts: [now] });
  assert.equal(isTrusted(encode(real)), true);
  const other = hashKeyOf(Buffer.alloc(32, 'another'));
  assert.equal(isForged(encodeState(real, other), keys), true, 'with a key that claims our key ID');
  assert.equal(isForged(encodeState({ ...real, keyId: other.id }, other), keys), false, 'that of another weeder');
  const { seal, json } = partsOf(encode(real));
  const sealedFor = (purpose: SealPurpose) => `{"version":1,"seal":"${sealOf(key, purpose, [json])}","state":${json}}`;
  assert.equal(sealedFor('state'), encode(real));
  for (const text of [sealedFor('emptied'), sealedFor('kept Job'), encode(real).replace(seal, 'A'.repeat(22))])
    assert.equal(isForged(text, keys), true);
});

test('two states are the same whatever key sealed them', () => {
  const other = hashKeyOf(Buffer.alloc(32, 'another'));
  assert.equal(isSameState(encode(state()), encodeState(state(), other)), true);
  assert.equal(isSameState(encode(state()), encode(state({ restarts: [now] }))), false);
  assert.equal(isSameState(undefined, undefined), true);
  assert.equal(isSameState(undefined, encode(state())), false);
  assert.equal(isSameState('a', 'b'), false);
});

test('any text is either readable or not, and nothing throws', () => {
  const deep = '['.repeat(100_000);
  for (const text of ['null', '7', '{}', '[]', deep, `{"version":1,"seal":"12345678","state":${deep}}`]) {
    assert.equal(decodeState(text), 'unreadable');
  }
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => assert.equal(decodeState(text), 'unreadable')));
});

test('a state of another form with a valid seal is unreadable too', () => {
  const sealed = (body: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return `{"version":1,"seal":"${sealOf(key, 'state', [text])}","state":${text}}`;
  };
  const right = { key: 'k', uid: 'u', rolledOut: { a: ['t', 'u', 0] }, restarts: [1], reverts: [] };
  assert.equal(typeof decodeState(sealed(right)), 'object');
  const wrong = ['{', 'null', '[]', '{}', '['.repeat(100_000)];
  for (const [part, values] of Object.entries({
    key: [1, null, undefined],
    uid: [1, undefined],
    rolledOut: [[], 'x', undefined, { a: 'x' }, { a: [1, 'u', 0] }, { a: ['t'] }],
    target: [null, {}, 'x', { tags: {}, since: 'x', attempt: 1, cause: '' }, { tags: {}, since: 1, attempt: 1 }],
    restarts: [['x'], 1, undefined, [null]],
    reverts: [[{}], undefined],
  })) {
    wrong.push(...values.map((value) => JSON.stringify({ ...right, [part]: value })));
  }
  for (const body of wrong) assert.equal(decodeState(sealed(body)), 'unreadable', body.slice(0, 200));
});

test('another version is unreadable', () => {
  const text = encode(state());
  for (const version of ['2', '0', '10', '"1"', 'null']) {
    assert.equal(decodeState(text.replace('"version":1', `"version":${version}`)), 'unreadable');
  }
});

test('only the newest five restarts and the newest two reverts are stored', () => {
  const { restarts, reverts } = decoded(encode(state({ restarts: [1, 2, 3, 4, 5, 6, 7], reverts: [1, 2, 3] })));
  assert.deepEqual({ restarts, reverts }, { restarts: [3, 4, 5, 6, 7], reverts: [2, 3] });
});

test('300 sources are stored individually, even if all of them have ten keys and a new tag', () => {
  const [old, fresh] = [many(300, 50, 10), many(300, 50, 10, 'new')];
  const text = encode(state({ rolledOut: old, target: target(fresh) }));
  assert.ok(Buffer.byteLength(text) <= limit, String(text.length));
  const read = decoded(text);
  assert.equal(read.rolledOut.size, 300);
  assert.equal(read.target?.tags.size, 300);
  for (const [key, { tag, uses }] of fresh) {
    assert.deepEqual(read.target?.tags.get(key), { tag, uses, isImmutable: false, keys: undefined });
  }
});

test('key tags are stored while there is room for them, and are dropped first', () => {
  const keysOf = (count: number) => decoded(encode(state({ rolledOut: many(count, 50, 10) })));
  assert.notEqual([...keysOf(100).rolledOut.values()][0]?.keys, undefined);
  assert.equal([...keysOf(300).rolledOut.values()][0]?.keys, undefined);
});

test('above 64 KiB there is one tag over all sources, which any of them changes', () => {
  const old = many(400, 300, 1);
  const text = encode(state({ rolledOut: old, restarts: [now], reverts: [now] }));
  assert.ok(Buffer.byteLength(text) < 1000, String(text.length));
  const read = decoded(text);
  assert.deepEqual([...read.rolledOut.keys()], [allSources]);
  assert.deepEqual({ restarts: read.restarts, reverts: read.reverts }, { restarts: [now], reverts: [now] });
  const one = (tags: StoredTags) => inFormOf(read.rolledOut, tags).get(allSources);
  assert.deepEqual(one(old), read.rolledOut.get(allSources));
  assert.deepEqual(one(new Map([...old].reverse())), one(old));
  const [[key, tag] = ['', stored('')]] = old;
  const changed = one(new Map([...old, [key, { ...tag, tag: 'other' }]]));
  assert.notEqual(changed?.tag, one(old)?.tag);
  assert.equal(changed?.uses, one(old)?.uses);
  assert.notEqual(one(new Map([...old, [key, { ...tag, uses: 'other' }]]))?.uses, one(old)?.uses);
  assert.notEqual(one(new Map([...old].slice(1)))?.uses, one(old)?.uses);
  assert.equal(one(new Map([...old, [key, { ...tag, isImmutable: true }]]))?.isImmutable, true);
});

test('above 64 KiB the target is the tag of all sources after it is reached', () => {
  const old = many(400, 300, 1);
  const [[key, tag] = ['', stored('')]] = old;
  const change = new Map([[key, { ...tag, tag: 'new' }]]);
  const read = decoded(encode(state({ rolledOut: old, target: target(change, 'ä'.repeat(100_000)) })));
  assert.deepEqual(read.target?.tags, inFormOf(read.rolledOut, new Map([...old, ...change])));
  assert.equal(read.target?.cause, 'ä'.repeat(1000));
  assert.deepEqual(decoded(encode(read)), read);
});

test('below 64 KiB, tags are compared source by source', () => {
  const { rolledOut } = state();
  assert.equal(inFormOf(rolledOut, rolledOut), rolledOut);
});
