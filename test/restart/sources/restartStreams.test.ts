import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClosableSink } from '@weeder/kube-runtime/watch';
import type { Config } from '../../../src/config/config.ts';
import type { RestartConfig } from '../../../src/config/restart.ts';
import { ownsNamespace, type Shard } from '../../../src/controller/shard.ts';
import { planRestartStreams } from '../../../src/restart/sources/restartStreamPlan.ts';
import { createRestartStreams, type RestartStreams } from '../../../src/restart/sources/restartStreams.ts';
import { planStreams } from '../../../src/weeder/streamPlan.ts';
import { restartConfig } from '../../support/objects/restartSettings.ts';
import { namespaceOwner } from '../../support/world/controllerContext.ts';
import { serviceConfig } from '../../support/world/simulation.ts';

const restart: RestartConfig = restartConfig({ rules: [] });
const named: RestartConfig = { ...restart, access: 'named' };
const settings = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' } as const;
const password = { kind: 'Secret', namespace: 'shop', name: 'password' } as const;

function configWith(section: RestartConfig | undefined): Config {
  return { services: new Map([['db', serviceConfig()]]), restart: section };
}

/** Streams whose sinks record their calls, by the stream's kind and namespace. */
function stage(section: RestartConfig | undefined, namespaces: 'all' | readonly string[] = 'all', shard?: Shard) {
  const calls: string[] = [];
  const read: string[] = [];
  const sinkOf = (kind: string, namespace = 'all', objectName = 'all'): ClosableSink => ({
    begin: () => {},
    apply: (_type, object) => void calls.push(`${kind} ${JSON.stringify(object)}`),
    end: () => {},
    close: () => void calls.push(`closed ${kind} ${namespace} ${objectName}`),
  });
  const streams: RestartStreams = createRestartStreams({
    config: configWith(section),
    namespaces,
    owned: shard && namespaceOwner({ shard }),
    sinks: {
      workloads: (kind, place) => sinkOf(kind, place.namespace, place.objectName),
      sources: (kind, place) => sinkOf(kind, place.namespace, place.objectName),
    },
    reduceSource: () => ({ reduced: true }),
    onChanged: () => void calls.push('changed'),
    onClosed: (name) => void calls.push(`forgotten ${name}`),
    onSynced: () => void calls.push('synced'),
    onRead: ({ objectName }) => void (objectName !== undefined && read.push(objectName)),
  });
  return {
    streams,
    calls,
    read,
    sync(...names: readonly string[]) {
      for (const name of names.length > 0 ? names : streams.needs.keys()) {
        streams.needs.get(name)?.sink.begin();
        streams.needs.get(name)?.sink.end();
      }
    },
  };
}

test('five kinds of workloads are read as whole objects, ConfigMaps and Secrets as reduced metadata', () => {
  const { needs } = stage(restart).streams;
  const reads = [...needs.values()].map(({ name, path, kind, as = 'object', fieldSelector = '' }) =>
    [name, path, kind, as, fieldSelector].join(' '),
  );
  assert.deepEqual(reads, [
    'deployments /apis/apps/v1/deployments Deployment object ',
    'statefulsets /apis/apps/v1/statefulsets StatefulSet object ',
    'daemonsets /apis/apps/v1/daemonsets DaemonSet object ',
    'cronjobs /apis/batch/v1/cronjobs CronJob object ',
    'jobs /apis/batch/v1/jobs Job object ',
    'configmaps /api/v1/configmaps ConfigMap metadata ',
    'secrets /api/v1/secrets Secret metadata type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token',
  ]);
  for (const { as, reduce } of needs.values()) {
    assert.deepEqual(reduce?.({}), as === 'metadata' ? { reduced: true } : undefined);
  }
});

test('a kind of another group has a stream that nothing waits for, until the config no longer names it', () => {
  const { streams, sync, calls } = stage({ ...restart, workloadKinds: [{ name: 'Rollout.argoproj.io' }] }, ['a']);
  const need = streams.needs.get('rollout.argoproj.io in a');
  assert.deepEqual(
    [need?.path, need?.kind, need?.isOptional, need?.isAwaited],
    ['/apis/argoproj.io/*/namespaces/a/Rollout', 'Rollout', true, false],
  );
  assert.match(need?.whenMissing ?? '', /^The API server has no kind Rollout\.argoproj\.io: /);
  sync(...[...streams.needs.keys()].filter((name) => name !== 'rollout.argoproj.io in a'));
  assert.equal(streams.isSynced, true);
  assert.equal(streams.hasReadWorkload({ kind: 'Rollout.argoproj.io', namespace: 'a' }), false);
  assert.equal(streams.hasReadWorkload({ kind: 'Deployment', namespace: 'a' }), true);
  streams.configure(configWith(restart));
  assert.equal(streams.needs.has('rollout.argoproj.io in a'), false);
  assert.ok(calls.includes('closed Rollout.argoproj.io a all'));
});

