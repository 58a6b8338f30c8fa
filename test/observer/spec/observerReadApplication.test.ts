import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { formatPath } from '../../../src/base/fieldError.ts';
import { readApplication, readSpec } from '../../../src/observer/spec/readApplication.ts';
import { findDuplicates, resolveNamespace } from '../../../src/observer/spec/resolveNamespace.ts';

const home = { namespace: 'shop', name: 'web' };

function configMap(name: string, more: object = {}): Readonly<Record<string, unknown>> {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' }, ...more };
}

function secret(more: object): Readonly<Record<string, unknown>> {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password' }, ...more };
}

/** Each error as `path: message`, after the number of the only manifest that it concerns. */
function errorsOf(spec: unknown): readonly string[] {
  return readSpec(spec, home).errors.map(
    ({ path, message, manifest }) => `${manifest ?? 'all'} ${formatPath(path)}: ${message}`,
  );
}

suite('an Application that is read', () => {
  test('has its values, and defaults for missing ones', () => {
    const said = { manifests: [configMap('a')] };
    const application = readApplication({
      apiVersion: 'weeder.dev/v1alpha1',
      kind: 'Application',
      metadata: {
        ...home,
        uid: 'u1',
        resourceVersion: '7',
        generation: 3,
        creationTimestamp: '2026-11-21T00:00:00Z',
        finalizers: ['x', 'weeder.dev/application'],
      },
      spec: said,
      status: {
        observedGeneration: 2,
        resources: [{ kind: 'ConfigMap', name: 'a', apiVersion: 'v1', appliedUid: 'u2' }],
      },
    });
    assert(application !== undefined);
    const { spec, errors, warnings, inventory, ...rest } = application;
    assert.deepEqual([errors, warnings], [[], []]);
    const { manifests, ...settings } = spec;
    assert.deepEqual(rest, {
      ...home,
      uid: 'u1',
      resourceVersion: '7',
      generation: 3,
      createdAt: '2026-11-21T00:00:00Z',
      resources: manifests.length,
      bytes: Buffer.byteLength(JSON.stringify(said)),
      isTerminating: false,
      hasFinalizer: true,
      finalizers: ['x', 'weeder.dev/application'],
      isForced: false,
      observedGeneration: 2,
    });
    assert.deepEqual(
      inventory.map(({ identity, appliedUid, state }) => [identity.name, appliedUid, state]),
      [['a', 'u2', 'pending']],
    );
    assert.deepEqual(
      manifests.map(({ name, namespace, group }) => [name, namespace, group]),
      [['a', undefined, '']],
    );
    assert.deepEqual(settings, {
      schema: undefined,
      mode: 'correct',
      pausedUntil: undefined,
      resyncPeriod: 30_000,
      deletionPolicy: 'delete',
      recreate: new Set(),
      deleteWithContents: new Set(),
      serviceAccountName: undefined,
    });
  });

  test('has all optional values', () => {
    const { spec, errors } = readSpec(
      {
        manifests: [{ ...configMap('a'), kind: 'Job', apiVersion: 'batch/v1' }],
        observerSchema: [{}],
        mode: 'detect',
        pausedUntil: '2026-11-21T18:00:00+01:00',
        resyncPeriod: '5s',
        deletionPolicy: 'orphan',
        recreate: ['Job/a'],
        deleteWithContents: ['Namespace/more', 'CustomResourceDefinition/a.example.org'],
        serviceAccountName: 'deployer',
      },
      home,
    );
    assert.deepEqual(errors, []);
    assert.deepEqual(
      { ...spec, manifests: [] },
      {
        manifests: [],
        schema: [{}],
        mode: 'detect',
        pausedUntil: Date.UTC(2026, 10, 21, 17),
        resyncPeriod: 5_000,
        deletionPolicy: 'orphan',
        recreate: new Set(['Job/a']),
        deleteWithContents: new Set(['Namespace/more', 'CustomResourceDefinition/a.example.org']),
        serviceAccountName: 'deployer',
      },
    );
  });

  test('retains its previous spec while generation and uid are the same, and nothing else', () => {
    const at = (generation: number, uid: string, name: string, more: object = {}) => ({
      kind: 'Application',
      metadata: { ...home, uid, resourceVersion: String(generation), generation, ...more },
      spec: { manifests: [configMap(name)] },
    });
    const before = readApplication(at(1, 'u', 'a'));
    assert(before !== undefined);
    const namesIn = (object: object) => readApplication(object, before)?.spec.manifests.map(({ name }) => name);
    const same = readApplication(at(1, 'u', 'a', { deletionTimestamp: '2026-11-21T00:00:00Z' }), before);
    assert.equal(same?.spec, before.spec);
    assert.deepEqual([before.isTerminating, same?.isTerminating], [false, true]);
    assert.deepEqual(namesIn(at(2, 'u', 'b')), ['b']);
    assert.deepEqual(namesIn(at(1, 'other', 'b')), ['b']);
    const unknown = readApplication(at(0, 'u', 'a'));
    assert.deepEqual(
      readApplication(at(0, 'u', 'b'), unknown)?.spec.manifests.map(({ name }) => name),
      ['b'],
    );
  });

  test('is not read without a name, a uid or its kind', () => {
    const good = { kind: 'Application', metadata: { ...home, uid: 'u', resourceVersion: '1' }, spec: {} };
    assert.ok(readApplication(good));
    for (const bad of [
      undefined,
      [],
      { ...good, kind: 'Deployment' },
      { ...good, metadata: { ...good.metadata, uid: '' } },
      { ...good, metadata: { ...good.metadata, name: undefined } },
    ]) {
      assert.equal(readApplication(bad), undefined);
    }
  });

  test('with force-finalize is marked as such', () => {
    const metadata = { ...home, uid: 'u', resourceVersion: '1', deletionTimestamp: '2026-11-21T18:00:00Z' };
    const annotations = { 'weeder.dev/force-finalize': 'true' };
    const read = (more: object) => readApplication({ kind: 'Application', metadata: { ...metadata, ...more } });
    assert.deepEqual([read({})?.isTerminating, read({})?.isForced], [true, false]);
    assert.equal(read({ annotations })?.isForced, true);
    assert.equal(read({ annotations: { 'weeder.dev/force-finalize': 'yes' } })?.isForced, false);
  });
});

