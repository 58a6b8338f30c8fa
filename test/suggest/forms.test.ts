import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap, service, suggested, workload } from './support.ts';

const services = [
  service('postgres', { ports: [5432] }),
  service('redis', { ports: [6379] }),
  service('kafka', { ports: [9092], spec: { clusterIP: 'None' } }),
  service('web', { ports: [80, 8080] }),
  service('queue', { namespace: 'messaging', ports: [5672] }),
  service('billing', { spec: { type: 'ExternalName', externalName: 'billing.example.com' } }),
];

/** What a text names, as the value of a variable whose name says nothing. */
function inValue(value: string, name = 'X'): string[] {
  return inContainer({ env: [{ name, value }] });
}

function inContainer(container: object, pod: object = {}): string[] {
  const dependencies = suggested([...services, workload('app', { container, pod })], undefined);
  return dependencies
    .flatMap(({ service: { namespace, name }, evidence: [first] }) => [
      `${first?.confidence} ${namespace}/${name} ${first?.found}`,
    ])
    .sort();
}

test('a host with a port of the Service is of high confidence, in each form that the DNS of a cluster has', () => {
  for (const host of ['postgres', 'postgres.shop', 'postgres.shop.svc', 'postgres.shop.svc.cluster.local']) {
    assert.deepEqual(inValue(`${host}:5432`), [`high shop/postgres ${host}:5432`]);
    assert.deepEqual(inValue(`postgres://user:p%40ss@${host}:5432/db?sslmode=off`), [
      `high shop/postgres ${host}:5432`,
    ]);
    assert.deepEqual(inValue(`user:secret@tcp(${host}:5432)/db`), [`high shop/postgres ${host}:5432`]);
  }
  assert.deepEqual(inValue('queue.messaging.svc.cluster.example.'), [
    'high messaging/queue queue.messaging.svc.cluster.example',
  ]);
  assert.deepEqual(inValue('amqp://queue.messaging'), ['high messaging/queue queue.messaging:5672']);
  assert.deepEqual(inValue('http://web/'), ['high shop/web web:80']);
  assert.deepEqual(inValue('jdbc:postgresql://postgres/db'), ['high shop/postgres postgres:5432']);
  assert.deepEqual(inValue('dns:///web:8080'), ['high shop/web web:8080']);
});

test('a Service of another namespace is found by its namespace only', () => {
  assert.deepEqual(inValue('queue:5672'), []);
  assert.deepEqual(inValue('queue.messaging:5672'), ['high messaging/queue queue.messaging:5672']);
  assert.deepEqual(inValue('queue.shop:5672'), []);
  assert.deepEqual(inValue('postgres.example.com:5432'), []);
});

test('a list of hosts names each of them, and the pods of a headless Service', () => {
  assert.deepEqual(inValue('postgres:5432,redis:6379'), [
    'high shop/postgres postgres:5432',
    'high shop/redis redis:6379',
  ]);
  assert.deepEqual(inValue('mongodb://u:p@postgres:5432,redis:6379/db'), [
    'high shop/postgres postgres:5432',
    'high shop/redis redis:6379',
  ]);
  assert.deepEqual(inValue('http://web:8080,http://redis:6379/x'), [
    'high shop/redis redis:6379',
    'high shop/web web:8080',
  ]);
  assert.deepEqual(inValue('kafka-0.kafka:9092,kafka-1.kafka:9092'), ['high shop/kafka kafka-0.kafka:9092']);
  assert.deepEqual(inValue('kafka-0.kafka.shop.svc.cluster.local:9092'), [
    'high shop/kafka kafka-0.kafka.shop.svc.cluster.local:9092',
  ]);
  assert.deepEqual(inValue('web-0.web:8080'), [], 'web is not headless');
});

test('a port that the Service does not have lowers the confidence', () => {
  assert.deepEqual(inValue('redis:7'), ['low shop/redis redis:7']);
  assert.deepEqual(inValue('http://web:9999'), ['low shop/web web:9999']);
  assert.deepEqual(inValue('kafka-0.kafka:9999'), ['medium shop/kafka kafka-0.kafka:9999']);
  assert.deepEqual(inValue('postgres.shop.svc:9999'), ['medium shop/postgres postgres.shop.svc:9999']);
  assert.deepEqual(inValue('grpc://postgres'), ['medium shop/postgres postgres']);
});