test('without a section restartControl no stream is open, and no permission is needed', () => {
  const { streams } = stage(undefined);
  assert.equal(streams.needs.size, 0);
  assert.equal(streams.isSynced, true);
});

test('with --namespaces each kind has one stream in each namespace, and none elsewhere', () => {
  const plans = planRestartStreams(restart, ['a', 'b', 'a'], []);
  assert.equal(plans.length, 14);
  assert.deepEqual(
    plans.filter(({ kind }) => kind === 'Job' || kind === 'Secret').map(({ name, path }) => [name, path]),
    [
      ['jobs in a', '/apis/batch/v1/namespaces/a/jobs'],
      ['jobs in b', '/apis/batch/v1/namespaces/b/jobs'],
      ['secrets in a', '/api/v1/namespaces/a/secrets'],
      ['secrets in b', '/api/v1/namespaces/b/secrets'],
    ],
  );
});

test('no stream has the same name as a stream of the weeder', () => {
  for (const namespaces of ['all', ['a']] as const) {
    const weeders = new Set(planStreams(configWith(undefined), namespaces).map(({ name }) => name));
    const sources = [settings, password];
    for (const section of [restart, named]) {
      const names = planRestartStreams(section, namespaces, sources).map(({ name }) => name);
      assert.equal(new Set(names).size, names.length);
      assert.deepEqual(
        names.filter((name) => weeders.has(name)),
        [],
      );
    }
  }
});

test('with access: named each used source has its own stream while it is used', () => {
  const { streams, calls } = stage(named);
  assert.equal(streams.needs.size, 5);
  streams.use([settings, password]);
  const need = streams.needs.get('secrets password in shop');
  assert.equal(need?.path, '/api/v1/namespaces/shop/secrets');
  assert.equal(need?.fieldSelector, 'metadata.name=password');
  assert.equal(need?.as, 'metadata');
  const open = streams.needs.get('configmaps settings in shop');
  streams.use([settings]);
  streams.use([settings]);
  assert.equal(streams.needs.get('configmaps settings in shop'), open);
  assert.deepEqual(calls, ['changed', 'closed Secret shop password', 'forgotten secrets password in shop', 'changed']);
});

test('with sourceKinds: [ConfigMap] no Secret is listed', () => {
  const { needs } = stage({ ...restart, sourceKinds: new Set(['ConfigMap']) }).streams;
  assert.equal(needs.has('configmaps'), true);
  assert.equal(needs.has('secrets'), false);
  assert.equal(needs.size, 6);
});

test('a new config applies once its additional streams are open, and before unneeded streams are closed', () => {
  const { streams, calls, sync } = stage(restart);
  sync();
  const onlyConfigMaps = configWith({ ...restart, sourceKinds: new Set(['ConfigMap']) });
  streams.configure(onlyConfigMaps, () => void calls.push(`narrowed, synced: ${streams.isSynced}`));
  streams.configure(configWith(restart), () => void calls.push(`widened, synced: ${streams.isSynced}`));
  assert.deepEqual(calls, [
    'synced',
    'narrowed, synced: true',
    'closed Secret all all',
    'forgotten secrets',
    'changed',
    'widened, synced: false',
    'changed',
  ]);
});

test('a used source in an unwatched namespace has no stream', () => {
  const { streams } = stage(named, ['shop']);
  streams.use([settings, { ...settings, namespace: 'elsewhere' }]);
  assert.deepEqual(
    [...streams.needs.keys()].filter((name) => name.startsWith('configmaps')),
    ['configmaps settings in shop'],
  );
});

test('if all sources are watched, a change of the used ones changes no stream', () => {
  const { streams, calls } = stage(restart);
  streams.use([settings]);
  assert.equal(streams.needs.size, 7);
  assert.deepEqual(calls, []);
});

test('an added section opens the streams, a removed one closes them, another change leaves them open', () => {
  const { streams, calls } = stage(undefined);
  streams.configure(configWith(restart));
  assert.equal(streams.needs.size, 7);
  assert.equal(streams.isSynced, false);
  assert.deepEqual(calls, ['changed']);
  const before = [...streams.needs.values()];
  streams.configure(configWith({ ...restart, burst: 1 }));
  assert.deepEqual([...streams.needs.values()], before);
  assert.deepEqual(calls, ['changed']);
  streams.configure(configWith(undefined));
  assert.equal(streams.needs.size, 0);
  assert.equal(calls.filter((each) => each.startsWith('closed')).length, 7);
  assert.equal(calls.at(-1), 'changed');
});

