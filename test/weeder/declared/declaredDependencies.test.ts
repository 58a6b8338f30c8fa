import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectText } from '@weeder/kube-runtime/objects';
import { virtualClock } from '@weeder/kube-runtime/testing';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { Config } from '../../../src/config/config.ts';
import { ownsNamespace } from '../../../src/controller/shard.ts';
import { createDeclaredDependencies } from '../../../src/weeder/declaredDependencies.ts';
import { createPodIndex } from '../../../src/weeder/pods/createPodIndex.ts';
import { namespaceOwner } from '../../support/world/controllerContext.ts';
import { declaringPod, listInto } from '../../support/world/declaringPods.ts';
import { configFor, minute } from '../../support/world/simulation.ts';

type Options = Partial<Parameters<typeof createDeclaredDependencies>[0]>;

function follow(options: Options = {}) {
  const clock = virtualClock();
  const applied: string[] = [];
  const problems: string[] = [];
  const words = ({ declared }: Config) => [...(declared?.services ?? [])].sort().join();
  const followed = createDeclaredDependencies({
    clock,
    config: configFor({ services: [], declared: {} }),
    namespaces: 'all',
    owned: undefined,
    apply: (config) => applied.push(words(config)),
    isHandingOver: () => false,
    existing: () => new Set(['shop/db']),
    report(event) {
      if (event.type === 'declaration.problem') problems.push(`${objectText(event.workload)}: ${event.problem}`);
    },
    ...options,
  });
  const need: StreamNeed = {
    name: 'declarations',
    path: '/api/v1/pods',
    kind: 'Pod',
    labelSelector: 'weeder.dev/depends-on',
    sink: createPodIndex(clock),
  };
  const { sink } = followed.wrap(need);
  return {
    ...followed,
    clock,
    sink,
    words,
    put: (...given: Parameters<typeof declaringPod>) => sink.apply('MODIFIED', declaringPod(...given)),
    applied: () => applied.splice(0),
    problems: () => problems.splice(0),
  };
}

test('the complete list is applied at once, later changes together after a second, and no change not at all', async () => {
  const at = follow();
  listInto(at.sink, declaringPod('db', { name: 'a' }), declaringPod('redis', { name: 'b' }));
  assert.deepEqual(at.applied(), ['shop/db,shop/redis']);
  at.put('queue', { name: 'c' });
  await at.clock.pass(600);
  at.put('mail.other', { name: 'd' });
  await at.clock.pass(399);
  assert.deepEqual(at.applied(), []);
  await at.clock.pass(1);
  assert.deepEqual(at.applied(), ['other/mail,shop/db,shop/queue,shop/redis']);
  at.put('db', { name: 'e', workload: 'another' });
  await at.clock.pass(minute);
  assert.deepEqual(at.applied(), []);
});

test('while streams are handed over, changes wait, but not for ever', async () => {
  let isHandingOver = true;
  const at = follow({ isHandingOver: () => isHandingOver });
  at.put('db', { name: 'a' });
  await at.clock.pass(5_000);
  assert.deepEqual(at.applied(), []);
  isHandingOver = false;
  await at.clock.pass(1_000);
  assert.deepEqual(at.applied(), ['shop/db']);
  isHandingOver = true;
  at.put('redis', { name: 'b' });
  await at.clock.pass(10_000);
  assert.deepEqual(at.applied(), ['shop/db,shop/redis']);
});

test('a service without pods is watched for longer than any window lasts, and then no more', async () => {
  const config = configFor({ services: [{ watchDuration: 30 * minute }], declared: { watchDuration: minute } });
  const at = follow({ config });
  listInto(at.sink, declaringPod('db', { name: 'a' }));
  at.sink.apply('DELETED', declaringPod('db', { name: 'a' }));
  await at.clock.pass(31 * minute - 1);
  assert.deepEqual(at.applied(), ['shop/db']);
  await at.clock.pass(1_001);
  assert.deepEqual(at.applied(), ['']);
});

test('a service that exceeds the limit of its namespace is watched as soon as there is room', async () => {
  const at = follow();
  const services = Array.from({ length: 101 }, (_, index) => `s${index + 100}`);
  const pods = services.map((service) => declaringPod(service, { name: service }));
  listInto(at.sink, ...pods);
  assert.deepEqual(
    at.applied().join().split(','),
    services.slice(0, 100).map((name) => `shop/${name}`),
  );
  at.sink.apply('DELETED', pods[0]);
  await at.clock.pass(4 * minute);
  assert.deepEqual(
    at.applied().join().split(','),
    services.slice(1).map((name) => `shop/${name}`),
  );
});

test('only pods of the namespaces that the section names count, and another config applies to those already seen', () => {
  const given = (namespaces: 'all' | readonly string[]) => configFor({ services: [], declared: { namespaces } });
  const at = follow({ config: given(['shop']) });
  listInto(
    at.sink,
    declaringPod('db'),
    declaringPod('db', { namespace: 'other' }),
    declaringPod('BAD', { namespace: 'x' }),
  );
  assert.deepEqual([at.applied(), at.problems()], [['shop/db'], []]);
  assert.equal(at.words(at.configure(given('all'))), 'other/db,shop/db');
  assert.equal(at.words(at.configure(given(['other']))), 'other/db');
  assert.equal(at.configure(configFor({ services: [] })).declared, undefined);
});

