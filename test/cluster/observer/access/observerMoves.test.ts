/**
 * An object that moves between Applications keeps its uid and its data, in whichever way and order they are written. One
 * that no Application lists any more is deleted.
 */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { ownerOf } from '../../../../src/observer/objects/fieldManagers.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { type Moving, movingObjects } from '../../support/observer/movingObjects.ts';
import { at, conditionOf, configMap, isThere, rowOf, untilAbsent } from '../../support/observer/observedObjects.ts';
import { makeAccount, type ObserverScene, setObserverScene } from '../../support/observer/observerScene.ts';

const own = (name: string) => configMap(`own-${name}`, { a: '1' });

/** The objects belong to `first`, and `second` has only one of its own. */
async function scene(t: Cleanup, prefix = 'moves') {
  const its = await setObserverScene(t, prefix);
  const objects = await movingObjects(t, its.ns);
  return { ...its, objects };
}

type Scene = Awaited<ReturnType<typeof scene>>;

async function setOut(its: Scene, t: Cleanup, seconds: readonly string[] = ['second'], isKilled = false) {
  const weeder = await its.start(t, { expects: { exit: isKilled } });
  await its.apply('first', { manifests: [own('first'), ...its.objects.manifests('first')] });
  for (const name of seconds) await its.apply(name, { manifests: [own(name)] });
  for (const name of ['first', ...seconds]) await its.untilInSync(name);
  return { weeder, uids: await its.objects.uids() };
}

const gives = (its: ObserverScene) => its.apply('first', { manifests: [own('first')] });
const takes = (its: ObserverScene, objects: Moving, name = 'second', more: JsonObject = {}) =>
  its.apply(name, { manifests: [own(name), ...objects.manifests(name)], ...more });
const remove = ({ ns }: ObserverScene, name: string) =>
  ns.cluster.api('DELETE', ns.path('apis/weeder.dev/v1alpha1', 'applications', name));

async function untilGone({ ns }: ObserverScene, name: string): Promise<void> {
  const path = ns.path('apis/weeder.dev/v1alpha1', 'applications', name);
  await untilAbsent(ns.cluster, path, `the end of ${name}`);
}

/** Label and fields belong to the new owner, and what only the old manifest had is gone. */
async function assertMoved(its: Scene, uids: JsonObject, name = 'second', from = 'first'): Promise<void> {
  await its.untilInSync(name);
  assert.deepEqual(await its.objects.uids(), uids);
  const old = ownerOf({ namespace: its.ns.name, name: from });
  for (const object of await its.objects.all()) {
    assert.equal(at(object, 'metadata', 'annotations', 'weeder.dev/application-name'), `${its.ns.name}/${name}`);
    const managers = arrayOf(at(object, 'metadata', 'managedFields')).map((entry) => objectOf(entry)['manager']);
    assert.deepEqual(
      managers.filter((manager) => manager === old.own || manager === old.init),
      [],
    );
    assert.equal(at(object, 'metadata', 'labels', 'of'), name);
    assert.equal(at(object, 'metadata', 'labels', 'first'), undefined);
  }
}

