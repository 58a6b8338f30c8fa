import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMeets, propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { missingKeys, type SourceContent, tagOf, usesFingerprint } from '../../../src/restart/digest/digest.ts';
import type { OptOut } from '../../../src/restart/references/annotations.ts';
import type { Use } from '../../../src/restart/references/uses.ts';
import { hashKey, settings, use } from '../../support/objects/restartObjects.ts';

const name = fc.oneof(fc.constantFrom('a', 'b', 'c', '.dockercfg', '__proto__', 'absent'), fc.string({ maxLength: 4 }));
const bytes = fc.uint8Array({ maxLength: 6 }).map((array) => Buffer.from(array));
/** Each key is in data or in binaryData, never in both, as the API server requires. */
const content = fc
  .uniqueArray(fc.record({ key: name, value: bytes, isBinary: fc.boolean() }), { selector: ({ key }) => key })
  .map((entries): SourceContent => {
    const of = (binary: boolean) =>
      new Map(entries.filter(({ isBinary }) => isBinary === binary).map(({ key, value }) => [key, value]));
    return { data: of(false), binaryData: of(true), isImmutable: false };
  });
const oneUse: fc.Arbitrary<Use> = fc.oneof(
  fc.tuple(fc.constantFrom('env', 'volume', 'annotation', 'unmounted'), name).map(([how, key]) => use(how, { key })),
  fc.constantFrom('envFrom', 'volume', 'annotation', 'imagePullSecret', 'unmounted').map((how) => use(how)),
);
const uses = fc.array(oneUse, { minLength: 1, maxLength: 4 });
const optOut: fc.Arbitrary<OptOut> = fc.oneof(
  fc.constant('none' as const),
  fc.array(name, { minLength: 1, maxLength: 3 }).map((keys) => new Set(keys)),
);

const tag = (source: SourceContent, uses: readonly Use[], out: OptOut = 'none') =>
  tagOf(hashKey, settings, source, uses, out).tag;

/** What a pod can see, computed in the simplest way: as variables, and as files. */
function seen({ data, binaryData }: SourceContent, uses: readonly Use[], out: OptOut): string {
  const files = new Map([...data, ...binaryData]);
  const isOut = (key: string) => out === 'all' || (out !== 'none' && out.has(key));
  const read = (from: ReadonlyMap<string, Buffer>, hows: readonly string[], also: readonly string[]) => {
    const readers = uses.filter(({ how }) => hows.includes(how));
    const keys = readers.flatMap(({ key }) => (key === undefined ? [...from.keys()] : [key]));
    return [...new Set([...keys, ...also])]
      .filter((key) => !isOut(key))
      .sort()
      .map((key) => [key, from.get(key)?.toString('hex') ?? null]);
  };
  const pull = uses.some(({ how }) => how === 'imagePullSecret') ? ['.dockercfg', '.dockerconfigjson'] : [];
  return JSON.stringify([read(data, ['env', 'envFrom'], []), read(files, ['volume', 'annotation'], pull)]);
}

/** The same content with this key added, removed, or with other bytes. */
function changed({ data, binaryData }: SourceContent, key: string, value: Buffer | undefined, isBinary: boolean) {
  const without = (map: ReadonlyMap<string, Buffer>) => [...map].filter(([each]) => each !== key);
  const added: [string, Buffer][] = value === undefined ? [] : [[key, value]];
  return {
    data: new Map([...without(data), ...(isBinary ? [] : added)]),
    binaryData: new Map([...without(binaryData), ...(isBinary ? added : [])]),
    isImmutable: false,
  };
}

test('two contents have the same tag if and only if pods see the same of them', async () => {
  const change = fc.record({ key: name, value: fc.option(bytes, { nil: undefined }), isBinary: fc.boolean() });
  await assertMeets({ alike: 300, different: 300 }, 3000, (met) =>
    fc.property(content, fc.array(change, { maxLength: 2 }), uses, optOut, (before, changes, uses, out) => {
      const after = changes.reduce((each, { key, value, isBinary }) => changed(each, key, value, isBinary), before);
      const isSame = seen(before, uses, out) === seen(after, uses, out);
      assert.equal(tag(before, uses, out) === tag(after, uses, out), isSame);
      met[isSame ? 'alike' : 'different'] += 1;
    }),
  );
});

test('two different lists of keys and bytes never have the same tag, wherever one ends and the next begins', () => {
  const cut = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('0', '1', ':', 'a') });
  const lists = fc.dictionary(cut, cut, { maxKeys: 4 });
  const contentOfList = (list: Record<string, string>): SourceContent => ({
    data: new Map(Object.entries(list).map(([key, value]) => [key, Buffer.from(value)])),
    binaryData: new Map(),
    isImmutable: false,
  });
  const sorted = (list: Record<string, string>) => JSON.stringify(Object.entries(list).sort());
  fc.assert(
    fc.property(lists, lists, (one, other) => {
      const isSame = sorted(one) === sorted(other);
      assert.equal(tag(contentOfList(one), [use('volume')]) === tag(contentOfList(other), [use('volume')]), isSame);
    }),
    propertyRuns(2000),
  );
});

test('the order of keys, the order of uses and the names of containers do not change a digest', () => {
  const reversed = (map: ReadonlyMap<string, Buffer>) => new Map([...map].reverse());
  fc.assert(
    fc.property(content, uses, optOut, (source, uses, out) => {
      const reordered = { ...source, data: reversed(source.data), binaryData: reversed(source.binaryData) };
      const others = uses.toReversed().map((each) => ({ ...each, containers: ['x', 'y'] }));
      assert.deepEqual(tagOf(hashKey, settings, reordered, others, out), tagOf(hashKey, settings, source, uses, out));
      assert.equal(usesFingerprint(others, out), usesFingerprint(uses, out));
      assert.deepEqual(missingKeys(reordered, others), missingKeys(source, uses));
    }),
  );
});

test('the key tags differ for exactly those keys that pods see differently', () => {
  fc.assert(
    fc.property(content, name, bytes, fc.boolean(), uses, (before, key, value, isBinary, uses) => {
      const after = changed(before, key, value, isBinary);
      const keysOf = (source: SourceContent) =>
        new Map(Object.entries(tagOf(hashKey, settings, source, uses, 'none').keys ?? {}));
      const [old, now] = [keysOf(before), keysOf(after)];
      const different = [...new Set([...old.keys(), ...now.keys()])].filter((each) => old.get(each) !== now.get(each));
      assert.deepEqual(different, seen(before, uses, 'none') === seen(after, uses, 'none') ? [] : [key]);
    }),
  );
});

test('a fully opted-out source has one tag, whatever its content', () => {
  fc.assert(
    fc.property(content, content, uses, (one, other, uses) => {
      assert.deepEqual(tagOf(hashKey, settings, one, uses, 'all'), tagOf(hashKey, settings, other, uses, 'all'));
    }),
  );
});