suite('a manifest', () => {
  for (const [what, manifest, message] of [
    ['that is not an object', 'text', ': found a text, expected a Kubernetes object'],
    ['that is a list', [], ': found a list, expected a Kubernetes object'],
    ['that is nothing', null, ': found nothing, expected a Kubernetes object'],
    [
      'without apiVersion',
      configMap('a', { apiVersion: undefined }),
      '.apiVersion: missing; expected a text such as v1 or apps/v1',
    ],
    [
      'with a strange apiVersion',
      configMap('a', { apiVersion: 'a/b/c' }),
      '.apiVersion: found "a/b/c", expected a text such as v1 or apps/v1',
    ],
    ['without kind', configMap('a', { kind: '' }), '.kind: missing; expected a text such as Deployment'],
    [
      'with a kind that is none',
      configMap('a', { kind: '../pods' }),
      '.kind: found "../pods", expected a text such as Deployment',
    ],
    ['without metadata', configMap('a', { metadata: undefined }), '.metadata.name: missing; every object needs a name'],
    [
      'whose name is a number',
      configMap('a', { metadata: { name: 5 } }),
      '.metadata.name: found the number 5, expected a text without "/" and "%", at most 253 characters',
    ],
    [
      'whose name is a path',
      configMap('a', { metadata: { name: '../b' } }),
      '.metadata.name: found "../b", expected a text without "/" and "%", at most 253 characters',
    ],
    [
      'whose name is a step of a path',
      configMap('..'),
      '.metadata.name: found "..", expected a text without "/" and "%", at most 253 characters',
    ],
    [
      'whose name is encoded',
      configMap('a%2Fb'),
      '.metadata.name: found "a%2Fb", expected a text without "/" and "%", at most 253 characters',
    ],
    [
      'whose namespace is none',
      configMap('a', { metadata: { name: 'a', namespace: 'x/y' } }),
      '.metadata.namespace: found "x/y", allowed are lower-case letters, digits and "-", at most 63, with a letter or digit at both ends',
    ],
    [
      'with generateName',
      configMap('a', { metadata: { generateName: 'a-' } }),
      '.metadata.generateName: generateName is not allowed: an object without a fixed name cannot be found again; give it a name',
    ],
    [
      'that is a List',
      { apiVersion: 'v1', kind: 'List', items: [] },
      '.kind: a List is not allowed: put its items into manifests one by one',
    ],
    [
      'that is a list of one kind',
      { apiVersion: 'v1', kind: 'ConfigMapList', items: [] },
      '.kind: a List is not allowed: put its items into manifests one by one',
    ],
    [
      'that is the application itself',
      { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', metadata: { name: 'web' } },
      ': an application cannot hold itself',
    ],
    [
      'of a Secret with a number in stringData',
      secret({ stringData: { pin: 1234 } }),
      '.stringData.pin: must be a string (its value is not shown)',
    ],
    [
      'of a Secret whose data is a list',
      secret({ data: [{ password: 'hunter2' }] }),
      '.data: must be a mapping of strings (its content is not shown)',
    ],
    [
      'of a Secret whose stringData is a text',
      secret({ data: { a: null }, stringData: 'hunter2' }),
      '.stringData: must be a mapping of strings (its content is not shown)',
    ],
    [
      'of a Secret with a number in data',
      secret({ data: { pin: 1234 } }),
      '.data.pin: must be a string (its value is not shown)',
    ],
  ] as const) {
    test(`${what} is an error of its own, and does not affect the others`, () => {
      const spec = { manifests: [configMap('before'), manifest, configMap('after')] };
      assert.deepEqual(errorsOf(spec), [`1 spec.manifests[1]${message}`]);
      assert.deepEqual(
        readSpec(spec, home).spec.manifests.map(({ name, index }) => [name, index]),
        [
          ['before', 0],
          ['after', 2],
        ],
      );
    });
  }

  test('has all its errors reported at once', () => {
    const errors = errorsOf({ manifests: [{ metadata: { namespace: 'A', generateName: 'x' } }] });
    assert.deepEqual(
      errors.map((message) => message.split(': ', 1)[0]),
      ['apiVersion', 'kind', 'metadata.generateName', 'metadata.namespace'].map(
        (path) => `0 spec.manifests[0].${path}`,
      ),
    );
  });

  test('may have a name that only the rules of its kind allow, which the API server checks', () => {
    for (const [apiVersion, kind, name] of [
      ['rbac.authorization.k8s.io/v1', 'Role', 'system:Reader'],
      ['certificates.k8s.io/v1', 'CertificateSigningRequest', 'Ann of Ops'],
      ['certificates.k8s.io/v1beta1', 'ClusterTrustBundle', 'example.org:signer:one'],
      ['networking.k8s.io/v1', 'IPAddress', '2001:db8::7'],
      ['user.example.org/v1', 'User', 'Ann:1'],
      ['v1', 'ConfigMap', 'Big_Name'],
      ['example.org/v1', 'WhiteList', 'a'],
    ] as const)
      assert.deepEqual(errorsOf({ manifests: [{ apiVersion, kind, metadata: { name }, items: [] }] }), [], kind);
  });

  test('with a name in addition to generateName has that name, as in the API server', () => {
    const { spec, errors } = readSpec(
      { manifests: [configMap('a', { metadata: { name: 'a-x', generateName: 'a-' } })] },
      home,
    );
    assert.deepEqual(errors, []);
    assert.deepEqual(spec.manifests[0]?.object['metadata'], { name: 'a-x' });
  });

  test('says nothing about metadata that is null; only the schema of its kind says what other nulls mean', () => {
    const given = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'a', annotations: null } };
    const { manifests } = readSpec({ manifests: [{ ...given, spec: { a: null, list: [{ b: null }] } }] }, home).spec;
    const spec = { a: null, list: [{ b: null }] };
    assert.deepEqual(manifests[0]?.object, { ...given, metadata: { name: 'a' }, spec });
  });

  test('copied from the API server loses the fields that only the server sets', () => {
    const metadata = {
      name: 'a',
      uid: 'u',
      resourceVersion: '4',
      generation: 2,
      creationTimestamp: null,
      managedFields: [{}],
      labels: { app: 'web', 'weeder.dev/application': '0123' },
      annotations: { 'weeder.dev/application-name': 'shop/other' },
      finalizers: ['keep'],
    };
    const { spec, errors } = readSpec({ manifests: [configMap('a', { metadata, status: { phase: 'x' } })] }, home);
    assert.deepEqual(errors, []);
    assert.deepEqual(spec.manifests[0]?.object, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { a: '1' },
      metadata: { name: 'a', labels: { app: 'web' } },
    });
  });
});

