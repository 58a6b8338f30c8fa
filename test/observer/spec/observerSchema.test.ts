import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { identityKey } from '../../../src/observer/objects/identity.ts';
import type { FieldMask } from '../../../src/observer/schema/fieldMask.ts';
import { fieldMaskFor, unusedEntries } from '../../../src/observer/schema/fieldMaskFor.ts';
import { readObserverSchema } from '../../../src/observer/schema/readObserverSchema.ts';
import { type SchemaErrorCode, schemaErrorTable } from '../../../src/observer/schema/schemaErrors.ts';
import { manifestOf, nginxDeployment, nginxService } from '../../support/docs/manifests.ts';

const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'nginx' } };
const bounds = (min: unknown, max: unknown, more: object = {}) => ({
  observer_schema_list_min_length: min,
  observer_schema_list_max_length: max,
  ...more,
});
const withSpec = (spec: unknown) => [{ ...service, spec }];
const withPorts = (...ports: unknown[]) => withSpec({ ports });
const itself: Record<string, unknown> = {};
itself['again'] = itself;

function nested(levels: number): unknown {
  return levels === 0 ? 'observed' : { x: nested(levels - 1) };
}

/** A schema with the error, its path, and the same schema without the error. */
interface Row {
  readonly bad: unknown;
  readonly where: string;
  readonly good: unknown;
}

