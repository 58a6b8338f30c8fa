import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { ownerOf } from '../../src/observer/objects/fieldManagers.ts';
import { withoutTimes } from '../support/observer/refusals.ts';
import { configMap, deployment, type ObserverWorld, observerWorld, refusal } from '../support/world/observerWorld.ts';

const second = 1_000;
const minute = 60 * second;
const one = 'ConfigMap/one';

type Refused = Parameters<typeof refusal>[0];

const no = refusal('permanent', 'No.');

/** The application `web` with the ConfigMap `one`, applied and observed; its next update is refused in this way. */
async function refusing(is: Refused, spec: JsonObject = {}): Promise<ObserverWorld> {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one', 'old'), configMap('two', 'old')], ...spec });
  await world.pass(2 * second);
  world.refusals.set(`update ${one}`, refusal(is, 'It is not a key.'));
  return world;
}

/** The same after its new manifest was refused. */
async function refused(is: Refused = 'permanent', spec: JsonObject = {}): Promise<ObserverWorld> {
  const world = await refusing(is, spec);
  world.apply('web', { manifests: [configMap('one', 'new'), configMap('two', 'new')], ...spec });
  await world.pass(2 * second);
  return world;
}

function keyOf(world: ObserverWorld, name = 'one'): unknown {
  return objectOf(world.object(`ConfigMap/${name}`)?.['data'])['key'];
}

function count(world: ObserverWorld, what: string): number {
  return world.writes().filter((each) => each === `${what} ${one}`).length;
}

/** A condition as `True Reason: message`. */
function said(world: ObserverWorld, type: string): string {
  const { conditions } = objectOf(world.application('web')?.['status']);
  const conditionList = arrayOf(conditions).map(objectOf);
  const { status, reason, message } = conditionList.find((each) => each['type'] === type) ?? {};
  return `${status} ${reason}: ${message}`;
}

function rowOf(world: ObserverWorld): JsonObject {
  const { resources } = objectOf(world.application('web')?.['status']);
  return (
    arrayOf(resources)
      .map(objectOf)
      .find(({ name }) => name === 'one') ?? {}
  );
}

async function change(world: ObserverWorld, value: string, wait = second): Promise<void> {
  world.edit(one, { data: { key: value } });
  await world.pass(wait);
}

test('while its new manifest is permanently refused, a resource retains its last known good state, and the others are updated', async () => {
  for (const is of ['permanent', 'immutable'] as const) {
    const world = await refused(is);
    assert.deepEqual([keyOf(world), keyOf(world, 'two')], ['old', 'new']);
    await change(world, 'by hand');
    assert.equal(keyOf(world), 'old');
    const [drifted] = world.eventsOf('resource.drifted');
    assert.deepEqual(drifted?.drifts, [{ path: '.data.key', desired: 'old', found: 'by hand', type: 'changed' }]);
    assert.equal(world.eventsOf('resource.corrected').length, 1);
    world.stop();
  }
});

test('the status reports both the refused manifest, and whether the resource differs from what was applied before', async () => {
  const world = await refused();
  assert.equal(
    said(world, 'Applied'),
    'False Failed: Not applied: ConfigMap shop/one (The API server refused ConfigMap shop/one (422): It is not a key; as of 2026-01-01T00:00:02Z, checked again at 2026-01-01T00:05:02Z).',
  );
  assert.match(said(world, 'Degraded'), /^True Refused: .*ConfigMap shop\/one \(.*It is not a key; as of [^)]+\)\.$/);
  assert.match(said(world, 'InSync'), /^True AsApplied: .* ConfigMap shop\/one stays as it was applied last\.$/);
  assert.deepEqual([rowOf(world)['state'], rowOf(world)['drifts']], ['Refused', undefined]);
  world.refusals.set(`correct ${one}`, refusal('transient', 'Busy.'));
  await change(world, 'by hand', 3 * second);
  assert.match(said(world, 'InSync'), /^False DriftDetected: Not as applied: ConfigMap shop\/one \(\.data\.key\)\./);
  assert.match(said(world, 'Applied'), /^False Failed: .*It is not a key(?:; as of [^)]+)?\)\.$/);
  assert.match(said(world, 'Degraded'), /^True Refused: .*It is not a key(?:; as of [^)]+)?\)\.$/);
  assert.deepEqual(
    arrayOf(rowOf(world)['drifts']).map((each) => objectOf(each)['desired']),
    ['"old"'],
  );
  world.stop();
});

