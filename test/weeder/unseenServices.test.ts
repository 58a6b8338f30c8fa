import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaledClock } from '@weeder/embedded-cluster';
import type { ServiceReadiness } from '../../src/weeder/services/readiness.ts';
import {
  createUnseenServices,
  describeUnseenServices,
  type UnseenService,
} from '../../src/weeder/services/unseenServices.ts';
import { until } from '../support/until.ts';
import { embedded, startEmbeddedWeeder } from '../support/world/embedded.ts';

const at = (namespace: string, service: string, isReady: boolean): ServiceReadiness => ({
  namespace,
  service,
  isReady,
  exists: true,
});

test('a service is unseen until it was ready in a namespace, and again when it has no slice any more', () => {
  const unseen = createUnseenServices();
  const names = ['db', 'cache'];
  const all = (...existing: readonly ServiceReadiness[]) =>
    unseen.all(names, existing).map(({ service, is }) => `${service} ${is}`);
  assert.deepEqual(all(), ['db absent', 'cache absent']);
  assert.deepEqual(all(at('a', 'db', false)), ['db neverReady', 'cache absent']);
  unseen.note(at('b', 'db', true));
  assert.deepEqual(all(at('a', 'db', false), at('b', 'db', false)), ['cache absent']);
  assert.deepEqual(all(at('a', 'cache', true), at('a', 'db', false)), []);
  assert.deepEqual(all(at('a', 'cache', false)), ['db absent']);
});

test('the message names ten services, and counts the others', () => {
  const many: UnseenService[] = Array.from({ length: 12 }, (_, index) => ({ service: `s${index}`, is: 'absent' }));
  assert.match(describeUnseenServices(many), /^no watched namespace has an EndpointSlice of s0, .*, s9 and 2 more$/);
  assert.equal(describeUnseenServices([]), '');
});

test('the log reports unseen services some time after the start, and again when the config names others', async () => {
  await using cluster = await embedded();
  const config = 'servicesAndDependantSelectors: {typo: {podSelectors: [{matchLabels: {app: api}}]}}\n';
  await using weeder = startEmbeddedWeeder(cluster, config, { clock: scaledClock(100) });
  const words = 'services of the config that never opened a window';
  await until('the warning is logged', () => weeder.logged.includes(words));
  assert.deepEqual(weeder.manager.controllers.weeder.unseen(), [{ service: 'typo', is: 'absent' }]);
  assert.equal(weeder.logged.filter((line) => line === words).length, 1);
});
