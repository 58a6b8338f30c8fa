import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectText } from '@weeder/kube-runtime/objects';
import { propertyRuns, virtualClock } from '@weeder/kube-runtime/testing';
import { readLineMetadata } from '@weeder/kube-runtime/watch';
import fc from 'fast-check';
import { createDeclarations } from '../../../src/weeder/declared/declarations.ts';
import { createPodIndex } from '../../../src/weeder/pods/createPodIndex.ts';
import { backOff, pod } from '../../support/objects/objects.ts';
import { declaringPod, listInto } from '../../support/world/declaringPods.ts';

const keepFor = 60_000;

function declarations() {
  const clock = virtualClock();
  let changes = 0;
  const instance = createDeclarations({
    clock,
    keepFor: () => keepFor,
    isNamespaceWatched: (namespace) => namespace !== 'unwatched',
    onChanged() {
      changes += 1;
    },
    onListed: () => {},
  });
  const sink = instance.beside('declarations', createPodIndex(clock));
  const about = (what: 'service' | 'problem') =>
    [...instance.claims()].flatMap((claim) =>
      what in claim.about ? [`${objectText(claim.workload)}: ${Object.values(claim.about)[0]}`] : [],
    );
  return {
    ...instance,
    clock,
    sink,
    put: (...given: Parameters<typeof declaringPod>) => sink.apply('MODIFIED', declaringPod(...given)),
    services: () => about('service'),
    problems: () => about('problem'),
    changes: () => changes,
  };
}

test('the pods of a workload make one claim for each service that they declare', () => {
  const at = declarations();
  listInto(at.sink, declaringPod('db', { name: 'web-0' }), declaringPod('db', { name: 'web-1', annotation: 'redis' }));
  at.put('db', { name: 'api-0', workload: 'api' });
  assert.deepEqual(at.services(), [
    'StatefulSet shop/web: shop/db',
    'StatefulSet shop/web: shop/redis',
    'StatefulSet shop/api: shop/db',
  ]);
  assert.equal(at.changes(), 3);
  at.put('db', { name: 'web-2' });
  assert.equal(at.changes(), 3);
});

test('a claim says whether the label or the annotation names the service, as the newest pod has written it', () => {
  const at = declarations();
  const sources = () =>
    [...at.claims()].map(({ about }) => ('service' in about ? `${about.service} by ${about.by}` : about.problem));
  at.put('db', { name: 'web-0', annotation: 'redis, db' });
  assert.deepEqual(sources(), ['shop/db by label', 'shop/redis by annotation']);
  at.put('redis', { name: 'web-1', annotation: 'db' });
  assert.deepEqual(sources(), ['shop/db by annotation', 'shop/redis by label']);
});

test('a claim without pods is forgotten after a while, and not while a pod is replaced', async () => {
  const at = declarations();
  at.put('db', { name: 'web-0' });
  at.put('redis', { name: 'api-0', workload: 'api' });
  at.sink.apply('DELETED', declaringPod('db', { name: 'web-0' }));
  await at.clock.pass(keepFor - 1);
  at.put('db', { name: 'web-0', uid: 'new' });
  await at.clock.pass(keepFor);
  assert.equal(at.services().length, 2);
  at.sink.apply('DELETED', declaringPod('db', { name: 'web-0', uid: 'new' }));
  await at.clock.pass(keepFor - 1);
  assert.equal(at.services().length, 2);
  await at.clock.pass(1);
  assert.deepEqual(at.services(), ['StatefulSet shop/api: shop/redis']);
  assert.equal(at.clock.pending, 0);
});

test('of several claims without pods each is forgotten at its own time', async () => {
  const at = declarations();
  for (const name of ['db', 'redis', 'queue']) {
    at.put(name, { name });
    at.sink.apply('DELETED', declaringPod(name, { name }));
    await at.clock.pass(1000);
  }
  const counts = [at.services().length];
  for (let second = 0; second < 3; second += 1) {
    await at.clock.pass(second === 0 ? keepFor - 3000 : 1000);
    counts.push(at.services().length);
  }
  assert.deepEqual(counts, [3, 2, 1, 0]);
});

test('pods that are missing from a new list, and those without the label, no longer declare anything', async () => {
  const at = declarations();
  listInto(at.sink, declaringPod('db', { name: 'web-0' }), declaringPod('redis', { name: 'web-1' }));
  at.sink.apply('MODIFIED', pod({ namespace: 'shop', name: 'web-1', labels: {} }));
  listInto(at.sink, declaringPod('queue', { name: 'web-2' }));
  await at.clock.pass(keepFor);
  assert.deepEqual(at.services(), ['StatefulSet shop/web: shop/queue']);
});

test('a changed label replaces the claim, and an unchanged one is not read again', async () => {
  const at = declarations();
  at.put('db', { name: 'web-0' });
  at.put('redis', { name: 'web-0' });
  await at.clock.pass(keepFor);
  assert.deepEqual(at.services(), ['StatefulSet shop/web: shop/redis']);
});

