import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import fc from 'fast-check';
import { eventually } from '../../support/eventually.ts';
import { type CustomKind, customKind } from '../../support/observer/customKind.ts';
import { type ObserverScene, setObserverScene } from '../../support/observer/observerScene.ts';

const text = { type: 'string' };
const size = { type: 'integer' };
const list = { type: 'array' };
const setOf = { 'x-kubernetes-list-type': 'set' };
const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const desired = { parts: [{ name: 'one' }, { name: 'two', size: 2 }], tags: ['one', 'two'], options: { one: '1' } };

/** A definition at random: each list and map has other markers, and the elements other defaults. */
interface Definition {
  readonly parts: object;
  readonly tags: object;
  readonly isAtomic: boolean;
  readonly sizeDefault: number | undefined;
  readonly isNullable: boolean;
}

const definitions: fc.Arbitrary<Definition> = fc.record({
  parts: fc.constantFrom({}, keyed, { 'x-kubernetes-list-type': 'atomic' }),
  tags: fc.constantFrom({}, setOf, { 'x-kubernetes-list-type': 'atomic' }),
  isAtomic: fc.boolean(),
  sizeDefault: fc.constantFrom(undefined, 7, 8),
  isNullable: fc.boolean(),
});

function schemaOf({ parts, tags, isAtomic, sizeDefault, isNullable }: Definition): JsonObject {
  const sized = { ...size, ...(sizeDefault !== undefined && { default: sizeDefault }) };
  const items = { type: 'object', required: ['name'], properties: { name: text, size: sized } };
  return {
    parts: { ...list, ...parts, items },
    tags: { ...list, ...tags, items: text },
    options: { type: 'object', additionalProperties: text, ...(isAtomic && { 'x-kubernetes-map-type': 'atomic' }) },
    level: { ...text, ...(isNullable && { nullable: true }) },
  };
}

type Edit = 'apply' | 'append' | 'prepend' | 'change' | 'remove';
const edits = fc.constantFrom<Edit>('apply', 'append', 'prepend', 'change', 'remove');
const rounds = fc.array(fc.record({ to: definitions, edit: edits, isEditFirst: fc.boolean() }), {
  minLength: 8,
  maxLength: 8,
});

const theirs = { name: 'theirs', size: 9 };
const steps: Readonly<Record<Exclude<Edit, 'apply'>, readonly JsonObject[]>> = {
  append: [
    { op: 'add', path: '/spec/parts/-', value: theirs },
    { op: 'add', path: '/spec/tags/-', value: 'theirs' },
    { op: 'add', path: '/spec/options/theirs', value: '1' },
  ],
  prepend: [
    { op: 'add', path: '/spec/parts/0', value: theirs },
    { op: 'add', path: '/spec/tags/0', value: 'theirs' },
    { op: 'add', path: '/spec/level', value: 'theirs' },
  ],
  change: [
    { op: 'replace', path: '/spec/parts/0', value: theirs },
    { op: 'replace', path: '/spec/tags/1', value: 'theirs' },
    { op: 'replace', path: '/spec/options', value: { one: 'theirs', theirs: '1' } },
  ],
  remove: [
    { op: 'remove', path: '/spec/parts/0' },
    { op: 'remove', path: '/spec/tags' },
    { op: 'remove', path: '/spec/options/one' },
  ],
};

async function make(edit: Edit, kind: CustomKind, { ns }: ObserverScene, name: string): Promise<void> {
  const options = { theirs: '1' };
  if (edit === 'apply')
    await kind.applyServerSide(name, { parts: [theirs], tags: ['theirs'], options, level: 'theirs' });
  else {
    const how = { body: steps[edit], contentType: 'application/json-patch+json' };
    await ns.cluster.send('PATCH', `${kind.pathOf(name)}?fieldManager=human`, how);
  }
}

const isOne = ({ name }: JsonObject) => name === 'one';

/** What differs from the manifest in an observed place, under this definition. */
function excessIn(spec: JsonObject, { parts: how, isAtomic, isNullable, sizeDefault }: Definition): readonly string[] {
  const size = isDeepStrictEqual(how, keyed) ? arrayOf(spec['parts']).map(objectOf).find(isOne)?.['size'] : sizeDefault;
  const one = size === undefined ? { name: 'one' } : { name: 'one', size };
  const [parts, tags] = [arrayOf(spec['parts']).map(objectOf), arrayOf(spec['tags'])];
  const sorted = parts.toSorted((left, right) => String(left['name']).localeCompare(String(right['name'])));
  const options = objectOf(spec['options']);
  return [
    ...(isDeepStrictEqual(sorted, [one, desired.parts[1]]) ? [] : ['parts']),
    ...(isDeepStrictEqual(tags.toSorted(), desired.tags) ? [] : ['tags']),
    ...(isDeepStrictEqual(isAtomic ? options : { one: options['one'] }, desired.options) ? [] : ['options']),
    ...(isNullable && spec['level'] !== null ? ['level'] : []),
  ];
}

test('whatever changes in a definition and in its objects, no other content stays while they are in sync', async (t) => {
  const [random = []] = fc.sample(rounds, {
    numRuns: 1,
    ...(process.env['SEED'] && { seed: Number(process.env['SEED']) }),
  });
  const scene = await setObserverScene(t, 'defined');
  const kind = customKind(scene.ns);
  await kind.define(schemaOf({ parts: {}, tags: {}, isAtomic: false, sizeDefault: undefined, isNullable: false }));
  await scene.start(t);
  const names = random.map((_, index) => `o${index}`);
  await scene.apply('shop', { manifests: names.map((name) => kind.object(name, { ...desired, level: null })) });
  await scene.untilInSync('shop');
  for (const [index, { to, edit, isEditFirst }] of random.entries()) {
    t.diagnostic(JSON.stringify({ to, edit, isEditFirst }));
    const name = names[index] ?? '';
    if (isEditFirst) await make(edit, kind, scene, name);
    await kind.define(schemaOf(to), isEditFirst);
    if (!isEditFirst) await make(edit, kind, scene, name);
    let since: number | undefined;
    let longest = 0;
    await eventually(
      async (saw) => {
        const isInSync = (await scene.condition('shop', 'InSync')) === 'True';
        const found = await Promise.all(names.map(async (each) => excessIn(await kind.specOf(each), to)));
        saw({ isInSync, found: found.flatMap((each, i) => each.map((field) => `${names[i]} ${field}`)) });
        const isWrong = found.some((each) => each.length > 0);
        since = isInSync && isWrong ? (since ?? performance.now()) : undefined;
        longest = Math.max(longest, performance.now() - (since ?? performance.now()));
        return isInSync && !isWrong;
      },
      { what: `the manifests after round ${index}` },
    );
    assert.ok(longest < 10_000, `in sync with other content for ${longest} ms`);
  }
});
