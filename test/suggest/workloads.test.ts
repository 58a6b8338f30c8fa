import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '../../src/config/parse.ts';
import { readObjects } from '../../src/suggest/observed.ts';
import { configMap, inShort, service, suggested, workload } from './support.ts';

const postgres = service('postgres', { ports: [5432] });
const env = [{ name: 'DB', value: 'postgres:5432' }];

test('every kind of workload is read, and a Job of a CronJob only once', () => {
  for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob']) {
    const [found] = suggested([postgres, workload('app', { kind, container: { env } })]);
    assert.deepEqual(found?.workload, { kind, namespace: 'shop', name: 'app' });
  }
  const job = workload('app-1', { kind: 'Job', container: { env } });
  const owned = {
    ...job,
    metadata: { ...Object(job['metadata']), ownerReferences: [{ kind: 'CronJob', controller: true }] },
  };
  const over = { ...job, status: { conditions: [{ type: 'Complete', status: 'True' }] } };
  for (const object of [owned, over, { ...job, kind: 'ReplicaSet' }])
    assert.deepEqual(suggested([postgres, object]), []);
});

test('the pods of a Service do not depend on it, and others do', () => {
  const own = { container: { env } };
  assert.deepEqual(suggested([postgres, workload('postgres', own)]), []);
  assert.equal(suggested([postgres, workload('other', own)]).length, 1);
  assert.equal(
    suggested([postgres, workload('postgres', { ...own, namespace: 'shop', labels: { app: 'x' } })]).length,
    1,
  );
  const headless = service('db', { ports: [5432], spec: { clusterIP: 'None', selector: undefined } });
  const set = (serviceName: string) =>
    workload('set', {
      kind: 'StatefulSet',
      container: { env: [{ name: 'PEER', value: 'set-0.db:5432' }] },
      spec: { serviceName },
    });
  assert.deepEqual(suggested([headless, set('db')]), []);
  assert.equal(suggested([headless, set('other')]).length, 1);
});

test('of ConfigMaps the keys that are used are read, and nothing of Secrets', () => {
  const settings = configMap('settings', { DB_HOST: 'postgres', DB_PORT: '5432', note: 'postgres' });
  const find = (container: object, pod: object = {}) =>
    inShort(suggested([postgres, settings, workload('app', { container, pod })]));
  const host = 'high postgres: DB_HOST of ConfigMap settings: postgres:5432';
  const byKey = (key: string) => [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'settings', key } } }];
  assert.deepEqual(find({ envFrom: [{ configMapRef: { name: 'settings' } }] }), [host]);
  assert.deepEqual(find({ env: byKey('DB_HOST') }), [host]);
  assert.deepEqual(find({ env: byKey('note') }), ['low postgres: note of ConfigMap settings: postgres']);
  const volumes = [{ name: 'v', configMap: { name: 'settings' } }];
  assert.deepEqual(find({ volumeMounts: [{ name: 'v' }] }, { volumes }), [host]);
  assert.deepEqual(find({}), []);
  assert.deepEqual(find({ env: byKey('DB_HOST'), args: ['http://$(X):5432'] }), [
    'high postgres: args of container main: postgres:5432',
  ]);
  const secret = {
    kind: 'Secret',
    metadata: { namespace: 'shop', name: 'settings' },
    stringData: { DB: 'postgres:5432' },
  };
  const ofSecret = workload('app', {
    container: {
      envFrom: [{ secretRef: { name: 'settings' } }],
      env: [{ name: 'DB', valueFrom: { secretKeyRef: { name: 'settings', key: 'DB' } } }],
      args: ['$(DB)'],
    },
  });
  assert.deepEqual(suggested([postgres, secret, ofSecret]), []);
});

test('evidence never contains more of a value than the host and the port', () => {
  const value = 'postgres://admin:hunter2@postgres:5432/secrets?token=t0ps3cret';
  const found = suggested([postgres, workload('app', { container: { env: [{ name: 'DB', value }], args: [value] } })]);
  assert.equal(found[0]?.evidence.length, 2);
  assert.doesNotMatch(JSON.stringify(found), /hunter2|admin|t0ps3cret/);
});

test('what is declared is marked, also if it is not seen, or does not exist', () => {
  const labels = { 'weeder.dev/depends-on': 'postgres' };
  const annotations = { 'weeder.dev/depends-on-services': 'redis, queue.messaging,Not/a name' };
  const objects = [postgres, service('redis'), workload('app', { container: { env }, labels, annotations })];
  const rows = suggested(objects).map(({ service: { namespace, name }, sources, isFound, confidence }) =>
    [`${namespace}/${name}`, sources.join(' '), isFound, confidence ?? 'none'].join(', '),
  );
  assert.deepEqual(rows, [
    'shop/postgres, declared suggested, true, high',
    'shop/redis, declared, true, none',
    'messaging/queue, declared, false, none',
  ]);
});

test('what is configured is marked', () => {
  const parsed = parseConfig(
    'servicesAndDependantSelectors: {postgres: {podSelectors: [{matchLabels: {app: app}}]}}',
    'weeder.yaml',
  );
  assert.ok(parsed.ok);
  const objects = (name: string) => [postgres, workload(name, { container: { env } })];
  assert.deepEqual(suggested(objects('app'), parsed.value)[0]?.sources, ['configured', 'suggested']);
  assert.deepEqual(suggested(objects('other'), parsed.value)[0]?.sources, ['suggested']);
  assert.deepEqual(suggested([postgres, workload('app')], parsed.value)[0]?.sources, ['configured']);
});

test('the config applies in the namespaces that it names', () => {
  const isConfiguredIn = (settings: string, namespace: string) => {
    const entry = `{namespaces: [shop], podSelectors: [{matchLabels: {app: app}}]${settings}}`;
    const parsed = parseConfig(`servicesAndDependantSelectors: {postgres: ${entry}}`, 'weeder.yaml');
    assert.ok(parsed.ok);
    return suggested([postgres, workload('app', { namespace })], parsed.value).length === 1;
  };
  assert.deepEqual([isConfiguredIn('', 'shop'), isConfiguredIn('', 'bank')], [true, false]);
  assert.equal(isConfiguredIn(', dependantNamespaces: all', 'bank'), true);
  assert.equal(isConfiguredIn(', dependantNamespaces: [bank]', 'bank'), true);
  assert.equal(isConfiguredIn(', dependantNamespaces: [bank]', 'shop'), false);
});

test('objects that are not of Kubernetes’ form, or have names that it does not allow, are left out', () => {
  const bad = [
    { kind: 'Service', metadata: { namespace: 'shop', name: 'a"]; b' } },
    { kind: 'Service', metadata: { name: 'postgres' } },
    { kind: 'Deployment', metadata: { namespace: "x' && rm -rf", name: 'app' } },
    { kind: 'ConfigMap' },
    {},
  ];
  assert.deepEqual(readObjects(bad), { services: [], workloads: [], configMaps: new Map() });
  const broken = { ...workload('app'), spec: { template: { spec: { containers: 'none', volumes: [null] } } } };
  assert.deepEqual(suggested([postgres, broken]), []);
});
