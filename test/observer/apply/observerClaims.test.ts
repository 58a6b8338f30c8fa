import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { type ApplyFailure, failed } from '../../../src/observer/objects/applyFailure.ts';
import { annotationName, labelName, ownerOf } from '../../../src/observer/objects/fieldManagers.ts';
import { createOwnershipClaims } from '../../../src/observer/streams/ownershipClaims.ts';
import { configMap, type ObserverWorld, observerWorld } from '../../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;
const ghost = ownerOf({ namespace: 'shop', name: 'ghost' });

function marked(label: string | undefined, name?: string) {
  return { metadata: { labels: { [labelName]: label }, annotations: { [annotationName]: name } } };
}

/** Whether the claim is stale, and for which application the API server was asked. */
async function staleness(
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
  readonly answer: ApplyFailure['type'];
  readonly isKnown: boolean;
  readonly seesAll: boolean;
}

test('a claim is stale if the application that it names does not exist according to the API server', async () => {
  assert.deepEqual(await staleness(marked(ghost.label, ghost.name)), [true, ['shop/ghost']]);
  assert.deepEqual(await staleness(marked(ghost.label, ghost.name), { seesAll: true }), [true, ['shop/ghost']]);
  for (const answer of ['otherUid', 'forbidden', 'transient', 'cancelled'] as const)
    assert.deepEqual(await staleness(marked(ghost.label, ghost.name), { answer }), [false, ['shop/ghost']], answer);
});

test('a claim with a name that does not match is stale only if all applications are known and none matches', async () => {
  for (const name of [undefined, '', 'ghost', 'shop/other', 'shop/ghost/more', '/ghost']) {
    assert.deepEqual(await staleness(marked(ghost.label, name)), [false, []], String(name));
    assert.deepEqual(await staleness(marked(ghost.label, name), { seesAll: true }), [true, []], String(name));
    assert.deepEqual(
      await staleness(marked(ghost.label, name), { seesAll: true, isKnown: true }),
      [false, []],
      String(name),
    );
  }
  assert.deepEqual(await staleness(marked(undefined)), [false, []]);
  assert.deepEqual(await staleness(marked(ghost.label, ghost.name), { isKnown: true }), [false, []]);
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

test('a stale claim does not stop corrections: the label is restored, and so are other changes', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one')] });
  await world.pass(2 * second);
  labelled(world, ghost.label, ghost.name);
  await world.pass(second);
  assert.deepEqual(stateOf(world), [ownerOf({ namespace: 'shop', name: 'web' }).label, 'a']);
  assert.deepEqual(world.eventsOf('resource.ownershipConflict'), []);
  world.stop();
});

test('the claim of an existing application is valid as long as that application exists', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one')] });
  world.apply('other', { manifests: [configMap('two')], deletionPolicy: 'orphan' });
  await world.pass(2 * second);
  const other = ownerOf({ namespace: 'shop', name: 'other' });
  labelled(world, other.label, other.name);
  await world.pass(5 * minute);
  assert.deepEqual(stateOf(world), [other.label, 'theirs']);
  assert.equal(world.eventsOf('resource.ownershipConflict').length, 1);
  world.deleteApplication('other');
  await world.pass(minute);
  assert.deepEqual(stateOf(world), [ownerOf({ namespace: 'shop', name: 'web' }).label, 'a']);
  world.stop();
});

test('in detect mode a resource with a stale claim is compared, and nothing is written', async () => {
  const world = await observerWorld();
  world.put({
    ...configMap('one', 'theirs'),
    metadata: { name: 'one', namespace: 'shop', labels: { [labelName]: ghost.label } },
  });
  world.apply('web', { manifests: [configMap('one')], mode: 'detect' });
  await world.pass(minute);
  assert.deepEqual([world.writes(), world.eventsOf('resource.drifted').length], [[], 1]);
  assert.deepEqual(stateOf(world), [ghost.label, 'theirs']);
  world.stop();
});

test('a resource with a stale claim is taken over by the first apply', async () => {
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
