import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectText } from '@weeder/kube-runtime/objects';
import fc from 'fast-check';
import {
  declarationOf,
  declaredScope,
  groupsOfDeclared,
  servicesDeclaredBy,
} from '../../../src/weeder/declared/declaration.ts';
import { lastingName, workloadOf } from '../../../src/weeder/pods/workloadOf.ts';
import { pod } from '../../support/objects/objects.ts';

const read = (label: string, annotation?: string) => {
  const { services, problems, furtherProblems } = declarationOf({ label, annotation }, 'shop');
  assert.equal(furtherProblems, 0);
  return { services, problems };
};
const services = (label: string, annotation?: string) => read(label, annotation).services;
const problems = (label: string, annotation?: string) => read(label, annotation).problems;

test('a name is a service of the namespace of the pod, a name with a dot one of the namespace after it', () => {
  assert.deepEqual(services('postgres'), ['shop/postgres']);
  assert.deepEqual(services('postgres.databases'), ['databases/postgres']);
  assert.deepEqual(problems('postgres.databases'), []);
});

test('the annotation lists more services, with or without spaces, and the value of the label may be empty', () => {
  assert.deepEqual(services('postgres', ' redis,queue.messaging , '), [
    'shop/postgres',
    'shop/redis',
    'messaging/queue',
  ]);
  const long = 'a'.repeat(63);
  assert.deepEqual(read('', `${long}.${long}`), { services: [`${long}/${long}`], problems: [] });
});

test('a service that is named in two ways counts once, and is reported; the same name twice is not', () => {
  assert.deepEqual(read('postgres', 'postgres.shop, redis'), {
    services: ['shop/postgres', 'shop/redis'],
    problems: ['"postgres" and "postgres.shop" are the same service: one is enough'],
  });
  assert.deepEqual(read('postgres', 'postgres'), { services: ['shop/postgres'], problems: [] });
});

test('an entry that names no service is reported, and the others count', () => {
  assert.deepEqual(read('Postgres', 'redis, my_queue, a.b.c'), {
    services: ['shop/redis'],
    problems: ['Postgres', 'my_queue', 'a.b.c'].map(
      (entry) => `"${entry}" names no service: write NAME, or NAME.NAMESPACE for a service of another namespace`,
    ),
  });
  assert.deepEqual(problems('postgres.shop.svc'), ['"postgres.shop.svc" names no service: write postgres.shop']);
  assert.deepEqual(problems('redis.cache.svc.cluster.local'), [
    '"redis.cache.svc.cluster.local" names no service: write redis.cache',
  ]);
  assert.deepEqual(problems('', 'configmap/shop/settings')[0]?.startsWith('"configmap/shop/settings" names no'), true);
});

test('of many problems the first three are named, and the others are counted', () => {
  const { problems, furtherProblems } = declarationOf({ label: 'db', annotation: 'A,B,C,D,E' }, 'shop');
  assert.deepEqual([problems.length, furtherProblems], [3, 2]);
});

test('a label without a value needs the annotation', () => {
  const nothing = ['no service is named: give the label a value, or add weeder.dev/depends-on-services'];
  assert.deepEqual([problems(''), problems('', ' , ')], [nothing, nothing]);
  assert.deepEqual(problems('', 'redis'), []);
});

test('of a pod 20 services count, and more are reported', () => {
  const named = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`).join();
  assert.deepEqual([services('', named(20)).length, problems('', named(20))], [20, []]);
  assert.deepEqual(
    [services('', named(25)).length, problems('', named(25))],
    [20, ['more than 20 services are named: the last 5 are ignored']],
  );
  assert.equal(services('', named(100_000)).length, 20);
});

test('a pod is in a group for each service, and in one for each service and its own namespace', () => {
  const declaring = pod({ namespace: 'shop', labels: { 'weeder.dev/depends-on': 'redis.cache' } });
  assert.deepEqual(servicesDeclaredBy(declaring), ['cache/redis']);
  const groups = new Set(groupsOfDeclared(declaring));
  const isIn = (namespaces: 'all' | readonly string[], service = 'cache/redis') =>
    declaredScope(service, namespaces).some((group) => groups.has(group));
  assert.deepEqual([isIn('all'), isIn(['shop']), isIn(['other', 'shop'])], [true, true, true]);
  assert.deepEqual([isIn(['cache']), isIn('all', 'shop/redis')], [false, false]);
  assert.deepEqual(groupsOfDeclared(pod({ labels: { app: 'web' } })), []);
});

test('any value in place of a pod or of its label: nothing throws, and services have valid names', () => {
  fc.assert(fc.property(fc.anything(), (garbage) => void [groupsOfDeclared(garbage), workloadOf(garbage)]));
  fc.assert(
    fc.property(fc.string(), fc.option(fc.string({ maxLength: 3000 }), { nil: undefined }), (label, annotation) => {
      const { services: declared } = declarationOf({ label, annotation }, 'shop');
      for (const service of declared) assert.match(service, /^[a-z0-9-]{1,63}\/[a-z0-9-]{1,63}$/);
    }),
  );
});

test('the workload of a pod is its controller, or the Deployment of a ReplicaSet that is named after it', () => {
  const ofReplicaSet = (name: string, labels: Readonly<Record<string, string>>) => {
    const { metadata, ...rest } = pod({ namespace: 'shop', labels });
    const ownerReferences = metadata.ownerReferences.map((owner) => ({ ...owner, name }));
    return workloadOf({ ...rest, metadata: { ...metadata, ownerReferences } });
  };
  const hash = { 'pod-template-hash': '5d4f8' };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: undefined };
  const replicaSet = (name: string) => ({ ...deployment, kind: 'ReplicaSet', name, uid: 'rs-1' });
  /** Whether a ReplicaSet has a controller, and which, is only in the ReplicaSet. */
  const itself = (name: string) => ({ ...replicaSet(name), controllerOf: replicaSet(name) });
  assert.deepEqual(ofReplicaSet('web-5d4f8', hash), { ...deployment, controllerOf: replicaSet('web-5d4f8') });
  assert.deepEqual(ofReplicaSet('web-5d4f8', {}), itself('web-5d4f8'));
  assert.deepEqual(ofReplicaSet('web', hash), itself('web'));
  const set = workloadOf(pod({ namespace: 'shop', owner: { kind: 'StatefulSet', uid: 'set-1' }, labels: hash }));
  assert.deepEqual([set.kind, set.uid, set.controllerOf], ['StatefulSet', 'set-1', undefined]);
  assert.equal(objectText(workloadOf(pod({ namespace: 'shop', name: 'debug', isBare: true }))), 'Pod shop/debug');
});

test('the Jobs of a CronJob have one lasting name, other workloads keep theirs', () => {
  const job = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'report-29412345', uid: 'job-1' };
  assert.equal(lastingName(job), 'Job shop/report');
  assert.equal(lastingName({ ...job, name: 'report-1' }), 'Job shop/report-1');
  assert.equal(lastingName({ ...job, kind: 'StatefulSet' }), 'StatefulSet shop/report-29412345');
});
