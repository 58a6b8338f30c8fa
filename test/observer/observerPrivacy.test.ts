import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { annotationName, labelName, ownerOf } from '../../src/observer/objects/fieldManagers.ts';
import { configMap, type ObserverWorld, observerWorld, refusal } from '../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;
const settings = 'ConfigMap/settings';
const [ours, others] = ['web', 'other'].map((name) => ownerOf({ namespace: 'shop', name }).label);

/** A ConfigMap that exists independently of weeder. */
function existing(value: string, metadata: JsonObject = {}): JsonObject {
  const object = configMap('settings', value);
  return { ...object, metadata: { name: 'settings', namespace: 'shop', ...metadata } };
}

function labelled(label: string | undefined): JsonObject {
  return { labels: { [labelName]: label }, annotations: { [annotationName]: 'shop/other' } };
}

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' }, data: { a: 'Z3Vlc3M=' } };

type Scenario = (world: ObserverWorld) => void;

/** What may exist while a tenant guesses. */
const scenarios: Readonly<Record<string, Scenario>> = {
  'there is nothing': () => undefined,
  'the guess is right': (world) => world.put(existing('a')),
  'the guess is wrong': (world) => world.put(existing('b')),
  'another application has it': (world) => world.put(existing('b', labelled(others))),
  'it has the label of this one': (world) => world.put(existing('a', labelled(ours))),
  'it is being deleted': (world) => {
    world.put(existing('a'));
    world.terminate(settings);
  },
};

/** What happens to it a while later. */
const turns: Readonly<Record<string, Scenario>> = {
  'stays so': () => undefined,
  'becomes as guessed': (world) => {
    if (world.object(settings) !== undefined) world.remove(settings);
    world.put(existing('a', labelled(ours)));
  },
  'is deleted': (world) => {
    if (world.object(settings) !== undefined) world.remove(settings);
  },
};

/** Everything that the author of the application can see, with its times, and weeder's requests. */
async function outsideOf(spec: JsonObject, scenario: Scenario, turn: Scenario) {
  const seen: unknown[] = [];
  const world = await observerWorld({ onEvent: (event) => seen.push([Math.round(world.clock.monotonic()), event]) });
  world.permit();
  scenario(world);
  world.apply('web', spec);
  await world.pass(3 * minute);
  turn(world);
  await world.pass(7 * minute);
  world.stop();
  const { statuses, statusesAt, accessReviews, requests } = world;
  return {
    seen,
    statuses,
    statusesAt,
    accessAsks: accessReviews,
    requests,
    status: world.application('web')?.['status'],
  };
}

for (const mode of ['detect', 'correct']) {
  test(`mode ${mode}: a service account without permissions sees the same at the same times, whatever exists and happens`, async () => {
    const spec = { mode, manifests: [configMap('settings', 'a'), secret] };
    const cases = Object.entries(scenarios).flatMap(([what, scenario]) =>
      Object.entries(turns).map(([then, turn]) => ({ name: `${what}, and ${then}`, scenario, turn })),
    );
    const expected = await outsideOf(
      spec,
      () => undefined,
      () => undefined,
    );
    for (const { name, scenario, turn } of cases)
      assert.deepEqual(await outsideOf(spec, scenario, turn), expected, name);
    // Nothing was even read.
    assert.deepEqual(expected.requests, []);
    assert.ok(expected.accessAsks.length > 0);
    const rows = arrayOf(objectOf(expected.status)['resources']).map(objectOf);
    assert.deepEqual(
      rows.map(({ kind, name, state, uid }) => [kind, name, state, uid]),
      [
        ['ConfigMap', 'settings', 'Unverified', undefined],
        ['Secret', 'token', 'Unverified', undefined],
      ],
    );
  });
}

test('for a service account without permissions the status says what to grant, and once it may read, everything is compared', async () => {
  const world = await observerWorld();
  world.permit();
  world.put(existing('b', labelled(ours)));
  world.apply('web', { mode: 'detect', manifests: [configMap('settings', 'a')] });
  await world.pass(5 * second);
  const [degraded] = conditionsOf(world, 'Degraded');
  assert.equal(degraded?.['reason'], 'Unverified');
  assert.match(
    String(degraded?.['message']),
    /system:serviceaccount:shop:default may neither get nor patch configmaps in API group "" in the namespace "shop"\. Grant it in a Role in namespace shop: \{apiGroups: \[""\], resources: \["configmaps"\], verbs: \["get", "create"\]\}/,
  );
  assert.equal(world.condition('web', 'InSync'), 'Unknown');
  world.permit({ verbs: ['get', 'create'] });
  await world.pass(10 * second);
  assert.equal(world.condition('web', 'InSync'), 'False');
  assert.equal(conditionsOf(world, 'Degraded')[0]?.['status'], 'False');
  world.edit(settings, { data: { key: 'a' } });
  await world.pass(minute);
  assert.equal(world.condition('web', 'InSync'), 'True');
});

test('a right to single objects is verified by their names, and reveals no other object', async () => {
  const world = await observerWorld();
  world.permit({ verbs: ['get'], names: ['settings'] }, { verbs: ['create'] });
  world.put(existing('b'));
  world.put({ ...existing('b'), metadata: { name: 'hidden', namespace: 'shop' } });
  world.apply('web', { mode: 'detect', manifests: [configMap('settings', 'a'), configMap('hidden', 'a')] });
  await world.pass(5 * second);
  assert.deepEqual(states(world), ['Drifted', 'Unverified']);
});

