import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventsWith } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { at, conditionOf, configMap, pathOf, read, untilObject } from '../support/observer/observedObjects.ts';
import { edit, everythingAllowed, setObserverScene } from '../support/observer/observerScene.ts';
import { temporaryFile } from '../support/weeder.ts';
import { closedWindow } from '../support/windows.ts';

const dataOf = (object: unknown) => at(object, 'data', 'a');

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