suite('a Secret', () => {
  test('has its stringData in data, where it takes precedence, as in the API server', () => {
    const { spec } = readSpec(
      { manifests: [secret({ data: { a: 'eA==', b: 'eQ==' }, stringData: { a: 'hunter2' } })] },
      home,
    );
    assert.deepEqual(spec.manifests[0]?.object, secret({ data: { a: 'aHVudGVyMg==', b: 'eQ==' } }));
  });

  test('of another group retains its stringData, because it is not a core Secret', () => {
    const other = { ...secret({ stringData: { a: 1 } }), apiVersion: 'example.org/v1' };
    assert.deepEqual(readSpec({ manifests: [other] }, home).spec.manifests[0]?.object, other);
  });

  test('with content causes a warning, one without does not', () => {
    const warned = (more: object) =>
      readSpec({ manifests: [secret(more)] }, home).warnings.map(({ path }) => formatPath(path));
    assert.deepEqual(warned({ stringData: { a: 'b' } }), ['spec.manifests[0]']);
    assert.deepEqual(warned({ data: { a: 'Yg==' } }), ['spec.manifests[0]']);
    assert.deepEqual(warned({ type: 'Opaque', data: {} }), []);
  });

  test('is never quoted in an error or a warning', () => {
    const spec = {
      manifests: [
        secret({ stringData: { a: ['hunter2'], b: 'hunter2' }, metadata: {} }),
        secret({ data: { a: 'hunter2' } }),
      ],
    };
    const { errors, warnings } = readSpec(spec, home);
    assert.equal(errors.length, 2);
    assert.ok(!JSON.stringify([errors, warnings]).includes('hunter2'));
  });
});

