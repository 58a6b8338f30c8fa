import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSelector } from '@weeder/kube-runtime/objects';
import { virtualClock } from '@weeder/kube-runtime/testing';
import type { Config, ServiceConfig } from '../../src/config/config.ts';
import { createStreams } from '../../src/weeder/streams.ts';
import { createWeeder } from '../../src/weeder/weeder.ts';
import { backOff, pod } from '../support/objects/objects.ts';
import { declaredConfig, serviceConfig } from '../support/world/simulation.ts';
import { weederOptions } from '../support/world/weederOptions.ts';

const role = (name: string): LabelSelector => ({ matchLabels: { role: name } });
const roles = (count: number) => Array.from({ length: count }, (_, index) => role(`r${index}`));

function configOf(services: Readonly<Record<string, readonly LabelSelector[] | Partial<ServiceConfig>>>): Config {
  const entries = Object.entries(services).map(([name, given]) =>
    serviceConfig(Array.isArray(given) ? { name, podSelectors: given } : { ...given, name }),
  );
  return { services: new Map(entries.map((each) => [each.name, each])), restart: undefined };
}

/** The streams of a weeder, and how they changed since the last check: `+` opened, `-` closed. */
function streamsFor(first: Config, namespaces: 'all' | readonly string[] = 'all') {
  const weeder = createWeeder(weederOptions(first, virtualClock()));
  const streams = createStreams({ weeder, config: first, namespaces });
  let before = new Map(streams.needs);
  const list = (name: string, ...pods: readonly object[]) => {
    const sink = streams.needs.get(name)?.sink;
    assert.ok(sink, `there is no stream ${name}, but ${[...streams.needs.keys()].join()}`);
    sink.begin();
    for (const object of pods) sink.apply('ADDED', object);
    sink.end();
  };
  return {
    weeder,
    streams,
    list,
    listAll() {
      for (const name of [...streams.needs.keys()]) list(name);
    },
    to(next: Config) {
      weeder.configure(next);
      streams.configure(next);
    },
    changes() {
      const now = new Map(streams.needs);
      const closed = [...before].filter(([name, need]) => now.get(name) !== need).map(([name]) => `-${name}`);
      const opened = [...now].filter(([name, need]) => before.get(name) !== need).map(([name]) => `+${name}`);
      before = now;
      return [...closed, ...opened].sort();
    },
  };
}

test('a change that needs no other objects opens and closes no stream', () => {
  const at = streamsFor(configOf({ db: [role('a')], cache: [role('b')] }));
  at.listAll();
  at.to(configOf({ cache: { podSelectors: [role('b')], watchDuration: 1000, namespaces: ['x'] }, db: [role('a')] }));
  at.to(configOf({ db: [role('b')], cache: [role('a')] }));
  assert.deepEqual(at.changes(), []);
});

test('for another podSelector its stream is opened, the unused one is closed immediately, and others stay open', () => {
  const at = streamsFor(configOf({ db: [role('a'), role('b')] }));
  at.listAll();
  at.to(configOf({ db: [role('a'), role('c')] }));
  assert.deepEqual(at.changes(), ['+pods role=c', '-pods role=b']);
});

test('for another service the old stream of slices stays open until the new one has its list', () => {
  const at = streamsFor(configOf({ db: [role('a')] }));
  at.listAll();
  at.to(configOf({ db: [role('a')], cache: [role('a')] }));
  assert.deepEqual(at.changes(), ['+endpointslices 2']);
  assert.equal(at.streams.needs.get('endpointslices 2')?.labelSelector, 'kubernetes.io/service-name in (cache,db)');
  at.list('endpointslices 2');
  assert.deepEqual(at.changes(), ['-endpointslices']);
  at.to(configOf({ db: [role('a')] }));
  at.list('endpointslices');
  assert.deepEqual(at.changes(), ['+endpointslices', '-endpointslices 2']);
});

test('a change before the new streams have synced replaces them, and a change back needs none', () => {
  const at = streamsFor(configOf({ db: [role('a')] }));
  at.listAll();
  at.to(configOf({ db: [role('a')], cache: [role('a')] }));
  at.to(configOf({ db: [role('a')], queue: [role('a')] }));
  assert.deepEqual(at.changes(), ['+endpointslices 3']);
  at.to(configOf({ db: [role('a')] }));
  assert.deepEqual(at.changes(), ['-endpointslices 3']);
});

