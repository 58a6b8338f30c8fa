import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { configMaps, pods, secrets } from '../../src/apiserver/strategies/resources.ts';
import { arrayOf, type JsonObject, objectOf } from '../../src/base/json.ts';
import { isPodReady } from '../../src/base/podConditions.ts';
import type { ContainerContent } from '../../src/kubelet/content.ts';
import { startKubelet } from '../../src/kubelet/kubelet.ts';
import { programAnnotation } from '../../src/kubelet/program.ts';
import { demoCluster, storedObject, testNamespace } from '../support/cluster.ts';

/** A cluster that records the content with which containers start. */
function cluster(t: TestContext) {
  const { clock, store } = demoCluster();
  const starts: ContainerContent[] = [];
  const onStart = (_pod: unknown, _container: string, content: ContainerContent) => void starts.push(content);
  t.after(startKubelet({ store, clock, version: '1.36', seed: 1, onStart }));
  return {
    clock,
    starts,
    store,
    write: (data: JsonObject) =>
      storedObject(store.create(configMaps, { metadata: { name: 'settings', namespace: testNamespace }, data })),
    async start(container: JsonObject, more: { spec?: JsonObject; program?: JsonObject } = {}) {
      const annotations = { [programAnnotation]: JSON.stringify(more.program ?? {}) };
      const containers = [{ name: 'main', image: 'x:1', ...container }];
      const spec = { nodeName: 'node-1', containers, ...more.spec };
      storedObject(store.create(pods, { metadata: { name: 'web', namespace: testNamespace, annotations }, spec }));
      await clock.pass(5_000);
    },
    isReady: () => isPodReady(store.get(pods, testNamespace, 'web') ?? {}),
    phase: () => objectOf(store.get(pods, testNamespace, 'web')?.['status'])['phase'],
    container: () =>
      objectOf(arrayOf(objectOf(store.get(pods, testNamespace, 'web')?.['status'])['containerStatuses'])[0]),
  };
}

const byKey = { env: [{ name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } }] };
const waits = (message: string) => ({ waiting: { reason: 'CreateContainerConfigError', message } });

test('a container without its ConfigMap or key waits and reports which one is missing, and starts when it appears', async (t) => {
  const web = cluster(t);
  await web.start(byKey);
  assert.deepEqual(web.container()['state'], waits('configmap "settings" not found'));
  assert.deepEqual([web.phase(), web.isReady()], ['Pending', false]);
  web.write({ size: '1' });
  await web.clock.pass(5_000);
  assert.deepEqual(web.container()['state'], waits("couldn't find key colour in ConfigMap shoot-1/settings"));
  storedObject(web.store.patch(configMaps, testNamespace, 'settings', { data: { colour: 'red' } }));
  await web.clock.pass(5_000);
  assert.deepEqual([web.phase(), web.isReady(), web.container()['restartCount']], ['Running', true, 0]);
  assert.deepEqual(web.starts, [{ env: { COLOUR: 'red' }, files: {} }]);
});

test('a key in binaryData of a ConfigMap is not used as a variable', async (t) => {
  const web = cluster(t);
  storedObject(
    web.store.create(configMaps, {
      metadata: { name: 'settings', namespace: testNamespace },
      binaryData: { colour: 'cmVk' },
    }),
  );
  await web.start(byKey);
  assert.deepEqual(web.container()['state'], waits("couldn't find key colour in ConfigMap shoot-1/settings"));
});

test('a container does not wait for an optional source, which does not affect it when it appears later', async (t) => {
  const web = cluster(t);
  const reference = { name: 'settings', key: 'colour', optional: true };
  await web.start({
    env: [{ name: 'COLOUR', valueFrom: { configMapKeyRef: reference } }],
    envFrom: [{ secretRef: { name: 'keys', optional: true } }],
  });
  assert(web.isReady());
  web.write({ colour: 'red' });
  await web.clock.pass(5_000);
  assert.deepEqual(web.starts, [{ env: {}, files: {} }]);
});

test('all variables of a source are prefixed, and single variables override them', async (t) => {
  const web = cluster(t);
  const metadata = { name: 'keys', namespace: testNamespace };
  storedObject(web.store.create(secrets, { metadata, stringData: { user: 'me', token: 'x' } }));
  web.write({ user: 'other' });
  await web.start({
    envFrom: [{ configMapRef: { name: 'settings' } }, { prefix: 'KEY_', secretRef: { name: 'keys' } }],
    env: [
      { name: 'KEY_token', valueFrom: { secretKeyRef: { name: 'keys', key: 'user' } } },
      { name: 'plain', value: '1' },
    ],
  });
  assert.deepEqual(web.starts.at(-1)?.env, { user: 'other', KEY_user: 'me', KEY_token: 'me', plain: '1' });
});

test('variables are read at each start of a container: one that crashes gets the new values', async (t) => {
  const web = cluster(t);
  web.write({ colour: 'red' });
  await web.start(byKey, { program: { needs: 'nothing', givesUpAfter: 100 } });
  storedObject(web.store.patch(configMaps, testNamespace, 'settings', { data: { colour: 'blue' } }));
  await web.clock.pass(30_000);
  assert.deepEqual([web.starts[0]?.env, web.starts.at(-1)?.env], [{ COLOUR: 'red' }, { COLOUR: 'blue' }]);
  assert.equal(web.container()['restartCount'], web.starts.length - 1);
  web.store.delete(configMaps, testNamespace, 'settings');
  await web.clock.pass(120_000);
  assert.deepEqual(web.container()['state'], waits('configmap "settings" not found'));
});

test('changes of variables do not affect a running container', async (t) => {
  const web = cluster(t);
  web.write({ colour: 'red' });
  await web.start(byKey);
  web.store.delete(configMaps, testNamespace, 'settings');
  await web.clock.pass(60_000);
  assert.deepEqual([web.isReady(), web.starts.length], [true, 1]);
});

test('all containers of a pod wait for its volumes', async (t) => {
  const web = cluster(t);
  const projected = { sources: [{ configMap: { name: 'settings', items: [{ key: 'colour', path: 'c' }] } }] };
  const volumes = [
    { name: 'all', secret: { secretName: 'keys' } },
    { name: 'some', projected },
  ];
  web.write({ colour: 'red', size: '1' });
  await web.start({}, { spec: { volumes } });
  assert.deepEqual(web.container()['state'], { waiting: { reason: 'ContainerCreating' } });
  assert.equal(web.phase(), 'Pending');
  storedObject(
    web.store.create(secrets, { metadata: { name: 'keys', namespace: testNamespace }, stringData: { token: 'x' } }),
  );
  await web.clock.pass(5_000);
  assert(web.isReady());
  assert.deepEqual(web.starts, [{ env: {}, files: { 'all/token': 'x', 'some/colour': 'red' } }]);
});
