import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteNothing } from '../../../src/weeder/deletions/deletePod.ts';
import { backOff, type PodOptions, pod, running, terminated } from '../../support/objects/objects.ts';
import { apiserver, minute, simulate } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const down = { ready: [false] };
const crashLooping = { containers: [backOff()] };
const mirror = { annotations: { 'kubernetes.io/config.mirror': 'abc' } };
const ignored = { annotations: { 'weeder.dev/ignore': 'true' } };

const skipped = (at: World) => at.eventsOf('pod.skipped').map(({ pod, reason, window }) => [pod.name, reason, window]);

test('a bare pod, a mirror pod and a pod with weeder.dev/ignore are skipped, each reported once per window', async () => {
  const cases: readonly (readonly [PodOptions, string])[] = [
    [{ isBare: true }, 'barePod'],
    [{ ...mirror, isBare: true }, 'mirrorPod'],
    [mirror, 'mirrorPod'],
    [ignored, 'ignored'],
    [{ ...ignored, isBare: true }, 'ignored'],
    [{ owner: { kind: 'Job', uid: 'j-1' }, restartPolicy: 'Never' }, 'jobWithoutRestarts'],
  ];
  for (const [options, reason] of cases) {
    const at = world();
    at.put({ ...crashLooping, ...options });
    at.slice(up);
    await at.clock.pass(1000);
    at.put({ ...crashLooping, ...options });
    await at.clock.pass(1000);
    at.put({ ...options, containers: [running(5)] });
    at.put({ ...crashLooping, ...options });
    await ends(at);
    assert.deepEqual(at.timeline(), []);
    assert.deepEqual(skipped(at), [['kapi-0', reason, 1]]);
    const account = at.eventsOf('window.closed')[0];
    assert.deepEqual([account?.skipped, account?.deleted, account?.failed], [1, 0, []]);
    assert.deepEqual(at.eventsOf('deletion.failed'), []);
  }
});

test('weeder.dev/ignore with any other value has no effect', async () => {
  const at = world();
  at.put({ ...crashLooping, annotations: { 'weeder.dev/ignore': 'false' } });
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@0']);
});

test('barePods: delete deletes bare pods, but not mirror pods or ignored pods', async () => {
  const at = world({ service: { barePods: 'delete' } });
  at.put({ ...crashLooping, name: 'bare', isBare: true });
  at.put({ ...crashLooping, name: 'mirror', isBare: true, ...mirror });
  at.put({ ...crashLooping, name: 'ignored', isBare: true, ...ignored });
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['bare@0']);
});

test('a pod whose annotation is removed while the window is open is deleted then', async () => {
  const at = world();
  at.put({ ...crashLooping, ...ignored });
  at.slice(up);
  await at.clock.pass(30_000);
  at.put(crashLooping);
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@30000']);
});

test('a pod that is annotated while its deletion backs off is skipped from then on', async () => {
  const at = world({ answer: () => ({ type: 'delete.failed' }) });
  at.put(crashLooping);
  at.slice(up);
  await at.clock.pass(100);
  at.put({ ...crashLooping, ...ignored });
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@0']);
  assert.deepEqual(skipped(at), [['kapi-0', 'ignored', 1]]);
});

test('the next window reports a skipped pod again, also if it replaces an open window', async () => {
  for (const whileNotReady of ['hold', 'delete'] as const) {
    const at = world({ service: { whileNotReady } });
    at.put({ ...crashLooping, isBare: true });
    at.slice(up);
    await at.clock.pass(1000);
    at.slice(down);
    at.slice(up);
    await at.clock.pass(10 * minute);
    at.slice(down);
    at.slice(up);
    await ends(at);
    assert.deepEqual(skipped(at), [
      ['kapi-0', 'barePod', 1],
      ['kapi-0', 'barePod', 2],
      ['kapi-0', 'barePod', 3],
    ]);
    assert.deepEqual(
      at.eventsOf('window.closed').map((event) => event.skipped),
      [1, 1, 1],
    );
  }
});

const strictAndLoose = [
  { name: 'strict', barePods: 'keep', watchDuration: 3 * minute },
  { name: 'loose', barePods: 'delete', watchDuration: minute },
] as const;

test('a bare pod that two windows select is deleted as soon as one of them deletes bare pods', async () => {
  const at = world({ services: strictAndLoose });
  at.put({ ...crashLooping, isBare: true });
  at.slice({ ...up, service: 'strict' });
  await at.clock.pass(1000);
  assert.deepEqual(at.timeline(), []);
  at.slice({ ...up, service: 'loose' });
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@1000']);
  assert.equal(at.deletions[0]?.policy.barePods, 'delete');
});

test('a bare pod is skipped again when the window that would delete it has closed', async () => {
  const at = world({ services: strictAndLoose, answer: () => ({ type: 'delete.failed' }) });
  at.put({ ...crashLooping, isBare: true });
  at.slice({ ...up, service: 'strict' });
  at.slice({ ...up, service: 'loose' });
  await at.clock.pass(minute);
  const tries = at.deletions.length;
  assert.ok(tries > 1);
  await ends(at);
  assert.equal(at.deletions.length, tries);
});

