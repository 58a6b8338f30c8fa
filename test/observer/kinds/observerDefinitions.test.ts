import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import fc from 'fast-check';
import type { RestMapping } from '../../../src/observer/plan/resourceApi.ts';
import { type ObserverWorld, observerWorld } from '../../support/world/observerWorld.ts';

const kind: RestMapping = { group: 'example.org', version: 'v1', kind: 'Part', plural: 'parts', isNamespaced: true };
const text = { type: 'string' };
const desired = { parts: [{ name: 'one' }, { name: 'two' }], tags: ['one', 'two'], options: { one: '1' } };
const theirs = { parts: [{ name: 'one' }, { name: 'theirs' }], tags: ['one', 'theirs'], options: { theirs: '1' } };

const definitions = fc.record({
  parts: fc.constantFrom({}, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
  tags: fc.constantFrom({}, { 'x-kubernetes-list-type': 'set' }, { 'x-kubernetes-list-type': 'atomic' }),
  isAtomic: fc.boolean(),
});
type Definition = typeof definitions extends fc.Arbitrary<infer T> ? T : never;

function schemaOf({ parts, tags, isAtomic }: Definition) {
  const items = { type: 'object', required: ['name'], properties: { name: text } };
  const options = { type: 'object', additionalProperties: text };
  const properties = {
    parts: { type: 'array', ...parts, items },
    tags: { type: 'array', ...tags, items: text },
    options: { ...options, ...(isAtomic && { 'x-kubernetes-map-type': 'atomic' }) },
  };
  return { type: 'object', properties };
}

/** Another client applies its own elements, or replaces what is there. */
const edits = fc.record({ isApply: fc.boolean(), isFirst: fc.boolean(), pause: fc.nat(3_000) });
const rounds = fc.array(fc.record({ to: definitions, edit: edits }), { minLength: 1, maxLength: 4 });

function hasOthers(spec: unknown, { isAtomic }: Definition): boolean {
  const { parts, tags, options } = objectOf(spec);
  const names = arrayOf(parts).map((each) => objectOf(each)['name']);
  const isSame = isDeepStrictEqual([names.toSorted(), arrayOf(tags).toSorted()], [desired.tags, desired.tags]);
  const seen = isAtomic ? options : { one: objectOf(options)['one'] };
  return !isSame || !isDeepStrictEqual(seen, desired.options);
}

async function assertCorrected(world: ObserverWorld, to: Definition): Promise<void> {
  const isWrong = () => hasOthers(world.object('Part/one')?.['spec'], to);
  let wrongFor = 0;
  for (let passed = 0; passed < 60_000; passed += 1_000) {
    await world.pass(1_000);
    wrongFor = isWrong() && world.condition('web', 'InSync') === 'True' ? wrongFor + 1_000 : 0;
    assert(wrongFor < 10_000, JSON.stringify(world.object('Part/one')?.['spec']));
  }
  await world.pass(400_000);
  assert.deepEqual([isWrong(), world.condition('web', 'InSync')], [false, 'True']);
}

test('whatever changes in a definition and in its object, no other content stays while it is in sync', async () => {
  const first: Definition = { parts: {}, tags: {}, isAtomic: false };
  await fc.assert(
    fc.asyncProperty(rounds, async (random) => {
      const world = await observerWorld();
      world.serve(kind, schemaOf(first));
      const manifest = { apiVersion: 'example.org/v1', kind: 'Part', metadata: { name: 'one' }, spec: desired };
      world.apply('web', { manifests: [manifest] });
      await world.pass(5_000);
      assert.equal(world.condition('web', 'InSync'), 'True');
      for (const { to, edit } of random) {
        const { isApply, isFirst, pause } = edit;
        const act = () => world.edit('Part/one', { spec: theirs }, isApply ? { isApply } : {});
        if (isFirst) act();
        world.serve(kind, schemaOf(to));
        await world.pass(pause);
        if (!isFirst) act();
        await assertCorrected(world, to);
      }
      world.stop();
    }),
    { numRuns: 30 },
  );
});
