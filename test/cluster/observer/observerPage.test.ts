import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { edit, setObserverScene } from '../support/observer/observerScene.ts';

test('the live page of a running weeder shows an application, and its corrections', async (t) => {
  const scene = await setObserverScene(t, 'page');
  const { ns } = scene;
  const weeder = await scene.start(t, { flags: ['--ui-bind-addr=127.0.0.1:0'] });
  const { url } = await weeder.log.until('the live page is served');
  const data = { a: '1' };
  await scene.apply('shop', { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data }] });
  await scene.untilInSync('shop');
  await edit(ns, ns.path('api/v1', 'configmaps', 'one'), { data: { a: '2' } });
  const resource = `ConfigMap ${ns.name}/one`;
  await weeder.log.until('resource corrected', { resource });
  const get = async (path: string) => objectOf(JSON.parse(await (await fetch(`${url}${path}`)).text()));
  const [application] = arrayOf((await get('applications'))['applications']).map(objectOf);
  const [shown] = arrayOf(application?.['resources']).map(objectOf);
  assert.equal(shown?.['id'], resource);
  const [correction] = arrayOf(shown?.['corrections']).map(objectOf);
  assert.deepEqual(correction?.['drifts'], [{ path: '.data.a', type: 'changed', desired: '"1"', found: '"2"' }]);
  assert.equal(correction?.['conflictingManager'], 'kubectl-edit/Update');
  const { facts } = await get(`object?${new URLSearchParams({ type: 'application', id: `${ns.name}/shop` })}`);
  const settings = `mode correct, deletionPolicy delete, resync every 30s, as system:serviceaccount:${ns.name}:default`;
  assert.deepEqual(facts, [['Settings', settings]], 'as in `weeder explain application`');
  const actors = arrayOf((await get(`actors?search=application/${ns.name}`))['actors']).map(objectOf);
  assert.deepEqual(
    actors.map(({ machine }) => machine),
    ['application', 'resource'],
  );
});