test('the new manifest is retried every five minutes, and once it is accepted the old one is never written again', async () => {
  const world = await refused();
  assert.equal(count(world, 'update'), 1);
  await change(world, 'by hand', 4 * minute);
  assert.deepEqual([count(world, 'update'), count(world, 'correct')], [1, 1], 'a correction is not a further attempt');
  await world.pass(6 * minute + 30 * second);
  assert.deepEqual([count(world, 'update'), keyOf(world)], [3, 'old']);
  world.refusals.clear();
  await world.pass(5 * minute);
  assert.deepEqual([count(world, 'update'), keyOf(world)], [4, 'new']);
  await change(world, 'by hand');
  assert.equal(keyOf(world), 'new');
  assert.deepEqual([said(world, 'Applied').slice(0, 4), said(world, 'Degraded').slice(0, 5)], ['True', 'False']);
  assert.doesNotMatch(said(world, 'InSync'), /as it was applied last/);
  world.stop();
});

test('the status changes only in the time of the next check while the refused manifest is retried, however slowly', async () => {
  const world = await refused();
  const status = () => withoutTimes(world.application('web')?.['status']);
  const before = status();
  world.slow.set(`update ${one}`, 5 * second);
  await world.pass(5 * minute - 2 * second);
  for (let time = 0; time < 14; time += 1) {
    await world.pass(second / 2);
    assert.equal(status(), before);
  }
  await world.pass(minute);
  assert.deepEqual([count(world, 'update'), status()], [2, before]);
  world.refusals.clear();
  await world.pass(5 * minute);
  assert.match(said(world, 'InSync'), /^True AsApplied: Every observed field is as it was applied\.$/);
  assert.match(said(world, 'Degraded'), /^False/);
  world.stop();
});

test('a retry that fails for another reason ends what is known of the refusal', async () => {
  const world = await refused();
  world.refusals.set(`update ${one}`, refusal('transient', 'Busy.'));
  await world.pass(5 * minute);
  assert.match(said(world, 'InSync'), /^Unknown NotObserved/);
  assert.match(said(world, 'Degraded'), /^True Retrying: .*Busy\)\.$/);
  world.stop();
});

test('the new manifest is tried at once when the spec changes, even if that does not concern the resource', async () => {
  const world = await refused();
  world.apply('web', { manifests: [configMap('one', 'new'), configMap('two', 'newer')] });
  await world.pass(2 * second);
  assert.deepEqual([count(world, 'update'), keyOf(world, 'two')], [2, 'newer']);
  await change(world, 'by hand');
  assert.equal(keyOf(world), 'old');
  world.refusals.clear();
  world.apply('web', { manifests: [configMap('one', 'mended'), configMap('two', 'newer')] });
  await world.pass(2 * second);
  assert.equal(keyOf(world), 'mended');
  world.stop();
});

test('a resource that is deleted while its new manifest is refused is recreated as it was applied before', async () => {
  const world = await refused();
  world.remove(one);
  await world.pass(second);
  assert.equal(keyOf(world), 'old');
  assert.deepEqual(world.eventsOf('resource.applied').at(-1)?.how, 'recreated');
  await change(world, 'by hand');
  assert.equal(keyOf(world), 'old', 'and is still at its last known good state');
  assert.match(said(world, 'Applied'), /^False Failed/);
  world.stop();
});

test('a resource that was deleted to be recreated, with a refused manifest, is recreated as it was', async () => {
  const world = await refusing('permanent');
  world.refusals.clear();
  world.rejects = ({ data }) => (objectOf(data)['key'] === 'new' ? no : undefined);
  world.terminate(one);
  world.apply('web', { manifests: [configMap('one', 'new'), configMap('two')] });
  await world.pass(second);
  world.remove(one);
  await world.pass(10 * second);
  assert.deepEqual([keyOf(world), count(world, 'create')], ['old', 3]);
  world.rejects = () => undefined;
  world.refusals.clear();
  await world.pass(5 * minute);
  assert.equal(keyOf(world), 'new');
  world.stop();
});

