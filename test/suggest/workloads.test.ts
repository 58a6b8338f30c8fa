import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { parseConfig } from '../../src/config/parse.ts';
import type { SourceKind } from '../../src/restart/references/refs.ts';
import { readObjects } from '../../src/suggest/observed.ts';
import { suggestDependencies } from '../../src/suggest/suggestDependencies.ts';
import { configMap, inShort, service, suggested, workload } from './support.ts';

const postgres = service('postgres', { ports: [5432] });
const env = [{ name: 'DB', value: 'postgres:5432' }];

test('every kind of workload is read, and a Job of a CronJob only once', () => {
  for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob']) {
    const [dependency] = suggested([postgres, workload('app', { kind, container: { env } })]);
    assert.deepEqual(dependency?.workload, { kind, namespace: 'shop', name: 'app' });
  }
  const job = workload('app-1', { kind: 'Job', container: { env } });
  const owned = {
    ...job,
    metadata: { ...Object(job['metadata']), ownerReferences: [{ kind: 'CronJob', controller: true }] },
  };
  const over = { ...job, status: { conditions: [{ type: 'Complete', status: 'True' }] } };
  for (const object of [owned, over]) assert.deepEqual(suggested([postgres, object]), []);
});

test('ReplicaSets, ReplicationControllers and Pods are read, but not those that a controller has created', () => {
  const { spec, ...set } = workload('app', { container: { env } });
  const { template } = objectOf(spec);
  const bare: Record<'ReplicaSet' | 'ReplicationController' | 'Pod', JsonObject> = {
    ReplicaSet: { ...set, kind: 'ReplicaSet', spec },
    ReplicationController: { ...set, kind: 'ReplicationController', spec: { selector: { app: 'app' }, template } },
    Pod: {
      ...set,
      kind: 'Pod',
      metadata: { ...objectOf(set['metadata']), ...objectOf(objectOf(template)['metadata']) },
      spec: objectOf(objectOf(template)['spec']),
    },
  };
  for (const [kind, object] of Object.entries(bare)) {
    const [dependency] = suggested([postgres, object]);
    assert.deepEqual(
      [dependency?.workload, dependency?.confidence],
      [{ kind, namespace: 'shop', name: 'app' }, 'high'],
    );
    const [read] = readObjects([object]).workloads;
    assert.deepEqual(read?.selector?.matchLabels, { app: 'app' });
    const ownerReferences = [{ kind: 'ReplicaSet', controller: true }];
    const owned = { ...object, metadata: { ...objectOf(object['metadata']), ownerReferences } };
    assert.deepEqual(suggested([postgres, owned]), []);
  }
  for (const phase of ['Succeeded', 'Failed'])
    assert.deepEqual(suggested([postgres, { ...bare.Pod, status: { phase } }]), []);
  assert.equal(suggested([postgres, { ...bare.Pod, status: { phase: 'Running' } }]).length, 1);
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

test('the pods of a StatefulSet do not depend on the Services for each of them', () => {
  const label = 'statefulset.kubernetes.io/pod-name';
  const forPod = (name: string, pod: string) =>
    service(name, { ports: [5432], spec: { selector: { app: 'set', [label]: pod } } });
  const set = workload('set', {
    kind: 'StatefulSet',
    container: { args: ['first:5432', 'foreign:5432'] },
  });
  const objects = [forPod('first', 'set-0'), forPod('foreign', 'other-0'), set];
  assert.deepEqual(inShort(suggested(objects)), ['high foreign: args of container main: foreign:5432']);
  assert.equal(
    suggested([forPod('first', 'set-0'), workload('set', { container: { args: ['first:5432'] } })]).length,
    1,
  );
});

test('a ConfigMap that several workloads take whole is no sure evidence', () => {
  const settings = configMap('settings', { DB: 'postgres:5432', DB_HOST: 'postgres', URL: 'postgres.shop.svc' });
  const envFrom = [{ configMapRef: { name: 'settings' } }];
  const takes = (name: string) => workload(name, { container: { envFrom } });
  const of = (...others: JsonObject[]) =>
    suggested([postgres, settings, takes('app'), ...others])
      .filter(({ workload: { name } }) => name === 'app')
      .flatMap(({ confidence, evidence }) => [confidence, evidence[0]?.because]);
  assert.deepEqual(of(), ['high', 'with a port of the Service']);
  assert.deepEqual(of(takes('web'), takes('report')), [
    'medium',
    'with a port of the Service, in what 3 workloads take whole',
  ]);
  assert.deepEqual(of(takes('web'), takes('postgres')), [
    'medium',
    'with a port of the Service, in what 3 workloads, its own pods among them, take whole',
  ]);
  const byKey = [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'settings', key: 'DB' } } }];
  assert.deepEqual(of(workload('web', { container: { env: byKey } })), ['high', 'with a port of the Service']);
  assert.deepEqual(
    suggested([postgres, settings, takes('web'), workload('app', { container: { env: byKey, envFrom } })])
      .filter(({ workload: { name } }) => name === 'app')
      .map(({ confidence }) => confidence),
    ['high'],
    'what it also takes by its key is its own',
  );
  const volumes = [{ name: 'v', configMap: { name: 'settings' } }];
  const mounts = workload('web', { container: { volumeMounts: [{ name: 'v' }] }, pod: { volumes } });
  assert.deepEqual(of(mounts)[0], 'medium');
  assert.deepEqual(of(workload('web', { container: { envFrom }, namespace: 'other' }))[0], 'high');
});