test('before the first list is complete an old stream is closed immediately', () => {
  const at = streamsFor(configOf({ db: [role('a')] }));
  at.to(configOf({ cache: [role('b')] }));
  assert.deepEqual(at.changes(), ['+endpointslices 2', '+pods role=b', '-endpointslices', '-pods role=a']);
});

test('without a service there is no stream, and the first added service opens its streams', () => {
  const at = streamsFor(configOf({ db: [role('a')] }));
  at.listAll();
  at.to(configOf({}));
  assert.deepEqual(at.changes(), ['-endpointslices', '-pods role=a']);
  assert.equal(at.streams.isHandingOver, false);
  at.to(configOf({ cache: [role('b')] }));
  assert.deepEqual(at.changes(), ['+endpointslices', '+pods role=b']);
  assert.equal(streamsFor(configOf({})).streams.needs.size, 0);
});

test('the streams of each namespace are replaced on their own', () => {
  const at = streamsFor(configOf({ db: [role('a')] }), ['x', 'y']);
  at.listAll();
  at.to(configOf({ db: [role('a')], cache: [role('a')] }));
  at.list('endpointslices in y 2');
  assert.deepEqual(at.changes(), ['+endpointslices in x 2', '+endpointslices in y 2', '-endpointslices in y']);
});

test('sixteen podSelectors become seventeen and sixteen again: the known pods stay known', () => {
  const looping = pod({ uid: 'u', labels: { role: 'r3' }, containers: [backOff()] });
  const at = streamsFor(configOf({ db: roles(16) }));
  const isKnown = () => at.weeder.pods.get('role=r3')?.get('u') !== undefined;
  at.listAll();
  at.list('pods role=r3', looping);
  at.to(configOf({ db: roles(17) }));
  assert.deepEqual(at.changes(), ['+pods']);
  assert.ok(isKnown());
  at.list('pods', looping);
  assert.equal(at.changes().length, 16);
  assert.ok(isKnown());
  at.to(configOf({ db: roles(16) }));
  for (let index = 0; index < 15; index += 1) at.list(`pods role=r${index}`, ...(index === 3 ? [looping] : []));
  assert.equal(at.changes().includes('-pods'), false);
  at.list('pods role=r15');
  assert.deepEqual(at.changes(), ['-pods']);
  assert.ok(isKnown());
  at.list('pods role=r3');
  assert.ok(!isKnown());
});

test('the stream of all pods is reopened for one more podSelector, and not for one fewer', () => {
  const looping = pod({ uid: 'u', labels: { role: 'r17' }, containers: [backOff()] });
  const at = streamsFor(configOf({ db: roles(18) }));
  at.listAll();
  at.to(configOf({ db: roles(17) }));
  assert.deepEqual(at.changes(), []);
  at.streams.needs.get('pods')?.sink.apply('MODIFIED', looping);
  at.to(configOf({ db: roles(18) }));
  assert.deepEqual(at.changes(), ['+pods 2']);
  assert.equal(at.weeder.pods.get('role=r17')?.size(), 0);
  at.list('pods 2', looping);
  assert.deepEqual(at.changes(), ['-pods']);
  assert.equal(at.weeder.pods.get('role=r17')?.size(), 1);
});

test('with more services than fit into the streams by name, the stream of all slices is reopened for another name, and not for one fewer', () => {
  const many = (count: number) =>
    configOf(
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a-service-with-a-name-${index}`, [role('a')]])),
    );
  const at = streamsFor(many(4000));
  at.listAll();
  at.to(many(3999));
  assert.deepEqual(at.changes(), []);
  at.to(many(4001));
  assert.deepEqual(at.changes(), ['+endpointslices 2']);
});

test('with very many services another one replaces one stream of slices, and the others stay open', () => {
  const declaring = (...more: readonly string[]) => {
    const names = Array.from({ length: 1000 }, (_, index) => `shop/service-${String(index).padStart(4, '0')}`);
    return {
      services: new Map(),
      declared: declaredConfig({ services: new Set([...names, ...more]) }),
      restart: undefined,
    };
  };
  const at = streamsFor(declaring());
  at.listAll();
  assert.deepEqual(
    [...at.streams.needs.keys()],
    ['endpointslices', 'endpointslices 2', 'endpointslices 3', 'endpointslices 4', 'declarations'],
  );
  at.to(declaring('shop/another'));
  assert.deepEqual(at.changes(), ['+endpointslices 5']);
  at.list('endpointslices 5');
  assert.equal(at.changes().length, 1);
  const count = [...at.streams.needs.keys()].filter((name) => name.startsWith('endpointslices')).length;
  assert.deepEqual([count, at.streams.isHandingOver], [4, false]);
});
