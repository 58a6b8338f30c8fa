import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service, suggested, workload } from './support.ts';

const objects = [
  service('postgres', { ports: [5432] }),
  service('postgres-headless', { ports: [5432], spec: { clusterIP: 'None', selector: { app: 'postgres' } } }),
  workload('postgres', { kind: 'StatefulSet', labels: { tier: 'db' } }),
  service('keystone-api', { ports: [5000] }),
  service('mariadb', { namespace: 'mysql', ports: [3306] }),
];

function found(container: object): string[] {
  const dependencies = suggested([
    ...objects,
    workload('app', { pod: { initContainers: [{ name: 'w', ...container }] } }),
  ]);
  return dependencies
    .map(
      ({ service: { namespace, name }, confidence, evidence: [first] }) =>
        `${confidence} ${namespace}/${name}: ${first?.because}`,
    )
    .sort();
}

test('the services of kubernetes-entrypoint are sure, in the namespaces that it names', () => {
  const wait = (value: string, name = 'DEPENDENCY_SERVICE') => found({ env: [{ name, value }] });
  assert.deepEqual(wait('mysql:mariadb,keystone-api'), [
    'high mysql/mariadb: what kubernetes-entrypoint waits for',
    'high shop/keystone-api: what kubernetes-entrypoint waits for',
  ]);
  assert.deepEqual(wait('shop:mariadb,other'), []);
  assert.deepEqual(wait('mysql:mariadb', 'DEPENDENCY_JOBS'), []);
});

test('the service of k8s-wait-for is sure', () => {
  const because = 'an argument of wait-for';
  assert.deepEqual(found({ args: ['service', 'keystone-api'] }), [`high shop/keystone-api: ${because}`]);
  assert.deepEqual(found({ args: ['service', 'mariadb', '-n', 'mysql'] }), [`high mysql/mariadb: ${because}`]);
  assert.deepEqual(found({ command: ['sh', '-c', 'wait_for.sh service keystone-api && echo up'] }), [
    `high shop/keystone-api: ${because}`,
  ]);
  assert.deepEqual(found({ args: ['service', 'mariadb'] }), []);
  assert.deepEqual(found({ args: ['job', 'keystone-api'] }), ['low shop/keystone-api: only the name']);
  assert.deepEqual(found({ args: ['service', 'keystone-api', 'start'] }), ['low shop/keystone-api: only the name']);
});

test('kubectl wait names a workload, a pod or labels, and means the Service of these pods', () => {
  const wait = (words: string) => found({ command: ['sh', '-c', `kubectl ${words}`] });
  for (const words of [
    'wait --for=condition=ready pod -l app=postgres --timeout=60s',
    'wait --for=condition=Ready pod/postgres-0',
    'wait pod --selector=app=postgres,tier=db --for=condition=ready',
    '-n shop wait --for=condition=available statefulset/postgres',
    'rollout status sts/postgres',
    'wait svc/postgres --for=jsonpath={.spec}',
  ])
    assert.match(wait(words).join(), /^high shop\/postgres: an argument of kubectl (wait|rollout status)$/, words);
  assert.match(wait('get deploy/postgres').join(), /^medium shop\/postgres: an argument of kubectl get$/);
  assert.deepEqual(wait('wait pod -l app=other --for=condition=ready'), []);
  assert.match(wait('wait pod -l app!=postgres --for=condition=ready').join(), /^low [^,]*: only the name$/);
  assert.deepEqual(wait('wait job/migrate --for=condition=complete'), []);
  assert.deepEqual(wait('wait pod/postgres-0 -n other'), []);
});
