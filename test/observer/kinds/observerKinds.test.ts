import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from '@weeder/kube-runtime/testing';
import { restMapperOf, watchedRestMapper } from '../../../src/observer/kinds/restMapper.ts';
import { aggregatedForm } from '../../../src/observer/kinds/servedKinds.ts';
import type { RestMapping } from '../../../src/observer/plan/resourceApi.ts';
import {
  aggregatedList,
  aggregatedVersion,
  discoveryClient,
  openApiIndexOf,
  openApiOf,
} from '../../support/api/discoveryClient.ts';

const { signal } = new AbortController();
const widget: RestMapping = {
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  isNamespaced: true,
};
const documentPath = '/openapi/v3/apis/example.org/v1';
const isDiscovery = (path: string) => path === '/api' || path === '/apis';

function scene(documents: Parameters<typeof discoveryClient>[0]) {
  const at = discoveryClient(documents);
  const kinds = restMapperOf(at.client, at.clock);
  const find = async (kind: string, apiVersion = 'example.org/v1') => {
    const mapping = await kinds.find(apiVersion, kind, signal);
    return mapping.ok ? mapping.value.plural : mapping.failure.type;
  };
  const findServed = async (kind: string, group = 'example.org') => {
    const finding = kinds.findInGroup(group, kind, signal);
    await settled();
    at.clock.advance(1_000);
    const mapping = await finding;
    return mapping.ok ? `${mapping.value.version} ${mapping.value.plural}` : mapping.failure.type;
  };
  /** Advances the clock by this time in steps. */
  const pass = async (ms: number, step = 50) => {
    for (let passed = 0; passed < ms; passed += step) {
      at.clock.advance(step);
      await settled();
    }
  };
  return { ...at, kinds, find, findServed, pass, documents };
}

/** Records the result of a promise. */
function following<T>(asked: Promise<T>): { done: T | undefined } {
  const following: { done: T | undefined } = { done: undefined };
  void asked.then((value) => {
    following.done = value;
  });
  return following;
}

test('one document lists the kinds that can be applied, and for other kinds no request is sent', async () => {
  const reviews = { resource: 'reviews', responseKind: { kind: 'Review' }, scope: 'Cluster', verbs: ['create'] };
  const odd = [{ resource: 3, responseKind: { kind: 'Odd' } }, null, { resource: 'odds' }];
  const v1 = aggregatedVersion('v1', ['Widget']);
  const cluster = aggregatedVersion('v2', ['Rack'], { scope: 'Cluster' });
  const at = scene({
    '/apis': aggregatedList({ 'example.org': [{ ...v1, resources: [...v1.resources, reviews, ...odd] }, cluster] }),
    '/api': aggregatedList({ '': [aggregatedVersion('v1', ['Pod'])] }),
  });
  assert.deepEqual(await at.kinds.find('example.org/v1', 'Widget', signal), { ok: true, value: widget });
  const rack = await at.kinds.find('example.org/v2', 'Rack', signal);
  assert.equal(rack.ok && rack.value.isNamespaced, false);
  for (const kind of ['Review', 'Odd', 'constructor']) assert.equal(await at.find(kind), 'typeMissing', kind);
  for (let index = 0; index < 100; index += 1) assert.equal(await at.find('Made', `up${index}/v1`), 'typeMissing');
  assert.deepEqual(at.asked(), ['/apis']);
  assert.equal(await at.find('Pod', 'v1'), 'pods');
  assert.deepEqual(at.asked(), ['/apis', '/api']);
  assert.equal(at.requests[0]?.accept, aggregatedForm);
});

test('an outdated document is requested again, and transferred only if it has changed', async () => {
  const at = scene({ '/apis': aggregatedList({ 'example.org': [aggregatedVersion('v1', ['Widget'])] }) });
  await at.find('Widget');
  at.clock.advance(29_000);
  await at.find('Widget');
  assert.equal(at.requests.length, 1);
  at.clock.advance(2_000);
  assert.equal(await at.find('Widget'), 'widgets');
  assert.equal(at.requests.length, 2);
  assert(at.requests[1]?.etag !== undefined);
  at.documents['/apis'] = aggregatedList({ 'example.org': [aggregatedVersion('v1', [])] });
  at.clock.advance(31_000);
  assert.equal(await at.find('Widget'), 'typeMissing');
});

