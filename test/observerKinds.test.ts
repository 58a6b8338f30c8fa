import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindsOf } from '../src/observer/kinds.ts';
import type { Kind } from '../src/observer/resourceApi.ts';
import { calling } from './support/calling.ts';
import { answerWith, statusBody } from './support/faultyServer.ts';
import { until } from './support/until.ts';
import { virtualClock } from './support/virtualClock.ts';

const signal = new AbortController().signal;
const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const served = {
  kind: 'APIResourceList',
  resources: [
    { name: 'widgets/status', kind: 'Widget', namespaced: true, verbs },
    { name: 'widgets', kind: 'Widget', namespaced: true, verbs },
    { name: 'racks', kind: 'Rack', namespaced: false, verbs },
    { name: 'reviews', kind: 'Review', namespaced: false, verbs: ['create'] },
    { name: 3, kind: 'Odd', verbs },
    null,
  ],
};
const widget: Kind = { group: 'example.org', version: 'v1', kind: 'Widget', plural: 'widgets', isNamespaced: true };

const index = (hash: string) => ({
  paths: { 'apis/example.org/v1': { serverRelativeURL: `/openapi/v3/x?hash=${hash}` } },
});
const documentOf = (...kinds: readonly string[]) => ({
  components: {
    schemas: Object.fromEntries(
      kinds.map((kind) => [
        `org.example.v1.${kind}`,
        {
          properties: { tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } } },
          'x-kubernetes-group-version-kind': [{ group: 'example.org', version: 'v1', kind }],
        },
      ]),
    ),
  },
});

/** A server whose answers are these, by path; of everything else it knows nothing. */
async function scene(answers: Record<string, unknown>) {
  const clock = virtualClock();
  const it = await calling('http', { clock });
  it.server.failAll((answer, request, proceed) => {
    const body = answers[request.path];
    const fault =
      typeof body === 'function' ? body : answerWith(body === undefined ? 404 : 200, JSON.stringify(body ?? ''));
    fault(answer, request, proceed);
  });
  const asked = () => it.server.requests.map(({ path }) => path);
  return { it, clock, asked, kinds: kindsOf(it.client, clock), [Symbol.asyncDispose]: () => it[Symbol.asyncDispose]() };
}

test('a kind is found by what the server lists, without subresources and what cannot be applied', async () => {
  await using at = await scene({ '/apis/example.org/v1': served });
  const find = (kind: string) => at.kinds.find('example.org/v1', kind, signal);
  assert.deepEqual(await find('Widget'), { ok: true, value: widget });
  const rack = await find('Rack');
  assert.equal(rack.ok && rack.value.isNamespaced, false);
  assert.equal(at.asked().length, 1, 'what is known is not asked for again');
  for (const kind of ['Review', 'Odd', 'constructor']) {
    const found = await find(kind);
    assert.equal(!found.ok && found.failure.is, 'typeMissing', kind);
  }
  assert.equal(at.asked().length, 4, 'what is not known is asked for anew');
  at.clock.advance(31_000);
  await find('Widget');
  assert.equal(at.asked().length, 5, 'and so is what may be another one by now');
});

test('whoever asks for the same at once is answered by one request', async () => {
  const answers = {
    '/apis/example.org/v1': served,
    '/openapi/v3': index('1'),
    '/openapi/v3/apis/example.org/v1': documentOf('Widget'),
  };
  await using at = await scene(answers);
  const all = await Promise.all(Array.from({ length: 20 }, () => at.kinds.find('example.org/v1', 'Widget', signal)));
  assert(all.every(({ ok }) => ok));
  assert.equal(at.asked().length, 1);
  const structures = await Promise.all(Array.from({ length: 20 }, () => at.kinds.structureOf(widget, signal)));
  assert(structures.every((each) => each.ok && each.value.field('tags').list.is === 'set'));
  assert.deepEqual(at.asked().slice(1), ['/openapi/v3', '/openapi/v3/apis/example.org/v1']);
});

test('a server that is in trouble is no reason to say that a kind is missing', async () => {
  for (const fault of [
    answerWith(503, statusBody(503, 'ServiceUnavailable', 'later'), { 'retry-after': '3' }),
    answerWith(200, '<html>'),
    answerWith(403, statusBody(403, 'Forbidden', 'no')),
  ]) {
    await using at = await scene({ '/apis/example.org/v1': fault, '/openapi/v3': fault });
    for (const asked of [at.kinds.find('example.org/v1', 'Widget', signal), at.kinds.structureOf(widget, signal)]) {
      const found = await asked;
      assert.equal(!found.ok && found.failure.is, 'transient', JSON.stringify(found));
    }
  }
});

