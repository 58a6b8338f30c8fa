import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventDraft, ObjectRef } from '../../src/events/event.ts';
import { occurrence, type RecordingEvents, recordingEvents } from '../../testing/recordingEvents.ts';

const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'shop', name: 'web-5d4f8', uid: 'rs-1' };
const job = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'report-29412345', uid: 'job-1' };
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'web-1' };
const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: 'report-1' };
const guessed = { ...deployment, namespace: 'shop', uid: undefined };
const withoutUid = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Stores an object with this identity, and the controller that its owner reference names. */
function put(api: RecordingEvents, { uid, ...object }: Owner, controller?: Owner): void {
  const { storage } = api.server;
  const resource = storage.resources.find(({ kind }) => kind === object.kind) ?? assert.fail(object.kind);
  if (controller !== undefined) put(api, controller);
  const { apiVersion, kind, name } = object;
  const ownerReferences = controller === undefined ? [] : [{ ...controller, controller: true }];
  const times = { creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '' };
  storage.put(resource, { apiVersion, kind, metadata: { name, namespace: 'shop', uid, ...times, ownerReferences } });
}

/** An Event about the controller of this object. */
function about(controllerOf: ObjectRef, note = 'Wrong.', object: ObjectRef = guessed): EventDraft {
  return { ...occurrence({ note }), regarding: { ...object, controllerOf } };
}

async function recorded(api: RecordingEvents, ...drafts: readonly EventDraft[]) {
  for (const draft of drafts) api.recorder.record(draft);
  await api.clock.pass(1_000);
  return api.stored().map(({ regarding }) => regarding);
}

const reads = ({ requests }: RecordingEvents) => requests.filter(({ method }) => method === 'GET');

const forbidden = {
  status: 403,
  message:
    'replicasets.apps "web-5d4f8" is forbidden: User "weeder" cannot get resource "replicasets" in API group "apps" in the namespace "shop"',
};

test('an Event about the controller of a ReplicaSet has the name and uid that the ReplicaSet names, and only metadata is read', async () => {
  const api = recordingEvents();
  put(api, replicaSet, { ...deployment, name: 'web-of-old' });
  const expected = { ...deployment, name: 'web-of-old', namespace: 'shop' };
  assert.deepEqual(await recorded(api, about(replicaSet)), [expected]);
  const [read = assert.fail()] = reads(api);
  assert.deepEqual(
    [read.accept, read.isConfidential, read.rank],
    ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', true, 'last'],
  );
});

test('a Job names its CronJob, and an object without a controller is the object of the Event itself', async () => {
  const api = recordingEvents();
  put(api, job, cronJob);
  put(api, replicaSet);
  const objects = await recorded(api, about(job, 'One.', job), about(replicaSet, 'Two.'));
  assert.deepEqual(objects, [{ ...cronJob, namespace: 'shop' }, replicaSet]);
});

test('one read is enough for a series', async () => {
  const api = recordingEvents();
  put(api, replicaSet, deployment);
  for (let round = 0; round < 3; round += 1) await recorded(api, about(replicaSet));
  await api.clock.pass(60_000);
  assert.deepEqual([reads(api).length, api.stored().length], [1, 1]);
});

test('if the object is gone or another one has its name, the Event is written without a uid, and nothing is logged', async () => {
  for (const another of [undefined, { ...replicaSet, uid: 'rs-2' }]) {
    const api = recordingEvents();
    if (another !== undefined) put(api, another, deployment);
    assert.deepEqual(await recorded(api, about(replicaSet)), [withoutUid]);
    assert.deepEqual(api.logged, []);
  }
});

test('without the permission Events have no uid; one line names the rule, and the next read is ten minutes later', async () => {
  const api = recordingEvents();
  put(api, replicaSet, deployment);
  api.faultOf = ({ method }) => (method === 'GET' ? forbidden : undefined);
  assert.deepEqual(await recorded(api, about(replicaSet, '1'), about(replicaSet, '2')), [withoutUid, withoutUid]);
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
  api.faultOf = () => undefined;
  await api.clock.pass(10_000);
  const objects = await recorded(api, about(replicaSet, '4'));
  assert.deepEqual(objects.at(-1), { ...deployment, namespace: 'shop' });
});

test('a missing permission for one kind does not affect the other', async () => {
  const api = recordingEvents();
  put(api, job, cronJob);
  api.faultOf = ({ path }) => (path.includes('replicasets') ? forbidden : undefined);
  await recorded(api, about(replicaSet));
  assert.deepEqual(await recorded(api, about(job, 'Two.', job)), [{ ...cronJob, namespace: 'shop' }, withoutUid]);
});

test('while the API server is unreachable nothing is lost: the Event is written later, with its uid', async () => {
  const api = recordingEvents();
  put(api, replicaSet, deployment);
  api.faultOf = () => 'unsent';
  assert.deepEqual(await recorded(api, about(replicaSet)), []);
  api.faultOf = () => undefined;
  await api.clock.pass(60_000);
  assert.deepEqual(
    api.stored().map(({ regarding }) => regarding),
    [{ ...deployment, namespace: 'shop' }],
  );
  assert.equal(api.logged.length, 1);
});

test('a read that fails delays no other Event and not its own', async () => {
  const api = recordingEvents();
  api.faultOf = ({ method }) => (method === 'GET' ? { status: 500 } : undefined);
  const others = Array.from({ length: 10 }, (_, index) => occurrence({ pod: `web-${index}` }));
  assert.equal((await recorded(api, about(replicaSet), ...others)).length, 11);
});

test('what a pod claims to be owned by is read only if it is a ReplicaSet or Job with a valid name', async () => {
  const api = recordingEvents();
  const hostile = [
    { ...replicaSet, name: '..' },
    { ...replicaSet, name: '../../../secrets/key' },
    { ...replicaSet, apiVersion: '../../api/v1' },
    { ...replicaSet, kind: 'Secret' },
  ];
  const objects = await recorded(api, ...hostile.map((each, index) => about(each, `${index}`)));
  assert.deepEqual(
    objects,
    hostile.map(() => withoutUid),
  );
  assert.deepEqual(reads(api), []);
});

test('whatever the read returns, the Event is written', async () => {
  const controllers = [{}, { kind: 'Deployment' }, { ...deployment, name: 5 }, { ...deployment, uid: 7 }];
  for (const controller of controllers) {
    const api = recordingEvents();
    const metadata = { uid: replicaSet.uid, ownerReferences: [{ ...controller, controller: true }] };
    api.faultOf = ({ method }) => (method === 'GET' ? { body: { metadata } } : undefined);
    const [regarding] = await recorded(api, about(replicaSet));
    assert.deepEqual(regarding, withoutUid);
  }
});

test('a controller that cannot exist is not named: the Event keeps the object that it has', async () => {
  for (const impossible of [
    { name: 'x'.repeat(1_200_000) },
    { name: '../web' },
    { kind: 'k'.repeat(64) },
    { uid: '"' },
  ]) {
    const api = recordingEvents();
    const { storage } = api.server;
    const resource = storage.resources.find(({ kind }) => kind === 'ReplicaSet') ?? assert.fail('no ReplicaSets');
    const ownerReferences = [{ ...deployment, ...impossible, controller: true }];
    const { apiVersion, kind, name, uid } = replicaSet;
    const times = { creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '' };
    storage.put(resource, { apiVersion, kind, metadata: { name, namespace: 'shop', uid, ...times, ownerReferences } });
    assert.deepEqual(await recorded(api, about(replicaSet)), [withoutUid]);
  }
});