test('without aggregated discovery the server is asked for its groups, and for the versions in use', async () => {
  const verbs = ['get', 'patch', 'delete'];
  const list = (...kinds: readonly string[]) => ({
    kind: 'APIResourceList',
    resources: [
      { name: 'widgets/status', kind: 'Widget', namespaced: true, verbs },
      ...kinds.map((kind) => ({ name: `${kind.toLowerCase()}s`, kind, namespaced: true, verbs })),
      { name: 'reviews', kind: 'Review', namespaced: false, verbs: ['create'] },
      { name: 3, kind: 'Odd', verbs },
      null,
    ],
  });
  const group = (...versions: readonly string[]) => ({
    name: 'example.org',
    preferredVersion: { groupVersion: versions[0], version: 'x' },
    versions: [...versions].reverse().map((groupVersion) => ({ groupVersion })),
  });
  const at = scene({
    '/apis': {
      kind: 'APIGroupList',
      groups: [group('example.org/v2', 'example.org/v1'), { name: 'other', versions: 3 }],
    },
    '/apis/example.org/v1': list('Widget'),
    '/apis/example.org/v2': list('Gadget'),
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/api/v1': list('ConfigMap'),
  });
  assert.equal(await at.find('Widget'), 'widgets');
  for (const kind of ['Review', 'Odd', 'Gadget']) assert.equal(await at.find(kind), 'typeMissing');
  for (let index = 0; index < 100; index += 1) assert.equal(await at.find('Made', `up${index}/v1`), 'typeMissing');
  assert.deepEqual(at.asked(), ['/apis', '/apis/example.org/v1']);
  assert.equal(await at.find('ConfigMap', 'v1'), 'configmaps');
  at.documents['/apis/example.org/v1'] = list();
  assert.equal(await at.findServed('Widget'), 'typeMissing');
  assert.equal(await at.findServed('Gadget'), 'v2 gadgets');
  at.documents['/apis/example.org/v2'] = { status: 503 };
  assert.equal(await at.findServed('Gadget'), 'v2 gadgets', 'an unavailable version retains its last result');
  assert.equal(await at.findServed('Widget'), 'transient', 'it may be in the version that is unavailable');
  assert.equal(await at.findServed('ConfigMap', ''), 'v1 configmaps');
  delete at.documents['/apis/example.org/v2'];
  assert.equal(await at.findServed('Gadget'), 'typeMissing');
});

test('an unavailable API group does not count as missing', async () => {
  const current = [aggregatedVersion('v1', ['Widget'])];
  const at = scene({ '/apis': aggregatedList({ 'example.org': current, 'never.org': [] }) });
  assert.equal(await at.find('Widget'), 'widgets');
  const stale = (kinds: readonly string[]) => [aggregatedVersion('v1', kinds, { freshness: 'Stale' })];
  at.documents['/apis'] = aggregatedList({ 'example.org': stale([]), 'never.org': stale([]) });
  at.clock.advance(31_000);
  assert.equal(await at.find('Widget'), 'widgets', 'its last known kinds');
  assert.equal(await at.find('Gadget'), 'transient');
  assert.equal(await at.find('Thing', 'never.org/v1'), 'transient');
  assert.equal(await at.findServed('Gadget'), 'transient');
  assert.equal(await at.find('Thing', 'other.org/v1'), 'typeMissing');
  at.documents['/apis'] = aggregatedList({ 'example.org': current });
  at.clock.advance(61_000);
  assert.equal(await at.find('Gadget'), 'typeMissing');
});

test('server errors do not make a kind missing, and do not cause a request per caller', async () => {
  for (const status of [500, 503, 403, 404]) {
    const at = scene({ '/apis': { status }, '/openapi/v3': { status } });
    for (let times = 0; times < 20; times += 1) {
      assert.equal(await at.find(`Kind${times}`), 'transient');
      const topology = await at.kinds.topologyOf(widget, signal);
      assert.equal(!topology.ok && topology.failure.type, 'transient');
    }
    assert.deepEqual(at.asked(), ['/apis', '/openapi/v3']);
    at.documents['/apis'] = aggregatedList({ 'example.org': [aggregatedVersion('v1', ['Widget'])] });
    at.clock.advance(5_000);
    assert.equal(await at.find('Widget'), 'widgets');
    at.documents['/apis'] = { status };
    at.clock.advance(31_000);
    assert.equal(await at.find('Widget'), 'widgets', 'known kinds are used meanwhile');
  }
});