test('a change during an attempt of the new manifest is corrected once that is refused', async () => {
  const world = await refusing('permanent');
  world.requestTime = 500;
  world.apply('web', { manifests: [configMap('one', 'new'), configMap('two')] });
  await world.pass(600);
  assert.equal(count(world, 'update'), 1);
  await change(world, 'by hand', 100);
  assert.deepEqual([keyOf(world), count(world, 'correct')], ['by hand', 0]);
  await world.pass(10 * second);
  assert.deepEqual([keyOf(world), count(world, 'correct')], ['old', 1]);
  world.stop();
});

test('an untried or only temporarily refused manifest does not cause corrections to the old one', async () => {
  for (const is of ['transient', 'forbidden'] as const) {
    const world = await refusing(is);
    await change(world, 'by hand');
    assert.equal(count(world, 'correct'), 1, 'before the update');
    world.apply('web', { manifests: [configMap('one', 'new'), configMap('two')] });
    world.edit(one, { data: { key: 'again' } });
    await world.pass(20 * minute);
    assert.deepEqual([keyOf(world), count(world, 'correct')], ['again', 1]);
    assert.ok(count(world, 'update') > 5);
    world.refusals.clear();
    await world.pass(5 * minute);
    assert.equal(keyOf(world), 'new');
    world.stop();
  }
});

test('a temporarily failing attempt ends the use of the last known good manifest', async () => {
  const world = await refused();
  world.refusals.set(`update ${one}`, refusal('transient', 'Busy.'));
  await world.pass(5 * minute + second);
  const updates = count(world, 'update');
  assert.ok(updates > 2);
  // The request may have been accepted, and its response lost.
  await change(world, 'by hand', minute);
  assert.deepEqual([keyOf(world), count(world, 'correct')], ['by hand', 0]);
  world.refusals.clear();
  await world.pass(5 * minute);
  assert.equal(keyOf(world), 'new');
  world.stop();
});

test('the refusal is reported once, however often drift is corrected and the new manifest is tried', async () => {
  const world = await refused();
  for (let times = 0; times < 5; times += 1) await change(world, `by hand ${times}`, 12 * minute);
  assert.deepEqual([world.eventsOf('resource.refused').length, world.eventsOf('resource.corrected').length], [1, 5]);
  world.stop();
});

test('repeated drift from the last known good state is corrected with growing delays, and does not delay attempts of the new manifest', async () => {
  const world = await refused('permanent', { resyncPeriod: '24h' });
  for (let tick = 0; tick < 30 * 60; tick += 1) {
    if (keyOf(world) === 'old') world.edit(one, { data: { key: `by hand ${tick}` } });
    await world.pass(second);
  }
  assert.ok(count(world, 'correct') <= 14, String(count(world, 'correct')));
  const tries = world.requests.filter(({ what, key }) => what === 'update' && key === one).map(({ at }) => at);
  const gaps = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  assert.ok(gaps.length >= 5 && gaps.every((gap) => gap === 5 * minute), JSON.stringify(gaps));
  world.refusals.clear();
  await world.pass(5 * minute);
  assert.equal(keyOf(world), 'new');
  world.stop();
});

test('if the last known good state is refused too, it is not requested with every change', async () => {
  const world = await refused();
  world.refusals.set(`correct ${one}`, refusal('permanent', 'Nor this.'));
  for (let times = 0; times < 60; times += 1) await change(world, `by hand ${times}`);
  assert.equal(count(world, 'correct'), 1);
  assert.match(said(world, 'InSync'), /^False DriftDetected/);
  await change(world, 'old', 2 * second);
  assert.match(said(world, 'InSync'), /^True AsApplied/, 'another client fixed it');
  world.stop();
});

test('a label that is removed while the new manifest is refused is restored, and a terminating resource is waited for', async () => {
  const world = await refused();
  world.edit(one, { metadata: { labels: { 'weeder.dev/application': null } } });
  await world.pass(second);
  assert.deepEqual([count(world, 'correct'), count(world, 'create')], [1, 1]);
  world.terminate(one);
  world.edit(one, { data: { key: 'x' } });
  await world.pass(minute);
  assert.equal(count(world, 'correct'), 1);
  world.remove(one);
  await world.pass(6 * second);
  assert.equal(keyOf(world), 'old');
  world.stop();
});

test('after a restart the last known good state of the previous process is unknown, until the manifest is fixed', async () => {
  const world = await refused();
  await world.restart();
  await change(world, 'by hand', 20 * minute);
  assert.deepEqual([keyOf(world), count(world, 'correct')], ['by hand', 0]);
  assert.match(said(world, 'Applied'), /^False Failed/);
  world.refusals.clear();
  world.apply('web', { manifests: [configMap('one', 'mended'), configMap('two')] });
  await world.pass(2 * second);
  assert.equal(keyOf(world), 'mended');
  world.stop();
});

