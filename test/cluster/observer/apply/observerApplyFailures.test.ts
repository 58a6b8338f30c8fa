import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { formatPath } from '../../../../src/base/fieldError.ts';
import { immutableWords } from '../../../../src/observer/objects/immutable.ts';
import { repeatedKeys } from '../../../../src/observer/spec/repeatedKeys.ts';
import { repeatedCases } from '../../../support/objects/repeatedKeys.ts';
import { grant } from '../../support/cluster.ts';
import { applying, bad, good } from '../../support/observer/applying.ts';
import { at } from '../../support/observer/observedObjects.ts';
import { stableSince } from '../../support/observer/oneOfEachKind.ts';
import { minorVersion } from '../../support/plane/apiServerVersion.ts';

const labels = { app: 'web' };
const pod = (image: string) => ({ containers: [{ name: 'a', image }], restartPolicy: 'Always' });
const selecting = (app: string) => ({
  selector: { matchLabels: { app } },
  template: { metadata: { labels: { app } }, spec: pod('registry.invalid/a:1') },
});
const rbac = 'rbac.authorization.k8s.io';

/** For each kind in the table: the created object, the desired one, and the field that is immutable. */
const immutables: Readonly<Record<string, readonly [apiVersion: string, one: object, two: object, field: string]>> = {
  Deployment: ['apps/v1', { spec: selecting('a') }, { spec: selecting('b') }, 'spec.selector'],
  DaemonSet: ['apps/v1', { spec: selecting('a') }, { spec: selecting('b') }, 'spec.selector'],
  StatefulSet: [
    'apps/v1',
    { spec: { ...selecting('a'), serviceName: 'a' } },
    { spec: { ...selecting('a'), serviceName: 'b' } },
    'spec',
  ],
  Job: [
    'batch/v1',
    { spec: { template: { spec: { ...pod('registry.invalid/a:1'), restartPolicy: 'Never' } } } },
    { spec: { template: { spec: { ...pod('registry.invalid/a:2'), restartPolicy: 'Never' } } } },
    'spec.template',
  ],
  Pod: [
    'v1',
    { spec: { containers: [{ name: 'a', image: 'a', args: ['1'] }] } },
    { spec: { containers: [{ name: 'a', image: 'a', args: ['2'] }] } },
    'spec',
  ],
  ConfigMap: ['v1', { immutable: true, data: { a: '1' } }, { immutable: true, data: { a: '2' } }, 'data'],
  Secret: ['v1', { type: 'one', data: { a: 'aHVudGVyMg==' } }, { type: 'two', data: { a: 'aHVudGVyMg==' } }, 'type'],
  Service: [
    'v1',
    { spec: { selector: labels, ports: [{ port: 80 }] } },
    { spec: { selector: labels, ports: [{ port: 80 }], clusterIP: '10.0.0.7' } },
    'spec.clusterIPs[0]',
  ],
  PersistentVolumeClaim: [
    'v1',
    { spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'a', resources: { requests: { storage: '1Gi' } } } },
    { spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'b', resources: { requests: { storage: '1Gi' } } } },
    'spec',
  ],
  RoleBinding: [
    `${rbac}/v1`,
    { roleRef: { apiGroup: rbac, kind: 'Role', name: 'a' } },
    { roleRef: { apiGroup: rbac, kind: 'Role', name: 'b' } },
    'roleRef',
  ],
  StorageClass: ['storage.k8s.io/v1', { provisioner: 'a' }, { provisioner: 'b' }, 'provisioner'],
  VolumeAttributesClass: [
    'storage.k8s.io/v1',
    { driverName: 'a', parameters: { a: '1' } },
    { driverName: 'b', parameters: { a: '1' } },
    'driverName',
  ],
  PriorityClass: ['scheduling.k8s.io/v1', { value: 1 }, { value: 2 }, 'value'],
};