test('simultaneous callers share one request', async () => {
  const at = scene({
    '/apis': aggregatedList({ 'example.org': [aggregatedVersion('v1', ['Widget'])] }),
    '/openapi/v3': openApiIndexOf('1'),
    [documentPath]: openApiOf('Widget'),
  });
  const mappings = await Promise.all(
    Array.from({ length: 20 }, () => at.kinds.find('example.org/v1', 'Widget', signal)),
  );
  assert(mappings.every(({ ok }) => ok));
  const structures = await Promise.all(Array.from({ length: 20 }, () => at.kinds.topologyOf(widget, signal)));
  assert(structures.every((each) => each.ok && each.value.field('tags').list.type === 'set'));
  assert.deepEqual(at.asked(), ['/apis', '/openapi/v3', documentPath]);
});

test('five hundred missing kinds cause fewer than two hundred discovery requests in an hour', async () => {
  const at = scene({
    '/apis': aggregatedList({ 'example.org': [aggregatedVersion('v1', ['Widget'])] }),
    '/api': aggregatedList({ '': [aggregatedVersion('v1', ['Pod'])] }),
    '/openapi/v3': openApiIndexOf('1'),
    [documentPath]: openApiOf('Widget'),
  });
  const versions = ['v1', 'example.org/v1', 'made.up/v1', 'made.up/v2', 'other.up/v1'];
  let settledOnes = 0;
  for (let index = 0; index < 500; index += 1) {
    const apiVersion = versions[index % versions.length] ?? '';
    void at.kinds.awaitServed(apiVersion, `Made${index}`, signal).then(() => {
      settledOnes += 1;
    });
  }
  for (let minute = 0; minute < 60; minute += 1) {
    await at.pass(60_000, 1_000);
    // Applications are read again frequently, and each of them requests all of its kinds.
    for (let index = 0; index < 500; index += 1) await at.find(`Made${index}`, versions[index % versions.length]);
  }
  assert.equal(settledOnes, 0);
  assert(at.requests.length < 200, `${at.requests.length} requests`);
  assert(at.asked().every(isDiscovery));
});

test('an awaited kind is found, and a kind without a document is waited for until it has one', async () => {
  const at = scene({
    '/apis': aggregatedList({ 'example.org': [aggregatedVersion('v1', ['Rack'])] }),
    '/openapi/v3': openApiIndexOf('1'),
    [documentPath]: openApiOf('Rack'),
  });
  const waiting = following(at.kinds.awaitServed('example.org/v1', 'Widget', signal));
  await at.pass(10_000);
  at.documents['/apis'] = aggregatedList({ 'example.org': [aggregatedVersion('v1', ['Rack', 'Widget'])] });
  await at.pass(60_000);
  assert.equal(waiting.done, undefined, 'its topology is still unknown');
  const missing = await at.kinds.topologyOf(widget, signal);
  assert.equal(!missing.ok && missing.failure.type, 'typeMissing');
  at.documents['/openapi/v3'] = openApiIndexOf('2');
  at.documents[documentPath] = openApiOf('Rack', 'Widget');
  await at.pass(60_000);
  assert.deepEqual(waiting.done, { ok: true, value: widget });
  const topology = await at.kinds.topologyOf(widget, signal);
  assert.equal(topology.ok && topology.value.field('tags').list.type, 'set');
  const before = at.requests.length;
  await at.pass(300_000, 1_000);
  assert.equal(at.requests.length, before, 'nothing is awaited, and nothing is requested');
});

