import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '../../../src/base/json.ts';
import { createOwnershipClaims } from '../../../src/observer/effects/ownershipClaims.ts';
import { type ApplyFailure, failed } from '../../../src/observer/model/applyFailure.ts';
import { annotationName, labelName, ownerOf } from '../../../src/observer/model/fieldManagers.ts';
import { configMap, type ObserverWorld, observerWorld } from '../../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;
const ghost = ownerOf({ namespace: 'shop', name: 'ghost' });

function marked(label: string | undefined, name?: string) {
  return { metadata: { labels: { [labelName]: label }, annotations: { [annotationName]: name } } };
}

/** Whether the object is nobody's, and for which application the API server was asked. */
async function abandoned(
  object: ReturnType<typeof marked>,
  { answer = 'missing', isKnown = false, seesAll = false }: Partial<Asked> = {},
) {
  const asked: string[] = [];
  const claims = createOwnershipClaims({
    applications: {
      async read({ namespace, name }) {
        asked.push(`${namespace}/${name}`);
        return failed(answer, 'it is said');
      },
    },
    isKnown: () => isKnown,
    seesAll,
  });
  return [await claims.isStale(object), asked] as const;
}

interface Asked {
  readonly answer: ApplyFailure['is'];
  readonly isKnown: boolean;
  readonly seesAll: boolean;
}

test('a label is nobody’s where the application whose name and hash it has does not exist, as the API server says', async () => {
  assert.deepEqual(await abandoned(marked(ghost.label, ghost.name)), [true, ['shop/ghost']]);
  assert.deepEqual(await abandoned(marked(ghost.label, ghost.name), { seesAll: true }), [true, ['shop/ghost']]);
  for (const answer of ['otherUid', 'forbidden', 'transient', 'cancelled'] as const)
    assert.deepEqual(await abandoned(marked(ghost.label, ghost.name), { answer }), [false, ['shop/ghost']], answer);
});

test('a label whose name is not its own is nobody’s only where all applications are known, and none has it', async () => {
  for (const name of [undefined, '', 'ghost', 'shop/other', 'shop/ghost/more', '/ghost']) {
    assert.deepEqual(await abandoned(marked(ghost.label, name)), [false, []], String(name));
    assert.deepEqual(await abandoned(marked(ghost.label, name), { seesAll: true }), [true, []], String(name));
    assert.deepEqual(
      await abandoned(marked(ghost.label, name), { seesAll: true, isKnown: true }),
      [false, []],
      String(name),
    );
  }
  assert.deepEqual(await abandoned(marked(undefined)), [false, []]);
  assert.deepEqual(await abandoned(marked(ghost.label, ghost.name), { isKnown: true }), [false, []]);
});

function labelled(world: ObserverWorld, label: string | undefined, name: string) {
  world.edit('ConfigMap/one', {
    data: { key: 'theirs' },
    metadata: { labels: { [labelName]: label }, annotations: { [annotationName]: name } },
  });
}

function stateOf(world: ObserverWorld) {
  const { labels } = objectOf(objectOf(world.object('ConfigMap/one'))['metadata']);
  return [objectOf(labels)[labelName], objectOf(world.object('ConfigMap/one')?.['data'])['key']];
}

test('a label of an application that does not exist ends no care: it is put back, with what was changed', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  labelled(world, ghost.label, ghost.name);
  await world.pass(second);
  assert.deepEqual(stateOf(world), [ownerOf({ namespace: 'shop', name: 'web' }).label, 'a']);
  assert.deepEqual(world.factsOf('resource.ownershipConflict'), []);
  world.stop();
});

test('a label of an application that exists is a claim for as long as it exists', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one')] });
  world.apply('other', { manifests: [configMap('two')], deletionPolicy: 'orphan' });
  await world.pass(2 * second);
  const other = ownerOf({ namespace: 'shop', name: 'other' });
  labelled(world, other.label, other.name);
  await world.pass(5 * minute);
  assert.deepEqual(stateOf(world), [other.label, 'theirs']);
  assert.equal(world.factsOf('resource.ownershipConflict').length, 1);
  world.deleteApplication('other');
  await world.pass(minute);
  assert.deepEqual(stateOf(world), [ownerOf({ namespace: 'shop', name: 'web' }).label, 'a']);
  world.stop();
});

test('in detect what has the label of nobody is compared, and nothing is written', async () => {
  const world = await observerWorld();
  world.put({
    ...configMap('one', 'theirs'),
    metadata: { name: 'one', namespace: 'shop', labels: { [labelName]: ghost.label } },
  });
  world.apply('web', { manifests: [configMap('one')], mode: 'detect' });
  await world.pass(minute);
  assert.deepEqual([world.writes(), world.factsOf('resource.drifted').length], [[], 1]);
  assert.deepEqual(stateOf(world), [ghost.label, 'theirs']);
  world.stop();
});

test('what has the label of nobody before it is applied for the first time is taken over', async () => {
  const world = await observerWorld();
  world.put({
    ...configMap('one', 'theirs'),
    metadata: { name: 'one', namespace: 'shop', labels: { [labelName]: ghost.label } },
  });
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  assert.deepEqual(stateOf(world), [ownerOf({ namespace: 'shop', name: 'web' }).label, 'a']);
  assert.equal(world.condition('web', 'InSync'), 'True');
  world.stop();
});
