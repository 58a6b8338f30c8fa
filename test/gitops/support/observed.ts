import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../cluster/support/eventually.ts';
import { at, conditionOf, configMap, untilObject } from '../../cluster/support/observer/observedObjects.ts';
import { setObserverScene } from '../../cluster/support/observer/observerScene.ts';
import type { GitOpsTool } from './gitOpsTool.ts';
import { applicationOf } from './installed.ts';

const settings = (value: unknown) => configMap('settings', { a: value });

/** Registers the tests of the application observer beside the tool. `spec`: what makes the tool wait for the health. */
export function testApplications(tool: () => GitOpsTool, spec: object): void {
  test('an Application in Git is healthy when weeder has applied it, and failed while it is stalled', async (t) => {
    const scene = await setObserverScene(t, 'health');
    const { ns } = scene;
    const followed = await tool().follow(ns, { ...spec });
    await followed.commit(applicationOf(ns, { manifests: [settings('1')] }));
    await followed.untilHealth('progressing');
    await scene.start(t);
    await followed.untilHealth('healthy');
    await followed.untilApplied();

    // The API server refuses a value that is no text.
    await followed.commit(applicationOf(ns, { manifests: [settings({ not: 'text' })] }));
    await followed.untilHealth('failed');
    assert.equal(await scene.condition('shop', 'Stalled'), 'True');
    await followed.commit(applicationOf(ns, { manifests: [settings('2')] }));
    await followed.untilHealth('healthy');

    // A kind that does not exist may still come: this is Degraded, and not Stalled.
    const unknown = { apiVersion: 'example.org/v1', kind: 'Unknown', metadata: { name: 'unknown' } };
    await followed.commit(applicationOf(ns, { manifests: [settings('2'), unknown] }));
    await eventually(async () => (await scene.condition('shop', 'Degraded')) === 'True', { what: 'Degraded' });
    assert.equal(await scene.condition('shop', 'Stalled'), undefined);
    await followed.untilHealth('progressing');
    await followed.commit(applicationOf(ns, { manifests: [settings('2')] }));
    await followed.untilHealth('healthy');
  });

  test('of a field that both manage, each reverts what the other writes, and Degraded names the tool', async (t) => {
    const scene = await setObserverScene(t, 'fought');
    const { ns } = scene;
    const { manager, follow } = tool();
    const followed = await follow(ns);
    await scene.start(t);
    await scene.watch('api/v1', 'configmaps');
    const inGit = { ...settings('git'), metadata: { name: 'settings', namespace: ns.name } };
    await followed.commit(inGit);
    await followed.untilApplied();
    await scene.apply('shop', { manifests: [settings('weeder')] });
    await untilObject(
      ns,
      'ConfigMap',
      'settings',
      'the value of weeder',
      (object) => at(object, 'data', 'a') === 'weeder',
    );
    const message = await eventually(
      async (saw) => {
        await followed.compare();
        const { status, message } = await conditionOf(scene, 'shop', 'Degraded');
        saw([status, message]);
        return status === 'True' && String(message);
      },
      { what: 'that the application is degraded' },
    );
    assert.match(message, new RegExp(manager));
    const values = scene.changes.filter(({ name }) => name === 'settings').map(({ object }) => at(object, 'data', 'a'));
    const turns = values.filter((value, index) => index === 0 || value !== values[index - 1]);
    assert.ok(turns.length >= 4, JSON.stringify(turns));
    assert.deepEqual(new Set(turns), new Set(['git', 'weeder']));
  });

  test('an object that moves from Git into an Application is deleted and recreated, unless the tool is told to keep it', async (t) => {
    const scene = await setObserverScene(t, 'moved');
    const { ns } = scene;
    const { keep, follow } = tool();
    const followed = await follow(ns);
    await scene.start(t);
    const inGit = (name: string, annotations: object) =>
      configMap(name, { a: '1' }, { metadata: { name, namespace: ns.name, annotations } });
    await followed.commit(inGit('dropped', {}), inGit('kept', keep));
    await followed.untilApplied();
    const uidOf = async (name: string) => {
      const answer = await ns.cluster.send('GET', ns.path('api/v1', 'configmaps', name));
      return at(answer.body, 'metadata', 'uid');
    };
    const before = { dropped: await uidOf('dropped'), kept: await uidOf('kept') };
    const manifests = [configMap('dropped', { a: '1' }), configMap('kept', { a: '1' })];
    await followed.commit(applicationOf(ns, { manifests }));
    await eventually(
      async (saw) => {
        const uid = await uidOf('dropped');
        saw(uid);
        return uid !== undefined && uid !== before.dropped;
      },
      { what: 'that it is recreated' },
    );
    await scene.untilInSync('shop');
    await followed.compare();
    assert.equal(await uidOf('kept'), before.kept);
  });
}