test('onSynced is called once after the last complete list, and again after additional streams have synced', () => {
  const { streams, calls, sync } = stage(named);
  sync('deployments', 'statefulsets', 'daemonsets', 'cronjobs');
  assert.deepEqual([streams.isSynced, calls], [false, []]);
  sync('jobs');
  assert.deepEqual([streams.isSynced, calls], [true, ['synced']]);
  sync();
  assert.deepEqual(calls, ['synced']);
  streams.use([settings]);
  assert.equal(streams.isSynced, false);
  sync();
  assert.deepEqual([streams.isSynced, calls], [true, ['synced', 'changed', 'synced']]);
});

test('an unread source stream delays only the workloads that use it', () => {
  const { streams, read, sync } = stage(named, ['shop']);
  sync();
  streams.use([settings, password]);
  assert.deepEqual([settings, password].map(streams.hasRead), [false, false]);
  sync('configmaps settings in shop');
  assert.deepEqual([[settings, password].map(streams.hasRead), read], [[true, false], ['settings']]);
  assert.equal(streams.hasRead({ ...password, namespace: 'elsewhere' }), true, 'its namespace is not watched');
});

test('with access: all a source counts as read with the list of its kind', () => {
  const { streams, read, sync } = stage(restart);
  sync('configmaps');
  assert.deepEqual([[settings, password].map(streams.hasRead), read], [[true, false], []]);
});

test('after a change from all sources to named ones, no source counts as missing before it is read', () => {
  const { streams, sync } = stage(restart);
  sync();
  streams.use([settings]);
  streams.configure(configWith(named));
  assert.equal(streams.hasRead(settings), false);
  sync('configmaps settings in shop');
  assert.equal(streams.hasRead(settings), true);
});

test('a workload waits for the stream of its kind in its namespace, and for no other', () => {
  const { streams, sync } = stage(restart, ['shop', 'elsewhere']);
  const inShop = { kind: 'Deployment', namespace: 'shop' } as const;
  assert.equal(streams.hasReadWorkload(inShop), false);
  sync('deployments in elsewhere', 'jobs in shop');
  assert.equal(streams.hasReadWorkload(inShop), false);
  sync('deployments in shop');
  assert.equal(streams.hasReadWorkload(inShop), true);
  assert.equal(streams.hasReadWorkload({ ...inShop, kind: 'CronJob' }), false);
});

test('no stream blocks the start, and the stream of a kind that no rule names is optional for readiness', () => {
  const rules = restartConfig({}).rules.map((rule) => ({ ...rule, kinds: new Set(['Deployment'] as const) }));
  const { streams } = stage({ ...restart, rules });
  const optional = () => [...streams.needs.values()].filter(({ isOptional }) => isOptional).map(({ name }) => name);
  assert.deepEqual(
    [...streams.needs.values()].filter(({ peers }) => peers === undefined),
    [],
  );
  assert.deepEqual(optional(), ['statefulsets', 'daemonsets', 'cronjobs', 'jobs']);
  streams.configure(configWith(restart));
  assert.deepEqual(optional(), [], 'without rules an annotation may opt in any kind');
});

test('a stream that is closed before its first list delays nothing, and its late end has no effect', () => {
  const { streams, calls, sync } = stage(named);
  sync();
  streams.use([settings]);
  const late = streams.needs.get('configmaps settings in shop');
  streams.use([]);
  assert.deepEqual([streams.isSynced, calls.at(-1)], [true, 'synced']);
  const before = calls.length;
  late?.sink.end();
  assert.equal(calls.length, before);
});

test('a shard reads the workloads of its own namespaces, and the sources of all namespaces', () => {
  const shard = { index: 0, count: 2 };
  const namespaces = ['a', 'b', 'c', 'd', 'e', 'f'];
  const owned = namespaces.filter((namespace) => ownsNamespace(shard, namespace));
  assert.ok(owned.length > 0 && owned.length < namespaces.length);
  const { streams, calls } = stage(restart, 'all', shard);
  for (const namespace of namespaces) {
    for (const name of ['deployments', 'configmaps'])
      streams.needs.get(name)?.sink.apply('ADDED', { metadata: { namespace } });
  }
  const taken = (kind: string) => calls.filter((each) => each.startsWith(kind)).map((each) => each.slice(-4, -3));
  assert.deepEqual(taken('Deployment'), owned);
  assert.deepEqual(taken('ConfigMap'), namespaces);
});