test('when the last stream is closed, everything is forgotten at once', () => {
  const at = declarations();
  at.put('db', { name: 'web-0' });
  at.closed('another');
  assert.equal(at.services().length, 1);
  at.closed('declarations');
  assert.deepEqual([at.services(), at.clock.pending], [[], 0]);
});

test('the problems of a workload are one claim, however many pods have them', () => {
  const at = declarations();
  for (const name of ['web-0', 'web-1']) at.put('Db', { name, annotation: 'redis.unwatched' });
  const [problem, ...more] = at.problems();
  assert.match(problem ?? '', /^StatefulSet shop\/web: "Db" names no service: .*; unwatched\/redis cannot be seen: /);
  assert.deepEqual([more, at.services()], [[], []]);
});

test('the pods of one namespace may declare 100 services, and what exceeds that is a problem', () => {
  const at = declarations();
  for (let index = 0; index < 100; index += 1) at.put(`s${index}`, { name: `web-${index}` });
  assert.deepEqual([at.services().length, at.problems()], [100, []]);
  at.put('s5', { name: 'again', workload: 'api' });
  at.put('one-more', { name: 'web-100' });
  at.put('elsewhere', { name: 'other', namespace: 'other' });
  assert.equal(at.services().length, 102);
  assert.deepEqual(at.problems(), [
    'StatefulSet shop/web: shop/one-more is ignored: the pods of one namespace may declare at most 100 services',
  ]);
});

test('what exceeds the limit of a namespace counts as soon as there is room, one service after the other', async () => {
  const at = declarations();
  const full = (namespace: string) => {
    for (let index = 0; index < 100; index += 1) at.put(`s${index}`, { namespace, name: `web-${index}` });
  };
  for (const namespace of ['shop', 'other']) full(namespace);
  const remove = (label: string, name: string) => at.sink.apply('DELETED', declaringPod(label, { name }));
  at.put('first', { name: 'first', annotation: 'second' });
  at.put('second', { name: 'also-second', workload: 'api' });
  at.put('gone', { name: 'gone' });
  at.put('elsewhere', { name: 'elsewhere', namespace: 'other' });
  remove('gone', 'gone');
  const later = () => at.services().slice(200);
  await at.clock.pass(keepFor);
  assert.deepEqual(later(), []);
  remove('s0', 'web-0');
  await at.clock.pass(keepFor - 1);
  assert.deepEqual(later(), [], 'the service of a deleted pod counts for a while');
  const changes = at.changes();
  await at.clock.pass(1);
  assert.deepEqual(at.services().slice(199), ['StatefulSet shop/web: shop/first']);
  assert.ok(at.changes() > changes);
  assert.match(at.problems().at(-1) ?? '', /^StatefulSet shop\/web: shop\/second is ignored: [^;]*$/);
  remove('s1', 'web-1');
  await at.clock.pass(keepFor);
  assert.deepEqual(at.services().slice(198), [
    'StatefulSet shop/web: shop/first',
    'StatefulSet shop/api: shop/second',
    'StatefulSet shop/web: shop/second',
  ]);
  await at.clock.pass(keepFor);
  assert.deepEqual(at.problems(), [
    'StatefulSet other/web: other/elsewhere is ignored: the pods of one namespace may declare at most 100 services',
  ]);
});

test('an annotation that is too long to be stored counts like others when there is room', async () => {
  const at = declarations();
  for (let index = 0; index < 100; index += 1) at.put(`s${index}`, { name: `web-${index}` });
  const long = `second, ${' '.repeat(5000)}, A, B, C, D`;
  at.put('first', { name: 'long', annotation: long });
  const problem = /: "A" names no [^;]*; "B"[^;]*; "C"[^;]*; and (\d) more$/;
  assert.equal(problem.exec(at.problems().at(-1) ?? '')?.[1], '3');
  for (const index of [0, 1]) at.sink.apply('DELETED', declaringPod(`s${index}`, { name: `web-${index}` }));
  await at.clock.pass(keepFor);
  const taken = ['StatefulSet shop/web: shop/first', 'StatefulSet shop/web: shop/second'];
  assert.deepEqual(at.services().slice(98), taken);
  await at.clock.pass(keepFor);
  assert.deepEqual(
    at.problems().map((each) => problem.exec(each)?.[1]),
    ['1'],
  );
});

test('an annotation that was too long to be stored is read again when it is empty', async () => {
  const at = declarations();
  at.put('db', { name: 'web-0', annotation: `redis, ${' '.repeat(5000)}` });
  at.put('db', { name: 'web-0', annotation: '' });
  await at.clock.pass(keepFor);
  assert.deepEqual(at.services(), ['StatefulSet shop/web: shop/db']);
});

test('a problem that another pod has from the moment on when it would be forgotten is kept', async () => {
  const at = declarations();
  for (let index = 0; index < 100; index += 1) at.put(`s${index}`, { name: `web-${index}` });
  at.put('first', { name: 'both', annotation: 'second' });
  at.put('second', { name: 'one' });
  for (const [label, name] of [
    ['s0', 'web-0'],
    ['second', 'one'],
  ] as const)
    at.sink.apply('DELETED', declaringPod(label, { name }));
  await at.clock.pass(keepFor);
  assert.match(at.problems().join(), /: shop\/second is ignored: [^;]*$/);
  await at.clock.pass(keepFor);
  assert.equal(at.problems().length, 1);
});