suite('objects that move between Applications on a real API server', { concurrency: 2 }, () => {
  test('two Applications that change at once, the one that gives first', async (t) => {
    const its = await scene(t);
    const { uids } = await setOut(its, t);
    await gives(its);
    await takes(its, its.objects);
    await assertMoved(its, uids);
  });

  test('the new owner first: it waits in conflict, until the other one gives the objects up', async (t) => {
    const its = await scene(t);
    const { uids, weeder } = await setOut(its, t);
    await takes(its, its.objects);
    await weeder.log.until('resource belongs to another application', { application: 'second' });
    assert.deepEqual(await its.objects.uids(), uids);
    await gives(its);
    await assertMoved(its, uids);
    await its.untilInSync('first');
    assert.equal(await rowOf(its, 'first', 'ConfigMap', 'moving'), undefined);
    assert.deepEqual(weeder.log.find('resource deleted'), []);
    // The new owner may delete what it has taken over.
    await its.objects.unprotect();
    await remove(its, 'second');
    await untilGone(its, 'second');
    assert.deepEqual(Object.values(await its.objects.uids()).filter(Boolean), []);
  });

  test('an Application that gets another name: the new one is applied, and the old one deleted', async (t) => {
    const its = await scene(t);
    const { uids } = await setOut(its, t, []);
    await takes(its, its.objects, 'renamed');
    await remove(its, 'first');
    await untilGone(its, 'first');
    await assertMoved(its, uids, 'renamed');
  });

  test('the old name is deleted a moment before the new one is applied', async (t) => {
    const its = await scene(t);
    const { uids } = await setOut(its, t, []);
    await remove(its, 'first');
    await takes(its, its.objects, 'renamed');
    await untilGone(its, 'first');
    await assertMoved(its, uids, 'renamed');
  });

  test('a weeder that is killed between the two writes, and a new one that finds both', async (t) => {
    const its = await scene(t);
    const { uids, weeder } = await setOut(its, t, ['second'], true);
    weeder.signal('SIGKILL');
    await weeder.exited;
    await gives(its);
    await takes(its, its.objects);
    await its.start(t);
    await assertMoved(its, uids);
  });

  test('into another namespace', async (t) => {
    const its = await scene(t);
    const other = await setObserverScene(t, 'moves-to');
    await its.objects.permit(other.ns.name, 'default');
    await its.start(t, { flags: [`--namespaces=${its.ns.name},${other.ns.name}`] });
    await its.apply('first', { manifests: [own('first'), ...its.objects.manifests('first')] });
    await its.untilInSync('first');
    const uids = await its.objects.uids();
    await gives(its);
    await takes(other, its.objects);
    await other.untilInSync('second');
    assert.deepEqual(await its.objects.uids(), uids);
  });

  const states: readonly (readonly [string, JsonObject])[] = [
    ['paused', { pausedUntil: '2999-01-01T00:00:00Z' }],
    ['in mode detect', { mode: 'detect' }],
    ['invalid', { observerSchema: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'absent' } }] }],
  ];
  for (const [what, more] of states)
    test(`to an Application that is ${what}: nothing is lost, and a sentence says who has the objects`, async (t) => {
      const its = await scene(t);
      const { uids, weeder } = await setOut(its, t);
      await takes(its, its.objects, 'second', more);
      await gives(its);
      await weeder.log.until('resource released', { application: 'first', to: `${its.ns.name}/second` });
      await its.untilInSync('first');
      assert.deepEqual(await its.objects.uids(), uids);
    });

  test('to an Application whose account may not have them: they stay, and both Applications report it', async (t) => {
    const its = await scene(t);
    await makeAccount(its.ns, 'poor');
    const { uids, weeder } = await setOut(its, t);
    await takes(its, its.objects, 'second', { serviceAccountName: 'poor' });
    await gives(its);
    await weeder.log.until('resource released', { application: 'first', listedBy: `${its.ns.name}/second` });
    await its.untilInSync('first');
    const { message } = await conditionOf(its, 'second', 'Degraded');
    assert.match(String(message), /poor may neither get nor patch/);
    assert.deepEqual(await its.objects.uids(), uids);
  });

  test('an object that no other Application lists is deleted, and an account of another namespace without permission keeps none', async (t) => {
    const its = await scene(t);
    const other = await setObserverScene(t, 'moves-to');
    await its.start(t, { flags: [`--namespaces=${its.ns.name},${other.ns.name}`] });
    const claimed = configMap('claimed', { a: '1' });
    await its.apply('first', { manifests: [own('first'), claimed, configMap('left', { a: '1' })] });
    await its.untilInSync('first');
    await other.apply('second', { manifests: [{ ...claimed, metadata: { name: 'claimed', namespace: its.ns.name } }] });
    await eventually(async () => (await other.condition('second', 'Degraded')) === 'True', { what: 'the refusal' });
    await gives(its);
    for (const name of ['left', 'claimed'])
      await eventually(async () => !(await isThere(its.ns, 'ConfigMap', name)), { what: `the end of ${name}` });
  });
});
