import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { eventsWith } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { at, conditionOf, configMap, pathOf, read, service, untilObject } from '../support/observer/observedObjects.ts';
import { edit, everythingAllowed, setObserverScene } from '../support/observer/observerScene.ts';
import { temporaryFile } from '../support/weeder.ts';
import { closedWindow } from '../support/windows.ts';

const dataOf = (object: unknown) => at(object, 'data', 'a');

suite('flags and config of the observer on a real API server', { concurrency: 2 }, () => {
  test('in a dry run nothing is written: no resource, no status, no finalizer; Events and log report what would be done', async (t) => {
    const scene = await setObserverScene(t, 'flags');
    const { ns } = scene;
    const weeder = await scene.start(t, { flags: ['--dry-run'] });
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })], resyncPeriod: '5s' });
    await weeder.log.until('resource missing');
    await ns.cluster.api('POST', ns.path('api/v1', 'configmaps'), configMap('settings', { a: 'theirs' }));
    await weeder.log.until('resource drifted');
    const { metadata, status } = await scene.application('shop');
    // The default of the CustomResourceDefinition: weeder has not observed the application.
    assert.deepEqual(status, { observedGeneration: -1 });
    assert.equal(objectOf(metadata)['finalizers'], undefined);
    const settings = await read(ns, 'ConfigMap', 'settings');
    assert.equal(dataOf(settings), 'theirs');
    assert.equal(at(settings, 'metadata', 'labels'), undefined);
    assert.deepEqual(weeder.log.find('resource corrected'), []);
  });

  test('each application is managed by one shard', async (t) => {
    const scene = await setObserverScene(t, 'flags');
    const { ns } = scene;
    const shards = await Promise.all([0, 1].map((number) => scene.start(t, { flags: [`--shard=${number}/2`] })));
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    const busy = await eventually(
      () => {
        const owners = shards.filter(({ log }) => log.find('application applied').length > 0);
        return owners.length > 0 && owners;
      },
      { what: 'the line of the apply' },
    );
    assert.equal(busy.length, 1);
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: 'theirs' } });
    await untilObject(ns, 'ConfigMap', 'settings', 'the correction', (object) => dataOf(object) === '1');
    await busy[0]?.log.until('resource corrected');
    assert.equal(shards.flatMap(({ log }) => log.find('resource corrected')).length, 1);
  });

  test('all applications share one stream for each kind', async (t) => {
    const scene = await setObserverScene(t, 'flags');
    const weeder = await scene.start(t);
    const streams = () => {
      const opened = weeder.log.find('stream synced').map((line) => String(line['stream']));
      return new Set(opened);
    };
    const ports = [{ port: 80 }];
    await scene.apply('one', { manifests: [configMap('one', { a: '1' }), service('one', ports)] });
    await scene.apply('two', { manifests: [configMap('two', { a: '1' }), service('two', ports)] });
    await scene.untilInSync('one');
    await scene.untilInSync('two');
    await eventually(() => streams().size >= 3, { what: 'the lines of three streams' });
    assert.equal(streams().size, 3, [...streams()].join(', '));
    assert.equal(weeder.log.find('stream synced').length, 3);
  });

  test('outside of maintenance windows a changed Application is applied, and drift waits until the config has none', async (t) => {
    const scene = await setObserverScene(t, 'maintenance');
    const { ns } = scene;
    const { observer } = everythingAllowed;
    const configFile = temporaryFile('limited.yaml');
    writeFileSync(configFile, JSON.stringify({ observer: { ...observer, maintenanceWindows: [closedWindow()] } }));
    const weeder = await scene.start(t, { flags: [`--config-file=${configFile}`] });
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: 'theirs' } });
    await weeder.log.until('correction pending');
    const [event] = await eventsWith(ns, ['reason=CorrectionPending'], ['CorrectionPending']);
    assert.match(
      event?.message ?? '',
      /^The correction of ConfigMap .*\/settings waits: no maintenance window is open, the next opens at /,
    );
    await eventually(
      async () => {
        const { status, message } = await conditionOf(scene, 'shop', 'InSync');
        return status === 'False' && /Corrections wait: no maintenance window is open/.test(String(message));
      },
      { what: 'the condition InSync with the reason' },
    );
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'settings')), 'theirs');
    writeFileSync(configFile, JSON.stringify(everythingAllowed));
    await untilObject(ns, 'ConfigMap', 'settings', 'the restored value', (object) => dataOf(object) === '1');
    await scene.untilInSync('shop');
  });
});
