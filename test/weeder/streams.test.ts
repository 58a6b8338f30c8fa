import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSelector } from '@weeder/kube-runtime/objects';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { readLineMetadata } from '@weeder/kube-runtime/watch';
import type { Config } from '../../src/config/config.ts';
import { streamsOf } from '../../src/weeder/streams.ts';
import { createWeeder } from '../../src/weeder/weeder.ts';
import { backOff, pod, running } from '../support/objects/objects.ts';
import { declaredConfig, serviceConfig } from '../support/world/simulation.ts';
import { weederOptions } from '../support/world/weederOptions.ts';

function weederOf(services: Readonly<Record<string, readonly LabelSelector[]>>) {
  const entries = Object.entries(services).map(([name, podSelectors]) => serviceConfig({ name, podSelectors }));
  const config: Config = { services: new Map(entries.map((service) => [service.name, service])), restart: undefined };
  const weeder = createWeeder(weederOptions(config, virtualClock()));
  return { config, weeder };
}

const role = (name: string): LabelSelector => ({ matchLabels: { role: name } });
const manyRoles = Array.from({ length: 17 }, (_, index) => role(`role-${index}`));

test('there is one stream of slices, and one of pods per distinct selector, however it is written', () => {
  const same: LabelSelector = { matchExpressions: [{ key: 'role', operator: 'In', values: ['api'] }] };
  const { weeder, config } = weederOf({ db: [role('api'), role('worker')], cache: [same] });
  assert.deepEqual(
    streamsOf(weeder, config, 'all').map(({ name, path, kind, labelSelector }) => [name, path, kind, labelSelector]),
    [
      [
        'endpointslices',
        '/apis/discovery.k8s.io/v1/endpointslices',
        'EndpointSlice',
        'kubernetes.io/service-name in (cache,db)',
      ],
      ['pods role=api', '/api/v1/pods', 'Pod', 'role=api'],
      ['pods role=worker', '/api/v1/pods', 'Pod', 'role=worker'],
    ],
  );
});

test('without services no stream is opened', () => {
  const none = { services: new Map(), restart: undefined };
  const weeder = createWeeder(weederOptions(none, virtualClock()));
  for (const namespaces of ['all', ['a', 'b']] as const) assert.deepEqual(streamsOf(weeder, none, namespaces), []);
});

test('with limited namespaces each has its own streams', () => {
  const { weeder, config } = weederOf({ db: [role('api')] });
  assert.deepEqual(
    streamsOf(weeder, config, ['a', 'b']).map(({ name, path }) => [name, path]),
    [
      ['endpointslices in a', '/apis/discovery.k8s.io/v1/namespaces/a/endpointslices'],
      ['pods role=api in a', '/api/v1/namespaces/a/pods'],
      ['endpointslices in b', '/apis/discovery.k8s.io/v1/namespaces/b/endpointslices'],
      ['pods role=api in b', '/api/v1/namespaces/b/pods'],
    ],
  );
});

function slicesOf(count: number) {
  const names = Array.from({ length: count }, (_, index) => [`a-service-with-a-name-${index}`, [role('api')]] as const);
  const { weeder, config } = weederOf(Object.fromEntries(names));
  return streamsOf(weeder, config, 'all').filter(({ kind }) => kind === 'EndpointSlice');
}

test('more service names than fit into a URL are divided among several streams', () => {
  const streams = slicesOf(300);
  assert.deepEqual(
    streams.map(({ name }) => name),
    ['endpointslices', 'endpointslices 2'],
  );
  assert.ok(streams.every(({ labelSelector }) => labelSelector.length <= 4000));
  const named = streams.flatMap(({ labelSelector }) => /\((.*)\)/.exec(labelSelector)?.[1]?.split(',') ?? []);
  assert.equal(new Set(named).size, 300);
});

test('of very many services the slices of all services are requested', () => {
  assert.deepEqual(
    slicesOf(4000).map(({ labelSelector }) => labelSelector),
    ['kubernetes.io/service-name'],
  );
});

