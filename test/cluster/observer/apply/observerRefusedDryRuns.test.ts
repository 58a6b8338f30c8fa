import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { baselineOf } from '../../../../src/observer/drift/baseline.ts';
import { compare } from '../../../../src/observer/drift/compare.ts';
import { project } from '../../../../src/observer/drift/project.ts';
import type { ResourcePlan } from '../../../../src/observer/plan/resourceApi.ts';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, good } from '../../support/observer/applying.ts';
import { at } from '../../support/observer/observedObjects.ts';

const admission = '/apis/admissionregistration.k8s.io/v1';
const strategic = { type: 'strategic-merge' } as const;
const labels = { app: 'web' };

/** A Deployment whose quantity the API server writes in another form. */
const manifest = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          { name: 'a', image: 'a:1', resources: { limits: { cpu: '1000m' } }, env: [{ name: 'A', value: 'x' }] },
        ],
      },
    },
  },
};

const edited = {
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'a',
            image: 'a:2',
            env: [
              { name: 'A', $patch: 'delete' },
              { name: 'B', value: 'y' },
            ],
          },
        ],
      },
    },
  },
};

/** A webhook for Deployments of this namespace that no server serves. */
async function putWebhook({ ns }: Applying, operations: readonly string[]): Promise<void> {
  const name = `away-${ns.name}.example.org`;
  await ns.cluster.api('POST', `${admission}/validatingwebhookconfigurations`, {
    metadata: { name },
    webhooks: [
      {
        name,
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations, resources: ['deployments'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns.name } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 1,
      },
    ],
  });
  ns.after(() => ns.cluster.send('DELETE', `${admission}/validatingwebhookconfigurations/${name}`));
}

/** Admission that refuses every dry run of a Deployment in this namespace. */
async function refuseDryRuns({ ns }: Applying, reason: string): Promise<void> {
  const name = `no-dry-runs-${ns.name}`;
  const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments'] };
  const validations = [{ expression: '!(has(request.dryRun) && request.dryRun)', reason }];
  await ns.cluster.api('POST', `${admission}/validatingadmissionpolicies`, {
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [rule] }, validations },
  });
  ns.after(() => ns.cluster.send('DELETE', `${admission}/validatingadmissionpolicies/${name}`));
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': ns.name } };
  await ns.cluster.api('POST', `${admission}/validatingadmissionpolicybindings`, {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector } },
  });
  ns.after(() => ns.cluster.send('DELETE', `${admission}/validatingadmissionpolicybindings/${name}`));
}

/** Waits until the probe of a dry run is refused. */
async function untilInForce(it: Applying, plan: ResourcePlan): Promise<void> {
  const body = { ...manifest, metadata: { name: 'another' } };
  const refused = async () =>
    (await it.ns.cluster.send('POST', `${plan.target.collection}?dryRun=All`, { body })).status >= 400;
  await eventually(refused, { what: 'that admission is in force' });
}

async function driftPaths(it: Applying, plan: ResourcePlan): Promise<readonly string[]> {
  const baseline = baselineOf(plan, good(await it.api.dryRunApply(plan, it.signal)));
  const projection = project(await it.live(plan), plan.manifest, plan.mask, plan.topology);
  return compare(baseline, projection).map(({ path }) => path.slice('.spec.template.spec.containers[name="a"]'.length));
}

suite('a baseline without a dry run of a new object, on a real API server', { concurrency: 3 }, () => {
  for (const [what, set] of [
    ['every dry run with 422', (it: Applying) => refuseDryRuns(it, 'Invalid')],
    ['every dry run with 403', (it: Applying) => refuseDryRuns(it, 'Forbidden')],
    ['new objects with 500', (it: Applying) => putWebhook(it, ['CREATE'])],
    ['every request with 500', (it: Applying) => putWebhook(it, ['CREATE', 'UPDATE'])],
  ] as const)
    test(`is known where admission refuses ${what}: what was edited is drift, and nothing else`, async (t) => {
      const it = await applying(t, 'dry');
      const plan = await it.plan(manifest);
      good(await it.api.create(plan, it.signal));
      await it.edit(plan, { metadata: { annotations: { 'example.org/theirs': 'x' } } });
      assert.deepEqual(await driftPaths(it, plan), []);
      const isBefore = what !== 'every request with 500';
      if (!isBefore) await it.edit(plan, edited, strategic);
      await set(it);
      await untilInForce(it, plan);
      if (isBefore) {
        assert.deepEqual(await driftPaths(it, plan), [], 'nothing was edited');
        await it.edit(plan, edited, strategic);
      }
      assert.deepEqual(await driftPaths(it, plan), [
        '.env[name="A"].name',
        '.env[name="A"].value',
        '.env[name="B"]',
        '.image',
      ]);
      if (!isBefore) return;
      const live = await it.live(plan);
      const baseline = baselineOf(plan, good(await it.api.dryRunApply(plan, it.signal)));
      const drifts = compare(baseline, project(live, plan.manifest, plan.mask, plan.topology));
      good(await it.api.correct(plan, live, drifts, it.signal));
      assert.deepEqual(await driftPaths(it, plan), []);
      assert.equal(at(await it.live(plan), 'spec', 'template', 'spec', 'containers', 0, 'image'), 'a:1');
    });
});