test('after a request has shown that a kind no longer exists, older documents are not used', async () => {
  const at = scene({
    '/apis': aggregatedList({ 'example.org': [aggregatedVersion('v1', ['Widget'])] }),
    '/openapi/v3': openApiIndexOf('1'),
    [documentPath]: openApiOf('Widget'),
  });
  assert.equal(await at.find('Widget'), 'widgets');
  const waiting = following(at.kinds.awaitServed('example.org/v1', 'Widget', signal));
  at.documents['/apis'] = aggregatedList({});
  await at.pass(30_000);
  assert.equal(waiting.done, undefined);
  at.documents['/apis'] = aggregatedList({ 'example.org': [aggregatedVersion('v1', ['Widget'])] });
  await at.pass(60_000);
  assert.deepEqual(waiting.done, { ok: true, value: widget });
});

test('waiting for a kind ends with its signal, and no further request is sent', async () => {
  const at = scene({ '/apis': aggregatedList({}) });
  const stop = new AbortController();
  const waiting = following(at.kinds.awaitServed('example.org/v1', 'Widget', stop.signal));
  await at.pass(5_000);
  assert(at.requests.length > 2);
  stop.abort();
  await settled();
  assert.equal(waiting.done?.ok === false && waiting.done.failure.type, 'cancelled');
  const before = at.requests.length;
  await at.pass(300_000, 1_000);
  assert.equal(at.requests.length, before);
});

test('the streams of definitions are open while a kind is missing, and their events end a long pause', async () => {
  const at = discoveryClient({
    '/apis': aggregatedList({ other: [aggregatedVersion('v1', ['Thing'])] }),
    '/openapi/v3': openApiIndexOf('1'),
    [documentPath]: openApiOf('Widget'),
  });
  let changes = 0;
  const closed: string[] = [];
  const { restMapper, streams } = watchedRestMapper(at.client, {
    clock: at.clock,
    onChanged: () => {
      changes += 1;
    },
    onClosed: (name) => closed.push(name),
  });
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 50) {
      at.clock.advance(50);
      await settled();
    }
  };
  assert.equal(streams.needs.size, 0);
  const waiting = following(restMapper.awaitServed('example.org/v1', 'Widget', signal));
  await settled();
  assert.deepEqual([...streams.needs.keys()], ['customresourcedefinitions', 'apiservices']);
  assert([...streams.needs.values()].every(({ isOptional, as }) => isOptional && as === 'metadata'));
  assert.equal(changes, 1);
  const { sink } = streams.needs.get('customresourcedefinitions') ?? assert.fail();
  const named = (name: string) => ({ metadata: { name } });
  sink.begin();
  sink.apply('ADDED', named('widgets.example.org'));
  sink.end('1');
  await pass(600_000);
  const before = at.requests.length;
  sink.apply('MODIFIED', named('things.other'));
  await pass(5_000);
  assert.equal(at.requests.length, before, 'it does not concern those who wait');
  sink.apply('ADDED', named('widgets.example.org'));
  await pass(300);
  at.documents['/apis'] = aggregatedList({ 'example.org': [aggregatedVersion('v1', ['Widget'])] });
  await pass(1_000);
  assert.deepEqual(waiting.done, { ok: true, value: widget });
  assert.equal(closed.length, 0);
  await pass(61_000);
  assert.deepEqual(closed, ['customresourcedefinitions', 'apiservices']);
  assert.equal(streams.needs.size, 0);
});

