import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import {
  at,
  configMap,
  containersOf,
  deployment,
  namesIn,
  pathOf,
  read,
  service,
  untilObject,
} from '../support/observer/observedObjects.ts';
import { edit, setObserverScene } from '../support/observer/observerScene.ts';

const strategic = 'application/strategic-merge-patch+json';

/** Only the image of the first container is observed. */
const onlyTheImage = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      template: {
        spec: {
          containers: [
            { name: 'observed', image: 'observed' },
            { observer_schema_list_min_length: 1, observer_schema_list_max_length: 2 },
          ],
        },
      },
    },
  },
];

suite('drift of an application on a real API server', { concurrency: 2 }, () => {
  test('a correction preserves a human’s scale and changes of unobserved fields', async (t) => {
    const scene = await setObserverScene(t, 'drift');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('shop', { manifests: [deployment()], observerSchema: onlyTheImage });
    await scene.untilInSync('shop');
    const path = pathOf(ns, 'Deployment', 'web');
    const scale = { spec: { replicas: 4 } };
    await ns.cluster.api('PATCH', `${path}/scale?fieldManager=human`, scale);
    const containers = [{ name: 'web', image: 'evil:1', env: [{ name: 'MODE', value: 'theirs' }] }];
    const patch = { metadata: { labels: { tier: 'front' } }, spec: { template: { spec: { containers } } } };
    await ns.cluster.api('PATCH', `${path}?fieldManager=kubectl-edit`, patch, strategic);
    const after = await untilObject(ns, 'Deployment', 'web', 'the restored image', (object) =>
      containersOf(object).some((each) => each['image'] === 'web:1'),
    );
    assert.equal(at(after, 'spec', 'replicas'), 4);
    assert.deepEqual(containersOf(after)[0]?.['env'], [{ name: 'MODE', value: 'theirs' }]);
    assert.equal(at(after, 'metadata', 'labels', 'tier'), 'front');
  });

  test('a foreign container is removed if its list is observed, and a label is not', async (t) => {
    const scene = await setObserverScene(t, 'drift');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('shop', { manifests: [deployment()] });
    await scene.untilInSync('shop');
    const containers = [{ name: 'miner', image: 'miner:1' }];
    const patch = { metadata: { labels: { tier: 'front' } }, spec: { template: { spec: { containers } } } };
    await ns.cluster.api('PATCH', `${pathOf(ns, 'Deployment', 'web')}?fieldManager=evil`, patch, strategic);
    const after = await untilObject(
      ns,
      'Deployment',
      'web',
      'one container',
      (object) => containersOf(object).length === 1,
    );
    assert.deepEqual(namesIn(containersOf(after)), ['web']);
    assert.equal(at(after, 'metadata', 'labels', 'tier'), 'front');
    await scene.untilInSync('shop');
  });

  test('a list may be as long as its bounds: a sidecar is left alone, the one after it is removed, and a deleted one is restored', async (t) => {
    const scene = await setObserverScene(t, 'drift');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('shop', { manifests: [deployment()], observerSchema: onlyTheImage });
    await scene.untilInSync('shop');
    const path = `${pathOf(ns, 'Deployment', 'web')}?fieldManager=human`;
    const add = (name: string) => ({ spec: { template: { spec: { containers: [{ name, image: `${name}:1` }] } } } });
    await ns.cluster.api('PATCH', path, add('sidecar'), strategic);
    // A marker: once it is corrected, everything before it has been checked.
    const image = { spec: { template: { spec: { containers: [{ name: 'web', image: 'evil:1' }] } } } };
    await ns.cluster.api('PATCH', path, image, strategic);
    const within = await untilObject(ns, 'Deployment', 'web', 'the restored image', (object) =>
      containersOf(object).some((each) => each['image'] === 'web:1'),
    );
    assert.deepEqual([...namesIn(containersOf(within))].sort(), ['sidecar', 'web']);
    await ns.cluster.api('PATCH', path, add('third'), strategic);
    const after = await untilObject(
      ns,
      'Deployment',
      'web',
      'two containers',
      (object) => containersOf(object).length === 2,
    );
    assert.ok(namesIn(containersOf(after)).includes('web'));
    const other = [{ name: 'other', image: 'other:1' }];
    await edit(ns, pathOf(ns, 'Deployment', 'web'), { spec: { template: { spec: { containers: other } } } });
    await untilObject(ns, 'Deployment', 'web', 'its own container again', (object) =>
      namesIn(containersOf(object)).includes('web'),
    );
  });

  test('observed labels and ports are restored, others are left alone', async (t) => {
    const scene = await setObserverScene(t, 'drift');
    const { ns } = scene;
    await scene.start(t);
    const ports = [
      { name: 'http', port: 80, targetPort: 80 },
      { name: 'admin', port: 90, targetPort: 90 },
    ];
    const entry = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', labels: { team: 'observed' } },
      spec: {
        ports: [
          { name: 'observed', port: 'observed', targetPort: 'observed' },
          { observer_schema_list_min_length: 1, observer_schema_list_max_length: 0 },
        ],
      },
    };
    await scene.apply('shop', {
      manifests: [service('web', ports, { team: 'web', tier: 'front' })],
      observerSchema: [entry],
    });
    await scene.untilInSync('shop');
    const theirs = [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'admin', port: 90, targetPort: 9090 },
      { name: 'debug', port: 99, targetPort: 99 },
    ];
    await edit(ns, pathOf(ns, 'Service', 'web'), {
      metadata: { labels: { team: 'ops', tier: 'back' } },
      spec: { ports: theirs },
    });
    const after = await untilObject(
      ns,
      'Service',
      'web',
      'the restored label',
      (object) => at(object, 'metadata', 'labels', 'team') === 'web',
    );
    assert.equal(at(after, 'metadata', 'labels', 'tier'), 'back');
    const targetPorts = new Map(
      (at(after, 'spec', 'ports') as readonly unknown[])
        .map(objectOf)
        .map((port) => [port['name'], port['targetPort']]),
    );
    assert.deepEqual(
      targetPorts,
      new Map([
        ['http', 80],
        ['admin', 9090],
        ['debug', 99],
      ]),
    );
  });

  test('a list that is too short gets its element back, and an element with a changed key is restored', async (t) => {
    const scene = await setObserverScene(t, 'drift');
    const { ns } = scene;
    await scene.start(t);
    const ports = [
      { name: 'http', port: 80, targetPort: 80 },
      { name: 'admin', port: 90, targetPort: 90 },
    ];
    await scene.apply('shop', { manifests: [service('web', ports)] });
    await scene.untilInSync('shop');
    const path = pathOf(ns, 'Service', 'web');
    const portsOf = (object: unknown) =>
      (at(object, 'spec', 'ports') as readonly unknown[])
        .map(objectOf)
        .map((port) => `${port['name']}:${port['port']}`)
        .sort();
    await edit(ns, path, { spec: { ports: [ports[0]] } });
    await untilObject(ns, 'Service', 'web', 'two ports', (object) => portsOf(object).length === 2);
    await edit(ns, path, { spec: { ports: [ports[0], { name: 'admin', port: 91, targetPort: 90 }] } });
    const after = await untilObject(
      ns,
      'Service',
      'web',
      'the restored port',
      (object) => portsOf(object).join() === 'admin:90,http:80',
    );
    assert.equal(at(after, 'spec', 'ports', 0, 'protocol'), 'TCP');
    await scene.untilInSync('shop');
  });

  test('an Ingress retains its paths when its observed host is restored', async (t) => {
    const scene = await setObserverScene(t, 'drift');
    const { ns } = scene;
    await scene.start(t);
    const rule = (host: string, port: number) => ({
      host,
      http: {
        paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: port } } } }],
      },
    });
    const kind = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web' } };
    const bounds = { observer_schema_list_min_length: 1, observer_schema_list_max_length: 1 };
    await scene.apply('shop', {
      manifests: [{ ...kind, spec: { rules: [rule('shop.example.org', 80)] } }],
      observerSchema: [{ ...kind, spec: { rules: [{ host: 'observed' }, bounds] } }],
    });
    await scene.untilInSync('shop');
    await edit(ns, pathOf(ns, 'Ingress', 'web'), { spec: { rules: [rule('evil.example.org', 8080)] } });
    const after = await untilObject(
      ns,
      'Ingress',
      'web',
      'the restored host',
      (object) => at(object, 'spec', 'rules', 0, 'host') === 'shop.example.org',
    );
    assert.equal(at(after, 'spec', 'rules', 0, 'http', 'paths', 0, 'backend', 'service', 'port', 'number'), 8080);
  });

  test('a field that the manifest lacks and the schema lists is removed when another client sets it', async (t) => {
    const scene = await setObserverScene(t, 'drift');
    const { ns } = scene;
    await scene.start(t);
    const container = { name: 'observed', securityContext: { allowPrivilegeEscalation: 'observed' } };
    const bounds = { observer_schema_list_min_length: 1, observer_schema_list_max_length: 0 };
    const entry = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { template: { spec: { containers: [container, bounds] } } },
    };
    await scene.apply('shop', { manifests: [deployment()], observerSchema: [entry] });
    await scene.untilInSync('shop');
    const containers = [{ name: 'web', securityContext: { allowPrivilegeEscalation: true, runAsUser: 7 } }];
    const patch = { spec: { template: { spec: { containers } } } };
    await ns.cluster.api('PATCH', `${pathOf(ns, 'Deployment', 'web')}?fieldManager=evil`, patch, strategic);
    const after = await untilObject(
      ns,
      'Deployment',
      'web',
      'no escalation',
      (object) => objectOf(containersOf(object)[0]?.['securityContext'])['allowPrivilegeEscalation'] === undefined,
    );
    assert.equal(objectOf(containersOf(after)[0]?.['securityContext'])['runAsUser'], 7);
  });

  test('the removed label of a resource is restored, and the resource is neither recreated nor released', async (t) => {
    const scene = await setObserverScene(t, 'drift');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    const before = await read(ns, 'ConfigMap', 'settings');
    const path = pathOf(ns, 'ConfigMap', 'settings');
    await edit(ns, path, { metadata: { labels: { 'weeder.dev/application': null } }, data: { a: '2' } });
    const after = await untilObject(
      ns,
      'ConfigMap',
      'settings',
      'the label and the value',
      (object) =>
        at(object, 'metadata', 'labels', 'weeder.dev/application') !== undefined && at(object, 'data', 'a') === '1',
    );
    assert.equal(at(after, 'metadata', 'uid'), at(before, 'metadata', 'uid'));
    await edit(ns, path, { data: { a: '3' } });
    await untilObject(
      ns,
      'ConfigMap',
      'settings',
      'the restored value after a later edit',
      (object) => at(object, 'data', 'a') === '1',
    );
  });

  test('a resource that is being deleted is waited for, and created again once it is deleted', async (t) => {
    const scene = await setObserverScene(t, 'drift');
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    const path = pathOf(ns, 'ConfigMap', 'settings');
    await edit(ns, path, { metadata: { finalizers: ['example.org/wait'] } });
    const before = await read(ns, 'ConfigMap', 'settings');
    await ns.cluster.api('DELETE', path);
    await weeder.log.until('resource terminating, waiting for the deletion to finish');
    await edit(ns, path, { data: { a: 'late' }, metadata: { finalizers: null } });
    const after = await untilObject(
      ns,
      'ConfigMap',
      'settings',
      'another one',
      (object) => at(object, 'metadata', 'uid') !== at(before, 'metadata', 'uid'),
    );
    assert.equal(at(after, 'data', 'a'), '1');
    assert.deepEqual(weeder.log.find('resource corrected'), []);
  });
});