test('a kind whose document is not there yet is waited for: 5 s, or as long as anybody waits', async () => {
  const answers: Record<string, unknown> = {
    '/openapi/v3': index('1'),
    '/openapi/v3/apis/example.org/v1': documentOf('Rack'),
  };
  await using at = await scene(answers);
  let found = '';
  const ask = async (wanted: AbortSignal) => {
    found = '';
    const structure = await at.kinds.structureOf(widget, wanted);
    found = structure.ok ? structure.value.field('tags').list.is : structure.failure.is;
  };
  void ask(signal);
  await until(
    'it has looked twice',
    () => at.asked().filter((path) => path === '/openapi/v3').length > 1,
    at.clock,
    50,
  );
  assert.equal(found, '');
  answers['/openapi/v3'] = index('2');
  answers['/openapi/v3/apis/example.org/v1'] = documentOf('Rack', 'Widget');
  await until('its document', () => found !== '', at.clock, 50);
  assert.equal(found, 'set');
  answers['/openapi/v3'] = index('3');
  answers['/openapi/v3/apis/example.org/v1'] = documentOf();
  at.clock.advance(31_000);
  const startedAt = at.clock.monotonic();
  void ask(signal);
  await until('it was given up', () => found !== '', at.clock, 50);
  assert.equal(found, 'typeMissing');
  const took = at.clock.monotonic() - startedAt;
  assert(took >= 5_000 && took < 7_000, `${took} ms`);
  const stop = new AbortController();
  void ask(stop.signal);
  const before = at.asked().length;
  await until('it has looked again', () => at.asked().length > before + 1, at.clock, 50);
  stop.abort();
  await until('nobody waits', () => found !== '');
  assert.equal(found, 'cancelled');
});

test('documents that are not what they should be say nothing, and nothing is thrown', async () => {
  for (const [list, body] of [
    [null, null],
    [[], []],
    [{ paths: 3 }, {}],
    [{ paths: { 'apis/example.org/v1': 3 } }, documentOf('Widget')],
    [index('1'), { components: { schemas: { a: 3 } } }],
  ]) {
    await using at = await scene({
      '/openapi/v3': list,
      '/openapi/v3/apis/example.org/v1': body,
      '/apis/example.org/v1': body,
    });
    let found = '';
    void at.kinds.structureOf(widget, signal).then((structure) => {
      found = structure.ok ? 'ok' : structure.failure.is;
    });
    await until('an answer', () => found !== '', at.clock, 200);
    assert.match(found, /typeMissing|transient/);
    const kind = await at.kinds.find('example.org/v1', 'Widget', signal);
    assert.equal(!kind.ok && kind.failure.is, 'typeMissing');
  }
});

test('a kind is found under whatever version of its group serves it, the preferred one first', async () => {
  const group = (...versions: readonly string[]) => ({
    preferredVersion: { groupVersion: versions[0], version: 'x' },
    versions: [...versions].reverse().map((groupVersion) => ({ groupVersion })),
  });
  const answers: Record<string, unknown> = {
    '/apis/example.org': group('example.org/v3', 'example.org/v2', 'example.org/v1'),
    '/apis/example.org/v3': { resources: [] },
    '/apis/example.org/v2': served,
    '/apis/example.org/v1': served,
    '/api/v1': { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true, verbs }] },
  };
  await using at = await scene(answers);
  const said = async (kind: string, of = 'example.org') => {
    const found = await at.kinds.findServed(of, kind, signal);
    return found.ok ? `${found.value.version} ${found.value.plural}` : found.failure.is;
  };
  assert.match(await said('Widget'), /^v[12] widgets$/);
  answers['/apis/example.org'] = group('example.org/v2', 'example.org/v1');
  assert.equal(await said('Widget'), 'v2 widgets');
  assert.equal(await said('Gadget'), 'typeMissing');
  assert.equal(await said('ConfigMap', ''), 'v1 configmaps');
  assert.equal(await said('Widget', ''), 'typeMissing');
  // What cannot be asked may have it.
  answers['/apis/example.org/v2'] = answerWith(503, statusBody(503, 'ServiceUnavailable', 'later'));
  assert.equal(await said('Gadget'), 'transient');
  assert.equal(await said('Widget'), 'v1 widgets');
  for (const odd of [null, [], { versions: 3 }, { versions: [{ groupVersion: 3 }, null] }]) {
    answers['/apis/example.org'] = odd;
    assert.equal(await said('Widget'), 'typeMissing', JSON.stringify(odd));
  }
  answers['/apis/example.org'] = answerWith(500, statusBody(500, 'InternalError', 'trouble'));
  assert.equal(await said('Widget'), 'transient');
  delete answers['/apis/example.org'];
  assert.equal(await said('Widget'), 'typeMissing');
});
