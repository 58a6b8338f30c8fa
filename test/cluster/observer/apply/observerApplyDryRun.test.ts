import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { baselineOf, initialisedIn, updatedBaseline } from '../../../../src/observer/drift/baseline.ts';
import { compare } from '../../../../src/observer/drift/compare.ts';
import { project } from '../../../../src/observer/drift/project.ts';
import type { ResourcePlan } from '../../../../src/observer/plan/resourceApi.ts';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, good } from '../../support/observer/applying.ts';
import { at } from '../../support/observer/observedObjects.ts';

const bounds = (min: number, max: number) => ({
  observer_schema_list_min_length: min,
  observer_schema_list_max_length: max,
});
const service = (name: string, fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80 }], ...fields },
});
const pods = {
  selector: { matchLabels: { app: 'web' } },
  template: {
    metadata: { labels: { app: 'web' } },
    spec: {
      containers: [
        { name: 'a', image: 'registry.invalid/a:1', resources: { limits: { cpu: '1000m', memory: '0.5Gi' } }, env: [] },
      ],
    },
  },
};
const objects: Readonly<Record<string, JsonObject>> = {
  'a Deployment': { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: pods },
  'a Service': service('web'),
  'a bare Pod, to which admission adds': {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { ...pods.template.spec, tolerations: [{ key: 'a', operator: 'Exists' }] },
  },
  'a ConfigMap with an empty value': {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'web' },
    data: { c: '' },
  },
  'a Namespace': { apiVersion: 'v1', kind: 'Namespace', metadata: {} },
};

async function names(it: Applying, { target }: ResourcePlan) {
  const { items } = objectOf(await it.ns.cluster.api('GET', target.collection));
  return arrayOf(items).map((item) => at(item, 'metadata', 'name'));
}

/** Created, edited, and then applied in a dry run: the drifts that the dry run finds. */
async function dryRunOf(it: Applying, object: JsonObject, edit?: unknown, observed?: JsonObject) {
  const plan = await it.plan(object, observed === undefined ? {} : { observed });
  const { manifest, mask, topology } = plan;
  const replyProjection = project(good(await it.api.create(plan, it.signal)).object, manifest, mask, topology);
  if (edit !== undefined) await it.edit(plan, edit);
  const before = await it.live(plan);
  const dryRun = good(await it.api.dryRunApply(plan, it.signal));
  // Controllers write its status at the same time.
  const after = await it.live(plan);
  for (const part of ['spec', 'data']) assert.deepEqual(after[part], before[part], 'the dry run has stored nothing');
  assert(!JSON.stringify(await names(it, plan)).includes('-weeder-probe'));
  const baseline = baselineOf(plan, dryRun, initialisedIn(plan, replyProjection));
  const liveProjection = project(before, manifest, mask, topology);
  return {
    plan,
    replyProjection,
    dryRun,
    baseline,
    drifts: compare(baseline, liveProjection).map(({ path, type }) => `${type} ${path}`),
  };
}