const rows: Readonly<Partial<Record<SchemaErrorCode, readonly Row[]>>> = {
  notAList: [{ bad: { ...service, spec: null }, where: 'observerSchema', good: [{ ...service, spec: null }] }],
  notAnObject: [
    { bad: ['Service'], where: 'observerSchema[0]', good: [{ ...service, spec: null }] },
    { bad: [null], where: 'observerSchema[0]', good: [] },
    { bad: [[]], where: 'observerSchema[0]', good: undefined },
  ],
  apiVersion: [
    {
      bad: [{ ...service, apiVersion: undefined, spec: null }],
      where: 'observerSchema[0].apiVersion',
      good: withSpec(null),
    },
    {
      bad: [{ ...service, apiVersion: 'a/b/c', spec: null }],
      where: 'observerSchema[0].apiVersion',
      good: withSpec(null),
    },
    { bad: [{ ...service, apiVersion: 1, spec: null }], where: 'observerSchema[0].apiVersion', good: withSpec(null) },
  ],
  kind: [{ bad: [{ ...service, kind: '', spec: null }], where: 'observerSchema[0].kind', good: withSpec(null) }],
  name: [
    { bad: [{ ...service, metadata: {}, spec: null }], where: 'observerSchema[0].metadata.name', good: withSpec(null) },
    {
      bad: [{ ...service, metadata: { name: null }, spec: null }],
      where: 'observerSchema[0].metadata.name',
      good: withSpec(null),
    },
  ],
  namespace: [
    {
      bad: [{ ...service, metadata: { name: 'nginx', namespace: 7 }, spec: null }],
      where: 'observerSchema[0].metadata.namespace',
      good: [{ ...service, metadata: { name: 'nginx', namespace: null }, spec: null }],
    },
  ],
  duplicate: [
    {
      bad: [...withSpec(null), { ...service, apiVersion: 'v2', data: null }],
      where: 'observerSchema[0]',
      good: [{ ...service, spec: null, data: null }],
    },
  ],
  nullsLost: [
    { bad: withSpec({ type: {} }), where: 'observerSchema[0].spec.type', good: withSpec({ type: null }) },
    { bad: withPorts(), where: 'observerSchema[0].spec.ports', good: withPorts(null, bounds(0, 0)) },
    { bad: withPorts({}, bounds(0, 0)), where: 'observerSchema[0].spec.ports[0]', good: withPorts(bounds(0, 3)) },
    { bad: withSpec({}), where: 'observerSchema[0].spec', good: [service] },
    { bad: withPorts(bounds(0, 0)), where: 'observerSchema[0]', good: withPorts(bounds(1, 0)) },
  ],
  leaf: [
    {
      bad: withSpec({ type: 'ClusterIP' }),
      where: 'observerSchema[0].spec.type',
      good: withSpec({ type: 'observed' }),
    },
    { bad: withSpec({ type: 'null' }), where: 'observerSchema[0].spec.type', good: withSpec({ type: null }) },
    { bad: withSpec({ type: 7 }), where: 'observerSchema[0].spec.type', good: withSpec({ type: null }) },
    { bad: withSpec({ type: false }), where: 'observerSchema[0].spec.type', good: withSpec({ type: null }) },
    { bad: withSpec({ type: '' }), where: 'observerSchema[0].spec.type', good: withSpec({ type: null }) },
  ],
  stringData: [
    {
      bad: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password' }, stringData: { a: null } }],
      where: 'observerSchema[0].stringData',
      good: [{ ...service, spec: null }],
    },
  ],
  status: [
    {
      bad: [{ ...service, spec: null, status: { loadBalancer: null } }],
      where: 'observerSchema[0].status',
      good: withSpec(null),
    },
  ],
  serverOwned: [
    {
      bad: [{ ...service, metadata: { name: 'nginx', uid: null } }],
      where: 'observerSchema[0].metadata.uid',
      good: [{ ...service, metadata: { name: 'nginx', labels: null } }],
    },
    {
      bad: [{ ...service, metadata: { name: 'nginx', annotations: { 'pv.kubernetes.io/bind-completed': null } } }],
      where: 'observerSchema[0].metadata.annotations["pv.kubernetes.io/bind-completed"]',
      good: [{ ...service, metadata: { name: 'nginx', annotations: { team: null }, finalizers: null } }],
    },
  ],
  boundsMissing: [
    {
      bad: withPorts({ port: null }),
      where: 'observerSchema[0].spec.ports',
      good: withPorts({ port: null }, bounds(1, 3)),
    },
  ],
  boundsNotLast: [
    {
      bad: withPorts(bounds(0, 0), { port: null }),
      where: 'observerSchema[0].spec.ports[0]',
      good: withPorts({ port: null }, bounds(0, 0)),
    },
  ],
  boundsTwice: [
    {
      bad: withPorts(bounds(0, 0), { port: null }, bounds(0, 0)),
      where: 'observerSchema[0].spec.ports',
      good: withPorts({ port: null }, bounds(0, 0)),
    },
  ],
  boundsOutsideList: [
    {
      bad: withSpec({ type: null, ...bounds(0, 1) }),
      where: 'observerSchema[0].spec',
      good: withSpec({ type: null }),
    },
  ],
  unknownBound: [
    {
      bad: withPorts(null, bounds(0, 0, { observer_schema_list_minlength: 1 })),
      where: 'observerSchema[0].spec.ports[1].observer_schema_list_minlength',
      good: withPorts(null, bounds(0, 0)),
    },
    {
      bad: withPorts(null, bounds(0, 0, { port: null })),
      where: 'observerSchema[0].spec.ports[1].port',
      good: withPorts({ port: null }, bounds(0, 0)),
    },
  ],
  minLength: [undefined, null, '1', -1, 0.5, Number.NaN, 1e300].map((min) => ({
    bad: withPorts(null, bounds(min, 0)),
    where: 'observerSchema[0].spec.ports[1].observer_schema_list_min_length',
    good: withPorts(null, bounds(0, 0)),
  })),
  maxLength: [undefined, null, '1', -1, 1.5, true].map((max) => ({
    bad: withPorts(null, bounds(0, max)),
    where: 'observerSchema[0].spec.ports[1].observer_schema_list_max_length',
    good: withPorts(null, bounds(0, 3)),
  })),
  maxBelowMin: [
    {
      bad: withPorts(null, bounds(3, 2)),
      where: 'observerSchema[0].spec.ports[1]',
      good: withPorts(null, bounds(3, 3)),
    },
    {
      bad: withPorts(null, bounds(2, 1)),
      where: 'observerSchema[0].spec.ports[1]',
      good: withPorts(null, bounds(2, 0)),
    },
  ],
  maxBelowListed: [
    {
      bad: withPorts(null, null, bounds(0, 1)),
      where: 'observerSchema[0].spec.ports[2]',
      good: withPorts(null, null, bounds(0, 3)),
    },
  ],
  listKey: ['', [], 7, null, ['port', 7], ['port', 'port'], { port: null }].map((key) => ({
    bad: withPorts(null, bounds(0, 0, { observer_schema_list_key: key })),
    where: 'observerSchema[0].spec.ports[1].observer_schema_list_key',
    good: withPorts(null, bounds(0, 0, { observer_schema_list_key: ['port', 'name'] })),
  })),
  notAMapInManifest: [
    { bad: withSpec({ ports: { web: null } }), where: 'observerSchema[0].spec.ports', good: withSpec({ ports: null }) },
    {
      bad: withSpec({ ports: null, selector: { app: { x: null } } }),
      where: 'observerSchema[0].spec.selector.app',
      good: withSpec({ selector: { app: null, other: null } }),
    },
  ],
  notAListInManifest: [
    {
      bad: withSpec({ selector: [null, bounds(0, 0)] }),
      where: 'observerSchema[0].spec.selector',
      good: withSpec({ selector: null }),
    },
  ],
  minAboveManifest: [
    { bad: withPorts(null, bounds(4, 0)), where: 'observerSchema[0].spec.ports', good: withPorts(null, bounds(3, 0)) },
  ],
  maxBelowManifest: [
    { bad: withPorts(null, bounds(0, 2)), where: 'observerSchema[0].spec.ports', good: withPorts(null, bounds(0, 3)) },
  ],
  listKeyMissing: [
    {
      bad: withPorts(null, bounds(0, 0, { observer_schema_list_key: ['port', 'protocol'] })),
      where: 'observerSchema[0].spec.ports[0]',
      good: withPorts(null, bounds(0, 0, { observer_schema_list_key: 'name' })),
    },
  ],
  listKeyTwice: [
    {
      bad: withPorts(null, bounds(0, 0, { observer_schema_list_key: 'port' })),
      where: 'observerSchema[0].spec.ports[2]',
      good: withPorts(null, bounds(0, 0, { observer_schema_list_key: ['port', 'name'] })),
    },
  ],
  cyclic: [{ bad: withSpec(itself), where: 'observerSchema[0].spec.again', good: withSpec({ type: null }) }],
  tooDeep: [
    { bad: withSpec(nested(300)), where: 'observerSchema[0]', good: withSpec({ sessionAffinityConfig: nested(100) }) },
  ],
  tooLarge: [
    {
      bad: withSpec(Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [`f${index}`, null]))),
      where: 'observerSchema[0]',
      good: withSpec(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, null]))),
    },
    { bad: Array.from({ length: 2_001 }, () => ({})), where: 'observerSchema', good: [] },
  ],
  noSuchResource: [
    {
      bad: [{ ...service, metadata: { name: 'ngnix' }, spec: null }],
      where: 'observerSchema[0]',
      good: withSpec(null),
    },
    {
      bad: [{ ...service, metadata: { name: 'nginx', namespace: 'other' }, spec: null }],
      where: 'observerSchema[0]',
      good: [{ ...service, metadata: { name: 'nginx', namespace: 'shop' }, spec: null }],
    },
  ],
  tooMany: [
    {
      bad: withSpec(Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, 7]))),
      where: 'observerSchema',
      good: withSpec(null),
    },
  ],
};

