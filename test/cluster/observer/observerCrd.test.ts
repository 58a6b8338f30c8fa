import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { arrayOf, isObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { readApplication, readSpec } from '../../../src/observer/spec/readApplication.ts';
import { statusPatch } from '../../../src/observer/status/statusPatch.ts';
import { type Answer, sharedControlPlane, type TestNamespace, testNamespace } from '../support/cluster.ts';
import { Manifest } from '../support/deploy/kustomize.ts';
import { errorsOf } from '../support/manifests.ts';
import { applicationCrd, installApplications } from '../support/observer/applicationCrd.ts';

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } };
const apply = 'application/apply-patch+yaml';

function pathOf({ path }: TestNamespace, name?: string): string {
  return path('apis/weeder.dev/v1alpha1', 'applications', name);
}

function application(spec: unknown, name = 'web'): object {
  return { apiVersion: 'weeder.dev/v1alpha1', kind: 'Application', metadata: { name }, spec };
}

/** In a dry run: what the API server would answer. */
async function dryRunOf(ns: TestNamespace, spec: unknown): Promise<Answer> {
  return ns.cluster.send('POST', `${pathOf(ns)}?dryRun=All&fieldValidation=Strict`, { body: application(spec) });
}

function causesOf({ status, body }: Answer): string {
  const causes = arrayOf(objectOf(objectOf(body)['details'])['causes']).map(objectOf);
  return `${status} ${causes.map(({ field, message }) => `${field}: ${message}`).join('; ') || textOf(objectOf(body)['message'])}`;
}

function specOf(body: unknown): Readonly<Record<string, unknown>> {
  return objectOf(objectOf(body)['spec']);
}

