import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventDraft, ObjectRef } from '../../src/events/event.ts';
import { type EventApi, eventApi, occurrence } from '../../testing/eventApi.ts';

const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'shop', name: 'web-5d4f8', uid: 'rs-1' };
const job = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'report-29412345', uid: 'job-1' };
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'web-1' };
const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: 'report-1' };
const guessed = { ...deployment, namespace: 'shop', uid: undefined };

const pathOf = ({ namespace, name }: ObjectRef, collection = 'apps/v1 replicasets') => {
  const [version, plural] = collection.split(' ');
  return `/apis/${version}/namespaces/${namespace}/${plural}/${name}`;
};
const metadataOf = ({ uid }: ObjectRef, controller?: object) => ({
  metadata: { uid, ownerReferences: controller === undefined ? [] : [{ ...controller, controller: true }] },
});

/** An Event about the controller of this object. */
function about(controllerOf: ObjectRef, note = 'Wrong.', object: ObjectRef = guessed): EventDraft {
  return { ...occurrence({ note }), regarding: { ...object, controllerOf } };
}

async function recorded(api: EventApi, ...drafts: readonly EventDraft[]) {
  for (const draft of drafts) api.recorder.record(draft);
  await api.clock.pass(1_000);
  return [...api.stored.values()].map(({ regarding }) => regarding);
}

const reads = ({ requests }: EventApi) => requests.filter(({ method }) => method === 'GET');

const forbidden = {
  type: 'forbidden',
  status: 403,
  message:
    'replicasets.apps "web-5d4f8" is forbidden: User "weeder" cannot get resource "replicasets" in API group "apps" in the namespace "shop"',
} as const;

test('an Event about the controller of a ReplicaSet has the name and uid that the ReplicaSet names, and only metadata is read', async () => {
  const api = eventApi();
  api.objects.set(pathOf(replicaSet), metadataOf(replicaSet, { ...deployment, name: 'web-of-old' }));
  const expected = { ...deployment, name: 'web-of-old', namespace: 'shop' };
  assert.deepEqual(await recorded(api, about(replicaSet)), [expected]);
  const [read = assert.fail()] = reads(api);
  assert.deepEqual(
    [read.accept, read.isConfidential, read.rank],
    ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', true, 'last'],
  );
});

test('a Job names its CronJob, and an object without a controller is the object of the Event itself', async () => {
  const api = eventApi();
  api.objects.set(pathOf(job, 'batch/v1 jobs'), metadataOf(job, cronJob));
  api.objects.set(pathOf(replicaSet), metadataOf(replicaSet));
  const objects = await recorded(api, about(job, 'One.', job), about(replicaSet, 'Two.'));
  assert.deepEqual(objects, [{ ...cronJob, namespace: 'shop' }, replicaSet]);
});

test('one read is enough for a series', async () => {
  const api = eventApi();
  api.objects.set(pathOf(replicaSet), metadataOf(replicaSet, deployment));
  for (let round = 0; round < 3; round += 1) await recorded(api, about(replicaSet));
  await api.clock.pass(60_000);
  assert.deepEqual([reads(api).length, api.stored.size], [1, 1]);
});

test('if the object is gone or another one has its name, the Event is written without a uid, and nothing is logged', async () => {
  for (const body of [undefined, metadataOf({ ...replicaSet, uid: 'rs-2' }, deployment)]) {
    const api = eventApi();
    if (body !== undefined) api.objects.set(pathOf(replicaSet), body);
    assert.deepEqual(await recorded(api, about(replicaSet)), [guessed]);
    assert.deepEqual(api.logged, []);
  }
});

test('without the permission Events have no uid; one line names the rule, and the next read is ten minutes later', async () => {
  const api = eventApi();
  api.objects.set(pathOf(replicaSet), metadataOf(replicaSet, deployment));
  api.answer = ({ method }) => (method === 'GET' ? forbidden : undefined);
  assert.deepEqual(await recorded(api, about(replicaSet, '1'), about(replicaSet, '2')), [guessed, guessed]);
  await api.clock.pass(590_000);
  await recorded(api, about(replicaSet, '3'));
  // Both were read at once.
  assert.equal(reads(api).length, 2);
  assert.deepEqual(api.logged, [
    {
      event: {
        namespace: 'shop',
        cause: `https://api.test refused (403): ${forbidden.message}. Grant it in a Role in namespace shop: {apiGroups: ["apps"], resources: ["replicasets"], verbs: ["get"]}.`,
      },
      sentence: 'the workload of an Event cannot be read; without its uid, kubectl describe does not show the Event',
    },
  ]);
  api.answer = () => undefined;
  await api.clock.pass(10_000);
  const objects = await recorded(api, about(replicaSet, '4'));
  assert.deepEqual(objects.at(-1), { ...deployment, namespace: 'shop' });
});

test('a missing permission for one kind does not affect the other', async () => {
  const api = eventApi();
  api.objects.set(pathOf(job, 'batch/v1 jobs'), metadataOf(job, cronJob));
  api.answer = ({ path }) => (path.includes('replicasets') ? forbidden : undefined);
  await recorded(api, about(replicaSet));
  assert.deepEqual((await recorded(api, about(job, 'Two.', job))).at(-1), { ...cronJob, namespace: 'shop' });
});

test('while the API server is unreachable nothing is lost: the Event is written later, with its uid', async () => {
  const api = eventApi();
  api.objects.set(pathOf(replicaSet), metadataOf(replicaSet, deployment));
  api.answer = () => ({ type: 'network', message: 'nothing listens there' });
  assert.deepEqual(await recorded(api, about(replicaSet)), []);
  api.answer = () => undefined;
  await api.clock.pass(60_000);
  assert.deepEqual(
    [...api.stored.values()].map(({ regarding }) => regarding),
    [{ ...deployment, namespace: 'shop' }],
  );
  assert.equal(api.logged.length, 1);
});

test('a read that fails delays no other Event and not its own', async () => {
  const api = eventApi();
  api.answer = ({ method }) => (method === 'GET' ? { type: 'unavailable', status: 500, message: 'no' } : undefined);
  const others = Array.from({ length: 10 }, (_, index) => occurrence({ pod: `web-${index}` }));
  assert.equal((await recorded(api, about(replicaSet), ...others)).length, 11);
});

test('what a pod claims to be owned by is read only if it is a ReplicaSet or Job with a valid name', async () => {
  const api = eventApi();
  const hostile = [
    { ...replicaSet, name: '..' },
    { ...replicaSet, name: '../../../secrets/key' },
    { ...replicaSet, apiVersion: '../../api/v1' },
    { ...replicaSet, kind: 'Secret' },
  ];
  const objects = await recorded(api, ...hostile.map((each, index) => about(each, `${index}`)));
  assert.deepEqual(
    objects,
    hostile.map(() => guessed),
  );
  assert.deepEqual(reads(api), []);
});

test('whatever the read returns, the Event is written', async () => {
  const controllers = [{}, { kind: 'Deployment' }, { ...deployment, name: 5 }, { ...deployment, uid: 7 }];
  for (const controller of controllers) {
    const api = eventApi();
    api.objects.set(pathOf(replicaSet), metadataOf(replicaSet, controller));
    const [regarding] = await recorded(api, about(replicaSet));
    assert.deepEqual(regarding, guessed);
  }
});
