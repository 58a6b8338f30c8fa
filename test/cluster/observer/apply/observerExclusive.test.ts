import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '../../../../src/base/json.ts';
import type { ResourcePlan } from '../../../../src/observer/plan/resourceApi.ts';
import { type Applying, applying, at, driftsOf, good } from '../../support/observer/applying.ts';

const labels = { app: 'web' };

function deployment(container: JsonObject, spec: JsonObject = {}, pod: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a:1', ...container }], ...pod } },
      ...spec,
    },
  };
}

const containersWith = (container: JsonObject) => ({
  spec: { template: { spec: { containers: [{ name: 'a', ...container }] } } },
});
const budget = (spec: JsonObject) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: labels }, ...spec },
});

/** A manifest, and what another client makes of it: another member of a union, as a strategic merge patch. */
const unions: readonly (readonly [what: string, manifest: JsonObject, patch: JsonObject])[] = [
  [
    'a variable’s source',
    deployment({ env: [{ name: 'A', value: 'x' }] }),
    containersWith({
      env: [{ name: 'A', value: null, valueFrom: { configMapKeyRef: { name: 'theirs', key: 'a' } } }],
    }),
  ],
  [
    'a probe’s handler',
    deployment({ livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: 7 } }),
    containersWith({ livenessProbe: { tcpSocket: null, exec: { command: ['true'] } } }),
  ],
  [
    'a lifecycle hook’s handler',
    deployment({ lifecycle: { preStop: { sleep: { seconds: 1 } } } }),
    containersWith({ lifecycle: { preStop: { sleep: null, exec: { command: ['true'] } } } }),
  ],
  [
    'a volume’s source',
    deployment({}, {}, { volumes: [{ name: 'v', configMap: { name: 'ours' } }] }),
    {
      spec: {
        template: { spec: { volumes: [{ name: 'v', configMap: null, secret: { secretName: 'theirs' } }] } },
      },
    },
  ],
  [
    'the strategy of a Deployment',
    deployment({}, { strategy: { type: 'Recreate' } }),
    { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3 } } } },
  ],
  ['the limit of a PodDisruptionBudget', budget({ minAvailable: 1 }), { spec: { minAvailable: null, maxUnavailable: 1 } }],
];

/** Creates it, lets another client edit it, and corrects it. */
async function corrected(it: Applying, plan: ResourcePlan, edit: (plan: ResourcePlan) => Promise<unknown>) {
  const made = good(await it.api.create(plan, it.signal)).object;
  await edit(plan);
  const seen = await it.live(plan);
  const drifts = driftsOf(plan, made, seen);
  assert(drifts.length > 0);
  const outcome = await it.api.correct(plan, seen, drifts, it.signal);
  return { made, seen, drifts, outcome, live: await it.live(plan) };
}

/** The managers of an object, without the times. */
const managersOf = (object: JsonObject) =>
  arrayOf(objectOf(object['metadata'])['managedFields']).map((entry) => ({ ...objectOf(entry), time: undefined }));

suite('fields that exclude each other, on a real API server', { concurrency: true }, () => {
  for (const [what, manifest, patch] of unions)
    test(`another member of ${what} is removed, and the rest of the object is corrected with it`, async (t) => {
      const it = await applying(t, 'union');
      const plan = await it.plan(manifest);
      const { made, outcome, live } = await corrected(it, plan, async () => {
        await it.edit(plan, patch, { type: 'strategic-merge' });
        await it.edit(plan, { metadata: { annotations: { 'example.org/theirs': 'stays' } } });
        if (manifest['kind'] === 'Deployment')
          await it.edit(plan, containersWith({ image: 'a:2' }), { type: 'strategic-merge' });
      });
      good(outcome);
      assert.deepEqual(driftsOf(plan, made, live), []);
      assert.equal(at(live, 'metadata', 'annotations', 'example.org/theirs'), 'stays');
    });

  test('a member that the API server filled in does not block an update', async (t) => {
    const it = await applying(t, 'union');
    const before = await it.plan(deployment({}));
    good(await it.api.create(before, it.signal));
    const plan = await it.plan(deployment({}, { strategy: { type: 'Recreate' } }), { before });
    good(await it.api.update(plan, await it.live(plan), it.signal));
    assert.deepEqual(at(await it.live(plan), 'spec', 'strategy'), { type: 'Recreate' });
  });
});