test('a shard watches the services of its namespaces, whichever namespaces their dependants are in', () => {
  const services = Array.from({ length: 20 }, (_, index) => `db.ns-${index}`);
  const shares = [0, 1].map((index) => {
    const shard = { index, count: 2 };
    const at = follow({ owned: namespaceOwner({ shard }) });
    listInto(at.sink, ...services.map((service, number) => declaringPod(service, { name: `web-${number}` })));
    const mine = at.applied().join().split(',');
    assert.ok(mine.every((service) => ownsNamespace(shard, service.split('/')[0] ?? '')));
    return mine;
  });
  assert.equal(shares.flat().length, services.length);
});

test('a problem is reported once for a workload, and again only after it was forgotten', async () => {
  const at = follow();
  at.start();
  listInto(at.sink, declaringPod('Db', { name: 'web-0' }), declaringPod('Db', { name: 'web-1' }));
  at.put('Db', { name: 'api-0', workload: 'api' });
  await at.clock.pass(1000);
  const reported = at.problems();
  assert.deepEqual(
    reported.map((each) => each.split(': ')[0]),
    ['StatefulSet shop/web', 'StatefulSet shop/api'],
  );
  at.put('Db', { name: 'web-2' });
  for (const name of ['web-0', 'web-1', 'web-2']) at.sink.apply('DELETED', declaringPod('Db', { name }));
  await at.clock.pass(minute);
  at.put('Db', { name: 'web-3' });
  await at.clock.pass(minute);
  assert.deepEqual(at.problems(), []);
  at.sink.apply('DELETED', declaringPod('Db', { name: 'web-3' }));
  await at.clock.pass(3 * minute);
  at.put('Db', { name: 'web-4' });
  await at.clock.pass(1000);
  assert.equal(at.problems().length, 1);
});

test('a service that does not exist is reported after 30 s, once for each workload; one that exists is not', async () => {
  const at = follow();
  listInto(
    at.sink,
    declaringPod('db', { name: 'a' }),
    declaringPod('dv', { name: 'b' }),
    declaringPod('dv', { name: 'c' }),
  );
  await at.clock.pass(minute);
  assert.deepEqual(at.problems(), [], 'the weeder has not started');
  at.start();
  await at.clock.pass(29_999);
  assert.deepEqual(at.problems(), []);
  await at.clock.pass(1);
  const absent =
    'shop/dv has no EndpointSlice: the Service is missing, its name is misspelt, or it is of type ExternalName, whose readiness weeder cannot know';
  assert.deepEqual(at.problems(), [`StatefulSet shop/web: ${absent}`]);
  at.put('dv', { name: 'd', workload: 'api' });
  await at.clock.pass(31_000);
  await at.clock.pass(30_000);
  assert.deepEqual(at.problems(), [`StatefulSet shop/api: ${absent}`]);
  await at.clock.pass(10 * minute);
  assert.deepEqual([at.problems(), at.clock.pending], [[], 0]);
});

test('each missing service is reported 30 s after its own declaration, however close another one is', async () => {
  const at = follow();
  at.start();
  at.put('one', { name: 'a', workload: 'one' });
  await at.clock.pass(3_000);
  at.put('two', { name: 'b', workload: 'two' });
  await at.clock.pass(26_999);
  assert.deepEqual(at.problems(), []);
  await at.clock.pass(1);
  assert.equal(at.problems().length, 1);
  await at.clock.pass(2_999);
  assert.deepEqual(at.problems(), []);
  await at.clock.pass(1);
  assert.equal(at.problems().length, 1);
});

test('while the EndpointSlices are being read, no service counts as missing', async () => {
  let existing: ReadonlySet<string> | undefined;
  const at = follow({ existing: () => existing });
  at.start();
  listInto(at.sink, declaringPod('db', { name: 'a' }));
  await at.clock.pass(5 * minute);
  assert.deepEqual(at.problems(), []);
  existing = new Set(['shop/db']);
  await at.clock.pass(minute);
  assert.deepEqual([at.problems(), at.clock.pending], [[], 0]);
});

test('once stopped, nothing is applied or reported, and no timer is left', async () => {
  const at = follow();
  at.start();
  at.put('db', { name: 'a' });
  at.put('Db', { name: 'b' });
  at.stop();
  assert.equal(at.clock.pending, 0);
  await at.clock.pass(minute);
  assert.deepEqual([at.applied(), at.problems()], [[], []]);
});

test('of the missing services of one namespace only some are reported at once', async () => {
  const at = follow();
  at.start();
  for (let index = 0; index < 30; index += 1) at.put(`missing-${index}`, { name: `web-${index}` });
  at.put('missing', { name: 'other', namespace: 'other' });
  await at.clock.pass(2 * minute);
  assert.equal(at.problems().length, 21);
});

test('the workloads that declare a service are known, whether their pods crash-loop or not', async () => {
  const at = follow();
  listInto(at.sink, declaringPod('db', { name: 'a' }), declaringPod('db', { name: 'b' }));
  at.put('redis', { name: 'c', workload: 'another' });
  at.put('Not a name', { name: 'd', workload: 'malformed' });
  const workloadLines = () =>
    [...at.workloads()].map(([service, all]) => [service, ...all.map(({ name }) => name)].join());
  assert.deepEqual(workloadLines().sort(), ['shop/db,StatefulSet shop/web', 'shop/redis,StatefulSet shop/another']);
  assert.deepEqual(at.workloads().get('shop/db')?.[0]?.namespace, 'shop');
  at.sink.apply('DELETED', declaringPod('redis', { name: 'c', workload: 'another' }));
  await at.clock.pass(60 * minute);
  assert.deepEqual(workloadLines(), ['shop/db,StatefulSet shop/web']);
});