function errorsOf(schema: unknown) {
  const read = readObserverSchema(schema);
  const fitted = fieldMaskFor(nginxService, read);
  return [...read.errors, ...(fitted.ok ? [] : fitted.error), ...unusedEntries(read, [nginxService])];
}

for (const [code, meaning] of Object.entries(schemaErrorTable).map(([each, row]) => [each, row.meaning] as const))
  test(`a schema with the error ${code} is refused at its path, and accepted without it: ${meaning}`, () => {
    const of = Object.entries(rows).find(([each]) => each === code)?.[1] ?? [];
    assert.ok(of.length > 0, 'every error of the table has an example');
    for (const { bad, where, good } of of) {
      const schemaError = errorsOf(bad).find((error) => error.code === code);
      assert.equal(schemaError?.where, where);
      assert.match(schemaError?.message ?? '', /^(is|has|contains|allows|must|may|does|lists) /);
      assert.ok(schemaError?.hint.endsWith('.'));
      assert.deepEqual(errorsOf(good), []);
    }
  });

test('null and the text observed are equivalent', () => {
  const withNulls = readObserverSchema(withPorts({ port: null }, bounds(1, 3)));
  const withWords = readObserverSchema(withPorts({ port: 'observed' }, bounds(1, 3)));
  assert.deepEqual(withWords.entries, withNulls.entries);
});