test('a bare name is of medium confidence where a key says that it is an address, and otherwise of low', () => {
  for (const key of ['DB_HOST', 'dbHost', 'db.host', 'BOOTSTRAP_SERVERS', 'CACHE_ADDR', 'SEARCH_ENDPOINT'])
    assert.deepEqual(inValue('postgres', key), ['medium shop/postgres postgres']);
  for (const key of ['APP', 'SERVICE_NAME', 'HOST_ROLE', 'GHOST'])
    assert.deepEqual(inValue('postgres', key), ['low shop/postgres postgres']);
  assert.deepEqual(inValue('the web is wide'), ['low shop/web web']);
  assert.deepEqual(inValue('web 5'), ['low shop/web web']);
  assert.deepEqual(inValue('postgres.shop'), ['medium shop/postgres postgres.shop']);
  assert.deepEqual(inValue('--cache redis --db-host=postgres'), [
    'low shop/redis redis',
    'medium shop/postgres postgres',
  ]);
  assert.deepEqual(inValue('psql -h postgres'), ['medium shop/postgres postgres']);
  assert.deepEqual(inValue('{"host": "postgres"}'), ['medium shop/postgres postgres']);
});

test('keys of seeds, contact points, nodes and services hold addresses, and those of a workload’s own name do not', () => {
  for (const key of ['ES_SEEDS', 'CASSANDRA_CONTACT_POINTS', 'REDIS_NODES', 'DB_SERVICE', 'AUTH_SERVICE_NAME'])
    assert.deepEqual(inValue('postgres', key), ['medium shop/postgres postgres'], key);
  for (const key of ['OTEL_SERVICE_NAME', 'DD_SERVICE', 'SERVICE', 'NODE_ENV'])
    assert.deepEqual(inValue('postgres', key), ['low shop/postgres postgres'], key);
  assert.deepEqual(inValue('postgres, redis', 'DB_HOSTS'), [
    'medium shop/postgres postgres',
    'medium shop/redis redis',
  ]);
  assert.deepEqual(inValue('redis:7', 'CACHE_HOST'), ['medium shop/redis redis:7']);
});

test('a whole value that is the name of a Service of several words counts, but not as the name of something else', () => {
  const find = (name: string, value: string) =>
    suggested([service('vote-back', { ports: [80] }), workload('app', { container: { env: [{ name, value }] } })]).map(
      ({ confidence }) => confidence,
    );
  assert.deepEqual(find('REDIS', 'vote-back'), ['medium']);
  for (const name of ['APP_NAME', 'CLIENT_ID', 'S3_BUCKET', 'POSTGRES_DB'])
    assert.deepEqual(find(name, 'vote-back'), ['low']);
  assert.deepEqual(find('TEXT', 'the vote-back of azure'), ['low']);
});

test('the notations of single clients and shells are read', () => {
  const high = ['high shop/postgres postgres:5432'];
  const script = (text: string) => inContainer({ command: ['sh', '-c', text] });
  assert.deepEqual(script('until (: </dev/tcp/postgres/5432); do sleep 1; done'), high);
  assert.deepEqual(script('pg_isready -h postgres -U app -p 5432'), high);
  assert.deepEqual(script('mysql -hpostgres -uroot'), ['medium shop/postgres postgres']);
  assert.deepEqual(script('until curl -sf web/health; do sleep 1; done'), ['high shop/web web:80']);
  assert.deepEqual(script('curl --fail "web"; echo'), ['high shop/web web:80']);
  assert.deepEqual(script('cat web/health'), []);
  assert.deepEqual(inValue('jdbc:oracle:thin:@postgres:5432:XE'), high);
  assert.deepEqual(inValue('jdbc:oracle:thin:@//postgres:5432/service'), high);
  assert.deepEqual(inValue('Data Source=tcp:postgres,5432;Database=x'), high);
  assert.deepEqual(inValue('Server=postgres\\EXPRESS,5432;User=x'), high);
  assert.deepEqual(inValue('Data Source=postgres;Database=redis'), [
    'low shop/redis redis',
    'medium shop/postgres postgres',
  ]);
});

test('an SRV record counts with the name of a port of the Service', () => {
  const store = service('store', { spec: { clusterIP: 'None', ports: [{ name: 'grpc', port: 10901 }] } });
  const find = (value: string) =>
    suggested([store, workload('app', { container: { args: [`--store=${value}`] } })]).map(
      ({ confidence }) => confidence,
    );
  assert.deepEqual(find('dnssrv+_grpc._tcp.store.shop'), ['high']);
  assert.deepEqual(find('dnssrv+_http._tcp.store.shop.svc.cluster.local'), ['medium']);
  assert.deepEqual(find('dns+store:10901'), ['high']);
  assert.deepEqual(find('dnssrv+_grpc._tcp.store.other'), []);
});

