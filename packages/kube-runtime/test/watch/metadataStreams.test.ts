import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '../../src/base/json.ts';
import { answerWith, isInitialWatch, isResumedWatch, statusBody } from '../../testing/faultyServer.ts';
import { reflecting } from '../../testing/reflecting.ts';
import { assertAlive, isPage, sending } from '../../testing/streamFaults.ts';
import { until } from '../../testing/until.ts';
import { eventLine } from '../../testing/watchLines.ts';

const forWatches = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const forLists = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** The identity and the version, which a sink requires. */
function onlyIdentity({ metadata }: JsonObject): JsonObject {
  const { name, namespace, uid, resourceVersion } = objectOf(metadata);
  return { metadata: { name, namespace, uid, resourceVersion } };
}

test('a stream of metadata lists, watches and resumes, and never requests a whole object', async () => {
  await using it = await reflecting('http', undefined, { as: 'metadata' });
  it.server.store.put('a');
  it.start();
  await it.untilSame();
  it.server.store.put('b');
  it.server.store.remove('a');
  await it.untilSame();
  it.server.cutConnections();
  it.server.store.put('c');
  await it.untilSame();
  assert.equal(it.sink.lists, 1);
  assert.deepEqual(
    [...it.sink.objects.values()].map(({ kind }) => kind),
    ['PartialObjectMetadata', 'PartialObjectMetadata', 'PartialObjectMetadata'],
  );
  assert.deepEqual([...new Set(it.server.requests.map(({ headers }) => headers['accept']))], [forWatches, forLists]);
  await assertAlive(it);
});

test('a stream of whole objects requests only JSON', async () => {
  await using it = await reflecting('http');
  it.server.store.put('a');
  it.start();
  await it.untilSame();
  assert.deepEqual([...new Set(it.server.requests.map(({ headers }) => headers['accept']))], ['application/json']);
});

test('if the list is read in pages, these are lists of metadata with the same selectors', async () => {
  await using it = await reflecting('http', undefined, {
    as: 'metadata',
    fieldSelector: 'metadata.name!=x,metadata.name!=y',
  });
  for (let i = 0; i < 601; i += 1) it.server.store.put(`pod-${i}`);
  it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'no')), isInitialWatch);
  it.start();
  await it.untilSame();
  await until('it watches again', () => it.server.requests.some(isResumedWatch), it.clock);
  const pages = it.server.requests.filter(isPage);
  assert.equal(pages.length, 3);
  for (const { headers } of pages) assert.equal(headers['accept'], forLists);
  for (const { query } of it.server.requests) {
    assert.equal(query.get('fieldSelector'), 'metadata.name!=x,metadata.name!=y');
    assert.equal(query.get('labelSelector'), 'app=a');
  }
  await assertAlive(it);
});

test('whole objects in place of metadata are not delivered', async () => {
  await using it = await reflecting('http', undefined, { as: 'metadata' });
  it.server.store.put('a');
  const heal = it.server.failAll((answer, request, proceed) => {
    if (isResumedWatch(request)) return proceed();
    const pods = it.server.store.list();
    answer.head(200);
    if (isInitialWatch(request)) for (const pod of pods) answer.write(eventLine('ADDED', pod));
    else answer.end(JSON.stringify({ kind: 'PodList', metadata: { resourceVersion: '200' }, items: pods }));
  });
  it.start();
  await until('some were sent', () => it.server.requests.length > 3, it.clock, 100);
  assert.equal(it.sink.applied, 0);
  heal();
  await it.untilSame();
});

for (const initial of ['a watch', 'pages'] as const) {
  test(`reduced objects reach the sink without the rest, from ${initial}`, async () => {
    await using it = await reflecting('http', () => true, { as: 'metadata', reduce: onlyIdentity });
    it.server.store.put('a', 20);
    if (initial === 'pages') it.server.failAll(answerWith(400, statusBody(400, 'BadRequest', 'no')), isInitialWatch);
    it.start();
    await it.untilSame();
    it.server.store.put('b', 20);
    await it.untilSame();
    for (const object of it.sink.objects.values()) assert.deepEqual(object, onlyIdentity(object));
    assert.equal(it.sink.applied, 2, 'its lines were also checked by isIrrelevant');
  });
}

test('neither an object that cannot be reduced nor an incomplete one is quoted in the log', async () => {
  await using it = await reflecting('http', undefined, {
    as: 'metadata',
    reduce(object) {
      throw new Error(`cannot reduce ${JSON.stringify(object)}`);
    },
  });
  const pod = {
    kind: 'PartialObjectMetadata',
    metadata: { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '5' },
  };
  const marked = { ...pod, metadata: { ...pod.metadata, annotations: { note: 'MARKER' } } };
  const faults = [
    sending([eventLine('ADDED', marked)], 'hold'),
    sending([`${JSON.stringify({ note: 'MARKER' }).slice(0, -1)}\n`], 'hold'),
    answerWith(200, '{"note":"MARKER"', { 'content-type': 'text/plain' }),
  ];
  for (const fault of faults) it.server.failNext(fault, isInitialWatch);
  it.server.failAll(answerWith(200, '{"note":"MARKER"'), isPage);
  it.start();
  await until('all have occurred', () => it.logged.length > faults.length, it.clock, 100);
  assert.equal(JSON.stringify(it.logged).includes('MARKER'), false, JSON.stringify(it.logged));
  assert.match(JSON.stringify(it.logged), /could not be reduced to the needed fields \(Error\)/);
});
