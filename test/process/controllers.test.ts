import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiResult } from '@weeder/kube-runtime/client';
import { testSink, until } from '@weeder/kube-runtime/testing';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { parseConfig } from '../../src/config/parse.ts';
import type { Controller, ControllerContext } from '../../src/controller/controller.ts';
import { type Embedded, embedded, startEmbeddedWeeder } from '../support/world/embedded.ts';

const config = 'servicesAndDependantSelectors: {db: {podSelectors: [{matchLabels: {app: api}}]}}\n';
const leases = '/apis/coordination.k8s.io/v1/leases';
const replicaSets = '/apis/apps/v1/replicasets';
const kindOf: Readonly<Record<string, string>> = { [leases]: 'Lease', [replicaSets]: 'ReplicaSet' };
/** The stream of this missing collection never syncs. */
const missingPath = '/api/v1/nothings';

/** A second controller, with a stream for each of these names. */
function otherController(given: Readonly<Record<string, string>>) {
  const calls: string[] = [];
  const needs = new Map<string, StreamNeed>();
  const drained = Promise.withResolvers<void>();
  let context: ControllerContext | undefined;
  let work = { queued: 0, inFlight: 0 };
  function need(name: string, path: string): void {
    needs.set(name, { name, path, kind: kindOf[path] ?? 'Nothing', labelSelector: '', sink: testSink() });
  }
  for (const [name, path] of Object.entries(given)) need(name, path);
  const controller: Controller = {
    name: 'other',
    needs,
    configure: () => void calls.push('configure'),
    start: () => void calls.push('start'),
    stop: () => void calls.push('stop'),
    drained: () => drained.promise,
    work: () => work,
    *actors() {},
    actorCounts: () => ({ other: 3 }),
    shown: () => undefined,
  };
  const create = (given: ControllerContext): Controller => {
    context = given;
    return controller;
  };
  return {
    create,
    calls,
    need,
    removeStream: (name: string) => needs.delete(name),
    end: drained.resolve,
    work: (inFlight: number) => {
      work = { queued: 0, inFlight };
    },
    get context() {
      assert.ok(context !== undefined);
      return context;
    },
  };
}

function started(cluster: Embedded, other: ReturnType<typeof otherController>) {
  return startEmbeddedWeeder(cluster, config, { createOther: other.create, eventInstance: 'here' });
}

test('a controller starts when its own streams have synced, regardless of those of another controller', async () => {
  await using cluster = await embedded();
  const other = otherController({ nothings: missingPath });
  await using weeder = started(cluster, other);
  await until('the weeder runs', () => weeder.logged.includes('caches synced, starting controller'));
  await until('the stream has failed', () => weeder.logged.includes('stream lost'));
  assert.equal(weeder.manager.state(), 'syncing');
  assert.deepEqual(other.calls, []);
  other.removeStream('nothings');
  other.context.onStreamsChanged();
  assert.equal(weeder.manager.state(), 'running');
  assert.deepEqual(other.calls, ['start']);
  other.end();
});

test('the streams of a controller are opened with those of the weeder, and again when its needs change', async () => {
  await using cluster = await embedded();
  const other = otherController({ leases });
  await using weeder = started(cluster, other);
  await until('all controllers run', () => weeder.manager.state() === 'running');
  const names = () => weeder.manager.streams().map(({ name }) => name);
  assert.deepEqual(names().sort(), ['endpointslices', 'leases', 'pods app=api']);
  assert.deepEqual(other.calls, ['start']);
  other.removeStream('leases');
  other.need('replicasets', replicaSets);
  other.context.onStreamClosed('leases');
  other.context.onStreamsChanged();
  await until('the new one is begun', () => names().includes('replicasets'));
  assert.equal(names().includes('leases'), false);
  assert.deepEqual(other.calls, ['start']);
  other.end();
});

test('each config takes effect in all controllers, and all are counted', async () => {
  await using cluster = await embedded();
  const other = otherController({});
  await using weeder = started(cluster, other);
  await until('all controllers run', () => weeder.manager.state() === 'running');
  const next = parseConfig(config.replaceAll('db', 'cache'), 'config.yaml');
  assert.ok(next.ok);
  weeder.reload.take(next);
  assert.deepEqual(other.calls, ['start', 'configure']);
  assert.equal(weeder.manager.actorCounts()['other'], 3);
  assert.equal(weeder.manager.actorCounts()['endpoint'], 0);
  assert.equal(weeder.manager.isBusy(), false);
  other.work(1);
  assert.equal(weeder.manager.isBusy(), true);
  other.end();
});

test('on shutdown all controllers stop, and the manager waits for their requests in flight', async () => {
  await using cluster = await embedded();
  const other = otherController({});
  await using weeder = started(cluster, other);
  const { manager } = weeder;
  await until('all controllers run', () => manager.state() === 'running');
  manager.shutdown();
  assert.deepEqual(other.calls, ['start', 'stop']);
  assert.equal(manager.state(), 'draining');
  other.end();
  assert.equal(await manager.stopped, 'shutdown');
  assert.equal(weeder.logged.includes('stopping with requests in flight'), false);
});

test('a request of a controller after leadership is lost changes nothing in the cluster', async () => {
  await using cluster = await embedded();
  const other = otherController({});
  const create = (): Promise<ApiResult> =>
    other.context.client.call({
      method: 'POST',
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      body: { metadata: { name: 'a' } },
    });
  const election = {
    namespace: 'default',
    name: 'weeder',
    identity: 'me',
    leaseDuration: 15_000,
    renewDeadline: 10_000,
    retryPeriod: 2_000,
  };
  const weeder = startEmbeddedWeeder(cluster, config, { createOther: other.create, election });
  other.end();
  await until('it leads', () => weeder.manager.state() === 'running');
  assert.equal((await create()).ok, true);
  weeder.manager.shutdown();
  await weeder.manager.stopped;
  const refused = await create();
  assert.equal(!refused.ok && refused.failure.message, 'this replica lost leadership');
});

test('in a dry run no request of a controller changes anything', async () => {
  await using cluster = await embedded();
  const other = otherController({});
  await using weeder = startEmbeddedWeeder(cluster, config, { createOther: other.create, isDryRun: true });
  other.end();
  await until('all controllers run', () => weeder.manager.state() === 'running');
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  assert.equal((await other.context.client.call({ method: 'POST', path, body: { metadata: { name: 'a' } } })).ok, true);
  const result = await other.context.client.call({ method: 'GET', path: `${path}/a` });
  assert.equal(!result.ok && result.failure.type, 'notFound');
});

test('two controllers that use one stream name are rejected immediately', async () => {
  await using cluster = await embedded();
  const other = otherController({ endpointslices: leases });
  assert.throws(() => started(cluster, other), /other names a stream "endpointslices"/);
});
