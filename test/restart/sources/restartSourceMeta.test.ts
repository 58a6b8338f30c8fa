import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSourceMeta, withoutSecrets } from '../../../src/restart/references/sourceMeta.ts';

const marker = 'MARKER';
const fields = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { [`f:${marker}`]: {} }]));
const written = (time: unknown, ...names: string[]) => ({
  manager: marker,
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  ...(time === undefined ? {} : { time }),
  fieldsV1: fields(...names),
});

/** A Secret as the API serves it, with a marker wherever a value or other text of its owner can be. */
function secret(metadata: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: marker,
    data: { password: marker },
    stringData: { password: marker },
    metadata: {
      name: 'password',
      namespace: 'shop',
      uid: 'uid-1',
      resourceVersion: '17',
      generateName: marker,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: marker, [marker]: 'x' },
      finalizers: [marker],
      ownerReferences: [{ name: marker }],
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': `{"stringData":{"password":"${marker}"}}`,
        'weeder.dev/skip-hash-calculation': 'ca.crt',
        'weeder.dev/allow-references-from': 'bank',
        [marker]: 'x',
        note: marker,
      },
      managedFields: [
        written('2026-01-02T00:00:00Z', 'f:data', 'f:metadata'),
        written('2026-01-03T00:00:00Z', 'f:metadata'),
      ],
      ...metadata,
    },
  };
}

const read = (metadata: object = {}) => readSourceMeta(secret(metadata), 'Secret');

test('the metadata of a source holds its reference, opt-out, allowed namespaces and times', () => {
  assert.deepEqual(read(), {
    ref: { kind: 'Secret', namespace: 'shop', name: 'password' },
    uid: 'uid-1',
    resourceVersion: '17',
    optOut: new Set(['ca.crt']),
    optOutError: undefined,
    allowReferencesError: undefined,
    allowedNamespaces: new Set(['bank']),
    isEnding: false,
    lastDataWrite: Date.parse('2026-01-02T00:00:00Z'),
    createdAt: Date.parse('2026-01-01T00:00:00Z'),
  });
});

test('a minimal source has no optional fields; the caller passes its kind, because metadata does not contain it', () => {
  const metadata = { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1' };
  assert.deepEqual(readSourceMeta({ kind: 'PartialObjectMetadata', metadata }, 'ConfigMap'), {
    ref: { kind: 'ConfigMap', namespace: 'b', name: 'a' },
    uid: 'c',
    resourceVersion: '1',
    optOut: 'none',
    optOutError: undefined,
    allowReferencesError: undefined,
    allowedNamespaces: 'none',
    isEnding: false,
    lastDataWrite: undefined,
    createdAt: undefined,
  });
});

test('a source that is being deleted is marked as such', () => {
  assert.equal(read({ deletionTimestamp: '2026-01-05T00:00:00Z' })?.isEnding, true);
});

test('an invalid opt-out has an error', () => {
  const annotations = { 'weeder.dev/skip-hash-calculation': 'a b' };
  assert.match(read({ annotations })?.optOutError ?? '', /not a valid name of a key/);
});

test('the last write is the newest among the managers of content: data, binaryData, stringData or immutable', () => {
  const lastWrite = (...managedFields: object[]) => read({ managedFields })?.lastDataWrite;
  const newest = Date.parse('2026-02-02T00:00:00Z');
  for (const field of ['f:data', 'f:binaryData', 'f:stringData', 'f:immutable']) {
    const [old, late] = [written('2026-01-01T00:00:00Z', 'f:data'), written('2026-02-02T00:00:00Z', field)];
    const metadata = written('2026-03-03T00:00:00Z', 'f:metadata', 'f:type');
    assert.equal(lastWrite(old, late, metadata), newest, field);
    assert.equal(lastWrite(metadata, late, old), newest, field);
  }
});

test('the last write is unknown if no manager of content has a time, or one of them has none', () => {
  const lastWrite = (managedFields: unknown) => read({ managedFields })?.lastDataWrite;
  const dataWrite = written('2026-01-01T00:00:00Z', 'f:data');
  for (const none of [undefined, [], [written('2026-01-01T00:00:00Z', 'f:metadata')], 'x', [null, 3]]) {
    assert.equal(lastWrite(none), undefined);
  }
  for (const time of [undefined, 'yesterday', 7])
    assert.equal(lastWrite([dataWrite, written(time, 'f:data')]), undefined);
  assert.equal(lastWrite([dataWrite, written(undefined, 'f:metadata')]), Date.parse('2026-01-01T00:00:00Z'));
});

test('an object without name, namespace, uid or resourceVersion is not read', () => {
  for (const part of ['name', 'namespace', 'uid', 'resourceVersion']) {
    assert.equal(read({ [part]: undefined }), undefined, part);
    assert.equal(read({ [part]: '' }), undefined, part);
  }
});

test('withoutSecrets removes everything else: values, labels, other annotations, key names', () => {
  assert.ok(JSON.stringify(secret()).includes(marker));
  assert.ok(!JSON.stringify(withoutSecrets(secret())).includes(marker), JSON.stringify(withoutSecrets(secret())));
  assert.deepEqual(withoutSecrets(secret()), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'password',
      namespace: 'shop',
      uid: 'uid-1',
      resourceVersion: '17',
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations: { 'weeder.dev/skip-hash-calculation': 'ca.crt', 'weeder.dev/allow-references-from': 'bank' },
      managedFields: [{ time: '2026-01-02T00:00:00.000Z', fieldsV1: { 'f:data': {} } }],
    },
  });
});

test('readSourceMeta returns the same with and without secrets', () => {
  const optOuts = [{}, { 'kudo.dev/skip-hash-calculation': 'x' }, { 'reloader.stakater.com/ignore': 'true' }];
  const managers = [[], [written(undefined, 'f:data')], [written('2026-01-01T00:00:00.5Z', 'f:immutable', 'f:data')]];
  for (const annotations of optOuts) {
    for (const managedFields of managers) {
      for (const end of [{}, { deletionTimestamp: '2026-01-05T00:00:00Z' }]) {
        const whole = secret({ annotations, managedFields, ...end });
        assert.deepEqual(readSourceMeta(withoutSecrets(whole), 'Secret'), readSourceMeta(whole, 'Secret'));
      }
    }
  }
});

test('any value in place of a source or of its metadata: nothing throws, and no value of a Secret remains', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(secret().metadata)), fc.anything(), (part, garbage) => {
      for (const object of [garbage, { metadata: garbage }, secret({ [part]: garbage })]) {
        readSourceMeta(object, 'Secret');
        assert.ok(!JSON.stringify(withoutSecrets(object)).includes(marker));
      }
    }),
  );
});