suite('an error of the whole', () => {
  for (const [what, spec, message] of [
    ['no spec', undefined, 'spec: missing; an application needs a spec with manifests'],
    ['no manifests', {}, 'spec.manifests: expected a list of Kubernetes objects'],
    ['manifests that are not a list', { manifests: { a: 1 } }, 'spec.manifests: expected a list of Kubernetes objects'],
    [
      'an empty list of manifests, which would delete everything',
      { manifests: [] },
      'spec.manifests: this list is empty; to end the application, delete it',
    ],
    [
      'manifests of more than 1 MiB',
      { manifests: [configMap('a', { data: { a: 'x'.repeat(1024 * 1024) } })] },
      'spec.manifests: larger than 1 MiB in total; split it into several applications',
    ],
    [
      'a schema of more than 1 MiB',
      { manifests: [configMap('a')], observerSchema: ['x'.repeat(1024 * 1024)] },
      'spec.observerSchema: larger than 1 MiB',
    ],
    [
      'the same object twice, under two versions',
      { manifests: [configMap('a'), configMap('a', { apiVersion: 'v2' })] },
      'spec.manifests[1]: ConfigMap shop/a is a duplicate, first at manifests[0]',
    ],
    [
      'the same object twice, with and without its namespace',
      { manifests: [configMap('a'), configMap('a', { metadata: { name: 'a', namespace: 'shop' } })] },
      'spec.manifests[1]: ConfigMap shop/a is a duplicate, first at manifests[0]',
    ],
    [
      'an unknown mode',
      { manifests: [configMap('a')], mode: 'corect' },
      'spec.mode: found "corect", allowed are correct, detect; did you mean "correct"?',
    ],
    [
      'an unknown field',
      { manifests: [configMap('a')], pausUntil: 'x' },
      'spec.pausUntil: unknown key; did you mean "pausedUntil"?',
    ],
    [
      'a date instead of a time',
      { manifests: [configMap('a')], pausedUntil: '2026-01-01' },
      'spec.pausedUntil: found "2026-01-01"; a time is written like 2026-11-21T18:00:00Z, with its zone',
    ],
    [
      'a resync period that is too short',
      { manifests: [configMap('a')], resyncPeriod: '4s' },
      'spec.resyncPeriod: found 4s, must be from 5s to 24h',
    ],
    [
      'a negative resync period',
      { manifests: [configMap('a')], resyncPeriod: '-5s' },
      'spec.resyncPeriod: found "-5s", must be longer than 0',
    ],
    [
      'a Namespace that may be recreated',
      { manifests: [configMap('a')], recreate: ['Namespace/a'] },
      'spec.recreate[0]: to recreate a Namespace, CustomResourceDefinition or PersistentVolumeClaim would delete its content',
    ],
    [
      'a kind without contents that may be deleted with them',
      { manifests: [configMap('a')], deleteWithContents: ['Deployment/a'] },
      'spec.deleteWithContents[0]: found "Deployment/a"; allowed are Namespace/NAME and CustomResourceDefinition/NAME',
    ],
    [
      'a service account with an invalid name',
      { manifests: [configMap('a')], serviceAccountName: 'a/b' },
      'spec.serviceAccountName: found "a/b", allowed are lower-case letters, digits, "-" and ".", at most 253, with a letter or digit at both ends of each part',
    ],
  ] as const) {
    test(`is ${what}`, () => {
      assert.deepEqual(errorsOf(spec), [`all ${message}`]);
    });
  }

  test('is a value that contains itself or is nested too deep: reported, and not traversed', () => {
    const cyclic: Record<string, unknown> = configMap('a');
    cyclic['self'] = cyclic;
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    for (const manifest of [cyclic, configMap('a', { data: deep })]) {
      assert.deepEqual(errorsOf({ manifests: [manifest] }), ['all spec.manifests: nested more than 100 levels deep']);
      const spec = { manifests: [configMap('a')], observerSchema: [manifest] };
      assert.deepEqual(errorsOf(spec), ['all spec.observerSchema: nested more than 100 levels deep']);
      assert.equal(readSpec(spec, home).spec.schema, undefined);
    }
  });

  test('leaves the settings at their safe values', () => {
    const { spec } = readSpec({ manifests: [], mode: 'detec', deletionPolicy: 'remove', resyncPeriod: 'soon' }, home);
    assert.deepEqual([spec.mode, spec.deletionPolicy, spec.resyncPeriod], ['detect', 'orphan', 30_000]);
  });

  test('is not a single resource of 1 MiB, nor two objects of the same name in two groups', () => {
    const large = configMap('a', { data: { a: 'x'.repeat(1024 * 1024 - 200) } });
    assert.deepEqual(errorsOf({ manifests: [large] }), []);
    const other = { ...configMap('a'), apiVersion: 'example.org/v1' };
    assert.deepEqual(errorsOf({ manifests: [configMap('a'), other] }), []);
  });
});

