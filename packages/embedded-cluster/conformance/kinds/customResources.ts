import assert from 'node:assert/strict';
import { arrayOf, type JsonObject, objectOf } from '../../src/base/json.ts';
import { owners } from '../apply/configurations.ts';
import type { Features } from '../features.ts';
import { body, meta, type NamespaceTest, refused, versionOf } from '../target.ts';
import {
  createDefinition,
  definitions,
  waitForEstablished,
  waitForStatus,
  waitForTermination,
  widgetsOf,
} from './definitions.ts';

const status = { subresources: { status: {} } };
const text = { type: 'string' };
const untested = 'the server rejected our request due to an error in our request';

/** CustomResourceDefinitions and custom resources. */
export function testCustomResources(test: NamespaceTest, features: Features): void {
  const { hasPlainFieldErrors, forbidsCreationOfTerminatingKinds, resetsMetadataOfStatus } = features;
  test('without its definition a custom resource gets a plain 404; with it, it is established and served', async (at) => {
    const { path } = widgetsOf(at);
    const absent = await at.send('GET', path());
    assert.deepEqual([absent.status, absent.body], [404, '404 page not found\n']);
    assert.match(String(absent.headers['content-type']), /^text\/plain/);
    const widgets = await createDefinition(at, { properties: { size: { type: 'integer' } } });
    const definition = await waitForEstablished(at, widgets.name);
    const conditions = arrayOf(objectOf(definition['status'])['conditions']).map(objectOf);
    assert.deepEqual(
      conditions.map(({ type, status: is, reason }) => [type, is, reason]),
      [
        ['NamesAccepted', 'True', 'NoConflicts'],
        ['Established', 'True', 'InitialNamesAccepted'],
      ],
    );
    const { names, conversion } = objectOf(definition['spec']);
    assert.deepEqual([objectOf(names)['singular'], objectOf(names)['listKind']], ['widget', 'WidgetList']);
    assert.deepEqual(conversion, { strategy: 'None' });
    const list = body(await at.send('GET', path()), 200);
    assert.deepEqual([list['kind'], list['items']], ['WidgetList', []]);
    // In a real server, discovery is updated by another controller than the one that serves the kind.
    const served = body(await waitForStatus(at, `/apis/${widgets.group}/v1`, 200), 200);
    assert.deepEqual(
      arrayOf(served['resources']).map((each) => [objectOf(each)['name'], objectOf(each)['kind']]),
      [['widgets', 'Widget']],
    );
    assert.equal((await at.send('GET', path().replace('widgets', 'gadgets'))).body, '404 page not found\n');
  });

  test('an object is served, patched and applied in the version of its definition, not in the one that it was stored in', async (at) => {
    const size = { properties: { size: { type: 'integer' } } };
    const widgets = await createDefinition(at, size);
    body(await widgets.create(widgets.widget('one', { size: 1 })), 201);
    const definition = body(await at.send('GET', `${definitions}/${widgets.name}`), 200);
    const [first] = arrayOf(objectOf(definition['spec'])['versions']).map(objectOf);
    const versions = [
      { ...first, served: false, storage: false },
      { ...first, name: 'v2', served: true, storage: true },
    ];
    const spec = { ...objectOf(definition['spec']), versions };
    body(await at.send('PUT', `${definitions}/${widgets.name}`, { body: { ...definition, spec } }), 200);
    const path = widgets.path('one').replace('/v1/', '/v2/');
    const served = body(await waitForStatus(at, path, 200), 200);
    assert.deepEqual([served['apiVersion'], served['spec']], [`${widgets.group}/v2`, { size: 1 }]);
    const patched = await at.send('PATCH', path, {
      body: { spec: { size: 2 } },
      contentType: 'application/merge-patch+json',
    });
    assert.deepEqual(body(patched, 200)['apiVersion'], `${widgets.group}/v2`);
  });

  test('the name of a definition must be plural and group', async (at) => {
    const spec = { group: 'x.example.org', scope: 'Cluster', names: { kind: 'A', plural: 'as' } };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const wrong = { metadata: { name: 'other.example.org' }, spec: { ...spec, versions } };
    const refusal = refused(await at.send('POST', definitions, { body: wrong }), 422, 'Invalid');
    assert.match(String(refusal['message']), /must be spec\.names\.plural\+"\."\+spec\.group$/);
  });

  test('a custom resource gets the defaults of its schema, and unknown fields are dropped', async (at) => {
    const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const widgets = await createDefinition(at, {
      properties: {
        mode: { ...text, default: 'a' },
        parts: { type: 'array', items: { type: 'object', properties: { n: text, p: { ...text, default: 'TCP' } } } },
        free,
        inner: { ...free, 'x-kubernetes-embedded-resource': true },
        named: {
          ...free,
          'x-kubernetes-embedded-resource': true,
          properties: { metadata: { type: 'object', properties: { name: text } } },
        },
        maybe: { ...text, nullable: true },
        map: { type: 'object', additionalProperties: text },
      },
    });
    const inner = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', invented: 1 }, spec: { any: 1 } };
    const named = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { team: 'a' } } };
    const spec = {
      parts: [{ n: 'a', x: 1 }],
      free: { any: [{ thing: 1 }] },
      inner,
      named,
      maybe: null,
      map: {},
      mode: null,
      y: 1,
    };
    const widget = body(await widgets.create({ ...widgets.widget('a', spec), invented: true }), 201);
    assert.deepEqual(widget['spec'], {
      parts: [{ n: 'a', p: 'TCP' }],
      free: spec.free,
      inner: { ...inner, metadata: { name: 'x' } },
      named,
      maybe: null,
      map: {},
      mode: 'a',
    });
    assert.equal(widget['invented'], undefined);
  });

  test('a custom resource that does not match its schema is refused, with the cause of each error', async (at) => {
    const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: text, maxItems: 3, minItems: 1 };
    const widgets = await createDefinition(at, {
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10 },
        mode: { ...text, enum: ['a', 'b'] },
        name: { ...text, pattern: '^[a-z]+$', minLength: 2, maxLength: 5 },
        tags: set,
        at: { ...text, format: 'date-time' },
        dur: { ...text, format: 'duration' },
        either: { 'x-kubernetes-int-or-string': true },
        inner: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      },
    });
    const errors: readonly (readonly [JsonObject, string, string])[] = [
      [{}, 'FieldValueRequired', 'spec.size: Required value'],
      [
        { size: 'x' },
        'FieldValueTypeInvalid',
        'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      ],
      [
        { size: 0 },
        'FieldValueInvalid',
        'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
      ],
      [
        { size: 11 },
        'FieldValueInvalid',
        'spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10',
      ],
      [
        { size: 1, mode: 'c' },
        'FieldValueNotSupported',
        'spec.mode: Unsupported value: "c": supported values: "a", "b"',
      ],
      [
        { size: 1, name: 'A1' },
        'FieldValueInvalid',
        'spec.name: Invalid value: "A1": spec.name in body should match \'^[a-z]+$\'',
      ],
      [
        { size: 1, name: 'a' },
        'FieldValueInvalid',
        'spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long',
      ],
      [{ size: 1, name: 'abcdef' }, 'FieldValueTooLong', 'spec.name: Too long: may not be more than 5 bytes'],
      [{ size: 1, tags: ['x', 'x'] }, 'FieldValueDuplicate', 'spec.tags[1]: Duplicate value: "x"'],
      [
        { size: 1, tags: ['a', 'b', 'c', 'd'] },
        'FieldValueTooMany',
        'spec.tags: Too many: 4: must have at most 3 items',
      ],
      [
        { size: 1, tags: [] },
        'FieldValueInvalid',
        'spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items',
      ],
      [
        { size: 1, at: '2026-01-01' },
        'FieldValueTypeInvalid',
        'spec.at: Invalid value: "2026-01-01": spec.at in body must be of type date-time: "2026-01-01"',
      ],
      [
        { size: 1, dur: '5 years' },
        'FieldValueTypeInvalid',
        'spec.dur: Invalid value: "5 years": spec.dur in body must be of type duration: "5 years"',
      ],
      [
        { size: 1, either: true },
        'FieldValueTypeInvalid',
        'spec.either: Invalid value: "boolean": spec.either in body must be of type integer,string: "boolean"',
      ],
      [
        { size: 1, inner: { kind: 'Pod' } },
        'FieldValueRequired',
        `spec.inner.apiVersion: Required value${hasPlainFieldErrors ? '' : ': must not be empty'}`,
      ],
    ];
    for (const [spec, reason, message] of errors) {
      const refusal = refused(await widgets.create(widgets.widget('a', spec)), 422, 'Invalid');
      assert.equal(refusal['message'], `Widget.${widgets.group} "a" is invalid: ${message}`);
      assert.deepEqual(
        arrayOf(objectOf(refusal['details'])['causes']).map((cause) => objectOf(cause)['reason']),
        [reason],
      );
    }
    const good = { size: 2, at: '2026-01-01T00:00:00Z', dur: '-5s', either: '1000m' };
    assert.deepEqual(body(await widgets.create(widgets.widget('a', good)), 201)['spec'], good);
  });

  test('the generation of a custom resource increases with its spec, and its status is written separately', async (at) => {
    const widgets = await createDefinition(at, { properties: { size: { type: 'integer' } } }, status);
    const widget = body(await widgets.create({ ...widgets.widget('a', { size: 1 }), status: { ok: true } }), 201);
    assert.deepEqual([widget['status'], meta(widget)['generation']], [undefined, 1]);
    const labelled = body(await widgets.patch('a', { metadata: { labels: { x: '1' } }, status: { ok: true } }), 200);
    assert.deepEqual([labelled['status'], meta(labelled)['generation']], [undefined, 1]);
    const reported = body(
      await widgets.patch('a/status', { status: { ok: true }, spec: { size: 7 }, metadata: { labels: { x: '2' } } }),
      200,
    );
    assert.deepEqual([reported['status'], reported['spec']], [{ ok: true }, { size: 1 }]);
    assert.deepEqual([meta(reported)['labels'], meta(reported)['generation']], [{ x: '1' }, 1]);
    assert.deepEqual(owners(reported)['human/Update/status'], {
      ...(resetsMetadataOfStatus ? {} : { 'f:metadata': { 'f:labels': { 'f:x': {} } } }),
      'f:status': { '.': {}, 'f:ok': {} },
    });
    assert.equal(meta(body(await widgets.patch('a', { spec: { size: 2 } }), 200))['generation'], 2);
  });

  test('a custom resource is applied by the structure of its schema', async (at) => {
    const item = { type: 'object', required: ['n'], properties: { n: text, p: { ...text, default: 'TCP' }, v: text } };
    const widgets = await createDefinition(at, {
      properties: {
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['n', 'p'],
          items: item,
        },
        plain: { type: 'array', items: text },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    });
    const spec = {
      tags: ['x'],
      parts: [{ n: 'a', v: '1' }],
      plain: ['l'],
      whole: { a: '1' },
      free: { in: { k: [1] } },
    };
    const mine = widgets.widget('a', spec);
    const widget = body(await widgets.apply(mine), 201);
    assert.deepEqual(owners(widget)['one/Apply'], {
      'f:spec': {
        'f:free': { 'f:in': { '.': {}, 'f:k': {} } },
        'f:parts': { 'k:{"n":"a","p":"TCP"}': { '.': {}, 'f:n': {}, 'f:v': {} } },
        'f:plain': {},
        'f:tags': { 'v:"x"': {} },
        'f:whole': {},
      },
    });
    assert.equal(versionOf(body(await widgets.apply(mine), 200)), versionOf(widget));
    const change = {
      tags: ['y', 'x'],
      parts: [
        { n: 'b', p: 'TCP' },
        { n: 'a', p: 'TCP', v: '2' },
      ],
      whole: { b: '2' },
    };
    const edited = body(await widgets.patch('a', { spec: { ...change, plain: ['m', 'l'], free: { more: 1 } } }), 200);
    assert.deepEqual(objectOf(owners(edited)['human/Update'])['f:spec'], {
      'f:free': { 'f:more': {} },
      'f:parts': { 'k:{"n":"a","p":"TCP"}': { 'f:v': {} }, 'k:{"n":"b","p":"TCP"}': { '.': {}, 'f:n': {}, 'f:p': {} } },
      'f:plain': {},
      'f:tags': { 'v:"y"': {} },
      'f:whole': {},
    });
    const corrected = objectOf(body(await widgets.apply(mine, 'one&force=true'), 200)['spec']);
    assert.deepEqual(corrected, {
      tags: ['y', 'x'],
      parts: [
        { n: 'b', p: 'TCP' },
        { n: 'a', p: 'TCP', v: '1' },
      ],
      plain: ['l'],
      whole: { a: '1' },
      free: { in: { k: [1] }, more: 1 },
    });
    const wrong = body(await widgets.apply(widgets.widget('a', { nothing: 1 })), 500);
    assert.match(
      String(wrong['message']),
      /^failed to create typed patch object \(\/a; .*: \.spec\.nothing: field not/,
    );
    const options = { body: {}, contentType: 'application/strategic-merge-patch+json' };
    refused(await at.send('PATCH', widgets.path('a'), options), 415, 'UnsupportedMediaType');
  });

  test('a status patch ignores another uid, a JSON patch that tests it changes nothing, and a status can be removed', async (at) => {
    const widgets = await createDefinition(at, { properties: { size: { type: 'integer' } } }, status);
    const widget = body(await widgets.create(widgets.widget('a', { size: 1 })), 201);
    const patched = body(await widgets.patch('a/status', { metadata: { uid: 'foreign' }, status: { ok: true } }), 200);
    assert.deepEqual([patched['status'], meta(patched)['uid']], [{ ok: true }, meta(widget)['uid']]);
    refused(await widgets.patch('a', { metadata: { uid: 'foreign' } }), 422, 'Invalid');
    const steps = (name: string, ...those: readonly JsonObject[]) =>
      at.send('PATCH', widgets.path(`${name}/status`), { contentType: 'application/json-patch+json', body: those });
    const testUid = (uid: unknown) => ({ op: 'test', path: '/metadata/uid', value: uid });
    const add = { op: 'add', path: '/status/ok', value: false };
    const refusal = refused(await steps('a', testUid('foreign'), add), 422, 'Invalid');
    assert.deepEqual([refusal['message'], objectOf(refusal['details'])['causes']], [untested, undefined]);
    assert.deepEqual(body(await steps('a', testUid(meta(widget)['uid']), add), 200)['status'], { ok: false });
    assert.equal(body(await steps('a', { op: 'remove', path: '/status' }), 200)['status'], undefined);
    refused(await steps('a', testUid(meta(widget)['uid']), add), 422, 'Invalid');
    const wrong = refused(await steps('a', { op: 'add', path: '/status', value: { ok: 'x' } }), 422, 'Invalid');
    assert.equal(arrayOf(objectOf(wrong['details'])['causes']).length, 1);
    refused(await steps('b', add), 404, 'NotFound');
  });

  test('a custom resource is updated only with a resourceVersion, and a PUT creates none', async (at) => {
    const widgets = await createDefinition(at, { properties: { size: { type: 'integer' } } });
    body(await widgets.create(widgets.widget('a', { size: 1 })), 201);
    const put = (name: string) => at.send('PUT', widgets.path(name), { body: widgets.widget(name, { size: 2 }) });
    refused(await put('a'), 422, 'Invalid');
    refused(await put('b'), 404, 'NotFound');
  });

  test('deleting a definition deletes its objects, and waits for those with finalizers', async (at) => {
    const widgets = await createDefinition(at, { properties: { size: { type: 'integer' } } });
    const path = `${definitions}/${widgets.name}`;
    body(await widgets.create(widgets.widget('blocked', { size: 1 }, { finalizers: ['x.io/hold'] })), 201);
    body(await widgets.create(widgets.widget('free', { size: 1 })), 201);
    const deleted = body(await at.send('DELETE', path), 200);
    assert.deepEqual(meta(deleted)['finalizers'], ['customresourcecleanup.apiextensions.k8s.io']);
    await waitForStatus(at, widgets.path('free'), 404);
    await waitForTermination(at, widgets.path('blocked'));
    const answer = await widgets.create(widgets.widget('late', { size: 1 }));
    const late = forbidsCreationOfTerminatingKinds
      ? refused(answer, 403, 'Forbidden')
      : refused(answer, 405, 'MethodNotAllowed');
    assert.match(String(late['message']), /create not allowed while custom resource definition is terminating$/);
    body(await widgets.patch('blocked', { metadata: { finalizers: null } }), 200);
    await waitForStatus(at, path, 404);
    assert.equal((await waitForStatus(at, widgets.path(), 404)).body, '404 page not found\n');
  });
}