suite('the API server’s answer to an apply', { concurrency: true }, () => {
  for (const { what, object, errors: expected } of repeatedCases)
    test(`of ${what}, twice in a list, is ${expected.length === 0 ? 'no error' : 'the error that weeder reports beforehand'}`, async (t) => {
      const { ns, ...it } = await applying(t, 'repeated');
      const plan = await it.plan(object);
      const query = 'fieldManager=another&dryRun=All';
      const answer = await ns.cluster.send('PATCH', `${plan.target.path}?${query}`, {
        body: plan.manifest.object,
        contentType: 'application/apply-patch+yaml',
      });
      const errors = repeatedKeys(plan.manifest.object, 0, plan.topology);
      assert.deepEqual(
        errors.map(({ path, message }) => `${formatPath(path)}: ${message}`),
        expected.map((error) => `spec.manifests[0].${error}`),
      );
      const answerText = JSON.stringify(answer.body);
      if (expected.length === 0) assert.equal(answer.status, 201, answerText);
      else assert.match(answerText, /duplicate entries for key/);
    });

  test('of an immutable field is recognized by its message: one table, each row with a kind that answers so', async (t) => {
    const it = await applying(t, 'immutable');
    for (const { says, of } of immutableWords) assert(of.length > 0 && says.source.length > 10);
    const kinds = immutableWords.flatMap(({ of }) => of);
    assert.deepEqual(kinds.toSorted(), Object.keys(immutables).toSorted());
    const minor = await minorVersion(it.ns.cluster);
    const served = Object.entries(immutables).filter(([kind]) => (stableSince[kind] ?? 0) <= minor);
    await Promise.all(
      served.map(async ([kind, [apiVersion, one, two, field]]) => {
        const object = { apiVersion, kind, metadata: { name: it.ns.name }, ...one };
        const plan = await it.plan(object);
        good(await it.api.create(plan, it.signal));
        it.ns.after(() => it.ns.cluster.send('DELETE', plan.target.path));
        const next = await it.plan({ ...object, ...two }, { before: plan });
        const failure = bad(await it.api.update(next, await it.live(plan), it.signal));
        assert.equal(failure.type, 'immutable', `${kind}: ${failure.reason}`);
        assert(failure.fields.includes(field), `${kind}: ${failure.fields}`);
        assert(failure.reason.length < 500, failure.reason);
        assert(!failure.reason.includes('aHVudGVyMg'), failure.reason);
      }),
    );
  });

  test('that would be repeated is permanent, although some of it comes as HTTP 500', async (t) => {
    const it = await applying(t, 'permanent');
    const settings = (fields: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...fields });
    const deployment = (env: readonly object[], image = 'a') => {
      const spec = { ...selecting('a'), template: { metadata: { labels: { app: 'a' } }, spec: pod(image) } };
      Object.assign(spec.template.spec, { containers: [{ name: 'a', image, env }] });
      return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec };
    };
    for (const [object, words] of [
      [settings({ dta: { a: '1' } }), /\.dta: field not declared in schema/],
      [settings({ data: 3 }), /\.data: expected map/],
      [settings({ data: { a: 1 } }), /\.data\.a: expected string/],
      [
        deployment([
          { name: 'a', value: '1' },
          { name: 'a', value: '2' },
        ]),
        /duplicate entries for key \[name="a"\]/,
      ],
      [deployment([], ''), /spec\.template\.spec\.containers\[0\]\.image: Required value/],
      [settings({ data: { a: 'x'.repeat(1_048_600) } }), /\(422\): Too long: may not be more than 1048576 bytes/],
    ] as const) {
      const failure = bad(await it.api.create(await it.plan(object), it.signal));
      assert.equal(failure.type, 'permanent', failure.reason);
      assert.match(failure.reason, words);
    }
  });

  test('of a Secret is reported by code, reason and field: a type error would echo the value', async (t) => {
    const it = await applying(t, 'secret');
    const user = it.ns.cluster.takeUser();
    const secret = (fields: JsonObject) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, ...fields });
    for (const [fields, expected] of [
      [
        { data: { a: 'hunter2!!' } },
        /^The API server refused Secret .*\/a \(500\): illegal base64 data at input byte 7\.$/,
      ],
      [{ data: { a: ['hunter2'] } }, /^The API server refused Secret .*\/a \(500\): \.data\.a: expected string\.$/],
      [{ data: { 'hunter 2': 'aGk=' } }, /^The API server refused Secret .*\/a \(422 Invalid\): data\[hunter 2\]\.$/],
      [{ type: 'kubernetes.io/tls', data: { a: 'aGk=' } }, /\(422 Invalid\): data\[tls.crt\], data\[tls.key\]\.$/],
    ] as const) {
      const failure = bad(await it.api.create(await it.plan(secret(fields)), it.signal));
      assert.equal(failure.type, 'permanent', failure.reason);
      assert.match(failure.reason, expected);
      assert(!/hunter2|aGk=/.test(failure.reason), failure.reason);
    }
    const denied = bad(await it.api.create(await it.plan(secret({}), { account: user }), it.signal));
    assert.equal(denied.type, 'forbidden');
    assert.match(denied.reason, /Grant it in a Role in namespace .*resources: \["secrets"\], verbs: \["patch"\]/);
  });

  test('of a kind, a namespace or an object that does not exist are three different failures', async (t) => {
    const it = await applying(t, 'missing');
    const plan = await it.plan({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } });
    const elsewhere = (path: string, fields: object = {}) => {
      const target = { ...plan.target, path, collection: path, ...fields };
      return it.api.create({ ...plan, target }, it.signal);
    };
    const object = { ...plan.manifest.object, metadata: { name: 'a', namespace: 'not-there' } };
    const manifest = { ...plan.manifest, object };
    const path = '/api/v1/namespaces/not-there/configmaps/a';
    const target = { ...plan.target, path };
    const noNamespace = bad(await it.api.create({ ...plan, manifest, target }, it.signal));
    assert.equal(noNamespace.type, 'transient');
    assert.match(noNamespace.reason, /namespaces "not-there" not found/);
    for (const path of [
      '/apis/example.org/v1/widgets/a',
      '/apis/apps/v1/namespaces/x/widgets/a',
      '/api/v7/configmaps/a',
    ])
      assert.equal(bad(await elsewhere(path)).type, 'typeMissing', path);
    assert.equal(good(await it.api.read(plan.target, it.signal)), undefined);
    const live = { metadata: { uid: '00000000-0000-4000-8000-000000000000' } };
    assert.equal(bad(await it.api.correct(plan, live, [], it.signal)).type, 'missing');
  });

  test('in a namespace that is being deleted is neither drift nor an error: nothing can be created there any more', async (t) => {
    const it = await applying(t, 'ending');
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', finalizers: ['example.org/stay'] } };
    const plan = await it.plan(object);
    good(await it.api.create(plan, it.signal));
    it.ns.after(() => it.edit(plan, { metadata: { finalizers: null } }));
    await it.ns.cluster.api('DELETE', `/api/v1/namespaces/${it.ns.name}`);
    const other = await it.plan({ ...object, metadata: { name: 'b' } });
    for (const outcome of [await it.api.create(other, it.signal), await it.api.dryRunApply(other, it.signal)])
      assert.equal(bad(outcome).type, 'namespaceTerminating');
  });
});