test('a bare pod is also skipped if it crash-loops only after that window has closed', async () => {
  const at = world({ services: strictAndLoose });
  at.slice({ ...up, service: 'strict' });
  at.slice({ ...up, service: 'loose' });
  await at.clock.pass(minute);
  at.put({ ...crashLooping, isBare: true });
  await ends(at);
  assert.deepEqual(at.timeline(), []);
});

test('a dry run reports once per crash loop what it would delete, and deletes nothing', async () => {
  const at = world({ isDryRun: true });
  at.put(crashLooping);
  at.slice(up);
  for (let second = 0; second < 60; second += 1) {
    await at.clock.pass(1000);
    at.put({ ...crashLooping, annotations: { second: `${second}` } });
  }
  assert.equal(at.eventsOf('pod.deleted').length, 1);
  at.put({ containers: [running(4)] });
  at.put(crashLooping);
  await ends(at);
  assert.deepEqual(at.timeline(), []);
  assert.equal(at.pods().length, 1);
  assert.deepEqual(
    at.eventsOf('pod.deleted').map((event) => event.how),
    ['dryRun', 'dryRun'],
  );
});

test('the deletion of a dry run sends no request', async () => {
  const policy = { barePods: 'keep', deletion: 'delete', gracePeriodSeconds: undefined } as const;
  const request = { uid: 'a', namespace: 'b', name: 'c', resourceVersion: '1', policy, isRequested: () => true };
  assert.deepEqual(await deleteNothing(request, new AbortController().signal), { type: 'delete.accepted' });
});

test('a pod that moves from one selector to another is skipped for the window of the other selector only', async () => {
  const web = { matchLabels: { role: 'web' } };
  const at = simulate({
    services: [
      { name: 'etcd', podSelectors: [apiserver] },
      { name: 'dns', podSelectors: [apiserver, web] },
    ],
    answer: () => ({ type: 'delete.conflicted', jitter: 1 }),
  });
  const [apiservers, webs] = [...at.weeder.pods.values()];
  apiservers?.apply('MODIFIED', pod({ ...crashLooping, uid: 'one' }));
  for (const service of ['etcd', 'dns']) {
    at.slice({ service, ready: [false] });
    at.slice({ service, ready: [true] });
  }
  await at.clock.pass(10);
  // The stream of the API servers has not reported yet that the pod no longer matches.
  const moved = pod({ ...crashLooping, ...mirror, uid: 'one' });
  webs?.apply('MODIFIED', moved);
  await at.clock.pass(1000);
  apiservers?.apply('DELETED', moved);
  await at.clock.pass(1000);
  assert.deepEqual(
    at.eventsOf('pod.skipped').map(({ service }) => service),
    ['dns'],
  );
});

test('a pod that becomes protected is skipped for each window whose stream reports it, in any order', async () => {
  const at = simulate({
    services: [
      { name: 'etcd', podSelectors: [apiserver] },
      { name: 'dns', podSelectors: [{ matchLabels: { tier: 'api' } }] },
    ],
    answer: () => ({ type: 'delete.conflicted', jitter: 1 }),
  });
  const streams = [...at.weeder.pods.values()];
  for (const stream of streams) stream.apply('MODIFIED', pod({ ...crashLooping, uid: 'one' }));
  for (const service of ['etcd', 'dns']) {
    at.slice({ service, ready: [false] });
    at.slice({ service, ready: [true] });
  }
  await at.clock.pass(10);
  const turned = pod({ ...crashLooping, ...mirror, uid: 'one' });
  for (const stream of streams) {
    stream.apply('MODIFIED', turned);
    await at.clock.pass(1000);
  }
  assert.deepEqual(
    at.eventsOf('pod.skipped').map(({ service }) => service),
    ['etcd', 'dns'],
  );
});

test('a pod that two windows select is not deleted when it becomes protected, whichever window observes it first', async () => {
  for (const reached of ['settling', 'backingOff'] as const) {
    const at = world({
      services: [{ name: 'etcd' }, { name: 'dns' }],
      answer: () => ({ type: 'delete.failed', retryAfter: 60_000 }),
    });
    at.slice({ service: 'etcd' });
    at.slice({ service: 'dns' });
    const containers = [reached === 'settling' ? terminated(at.clock.now()) : backOff()];
    at.put({ name: 'kapi', containers });
    await at.clock.pass(1000);
    const before = at.deletions.length;
    at.put({ name: 'kapi', isBare: true, containers: [backOff()] });
    await at.clock.pass(119_000);
    assert.equal(at.deletions.length, before, reached);
    assert.deepEqual(
      at.eventsOf('pod.skipped').map(({ service }) => service),
      ['etcd', 'dns'],
    );
  }
});