test('the problems of one namespace are limited, too, and long lists of them are cut', () => {
  const at = declarations();
  for (let index = 0; index < 150; index += 1) at.put(`BAD-${index}`, { name: `bare-${index}`, isBare: true });
  assert.equal(at.problems().length, 100);
  at.put('db', { name: 'other', namespace: 'other', annotation: 'A,B,C,D,E' });
  assert.match(at.problems().at(-1) ?? '', /"A".*; "B".*; "C".*; and 2 more$/);
});

/** Whether the line of this pod would be skipped. */
function isSkipped({ sink }: ReturnType<typeof declarations>, object: object, type = 'MODIFIED'): boolean {
  const line = Buffer.from(JSON.stringify({ type, object }));
  const metadata = readLineMetadata(line);
  assert.ok(metadata);
  return sink.isIrrelevant?.(line, metadata) === true;
}

test('a line of a known pod is skipped if it neither crash-loops nor changes what it declares', () => {
  const at = declarations();
  const options = { name: 'web-0', annotation: 'redis, queue.messaging' };
  const knownPod = declaringPod('db', options);
  assert.equal(isSkipped(at, knownPod), false, 'an unknown pod');
  at.sink.apply('ADDED', knownPod);
  assert.equal(isSkipped(at, knownPod), true);
  assert.equal(isSkipped(at, declaringPod('other', options)), false, 'another label');
  assert.equal(isSkipped(at, declaringPod('db', { ...options, annotation: 'redis' })), false, 'another annotation');
  assert.equal(isSkipped(at, declaringPod('db', { name: 'web-0' })), false, 'no annotation any more');
  assert.equal(isSkipped(at, declaringPod('db', { ...options, containers: [backOff()] })), false, 'it crash-loops');
  assert.equal(isSkipped(at, knownPod, 'DELETED'), false, 'its deletion');
  at.put('db', { name: 'web-1' });
  assert.equal(isSkipped(at, declaringPod('db', { name: 'web-1', annotation: 'redis' })), false, 'a new annotation');
});

/** With the fields that kube-apiserver writes after all other metadata. */
function withManagedFields(pod: ReturnType<typeof declaringPod>) {
  const fieldsV1 = { 'f:metadata': { 'f:annotations': { '.': {}, 'f:weeder.dev/depends-on-services': {} } } };
  return { ...pod, metadata: { ...pod.metadata, managedFields: [{ manager: 'kubectl', fieldsV1 }] } };
}

test('what pods declare is the same, whether their lines are parsed or only the beginnings of their lines', () => {
  const text = fc.constantFrom('db', 'redis', 'queue.messaging', 'BAD', '', ',"managedFields":[', '"}}}', 'é\\"\n');
  const step = fc.record({
    label: text,
    annotation: fc.option(fc.array(text).map(String), { nil: undefined }),
    name: fc.constantFrom('web-0', 'web-1', 'api-0'),
    workload: fc.constantFrom('web', 'api'),
    isDeleted: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const [quick, slow] = [declarations(), declarations()];
      for (const { label, annotation, isDeleted, ...options } of steps) {
        const podOptions = annotation === undefined ? options : { ...options, annotation };
        const pod = withManagedFields(declaringPod(label, podOptions));
        const type = isDeleted ? 'DELETED' : 'MODIFIED';
        const isSkippedHere = isSkipped(quick, pod, type);
        assert.equal(isSkippedHere, !isDeleted);
        if (!isSkippedHere) quick.sink.apply(type, pod);
        slow.sink.apply(type, pod);
        assert.deepEqual([quick.services(), quick.problems()], [slow.services(), slow.problems()]);
      }
    }),
    propertyRuns(500),
  );
});

test('the line of a pod that crash-loops is parsed, and so is one without the fields that end its beginning', () => {
  const at = declarations();
  assert.equal(isSkipped(at, withManagedFields(declaringPod('db', { containers: [backOff()] }))), false);
  assert.equal(isSkipped(at, declaringPod('db')), false);
  assert.deepEqual(at.services(), []);
});

test('a value elsewhere in the line does not hide that the label has changed', () => {
  const at = declarations();
  const knownPod = declaringPod('db', { name: 'web-0' });
  at.sink.apply('ADDED', knownPod);
  const changed = declaringPod('other', { name: 'web-0' });
  const nodeSelector = { 'weeder.dev/depends-on': 'db' };
  assert.equal(isSkipped(at, { ...changed, spec: { ...changed.spec, nodeSelector } }), false);
  assert.equal(isSkipped(at, { ...knownPod, spec: { ...knownPod.spec, nodeSelector } }), true);
});

test('a pod whose line is skipped in a list stays known', async () => {
  const at = declarations();
  const knownPod = declaringPod('db', { name: 'web-0' });
  listInto(at.sink, knownPod);
  at.sink.begin();
  assert.equal(isSkipped(at, knownPod, 'ADDED'), true);
  at.sink.end();
  await at.clock.pass(keepFor);
  assert.equal(at.services().length, 1);
});