suite('the desired state after a restart', { concurrency: true }, () => {
  for (const [what, object] of Object.entries(objects)) {
    test(`of ${what} is as it was when it was applied, and is determined without a write`, async (t) => {
      const it = await applying(t, 'dry-run');
      const named = object['kind'] === 'Namespace' ? { ...object, metadata: { name: `${it.ns.name}-own` } } : object;
      const { dryRun, replyProjection, baseline, drifts } = await dryRunOf(it, named);
      assert.equal(dryRun.isIndependent, true);
      for (const part of ['fields', 'lists', 'duplicates'] as const)
        assert.deepEqual(baseline[part], replyProjection[part], part);
      assert.deepEqual(drifts, []);
    });
  }

  test('contains no foreign port of a drifted resource, because the dry run uses another name', async (t) => {
    const it = await applying(t, 'dry-run-drifted');
    const edit = {
      spec: {
        ports: [
          { name: 'http', port: 80 },
          { name: 'evil', port: 81 },
        ],
      },
    };
    const { dryRun, drifts } = await dryRunOf(it, service('web'), edit);
    assert.equal(dryRun.isIndependent, true);
    assert.deepEqual(drifts, ['excess .spec.ports[port=81,protocol="TCP"]']);
  });

  for (const [what, fields] of [
    [
      'a fixed nodePort',
      { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30_000 + (Date.now() % 2_700) }] },
    ],
    ['a name that leaves no room for another', {}],
  ] as const) {
    test(`if another name is refused for ${what}, the dry run uses the live object, with lists as long as in the manifest`, async (t) => {
      const it = await applying(t, 'dry-run-live');
      const name = what.startsWith('a name') ? `w${'e'.repeat(56)}b` : 'web';
      const object = service(name, fields);
      const ports = [...object.spec.ports, { name: 'evil', port: 81 }];
      const { dryRun, drifts, plan, replyProjection } = await dryRunOf(it, object, { spec: { ports } });
      assert.equal(dryRun.isIndependent, false);
      assert.deepEqual(drifts, ['excess .spec.ports[port=81,protocol="TCP"]']);
      // A foreign element does not become desired by a dry run if a desired state exists already.
      assert.deepEqual(
        compare(replyProjection, updatedBaseline(plan, replyProjection, dryRun, initialisedIn(plan, replyProjection))),
        [],
      );
      const seen = await it.live(plan);
      const path = '.spec.ports[port=81,protocol="TCP"]';
      good(await it.api.correct(plan, seen, [{ path, desired: undefined, found: 81, type: 'excess' }], it.signal));
      assert.deepEqual(
        arrayOf(at(await it.live(plan), 'spec', 'ports')).map((port) => at(port, 'port')),
        [80],
      );
    });
  }

  test('for a kind that allows no other name the dry run uses the manifest’s own name, also without a live object', async (t) => {
    const it = await applying(t, 'dry-run-own-name');
    const group = `${it.ns.name}.example.org`;
    const names = { kind: 'Thing', plural: 'things' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const plan = await it.plan({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${group}` },
      spec: { group, scope: 'Namespaced', names, versions },
    });
    const dryRun = good(await it.api.dryRunApply(plan, it.signal));
    assert.deepEqual([dryRun.isIndependent, at(dryRun.object, 'spec', 'group')], [true, group]);
  });

  test('at a full quota the dry run uses the live object, too', async (t) => {
    const it = await applying(t, 'dry-run-quota');
    const plan = await it.plan({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } });
    good(await it.api.create(plan, it.signal));
    const quota = { metadata: { name: 'full' }, spec: { hard: { 'count/configmaps': '1' } } };
    await it.ns.cluster.api('POST', it.ns.path('api/v1', 'resourcequotas'), quota);
    // No controller counts the quota here.
    const status = { hard: quota.spec.hard, used: quota.spec.hard };
    const path = it.ns.path('api/v1', 'resourcequotas', 'full/status');
    await it.ns.cluster.api('PATCH', path, { status });
    const dryRun = await eventually(
      async () => {
        const now = good(await it.api.dryRunApply(plan, it.signal));
        return now.isIndependent ? undefined : now;
      },
      { what: 'a quota that is in force' },
    );
    assert.equal(at(dryRun.object, 'data', 'a'), '1');
  });

  test('observed values that the server had defaulted are still desired, though a dry run gets other ones', async (t) => {
    const it = await applying(t, 'dry-run-filled');
    const observed = {
      spec: { clusterIP: 'observed', externalName: 'observed', ports: [{ port: 'observed' }, bounds(1, 1)] },
    };
    const { plan, replyProjection, drifts } = await dryRunOf(it, service('web'), undefined, observed);
    const initialised = initialisedIn(plan, replyProjection);
    assert.deepEqual([...initialised.keys()], ['.spec.clusterIP']);
    assert.equal(initialised.get('.spec.clusterIP'), at(await it.live(plan), 'spec', 'clusterIP'));
    assert.deepEqual(drifts, []);
  });
});