test('with patch but not get an account sees what the responses to patches contain', async () => {
  const world = await observerWorld();
  world.permit({ verbs: ['patch'] });
  world.put(existing('b'));
  world.apply('web', { mode: 'detect', manifests: [configMap('settings', 'a')] });
  await world.pass(5 * second);
  assert.deepEqual(states(world), ['Drifted']);
  assert.deepEqual(world.accessReviews, [`get kind ${settings}`, `patch kind ${settings}`, `tryPatch ${settings}`]);
});

test('if admission refuses the patches of an account without get, nothing is reported', async () => {
  const world = await observerWorld();
  world.permit({ verbs: ['patch'] });
  world.refusals.set('tryPatch', refusal('permanent', 'A policy refuses it.'));
  world.put(existing('b'));
  world.apply('web', { mode: 'detect', manifests: [configMap('settings', 'a')] });
  await world.pass(5 * second);
  assert.deepEqual(states(world), ['Unverified']);
  assert.match(String(conditionsOf(world, 'Degraded')[0]?.['message']), /A policy refuses it/);
});

test('a revoked right ends the reporting within minutes, however long the resync period is', async () => {
  for (const verb of ['get', 'patch']) {
    const world = await observerWorld();
    world.permit({ verbs: [verb, 'patch', 'create'] });
    world.apply('web', { manifests: [configMap('settings', 'a')], resyncPeriod: '24h' });
    await world.pass(minute);
    assert.deepEqual(states(world), ['InSync']);
    world.permit();
    await world.pass(7 * minute);
    assert.deepEqual(states(world), ['Unverified']);
    const before = { ...world, count: world.events.length, statuses: world.statuses.length };
    world.edit(settings, { data: { key: 'b' } });
    await world.pass(second);
    world.edit(settings, { data: { key: 'a' } });
    await world.pass(2 * second);
    assert.equal(world.events.length, before.count);
    assert.equal(world.statuses.length, before.statuses);
    const row = objectOf(arrayOf(objectOf(world.application('web')?.['status'])['resources'])[0]);
    assert.equal(row['drifts'], undefined);
  }
});

test('the rights of another service account are verified again', async () => {
  const world = await observerWorld();
  world.permit({ verbs: ['*'], account: 'rich' });
  const spec = { mode: 'detect', manifests: [configMap('settings', 'a')] };
  world.put(existing('b'));
  world.apply('web', { ...spec, serviceAccountName: 'rich' });
  await world.pass(5 * second);
  assert.deepEqual(states(world), ['Drifted']);
  world.apply('web', { ...spec, serviceAccountName: 'poor' });
  await world.pass(5 * second);
  assert.deepEqual(states(world), ['Unverified']);
  const [inSync] = conditionsOf(world, 'InSync');
  assert.equal(inSync?.['status'], 'Unknown');
  assert.doesNotMatch(String(inSync?.['message']), /data/);
});

test('a claim by another application is reported only to those who may read it', async () => {
  const claims = async (isReader: boolean) => {
    const world = await observerWorld();
    if (!isReader) world.permit();
    world.apply('other', { manifests: [configMap('of-other')] });
    world.put(existing('b', labelled(others)));
    world.apply('web', { manifests: [configMap('settings', 'a')] });
    await world.pass(5 * second);
    const events = world.events.filter((event) => 'application' in event && event.application.name === 'web');
    return { text: JSON.stringify([world.application('web')?.['status'], events]), states: states(world) };
  };
  const [reader, other] = [await claims(true), await claims(false)];
  assert.deepEqual(reader.states, ['OwnershipConflict']);
  assert.match(reader.text, /shop\/other/);
  assert.deepEqual(other.states, ['Unverified']);
  assert.doesNotMatch(other.text, /other|claim/i);
});

test('without changes, verifying the rights for hundreds of resources takes one request in five minutes', async () => {
  const world = await observerWorld();
  const manifests = Array.from({ length: 300 }, (_, index) => configMap(`settings-${index}`));
  world.apply('web', { manifests });
  await world.pass(minute);
  const before = world.accessReviews.length;
  await world.pass(60 * minute);
  assert.equal(world.condition('web', 'InSync'), 'True');
  const calls = world.accessReviews.length - before;
  assert.ok(calls > 0 && calls <= 13, `${calls} in an hour`);
  // The first applies verify the rights: only whether they are allowed was requested.
  assert.ok(before <= 2, `${before} at the start`);
  world.stop();
});

test('weeder’s own permissions, if the operator allows them, need no verification', async () => {
  const world = await observerWorld({ mayUseOwnRights: true });
  world.permit();
  world.apply('web', { manifests: [configMap('settings')] });
  await world.pass(5 * second);
  assert.deepEqual(states(world), ['InSync']);
  assert.deepEqual(world.accessReviews, []);
});

function conditionsOf(world: ObserverWorld, type: string): readonly JsonObject[] {
  const { conditions } = objectOf(world.application('web')?.['status']);
  return arrayOf(conditions)
    .map(objectOf)
    .filter((each) => each['type'] === type);
}

function states(world: ObserverWorld): readonly unknown[] {
  const { resources } = objectOf(world.application('web')?.['status']);
  return arrayOf(resources).map((row) => objectOf(row)['state']);
}