test('a recreate entry that matches no manifest is a warning', () => {
  const spec = { manifests: [configMap('a')], recreate: ['ConfigMap/a', 'Job/a'] };
  const { errors, warnings } = readSpec(spec, home);
  assert.deepEqual(errors, []);
  assert.deepEqual(
    warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`),
    ['spec.recreate[1]: names none of the manifests'],
  );
});

suite('a manifest in its place', () => {
  const [plain, elsewhere] = readSpec(
    { manifests: [configMap('a'), configMap('b', { metadata: { name: 'b', namespace: 'other' } })] },
    home,
  ).spec.manifests;
  assert(plain && elsewhere);

  test('is in the application’s namespace unless it names another; a cluster-scoped one is in none', () => {
    assert.equal(resolveNamespace(plain, 'shop', true).identity.namespace, 'shop');
    assert.deepEqual(resolveNamespace(plain, 'shop', true).object['metadata'], { name: 'a', namespace: 'shop' });
    assert.equal(resolveNamespace(elsewhere, 'shop', true).identity.namespace, 'other');
    assert.equal(resolveNamespace(elsewhere, 'shop', false).identity.namespace, '');
    assert.deepEqual(resolveNamespace(elsewhere, 'shop', false).object['metadata'], { name: 'b' });
  });

  test('is a duplicate of another cluster-scoped one of the same name, whatever namespaces they name', () => {
    const cluster = (namespace: string, index: number) => ({
      index,
      identity: resolveNamespace({ ...plain, namespace }, 'shop', false).identity,
    });
    const messages = findDuplicates([cluster('x', 0), cluster('y', 1)]).map(({ message }) => message);
    assert.deepEqual(messages, ['ConfigMap a is a duplicate, first at manifests[0]']);
    const apart = ['x', 'y'].map((namespace, index) => ({
      index,
      identity: resolveNamespace({ ...plain, namespace }, 'shop', true).identity,
    }));
    assert.deepEqual(findDuplicates(apart), []);
  });
});
