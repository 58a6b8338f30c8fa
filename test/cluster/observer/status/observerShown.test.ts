import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { eventually } from '../../support/eventually.ts';
import { conditionsIn, configMap, pathOf, read } from '../../support/observer/observedObjects.ts';
import { edit, setObserverScene } from '../../support/observer/observerScene.ts';

suite('what an observer shows, on a real API server', { concurrency: true }, () => {
  test('a drifted value of 900 KB is cut in the log', async (t) => {
    const scene = await setObserverScene(t, 'shown');
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1', b: '1' })] });
    await scene.untilInSync('shop');
    const long = 'x'.repeat(900_000);
    await edit(scene.ns, pathOf(scene.ns, 'ConfigMap', 'settings'), { data: { a: long, b: '2' } });
    const { drifts, fields } = await weeder.log.until('resource drifted');
    assert.equal(fields, 2);
    assert.deepEqual(
      arrayOf(drifts).map((each) => objectOf(each)['path']),
      ['.data.a', '.data.b'],
    );
    assert.equal(objectOf(arrayOf(drifts)[1])['found'], '"2"');
    const logged = JSON.stringify(weeder.log.lines);
    assert(!logged.includes('x'.repeat(300)), 'the value is cut');
    await weeder.log.until('resource corrected');
    assert.deepEqual((await read(scene.ns, 'ConfigMap', 'settings'))['data'], { a: '1', b: '1' });
  });

  test('a refused resource has the time of the refusal and of the next attempt, and one in sync has none', async (t) => {
    const scene = await setObserverScene(t, 'shown');
    await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('bad', { a: { not: 'text' } }), configMap('good', { a: '1' })] });
    const message = await eventually(
      async (saw) => {
        const { Degraded } = conditionsIn(await scene.application('shop'));
        saw(Degraded);
        return Degraded?.['reason'] === 'Refused' && String(Degraded['message']);
      },
      { what: 'the refusal' },
    );
    const [, from, until] = /as of (\S+Z), checked again at (\S+Z)\)\.$/.exec(message) ?? [];
    const wait = Date.parse(until ?? '') - Date.parse(from ?? '');
    assert(wait > 290_000 && wait < 310_000, message);
    assert(!message.includes('good'), message);
    await scene.apply('shop', { manifests: [configMap('bad', { a: '1' }), configMap('good', { a: '1' })] });
    await scene.untilInSync('shop');
    const conditions = JSON.stringify(conditionsIn(await scene.application('shop')));
    assert(!conditions.includes('as of'), conditions);
  });
});
