import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaledClock } from '@weeder/embedded-cluster';
import { until } from '@weeder/kube-runtime/testing';
import { describeServices, readinessOf } from '../../src/weeder/services/serviceStatus.ts';
import { serviceStatus } from '../support/page/serviceStatus.ts';
import { recorded, startTime } from '../support/recording/readinessRecorder.ts';
import { embedded, startEmbeddedWeeder } from '../support/world/embedded.ts';
import { type World, world } from '../support/world/world.ts';

const day = 86_400_000;

const statesOf = ({ weeder }: World) =>
  [...weeder.services()].map((each) => `${each.namespace}/${each.service} ${readinessOf(each)}`);

test('a service is never ready in one namespace, whether or not its name is ready in another', () => {
  const at = world({ service: { name: 'redis' } }, (before) => {
    for (const namespace of ['a', 'b']) before.slice({ service: 'redis', namespace, ready: [namespace === 'a'] });
  });
  assert.deepEqual(statesOf(at), ['a/redis ready', 'b/redis notReady']);
  at.slice({ service: 'redis', namespace: 'a', ready: [false] });
  assert.deepEqual(
    [...at.weeder.services()].map(({ readyUntil }) => readyUntil !== undefined),
    [true, false],
  );
});

test('a service that loses its last slice does not exist, and its name is not one without a namespace', () => {
  const at = world({ services: [{ name: 'redis' }, { name: 'typo' }] }, (before) => {
    before.slice({ service: 'redis', namespace: 'a', ready: [true] });
  });
  at.slice({ service: 'redis', namespace: 'a', ready: [true] }, 'DELETED');
  assert.deepEqual(statesOf(at), ['a/redis absent', '/typo absent']);
});

test('a weeder that has not started, or has stopped, says nothing of services', () => {
  const at = world({ service: { name: 'redis' } });
  assert.deepEqual(statesOf(at), ['/redis absent']);
  at.weeder.stop();
  assert.deepEqual(statesOf(at), []);
});

const db = 'shop/db';
const timesOf = ({ readiness }: ReturnType<typeof recorded>) =>
  [...readiness.known()].map(({ namespace, service, isReady, exists, since, readyUntil, firstSeen }) => [
    `${namespace}/${service}`,
    isReady,
    exists,
    since - startTime,
    readyUntil && readyUntil - startTime,
    firstSeen - startTime,
  ]);

test('readiness has since when it is as it is, and until when the service was ready', () => {
  const at = recorded();
  const put = (ready: boolean[], type?: 'DELETED') => at.put({ service: 'db', namespace: 'shop', ready }, type);
  put([false]);
  at.clock.advance(1_000);
  put([false, false]);
  assert.deepEqual(timesOf(at), [[db, false, true, 0, undefined, 0]]);
  put([true]);
  at.clock.advance(1_000);
  put([true, true]);
  assert.deepEqual(timesOf(at), [[db, true, true, 1_000, undefined, 0]]);
  put([false]);
  at.clock.advance(1_000);
  put([false], 'DELETED');
  assert.deepEqual(timesOf(at), [[db, false, false, 3_000, 2_000, 0]]);
  at.clock.advance(1_000);
  put([false]);
  assert.deepEqual(timesOf(at), [[db, false, true, 4_000, 2_000, 0]]);
});

test('a service without a slice is forgotten after a day, and the oldest of more than 1,000 earlier', () => {
  const at = recorded();
  const put = (service: string, type?: 'DELETED') => at.put({ service, name: service, ready: [true] }, type);
  for (let n = 0; n < 1_001; n += 1) {
    put(`s-${n}`);
    put(`s-${n}`, 'DELETED');
  }
  put('kept');
  const names = () => [...at.readiness.known()].map(({ service }) => service);
  assert.deepEqual([names().length, names().includes('s-0'), names().includes('s-1')], [1_001, false, true]);
  at.clock.advance(day + 1);
  assert.deepEqual(names(), ['kept']);
});

test('a service that is no longer watched when it loses its slices is not missed', () => {
  let isSelected = true;
  const at = recorded(() => isSelected);
  const slice = { service: 'db', namespace: 'shop', ready: [true] };
  at.put(slice);
  isSelected = false;
  at.put(slice, 'DELETED');
  isSelected = true;
  assert.deepEqual(timesOf(at), []);
});

test('the message names ten services of a kind, and counts the others', () => {
  const many = Array.from({ length: 12 }, (_, index) => serviceStatus(`shop/s${index}`));
  assert.match(describeServices(many), /^down, not ready since weeder started: shop\/s0, .*, shop\/s9 and 2 more$/);
  assert.equal(describeServices([serviceStatus('shop/db', { isReady: true })]), '');
});

test('the log names services that were not ready since the start some time after it, by namespace', async () => {
  await using cluster = await embedded();
  const config = 'servicesAndDependantSelectors: {typo: {podSelectors: [{matchLabels: {app: api}}]}}\n';
  await using weeder = startEmbeddedWeeder(cluster, config, { clock: scaledClock(100) });
  const words = 'services that have not been ready since weeder started';
  await until('the warning is logged', () => weeder.logged.includes(words));
  assert.deepEqual(
    [...weeder.manager.controllers.weeder.shown().services()].map(({ service, exists }) => [service, exists]),
    [['typo', false]],
  );
  assert.equal(weeder.logged.filter((line) => line === words).length, 1);
});