test('a schema whose nulls kubectl apply has removed is refused with a hint', () => {
  const stored = [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'nginx' },
      spec: { template: { spec: { containers: [{}, bounds(1, 3)] } } },
    },
  ];
  const { errors } = readObserverSchema(stored);
  assert.deepEqual(
    errors.map(({ code, where }) => [code, where]),
    [['nullsLost', 'observerSchema[0].spec.template.spec.containers[0]']],
  );
  assert.match(
    errors[0]?.hint ?? '',
    /kubectl apply removes them\. Write observed, or use kubectl apply --server-side/,
  );
});

test('all errors of all entries are reported, in the order of the schema', () => {
  const { errors } = readObserverSchema([
    { ...service, spec: { type: 7, ports: [{ port: null }], selector: {} } },
    'no entry',
    { ...service, metadata: { name: 'other' }, spec: { ports: [null, bounds(2, 1)] } },
  ]);
  assert.deepEqual(
    errors.map(({ code, where }) => [code, where]),
    [
      ['leaf', 'observerSchema[0].spec.type'],
      ['boundsMissing', 'observerSchema[0].spec.ports'],
      ['nullsLost', 'observerSchema[0].spec.selector'],
      ['notAnObject', 'observerSchema[1]'],
      ['maxBelowMin', 'observerSchema[2].spec.ports[1]'],
    ],
  );
});

test('an entry with an error does not affect the others', () => {
  const good = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'nginx' }, spec: { replicas: null } };
  const alone = readObserverSchema([good]);
  const beside = readObserverSchema([good, { ...service, spec: { type: 7 } }]);
  assert.deepEqual(beside.entries, alone.entries);
  assert.ok(fieldMaskFor(nginxDeployment, beside).ok);
});

test('a resource whose entry has an error is not observed as a whole instead', () => {
  const read = readObserverSchema([{ ...service, spec: { type: 7 } }]);
  const fitted = fieldMaskFor(nginxService, read);
  assert.ok(!fitted.ok && fitted.error.every(({ code }) => code === 'leaf'));
  assert.ok(fieldMaskFor(nginxDeployment, read).ok, 'the other one is observed as a whole');
});

test('an entry without an identity blocks the resources that it may refer to, unless they have their own entry', () => {
  const nameless = { apiVersion: 'v1', kind: 'Service', metadata: {}, spec: null };
  assert.ok(!fieldMaskFor(nginxService, readObserverSchema([nameless])).ok);
  assert.ok(fieldMaskFor(nginxDeployment, readObserverSchema([nameless])).ok, 'it cannot refer to another kind');
  assert.ok(fieldMaskFor(nginxService, readObserverSchema([nameless, ...withSpec(null)])).ok, 'it has its own');
});

test('of two entries for one resource neither applies, and the resource is blocked', () => {
  const read = readObserverSchema([
    { ...service, spec: { type: 7 } },
    { ...service, spec: null },
  ]);
  assert.equal(read.entries.size, 0);
  assert.deepEqual(
    read.errors.map(({ code, where }) => [code, where]),
    [
      ['leaf', 'observerSchema[0].spec.type'],
      ['duplicate', 'observerSchema[0]'],
      ['duplicate', 'observerSchema[1]'],
    ],
  );
  assert.ok(!fieldMaskFor(nginxService, read).ok);
});

test('an entry with the namespace takes precedence over one without', () => {
  const read = readObserverSchema([
    { ...service, spec: { ports: null } },
    { ...service, metadata: { name: 'nginx', namespace: 'shop' }, spec: { selector: null } },
  ]);
  const here = fieldMaskFor(nginxService, read);
  const there = fieldMaskFor(manifestOf({ ...nginxService.object, metadata: { name: 'nginx' } }, 'other'), read);
  assert.ok(here.ok && here.value.type === 'map' && there.ok && there.value.type === 'map');
  assert.deepEqual(fieldsOf(here.value.fields.get('spec')), ['selector']);
  assert.deepEqual(fieldsOf(there.value.fields.get('spec')), ['ports']);
});

function fieldsOf(mask: FieldMask | undefined): readonly string[] {
  return mask?.type === 'map' ? [...mask.fields.keys()] : [];
}