test('a weeder that started while the old manifest was current knows it, and uses it as last known good', async () => {
  const world = await refusing('permanent');
  await world.restart();
  await world.pass(2 * second);
  world.apply('web', { manifests: [configMap('one', 'new'), configMap('two')] });
  await world.pass(2 * second);
  await change(world, 'by hand');
  assert.deepEqual([keyOf(world), count(world, 'update')], ['old', 1]);
  world.stop();
});

test('in mode detect the last known good state is compared, and drift is only reported', async () => {
  const world = await refused();
  const manifests = [configMap('one', 'new'), configMap('two', 'new')];
  world.apply('web', { manifests, mode: 'detect' });
  await world.pass(2 * second);
  const before = world.writes().length;
  await change(world, 'by hand', 12 * minute);
  assert.deepEqual([keyOf(world), world.writes().length], ['by hand', before]);
  assert.match(said(world, 'InSync'), /^False DriftDetected/);
  assert.match(said(world, 'Degraded'), /^True Refused/);
  world.apply('web', { manifests });
  await world.pass(2 * second);
  assert.equal(keyOf(world), 'old');
  world.stop();
});

test('in mode detect a manifest that was never accepted nor permanently refused is the desired state', async () => {
  const world = await refused('transient');
  world.apply('web', { manifests: [configMap('one', 'new'), configMap('two', 'new')], mode: 'detect' });
  await world.pass(3 * second);
  assert.deepEqual(
    arrayOf(rowOf(world)['drifts']).map((each) => [objectOf(each)['desired'], objectOf(each)['found']]),
    [['"new"', '"old"']],
  );
  world.stop();
});

test('if the schema changes together with a refused manifest, the old schema applies', async () => {
  const listing = (key: string) => [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { [key]: 'observed' } },
  ];
  const world = await observerWorld();
  const both = (value: string) => ({ ...configMap('one'), data: { key: value, other: value } });
  world.apply('web', { manifests: [both('old')], observerSchema: listing('key') });
  await world.pass(2 * second);
  world.refusals.set(`update ${one}`, no);
  world.apply('web', { manifests: [both('new')], observerSchema: listing('other') });
  await world.pass(2 * second);
  world.edit(one, { data: { other: 'by hand' } });
  await world.pass(minute);
  assert.equal(count(world, 'correct'), 0, 'it was not observed when it was applied');
  await change(world, 'by hand');
  assert.equal(keyOf(world), 'old');
  world.stop();
});

test('a last known good state in another version of the kind is not used, because its fields may differ', async () => {
  const world = await observerWorld();
  const kind = { group: 'example.org', kind: 'Widget', plural: 'widgets', isNamespaced: true };
  const widget = (version: string, size: number) => ({
    apiVersion: `example.org/${version}`,
    kind: 'Widget',
    metadata: { name: 'one' },
    spec: { size },
  });
  world.serve({ ...kind, version: 'v1' });
  world.apply('web', { manifests: [widget('v1', 1)] });
  await world.pass(2 * second);
  world.serve({ ...kind, version: 'v2' });
  world.refusals.set('update Widget/one', no);
  world.apply('web', { manifests: [widget('v2', 2)] });
  await world.pass(2 * second);
  world.edit('Widget/one', { spec: { size: 9 } });
  await world.pass(minute);
  assert.ok(!world.writes().includes('correct Widget/one'));
  world.stop();
});

test('what the refused manifest wrote before its refusal is not drift, other changes are', async () => {
  const world = await refused();
  const { init } = ownerOf({ namespace: 'shop', name: 'web' });
  world.edit(one, { data: { key: 'half new' } }, { manager: init, isApply: true });
  await world.pass(minute);
  assert.deepEqual([count(world, 'correct'), keyOf(world)], [0, 'half new']);
  assert.match(said(world, 'InSync'), /^True AsApplied/);
  world.edit(one, { data: { key: 'by hand' } }, { manager: 'kubectl-edit' });
  await world.pass(second);
  assert.deepEqual([count(world, 'correct'), keyOf(world)], [1, 'old']);
  world.stop();
});