suite('impersonation', { concurrency: true }, () => {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1', b: '2' } };
  const observed = { data: { a: 'observed' } };
  const rule = (...verbs: string[]) => [{ apiGroups: [''], resources: ['configmaps'], verbs }];

  test('every change is made as the account, which needs patch and create, for deletions delete, and never get', async (t) => {
    const it = await applying(t, 'account');
    const { name: namespace, cluster } = it.ns;
    const account = `system:serviceaccount:${namespace}:default`;
    const plan = await it.plan(settings, { account, observed });
    const denied = async (verb: string, outcome: Promise<unknown>) => {
      const text = JSON.stringify(await outcome);
      assert(text.includes('"forbidden"') && text.includes(`verbs: [\\"${verb}\\"]`), text);
    };
    await denied('patch', it.api.create(plan, it.signal));
    await grant(cluster, account, rule('patch'), { namespace });
    await denied('create', it.api.create(plan, it.signal));
    await grant(cluster, account, rule('create'), { namespace });
    assert(good(await it.api.create(plan, it.signal)).isNew);
    assert(good(await it.api.dryRunApply(plan, it.signal)).isIndependent);
    await it.edit(plan, { data: { a: 'x' } });
    good(await it.api.correct(plan, await it.live(plan), [], it.signal));
    assert.deepEqual(at(await it.live(plan), 'data'), { a: '1', b: '2' });
    const uid = String(at(await it.live(plan), 'metadata', 'uid'));
    await denied('delete', it.api.delete(plan.target, it.owner, uid, it.signal));
    await grant(cluster, account, rule('delete'), { namespace });
    good(await it.api.delete(plan.target, it.owner, uid, it.signal));
  });

  test('an account of another namespace has no permissions here, and neither has one that does not exist', async (t) => {
    const it = await applying(t, 'tenant');
    for (const account of [
      'system:serviceaccount:kube-public:default',
      `system:serviceaccount:${it.ns.name}:missing`,
    ]) {
      const failure = bad(await it.api.create(await it.plan(settings, { account }), it.signal));
      assert.equal(failure.type, 'forbidden');
      assert(failure.reason.includes('Grant it in a Role'), failure.reason);
    }
    const plan = await it.plan(settings);
    assert.equal(good(await it.api.read(plan.target, it.signal)), undefined);
  });
});