test('a changed schema of a kind is found after the event of its definition, and a changed description is not a change', async () => {
  const described = (description: string, type: string) => {
    const document = openApiOf('Widget');
    const tags = { type: 'array', 'x-kubernetes-list-type': type, description };
    for (const schema of Object.values(document.components.schemas)) Object.assign(schema, { properties: { tags } });
    return document;
  };
  const at = discoveryClient({ '/openapi/v3': openApiIndexOf('1'), [documentPath]: described('old', 'set') });
  const events = { clock: at.clock, onChanged: () => undefined, onClosed: () => undefined };
  const { restMapper, streams } = watchedRestMapper(at.client, events);
  const known = await restMapper.topologyOf(widget, signal);
  assert(known.ok);
  const stop = new AbortController();
  const waiting = following(restMapper.whenChanged(widget, known.value, stop.signal));
  const change = async (hash: string, document: object, ms: number) => {
    at.documents['/openapi/v3'] = openApiIndexOf(hash);
    at.documents[documentPath] = document;
    streams.needs
      .get('customresourcedefinitions')
      ?.sink.apply('MODIFIED', { metadata: { name: 'widgets.example.org' } });
    for (let passed = 0; passed < ms; passed += 50) {
      at.clock.advance(50);
      await settled();
    }
  };
  await change('1', described('old', 'set'), 600_000);
  const before = at.requests.length;
  await change('2', described('new', 'set'), 600_000);
  assert.equal(waiting.done, undefined);
  assert(at.requests.length - before < 40, `${at.requests.length - before} requests in ten minutes`);
  const again = await restMapper.topologyOf(widget, signal);
  assert.equal(again.ok && again.value.digest, known.value.digest);
  await change('3', described('new', 'atomic'), 2_000);
  assert.deepEqual(waiting.done, { ok: true, value: undefined });
  const changed = await restMapper.topologyOf(widget, signal);
  assert(changed.ok && changed.value.digest !== known.value.digest);
  const stopped = following(restMapper.whenChanged(widget, changed.value, stop.signal));
  stop.abort();
  await settled();
  assert.equal(stopped.done?.ok, false);
});

test('malformed documents define nothing, and nothing throws', async () => {
  for (const [list, body] of [
    [null, null],
    [[], []],
    [{ paths: 3 }, {}],
    [{ paths: { 'apis/example.org/v1': 3 } }, openApiOf('Widget')],
    [openApiIndexOf('1'), { components: { schemas: { a: 3 } } }],
  ]) {
    const at = scene({ '/openapi/v3': list ?? null, [documentPath]: body ?? null });
    const topology = await at.kinds.topologyOf(widget, signal);
    assert.match(topology.ok ? 'ok' : topology.failure.type, /typeMissing|transient/);
  }
  for (const odd of [null, [], { items: 3 }, { kind: 'APIGroupDiscoveryList', items: [null, { versions: 3 }] }])
    assert.equal(await scene({ '/apis': odd }).find('Widget'), 'typeMissing', JSON.stringify(odd));
});

test('a kind is found in any served version of its group, preferring the preferred one', async () => {
  const at = scene({
    '/apis': aggregatedList({
      'example.org': [
        aggregatedVersion('v3', []),
        aggregatedVersion('v2', ['Widget']),
        aggregatedVersion('v1', ['Widget', 'Old']),
      ],
    }),
  });
  assert.equal(await at.findServed('Widget'), 'v2 widgets');
  assert.equal(await at.findServed('Old'), 'v1 olds');
  assert.equal(await at.findServed('Gadget'), 'typeMissing');
  assert.equal(await at.findServed('Gadget', 'none.org'), 'typeMissing');
  assert.equal(at.requests.length, 4, 'from what is served now, not from what was read before');
  at.documents['/apis'] = { status: 500 };
  assert.equal(await at.findServed('Widget'), 'transient');
});

test('the namespaced kinds are those of all groups, each in one version, and unknown while a group is unavailable', async () => {
  const v1 = [aggregatedVersion('v2', ['Widget']), aggregatedVersion('v1', ['Widget', 'Old'])];
  const racks = aggregatedVersion('v2', ['Rack'], { scope: 'Cluster' });
  const at = scene({
    '/apis': aggregatedList({ 'example.org': v1, 'other.org': [aggregatedVersion('v1', ['Widget']), racks] }),
    '/api': aggregatedList({ '': [aggregatedVersion('v1', ['Pod'])] }),
  });
  const asked = async () => {
    const asking = at.kinds.namespacedKinds();
    await at.pass(1_000);
    const kinds = await asking;
    return kinds.ok
      ? kinds.value.map(({ group, version, plural }) => `${group}/${version} ${plural}`)
      : kinds.failure.type;
  };
  const expected = ['/v1 pods', 'example.org/v2 widgets', 'example.org/v1 olds', 'other.org/v1 widgets'];
  assert.deepEqual(await asked(), expected);
  const stale = [aggregatedVersion('v1', [], { freshness: 'Stale' })];
  at.documents['/apis'] = aggregatedList({ 'example.org': v1, 'other.org': stale });
  assert.equal(await asked(), 'transient');
});
