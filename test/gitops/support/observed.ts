import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cleanup } from '../../cluster/support/cleanup.ts';
import { eventually } from '../../cluster/support/eventually.ts';
import { at, configMap, untilObject } from '../../cluster/support/observer/observedObjects.ts';
import { applicationOf, setObserverScene } from '../../cluster/support/observer/observerScene.ts';
import type { GitOpsTool } from './gitOpsTool.ts';

const settings = (value: unknown) => configMap('settings', { a: value });

/** A ConfigMap that is in Git and in an Application, with another value, which weeder has just written. */
export async function fought(t: Cleanup, { follow }: GitOpsTool) {
  const scene = await setObserverScene(t, 'fought');
  const { ns } = scene;
  const followed = await follow(ns);
  const weeder = await scene.start(t);
  await scene.watch('api/v1', 'configmaps');
  await followed.commit({ ...settings('git'), metadata: { name: 'settings', namespace: ns.name } });
  await followed.untilApplied();
  await scene.apply('shop', { manifests: [settings('weeder')] });
  await untilObject(ns, 'ConfigMap', 'settings', "weeder's value", (object) => at(object, 'data', 'a') === 'weeder');
  return { scene, followed, weeder };
}

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

    // The API server refuses a value that is not a string.
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

  test('of a field that both manage, each reverts what the other writes, and weeder names the tool', async (t) => {
    const { followed, scene, weeder } = await fought(t, tool());
    const turns = () => {
      const settings = scene.changes.filter(({ name }) => name === 'settings');
      const values = settings.map(({ object }) => at(object, 'data', 'a'));
      return values.filter((value, index) => index === 0 || value !== values[index - 1]);
    };
    await eventually(
      async (saw) => {
        await followed.compare();
        saw(turns());
        return turns().length >= 4;
      },
      { what: 'four turns' },
    );
    assert.deepEqual(turns().slice(0, 4), ['git', 'weeder', 'git', 'weeder']);
    const drifted = await weeder.log.until('resource drifted');
    assert.match(String(drifted['conflictingManager']), new RegExp(tool().manager));
  });

  test('an object that moves from Git into an Application is deleted and recreated, unless the tool is configured to keep it', async (t) => {
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