suite('the CRD of Applications', { concurrency: true }, () => {
  before(async () => installApplications(await sharedControlPlane()));

  test('is accepted by the API server without a warning', async (t) => {
    const { cluster } = await testNamespace(t, 'crd');
    const definition = Manifest.parse(applicationCrd());
    // Under its own name it exists already; a name of another group gives the same answer.
    const other = JSON.parse(JSON.stringify(definition).replaceAll('weeder.dev', 'other.example.org'));
    assert.deepEqual(await errorsOf(cluster, Manifest.parse(other)), []);
  });

  test('accepts the smallest application, with its defaults, and every field of a large one', async (t) => {
    const ns = await testNamespace(t, 'crd');
    const small = await dryRunOf(ns, { manifests: [configMap] });
    assert.equal(small.status, 201, causesOf(small));
    const spec = specOf(small.body);
    assert.deepEqual(spec, { manifests: [configMap], mode: 'correct', resyncPeriod: '30s', deletionPolicy: 'delete' });
    const wholeSpec = {
      manifests: [
        configMap,
        { ...configMap, metadata: { name: 'other', namespace: 'elsewhere' }, spec: { any: [null, 1] } },
      ],
      observerSchema: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: 'observed' } },
      ],
      mode: 'detect',
      pausedUntil: '2026-11-21T18:00:00+01:00',
      resyncPeriod: '1h30m',
      deletionPolicy: 'orphan',
      recreate: ['Job/migrate'],
      deleteWithContents: ['Namespace/more', 'CustomResourceDefinition/gadgets.example.org'],
      serviceAccountName: 'deployer',
    };
    const large = await dryRunOf(ns, wholeSpec);
    assert.equal(large.status, 201, causesOf(large));
    assert.deepEqual(specOf(large.body), wholeSpec);
  });

  test('is found by its short name, and in the category weeder, but not in the category all', async (t) => {
    const { cluster } = await testNamespace(t, 'crd');
    const resources = arrayOf(objectOf(await cluster.api('GET', '/apis/weeder.dev/v1alpha1'))['resources']).map(
      objectOf,
    );
    assert.deepEqual(
      resources.map(({ name, shortNames, categories }) => [name, shortNames, categories]),
      [
        ['applications', ['wapp'], ['weeder']],
        ['applications/status', undefined, undefined],
      ],
    );
  });

  const good = { manifests: [configMap] };
  for (const [what, spec, cause] of [
    ['no manifests', {}, 'spec.manifests: Required value'],
    [
      'an empty list of manifests',
      { manifests: [] },
      'spec.manifests: Invalid value: 0: spec.manifests in body should have at least 1 items',
    ],
    [
      'more than 500 manifests',
      { manifests: Array.from({ length: 501 }, () => configMap) },
      'spec.manifests: Too many: 501: must have at most 500 items',
    ],
    ['a manifest that is not an object', { manifests: ['text'] }, 'spec.manifests[0]'],
    [
      'a manifest without kind',
      { manifests: [{ ...configMap, kind: undefined }] },
      'spec.manifests[0].kind: Required value',
    ],
    [
      'a manifest without apiVersion',
      { manifests: [{ ...configMap, apiVersion: undefined }] },
      'spec.manifests[0].apiVersion: Required value',
    ],
    [
      'a manifest without name',
      { manifests: [{ ...configMap, metadata: {} }] },
      'spec.manifests[0].metadata.name: Required value',
    ],
    [
      'generateName without a name',
      { manifests: [{ ...configMap, metadata: { generateName: 'a-' } }] },
      'spec.manifests[0].metadata.name: Required value',
    ],
    [
      'a List',
      { manifests: [{ apiVersion: 'v1', kind: 'List', metadata: { name: 'a' }, items: [] }] },
      'a List is not allowed',
    ],
    [
      'a schema that is not a list',
      { ...good, observerSchema: 'observed' },
      'spec.observerSchema: Invalid value: "string"',
    ],
    [
      'an entry of the schema that is not an object',
      { ...good, observerSchema: ['observed'] },
      'spec.observerSchema[0]: Invalid value: "string"',
    ],
    [
      'a mode that there is not',
      { ...good, mode: 'fix' },
      'spec.mode: Unsupported value: "fix": supported values: "correct", "detect"',
    ],
    [
      'a deletionPolicy that there is not',
      { ...good, deletionPolicy: 'keep' },
      'spec.deletionPolicy: Unsupported value: "keep"',
    ],
    ['a resync of less than 5 s', { ...good, resyncPeriod: '4999ms' }, 'must be from 5s to 24h'],
    ['a resync of more than a day', { ...good, resyncPeriod: '25h' }, 'must be from 5s to 24h'],
    ['a negative resync', { ...good, resyncPeriod: '-5s' }, 'spec.resyncPeriod'],
    ['a resync in days', { ...good, resyncPeriod: '1d' }, 'spec.resyncPeriod'],
    ['a day in place of a time', { ...good, pausedUntil: '2026-01-01' }, 'spec.pausedUntil'],
    ['a Namespace that may be recreated', { ...good, recreate: ['Namespace/a'] }, 'would delete its content'],
    [
      'a kind without contents that may be deleted with them',
      { ...good, deleteWithContents: ['Deployment/a'] },
      'spec.deleteWithContents[0]',
    ],
    ['a resource to be recreated without its kind', { ...good, recreate: ['migrate'] }, 'spec.recreate[0]'],
    [
      'the same resource to be recreated twice',
      { ...good, recreate: ['Job/a', 'Job/a'] },
      'spec.recreate[1]: Duplicate value',
    ],
    ['an account with a strange name', { ...good, serviceAccountName: 'a/b' }, 'spec.serviceAccountName'],
    ['a field that there is not', { ...good, pauseUntil: 'x' }, 'unknown field "spec.pauseUntil"'],
  ] as const) {
    test(`refuses ${what}, as weeder does`, async (t) => {
      const ns = await testNamespace(t, 'crd');
      const answer = await dryRunOf(ns, spec);
      assert.ok(answer.status === 422 || answer.status === 400, causesOf(answer));
      assert.ok(causesOf(answer).includes(cause), causesOf(answer));
      if (what.startsWith('more than') || what.startsWith('the same') || what.includes('schema')) return;
      const { errors } = readSpec(spec, { namespace: ns.name, name: 'web' });
      assert.notDeepEqual(errors, []);
    });
  }

  test('leaves to weeder what it cannot check: duplicates, names, size', async (t) => {
    const ns = await testNamespace(t, 'crd');
    const strange = { ...configMap, metadata: { name: 'bell\u0007' } };
    const spec = { manifests: [configMap, configMap, strange] };
    assert.equal((await dryRunOf(ns, spec)).status, 201);
    const { errors } = readSpec(spec, { namespace: ns.name, name: 'web' });
    assert.deepEqual(errors.map(({ code }) => code).sort(), ['duplicate', 'name']);
  });

  test('every null leaf of a schema is lost in a merge patch, as kubectl apply sends it; `observed` is not', async (t) => {
    const ns = await testNamespace(t, 'crd');
    await ns.cluster.api('POST', pathOf(ns), application(good));
    const entry = (leaf: unknown) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings' },
      data: { a: leaf },
    });
    const schemaAfter = async (leaf: unknown) => {
      const patch = { spec: { observerSchema: [entry(leaf)] } };
      return specOf(await ns.cluster.api('PATCH', pathOf(ns, 'web'), patch))['observerSchema'];
    };
    assert.deepEqual(await schemaAfter(null), [{ ...entry(null), data: {} }]);
    assert.deepEqual(await schemaAfter('observed'), [entry('observed')]);
  });

  test('a server-side apply preserves null leaves', async (t) => {
    const ns = await testNamespace(t, 'crd');
    const observerSchema = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: null } }];
    const path = `${pathOf(ns, 'web')}?fieldManager=test`;
    const applied = await ns.cluster.api('PATCH', path, application({ ...good, observerSchema }), apply);
    assert.deepEqual(specOf(applied)['observerSchema'], observerSchema);
  });

  test('weeder’s status is stored completely, and a write of it does not change the generation', async (t) => {
    const ns = await testNamespace(t, 'crd');
    await ns.cluster.api('POST', pathOf(ns), application(good));
    const patch = statusPatch(
      undefined,
      {
        generation: 1,
        conditions: [
          { type: 'InSync', status: 'False', reason: 'DriftDetected', message: 'Not as applied: ConfigMap settings.' },
        ],
        inventory: [
          {
            identity: { group: '', kind: 'ConfigMap', namespace: ns.name, name: 'settings' },
            apiVersion: 'v1',
            appliedUid: 'u',
            hash: 'h',
            state: 'drifted',
            drifts: [{ path: '.data.a', type: 'changed', desired: '"1"', found: '"2"' }],
            initialised: new Map([['.immutable', null]]),
          },
        ],
      },
      Date.now(),
    );
    assert(patch !== undefined);
    const written = await ns.cluster.api('PATCH', `${pathOf(ns, 'web')}/status`, patch);
    assert.deepEqual(objectOf(written)['status'], patch['status']);
    const read = readApplication(written);
    assert(read !== undefined && isObject(written));
    assert.equal(read.generation, 1);
    assert.deepEqual(read.inventory[0]?.initialised, new Map([['.immutable', null]]));
    // A status that is unchanged is not written again.
    const { conditions } = objectOf(patch['status']);
    const stored = arrayOf(conditions)
      .map(objectOf)
      .map(({ type, status, reason, message }) => ({ type, status, reason, message }));
    assert.deepEqual(stored, [
      { type: 'InSync', status: 'False', reason: 'DriftDetected', message: 'Not as applied: ConfigMap settings.' },
    ]);
  });

  test('differences of a row are stored in CamelCase, and as earlier versions wrote them; others are errors', async (t) => {
    const ns = await testNamespace(t, 'crd');
    await ns.cluster.api('POST', pathOf(ns), application(good));
    const write = async (type: string) => {
      const row = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', state: 'Drifted' };
      const body = { status: { resources: [{ ...row, drifts: [{ path: '.data.a', type }] }] } };
      return ns.cluster.send('PATCH', `${pathOf(ns, 'web')}/status`, { body });
    };
    for (const value of ['Changed', 'Missing', 'Excess', 'Duplicate', 'changed', 'missing', 'excess', 'duplicate'])
      assert.equal((await write(value)).status, 200, value);
    const refused = await write('CHANGED');
    assert.equal(refused.status, 422);
    assert.match(causesOf(refused), /resources\[0\]\.drifts\[0\]\.type: Unsupported value: "CHANGED"/);
  });

  test('only the status can be written through its subresource, and only there', async (t) => {
    const ns = await testNamespace(t, 'crd');
    await ns.cluster.api('POST', pathOf(ns), application(good));
    const both = { spec: { mode: 'detect' }, status: { observedGeneration: 7 } };
    const byStatus = objectOf(await ns.cluster.api('PATCH', `${pathOf(ns, 'web')}/status`, both));
    assert.deepEqual([specOf(byStatus)['mode'], objectOf(byStatus['status'])['observedGeneration']], ['correct', 7]);
    const byMain = objectOf(
      await ns.cluster.api('PATCH', pathOf(ns, 'web'), { ...both, status: { observedGeneration: 8 } }),
    );
    assert.deepEqual([specOf(byMain)['mode'], objectOf(byMain['status'])['observedGeneration']], ['detect', 7]);
  });

  test('a write of the status has the resourceVersion as its precondition, and nothing else: the uid is not checked', async (t) => {
    const ns = await testNamespace(t, 'crd');
    await ns.cluster.api('POST', pathOf(ns), application(good));
    const write = async (metadata: object) => {
      const body = { metadata, status: { observedGeneration: 7 } };
      return (await ns.cluster.send('PATCH', `${pathOf(ns, 'web')}/status`, { body })).status;
    };
    assert.equal(await write({ resourceVersion: '1' }), 409);
    assert.equal(await write({ uid: 'of-another' }), 200);
  });
});