test('of two workloads that take a ConfigMap whole which names the Services of both, neither surely depends on the other', () => {
  const settings = configMap('settings', { DB: 'postgres:5432', API: 'http://api:80', CACHE: 'redis:6379' });
  const takes = (name: string) => workload(name, { container: { envFrom: [{ configMapRef: { name: 'settings' } }] } });
  const objects = [
    postgres,
    service('api', { ports: [80] }),
    service('redis', { ports: [6379] }),
    settings,
    takes('postgres'),
    takes('api'),
    takes('web'),
  ];
  const lines = suggested(objects).map((each) => `${each.workload.name} → ${each.service.name}: ${each.confidence}`);
  assert.deepEqual(lines.sort(), [
    'api → postgres: low',
    'api → redis: medium',
    'postgres → api: low',
    'postgres → redis: medium',
    'web → api: medium',
    'web → postgres: medium',
    'web → redis: medium',
  ]);
});

test('a key of a ConfigMap counts by the name of the variable that takes it', () => {
  const settings = configMap('settings', { first: 'postgres', second: '5432' });
  const env = (names: readonly string[]) =>
    ['first', 'second'].map((key, at) => ({
      name: names[at],
      valueFrom: { configMapKeyRef: { name: 'settings', key } },
    }));
  const find = (...names: string[]) =>
    inShort(suggested([postgres, settings, workload('app', { container: { env: env(names) } })]));
  assert.deepEqual(find('DB_HOST', 'DB_PORT'), ['high postgres: first of ConfigMap settings: postgres:5432']);
  assert.deepEqual(find('DB_HOST', 'X'), ['medium postgres: first of ConfigMap settings: postgres']);
  assert.deepEqual(find('A', 'B'), ['low postgres: first of ConfigMap settings: postgres']);
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

test('Secrets are read if this is asked for, and no more of a value is shown than the host and the port', () => {
  const login = {
    kind: 'Secret',
    metadata: { namespace: 'shop', name: 'login' },
    data: { URL: btoa('postgres://admin:hunter2@postgres:5432/db'), word: btoa('hunter2.host postgres') },
    stringData: { HOST: 'postgres' },
  };
  const byKey = (key: string) => [{ name: 'X', valueFrom: { secretKeyRef: { name: 'login', key } } }];
  const find = (container: object, kinds: readonly SourceKind[] = ['ConfigMap', 'Secret']) =>
    suggestDependencies(readObjects([postgres, login, workload('app', { container })], kinds), undefined);
  const dependencies = find({ envFrom: [{ secretRef: { name: 'login' } }] });
  assert.deepEqual(inShort(dependencies), ['high postgres: URL of Secret login: postgres:5432']);
  assert.deepEqual(
    dependencies[0]?.evidence.map(({ where, because }) => `${where}, ${because}`),
    [
      'URL of Secret login, with a port of the Service',
      'word of Secret login, the value of a key for addresses',
      'HOST of Secret login, the value of HOST',
    ],
  );
  assert.deepEqual(inShort(find({ env: byKey('HOST') })), ['medium postgres: HOST of Secret login: postgres']);
  const expanded = find({ env: byKey('word'), args: ['$(X)'] });
  assert.deepEqual(
    expanded[0]?.evidence.map(({ where }) => where),
    ['word of Secret login', 'args of container main'],
  );
  for (const list of [dependencies, expanded]) assert.doesNotMatch(JSON.stringify(list), /hunter2|admin/);
  assert.deepEqual(find({ envFrom: [{ secretRef: { name: 'login' } }] }, ['ConfigMap']), []);
});

test('evidence never contains more of a value than the host and the port', () => {
  const value = 'postgres://admin:hunter2@postgres:5432/secrets?token=t0ps3cret';
  const dependencies = suggested([
    postgres,
    workload('app', { container: { env: [{ name: 'DB', value }], args: [value] } }),
  ]);
  assert.equal(dependencies[0]?.evidence.length, 2);
  assert.doesNotMatch(JSON.stringify(dependencies), /hunter2|admin|t0ps3cret/);
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
  assert.deepEqual(readObjects(bad), { services: [], workloads: [], sources: new Map() });
  const broken = { ...workload('app'), spec: { template: { spec: { containers: 'none', volumes: [null] } } } };
  assert.deepEqual(suggested([postgres, broken]), []);
});
