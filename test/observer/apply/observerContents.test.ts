import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { done, failed, type Outcome } from '../../../src/observer/objects/applyFailure.ts';
import { checkContents } from '../../../src/observer/ownership/checkContents.ts';
import type { Collection, Contents, Page } from '../../../src/observer/plan/resourceApi.ts';
import { configMap, observerWorld } from '../../support/world/observerWorld.ts';

const second = 1_000;
const collections: readonly Collection[] = ['Secret', 'Widget'].map((kind) => ({ group: '', kind, path: kind }));

type Answer = Outcome<Page>;

function page(names: readonly string[], remaining = 0, next?: string): Answer {
  return done({ metadata: names.map((name) => ({ namespace: 'more', name })), remaining, next });
}

/** What the check answers if the lists are these, by kind and by the page; objects with `own` in their name may be lost. */
async function checked(
  answers: Readonly<Record<string, Answer>>,
  places: Outcome<readonly Collection[]> = done(collections),
) {
  const asked: string[] = [];
  const list = async ({ path }: Collection, from = ''): Promise<Answer> => {
    asked.push(`${path}${from}`);
    return answers[`${path}${from}`] ?? page([]);
  };
  const contents: Contents = {
    collections: async () => places,
    mayBeLost: ({ name }) => name.includes('own'),
    others: 'of others',
    remedy: 'Allow it',
  };
  const outcome = await checkContents(list, {}, contents);
  return { outcome, asked, text: outcome.ok ? '' : `${outcome.failure.type}: ${outcome.failure.reason}` };
}

test('what has nothing of others may be deleted: each kind is listed once', async () => {
  const { outcome, asked } = await checked({ Secret: page(['own']) });
  assert.deepEqual([outcome, asked.toSorted()], [done(undefined), ['Secret', 'Widget']]);
});

test('objects of others are counted over all kinds and pages, with one of them', async () => {
  const { text } = await checked({ Secret: page(['own', 'a', 'b']), Widget: page(['c'], 40, '+') });
  assert.equal(
    text,
    'permanent: 43 objects of others would be deleted with it: one of them is Secret more/a. Allow it',
  );
  const one = await checked({ Widget: page(['c']) });
  assert.equal(one.text, 'permanent: 1 object of others would be deleted with it: Widget more/c. Allow it');
});

test('a page of own objects is not taken for the end, and a page with another object is not followed', async () => {
  const own = await checked({ Secret: page(['own-1'], 1, '+'), 'Secret+': page(['own-2']) });
  assert.deepEqual(own.outcome, done(undefined));
  const other = await checked({ Secret: page(['own-1'], 2, '+'), 'Secret+': page(['a'], 1, '++') });
  assert.match(other.text, /^permanent: 2 objects .* Secret more\/a/);
  assert.ok(!other.asked.some((each) => each.endsWith('++')));
});

test('what cannot be listed is not known to be empty', async () => {
  const { outcome, text } = await checked({ Widget: failed('forbidden', 'No.'), Secret: page(['own']) });
  assert.equal(text, 'forbidden: What would be deleted with it is unknown: No. Allow it');
  assert.equal(outcome.ok, false);
  assert.match((await checked({}, failed('transient', 'Busy.'))).text, /^transient: .* Busy\./);
});

/** An Application with this Namespace and an object in it; `fields` are of its spec. */
async function withNamespace(others: readonly JsonObject[], fields: JsonObject = {}) {
  const world = await observerWorld();
  const own = { ...configMap('own'), metadata: { name: 'own', namespace: 'more' } };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'more' } };
  world.apply('web', { manifests: [namespace, own], ...fields });
  await world.pass(2 * second);
  for (const other of others) world.put(other);
  world.deleteApplication('web');
  await world.pass(20 * second);
  const deleted = world.eventsOf('resource.deleted').map(({ resource: { kind, name } }) => `${kind}/${name}`);
  const blocked = world.eventsOf('application.refused').map(({ reason }) => reason);
  world.stop();
  return { deleted, blocked: blocked[0] };
}

const theirs = (metadata: JsonObject = {}) => ({
  ...configMap('theirs'),
  metadata: { name: 'theirs', namespace: 'more', ...metadata },
});

test('a Namespace with an object of others stays, with the field that allows its loss, and goes with that field', async () => {
  const held = await withNamespace([theirs()]);
  assert.deepEqual(held.deleted, ['ConfigMap/own']);
  assert.match(
    held.blocked ?? '',
    /Namespace more \(1 object .*ConfigMap more\/theirs.*Namespace\/more to spec\.deleteWithContents\)/,
  );
  const allowed = await withNamespace([theirs()], { deleteWithContents: ['Namespace/more'] });
  assert.deepEqual(allowed, { deleted: ['ConfigMap/own', 'Namespace/more'], blocked: undefined });
});

test('a Namespace goes with dependents of other objects', async () => {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'own', uid: 'u' }];
  const { deleted, blocked } = await withNamespace([theirs({ ownerReferences })]);
  assert.deepEqual([deleted, blocked], [['ConfigMap/own', 'Namespace/more'], undefined]);
});