test('pods that declare dependencies have a stream of their own, and the services that they declare share streams', () => {
  const { weeder, config: configured } = weederOf({ db: [role('api')] });
  const services = new Set(['shop/redis', 'other/db']);
  const config = { ...configured, declared: declaredConfig({ services }) };
  const streamNames = (namespaces: 'all' | readonly string[], given: Config = config) =>
    streamsOf(weeder, given, namespaces).map(({ name, labelSelector }) => `${name}: ${labelSelector}`);
  assert.deepEqual(streamNames('all'), [
    'endpointslices: kubernetes.io/service-name in (db,redis)',
    'pods role=api: role=api',
    'declarations: weeder.dev/depends-on',
  ]);
  assert.deepEqual(
    streamNames(['shop', 'other']).filter((each) => !each.startsWith('pods')),
    [
      'endpointslices in shop: kubernetes.io/service-name in (db,redis)',
      'declarations in shop: weeder.dev/depends-on',
      'endpointslices in other: kubernetes.io/service-name in (db)',
      'declarations in other: weeder.dev/depends-on',
    ],
  );
  const limited = { ...config, declared: declaredConfig({ namespaces: ['shop'] }) };
  assert.deepEqual(
    streamNames(['shop', 'other'], limited).filter((each) => each.startsWith('decl')),
    ['declarations in shop: weeder.dev/depends-on'],
  );
  const alone: Config = { services: new Map(), declared: declaredConfig(), restart: undefined };
  assert.deepEqual(streamNames('all', alone), ['declarations: weeder.dev/depends-on']);
});

test('sixteen distinct selectors have a stream each, seventeen share one stream of all pods', () => {
  const few = weederOf({ db: manyRoles.slice(0, 16) });
  assert.equal(streamsOf(few.weeder, few.config, 'all').length, 17);
  const many = weederOf({ db: manyRoles });
  assert.deepEqual(
    streamsOf(many.weeder, many.config, 'all').map(({ name, labelSelector }) => [name, labelSelector !== '']),
    [
      ['endpointslices', true],
      ['pods', false],
    ],
  );
});

test('the stream of all pods is distributed by labels, and follows a pod whose labels change', () => {
  const { weeder, config } = weederOf({ db: [...manyRoles, { matchLabels: { tier: 'back' } }] });
  const stream = streamsOf(weeder, config, 'all')[1];
  assert.ok(stream);
  const { sink } = stream;
  const holders = () => [...weeder.pods].filter(([, index]) => index.size() > 0).map(([text]) => text);
  const looping = (labels: Readonly<Record<string, string>>) => pod({ uid: 'u', labels, containers: [backOff()] });
  sink.begin();
  sink.apply('ADDED', looping({ role: 'role-3', tier: 'back' }));
  sink.apply('ADDED', pod({ uid: 'other', labels: { role: 'unknown' }, containers: [backOff()] }));
  sink.end();
  assert.deepEqual(holders(), ['role=role-3', 'tier=back']);
  sink.apply('MODIFIED', looping({ role: 'role-4' }));
  assert.deepEqual(holders(), ['role=role-4']);
  sink.apply('MODIFIED', pod({ uid: 'u', labels: { role: 'role-4' }, containers: [running(4)] }));
  assert.deepEqual(holders(), []);
  sink.apply('MODIFIED', looping({ role: 'role-4' }));
  sink.begin();
  sink.end();
  assert.deepEqual(holders(), []);
});

test('an event of the stream of all pods is relevant if it is relevant to any index', () => {
  const { weeder, config } = weederOf({ db: manyRoles });
  const sink = streamsOf(weeder, config, 'all')[1]?.sink;
  const isIrrelevant = (object: object) => {
    const line = Buffer.from(JSON.stringify({ type: 'MODIFIED', object }));
    const metadata = readLineMetadata(line);
    assert.ok(metadata);
    return sink?.isIrrelevant?.(line, metadata);
  };
  const labels = { role: 'role-5' };
  assert.equal(isIrrelevant(pod({ uid: 'u', labels })), true);
  assert.equal(isIrrelevant(pod({ uid: 'u', labels, containers: [backOff()] })), false);
  sink?.apply('MODIFIED', pod({ uid: 'u', labels, containers: [backOff()] }));
  assert.equal(isIrrelevant(pod({ uid: 'u', labels })), false);
});