test('an entry applies to every API version, which is not part of the identity', () => {
  const read = readObserverSchema([
    { apiVersion: 'apps/v1beta2', kind: 'Deployment', metadata: { name: 'nginx' }, spec: { replicas: null } },
  ]);
  assert.deepEqual([...read.entries.keys()], [identityKey({ ...nginxDeployment.identity, namespace: '' })]);
  assert.deepEqual(unusedEntries(read, [nginxDeployment]), []);
});

test('without a schema every field of a manifest is observed, by one shared mask', () => {
  for (const schema of [undefined, null, []]) {
    const read = readObserverSchema(schema);
    assert.deepEqual(read.errors, []);
    const [one, other] = [fieldMaskFor(nginxService, read), fieldMaskFor(nginxDeployment, read)];
    assert.ok(one.ok && other.ok && one.value === other.value);
    assert.deepEqual(one.value, { type: 'leaf' });
  }
});

test('a list with a minimum above its listed elements has the next ones observed as a whole, so that they can be restored', () => {
  const fitted = fieldMaskFor(nginxService, readObserverSchema(withPorts({ port: null }, bounds(2, 0))));
  const spec = fitted.ok && fitted.value.type === 'map' ? fitted.value.fields.get('spec') : undefined;
  const ports = spec?.type === 'map' ? spec.fields.get('ports') : undefined;
  assert.deepEqual(ports, {
    type: 'list',
    elements: [{ type: 'map', fields: new Map([['port', { type: 'leaf' }]]) }, { type: 'leaf' }],
    min: 2,
    max: 0,
  });
});

test('no error contains a value, which may be of a Secret', () => {
  const text = JSON.stringify([
    errorsOf([
      {
        ...service,
        data: { password: 'hunter2' },
        spec: { a: [{ b: 'hunter2' }, { ...bounds('hunter2', 'hunter2') }] },
      },
    ]),
    errorsOf([{ ...service, kind: ['hunter2'], metadata: { name: 7, namespace: { hunter2: 'x' } } }]),
  ]);
  assert.ok(!text.includes('hunter2'));
});

test('a YAML schema with an anchor inside itself is an error, and does not affect the next entry', () => {
  const schema: unknown = parse(`
- apiVersion: v1
  kind: Service
  metadata: { name: nginx }
  spec: &round
    ports: *round
- apiVersion: apps/v1
  kind: Deployment
  metadata: { name: nginx }
  spec: { replicas: observed }
`);
  const read = readObserverSchema(schema);
  assert.deepEqual(
    read.errors.map(({ code, where }) => [code, where]),
    [['cyclic', 'observerSchema[0].spec.ports']],
  );
  assert.ok(fieldMaskFor(nginxDeployment, read).ok);
});

test('aliases that expand endlessly are read up to the limit', () => {
  let aliased: unknown = { a: null };
  for (let depth = 0; depth < 60; depth += 1) aliased = { one: aliased, other: aliased };
  const { errors } = readObserverSchema([...withSpec(aliased), { ...service, metadata: { name: 'b' }, spec: null }]);
  assert.deepEqual(new Set(errors.map(({ code }) => code)), new Set(['tooLarge']));
  assert.equal(errors.length, 2, 'once per entry');
});

for (const [name, value] of Object.entries({
  text: 'x',
  number: 7,
  boolean: true,
  'an empty map': {},
  'two million characters': 'x'.repeat(2_000_000),
  'a list of lists': [[[[[]]]]],
  'a list that contains itself': (() => {
    const list: unknown[] = [];
    list.push(list);
    return list;
  })(),
  'an entry that contains itself': (() => {
    const entry: Record<string, unknown> = { ...service };
    entry['spec'] = entry;
    return [entry];
  })(),
  'metadata that is text': [{ apiVersion: 'v1', kind: 'Service', metadata: 'nginx', spec: null }],
  'metadata that is a list': [{ apiVersion: 'v1', kind: 'Service', metadata: [], spec: null }],
}))
  test(`a schema that is ${name} is refused, and does not throw`, () => {
    assert.ok(readObserverSchema(value).errors.length > 0);
    assert.equal(readObserverSchema(value).entries.size, 0);
  });