test('an item of a list in YAML has the key of the list', () => {
  const inFile = (text: string) =>
    suggested([
      ...services,
      configMap('settings', { 'app.yaml': text }),
      workload('app', { container: { envFrom: [{ configMapRef: { name: 'settings' } }] } }),
    ]).map(({ service: { name }, confidence }) => `${confidence} ${name}`);
  assert.deepEqual(inFile('output:\n  hosts:\n    - postgres\n    - "redis"\n'), ['medium postgres', 'medium redis']);
  assert.deepEqual(inFile('hosts:\n- postgres\nnames:\n- redis\n'), ['medium postgres', 'low redis']);
  assert.deepEqual(inFile('hosts: x\n- postgres\n'), ['low postgres']);
});

test('a host and its port in two variables belong together', () => {
  const env = (port: string) => [
    { name: 'DB_HOST', value: 'postgres' },
    { name: 'DB_PORT', value: port },
  ];
  assert.deepEqual(inContainer({ env: env('5432') }), ['high shop/postgres postgres:5432']);
  assert.deepEqual(inContainer({ env: env('1') }), ['medium shop/postgres postgres']);
});

test('what only looks like the name of a Service is not one', () => {
  const others = [
    '/etc/postgres/conf',
    'https://example.com/redis',
    'file:///web',
    'unix:///web',
    'postgres/16',
    'redis=1',
    'redis: 1',
    `$redis \${web} $(postgres)`,
    '--redis',
    'my-postgres',
    'postgres_1',
    'POSTGRES',
    'postgres@example.com',
    'postgres://redis:web@db.example.com/kafka',
    'web.config',
    '10.0.0.1:80',
    'billing:80',
    'redis-cli',
  ];
  for (const value of others) assert.deepEqual(inValue(value, 'DB_HOST'), [], value);
});

test('init containers that wait, arguments, commands and probes are read', () => {
  const wait = (command: string) =>
    inContainer({}, { initContainers: [{ name: 'wait', command: ['sh', '-c', command] }] });
  assert.deepEqual(wait('until nc -z -w30 postgres 5432; do echo waiting for redis; sleep 2; done'), [
    'high shop/postgres postgres:5432',
    'low shop/redis redis',
  ]);
  assert.deepEqual(wait('until nslookup redis.$(cat /run/namespace).svc.cluster.local; do sleep 2; done'), [
    'high shop/redis redis',
  ]);
  assert.deepEqual(wait('until nslookup redis; do sleep 2; done'), ['medium shop/redis redis']);
  const waits = 'until nslookup redis.$(cat /run/namespace).svc.cluster.local; do';
  assert.deepEqual(
    wait(`${waits} echo waiting for redis; sleep 2; done`),
    ['high shop/redis redis'],
    'the stronger mention counts',
  );
  assert.deepEqual(inContainer({ args: ['--db-host', 'postgres'] }), ['medium shop/postgres postgres']);
  assert.deepEqual(inContainer({ command: ['run', '--cache=redis:6379'] }), ['high shop/redis redis:6379']);
  assert.deepEqual(inContainer({ readinessProbe: { exec: { command: ['check', 'redis:6379'] } } }), [
    'high shop/redis redis:6379',
  ]);
  assert.deepEqual(inContainer({ livenessProbe: { tcpSocket: { host: 'redis', port: 6379 } } }), [
    'high shop/redis redis:6379',
  ]);
  assert.deepEqual(inContainer({ livenessProbe: { tcpSocket: { port: 6379 } } }), []);
});

test('variables are expanded as Kubernetes and shells do it', () => {
  const env = [
    { name: 'CACHE', value: 'redis' },
    { name: 'CACHE_URL', value: 'redis://$(CACHE):6379' },
  ];
  assert.deepEqual(inContainer({ env }), ['high shop/redis redis:6379']);
  assert.deepEqual(inContainer({ env: env.toReversed() }), ['low shop/redis redis'], 'only earlier variables are');
  const [cache] = env;
  assert.deepEqual(inContainer({ env: [cache], args: [`http://\${CACHE}:6379`] }), ['high shop/redis redis:6379']);
  const pair = [cache, { name: 'P', value: '6379' }];
  assert.deepEqual(inContainer({ env: pair, command: ['sh', '-c', 'nc -z $CACHE $P'] }), [
    'high shop/redis redis:6379',
  ]);
  assert.deepEqual(inContainer({ args: [`\${OTHER:-redis:6379}`] }), ['high shop/redis redis:6379']);
  assert.deepEqual(inContainer({ env: pair, args: ['$CACHES'] }), ['low shop/redis redis'], 'only the variable itself');
  assert.deepEqual(inContainer({ args: ['http://$(REDIS_SERVICE_HOST):$(REDIS_SERVICE_PORT)'] }), [
    'high shop/redis REDIS_SERVICE_HOST',
  ]);
  assert.deepEqual(inContainer({ args: ['$(OTHER_SERVICE_HOST)'] }), []);
});