test('replicas that are scaled while the new manifest is refused are not corrected', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [deployment('web', 'old', { replicas: 2 })] });
  await world.pass(2 * second);
  world.refusals.set('update Deployment/web', no);
  world.apply('web', { manifests: [deployment('web', 'new')] });
  await world.pass(2 * second);
  world.edit('Deployment/web', { spec: { replicas: 7 } }, { manager: 'autoscaler', subresource: 'scale' });
  await world.pass(minute);
  assert.ok(!world.writes().includes('correct Deployment/web'));
  const containers = [{ name: 'app', image: 'theirs' }];
  world.edit('Deployment/web', { spec: { template: { spec: { containers } } } });
  await world.pass(minute);
  const { replicas, template } = objectOf(world.object('Deployment/web')?.['spec']);
  const [container] = arrayOf(objectOf(objectOf(template)['spec'])['containers']);
  assert.deepEqual([replicas, objectOf(container)['image']], [7, 'old']);
  world.stop();
});

test('during a pause nothing is corrected, and deleting the application deletes its resources', async () => {
  const world = await refused();
  const manifests = [configMap('one', 'new'), configMap('two', 'new')];
  const pausedUntil = new Date(world.clock.now() + 10 * minute).toISOString();
  world.apply('web', { manifests, pausedUntil });
  await world.pass(2 * second);
  await change(world, 'by hand', 9 * minute);
  assert.deepEqual([keyOf(world), count(world, 'correct')], ['by hand', 0]);
  await world.pass(2 * minute);
  assert.equal(keyOf(world), 'old', 'the pause has ended');
  world.deleteApplication('web');
  await world.pass(5 * second);
  assert.deepEqual(
    [world.object(one), world.object('ConfigMap/two'), world.application('web')],
    [undefined, undefined, undefined],
  );
  world.stop();
});

test('a resource that leaves the manifests while its newest one is refused is pruned', async () => {
  const world = await refused();
  world.apply('web', { manifests: [configMap('two', 'new')] });
  await world.pass(2 * second);
  assert.equal(world.object(one), undefined);
  world.stop();
});

test('the last known good state is corrected with the current service account', async () => {
  const world = await refused();
  const manifests = [configMap('one', 'new'), configMap('two', 'new')];
  world.apply('web', { manifests, serviceAccountName: 'deployer' });
  await world.pass(2 * second);
  await change(world, 'by hand');
  const correction = world.requests.find(({ what }) => what === 'correct');
  assert.equal(correction?.account, 'system:serviceaccount:shop:deployer');
  world.stop();
});

test('while a field is refused, it is not tried again for five minutes, and a change of another field is corrected at once', async () => {
  const world = await observerWorld();
  world.apply('web', { manifests: [configMap('one', 'old')] });
  await world.pass(2 * second);
  world.refusals.set(`correct ${one}`, no);
  await change(world, 'theirs');
  assert.deepEqual([count(world, 'correct'), rowOf(world)['state']], [1, 'Refused']);
  for (const value of ['again', 'and again']) await change(world, value, 40 * second);
  assert.equal(count(world, 'correct'), 1, 'neither changes nor resyncs repeat it');
  assert.equal(world.eventsOf('resource.refused').length, 1);
  world.refusals.clear();
  world.edit(one, { metadata: { labels: { 'weeder.dev/application': null } } });
  await world.pass(second);
  assert.equal(count(world, 'correct'), 2, 'the lost label is another field');
  world.refusals.set(`correct ${one}`, no);
  await world.pass(5 * minute);
  assert.equal(count(world, 'correct') >= 2, true);
  world.stop();
});

test('a creation and a dry run that are refused are repeated every five minutes, and not at each resync', async () => {
  const world = await observerWorld();
  world.refusals.set(`create ${one}`, no);
  world.apply('web', { manifests: [configMap('one', 'old')] });
  await world.pass(4 * minute);
  assert.equal(count(world, 'create'), 1);
  await world.pass(2 * minute);
  assert.equal(count(world, 'create'), 2);
  world.refusals.clear();
  await world.pass(5 * minute);
  assert.equal(keyOf(world), 'old');
  world.refusals.set(`dryRunApply ${one}`, no);
  await world.restart();
  await world.pass(4 * minute);
  assert.equal(world.requests.filter(({ what }) => what === 'dryRunApply').length, 1);
  world.stop();
});
