import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { assertMeets } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import type { ResourcePlan } from '../../../../src/observer/plan/resourceApi.ts';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, bad, driftsOf, good } from '../../support/observer/applying.ts';
import { at } from '../../support/observer/observedObjects.ts';

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
  [
    'the limit of a PodDisruptionBudget',
    budget({ minAvailable: 1 }),
    { spec: { minAvailable: null, maxUnavailable: 1 } },
  ],
];

/** Creates it, lets another client edit it, and corrects it. */
async function corrected(it: Applying, plan: ResourcePlan, edit: (plan: ResourcePlan) => Promise<unknown>) {
  const reply = good(await it.api.create(plan, it.signal)).object;
  await edit(plan);
  const seen = await it.live(plan);
  const drifts = driftsOf(plan, reply, seen);
  assert(drifts.length > 0);
  const outcome = await it.api.correct(plan, seen, drifts, it.signal);
  return { reply, seen, drifts, outcome, live: await it.live(plan) };
}

/** The managers of an object, without the times. */
const managersOf = (object: JsonObject) =>
  arrayOf(objectOf(object['metadata'])['managedFields']).map((entry) => ({ ...objectOf(entry), time: undefined }));

/** The certificate of an authority, as the API server checks it. */
const caBundle = Buffer.from(rootCertificates[0] ?? '').toString('base64');

const text = { type: 'string', maxLength: 9 };
const texts = { type: 'object', additionalProperties: text, maxProperties: 9 };
const ruled = (rule: string) => ({
  type: 'object',
  properties: { a: text, b: text },
  'x-kubernetes-validations': [{ rule }],
});

const members = ['a', 'b', 'c'] as const;
/** A list element that has one of the members. */
const choice = {
  type: 'object',
  required: ['name'],
  properties: { name: text, note: text, a: text, b: text, c: text },
  'x-kubernetes-validations': [{ rule: '(has(self.a)?1:0) + (has(self.b)?1:0) + (has(self.c)?1:0) <= 1' }],
};

/** A member and its value in the manifest, what another client makes of them, and whether it adds a note. */
const choices = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('x', 'y', 'z'),
    ours: fc.tuple(fc.constantFrom(...members), fc.constantFrom('1', '2')),
    theirs: fc.option(fc.tuple(fc.constantFrom(...members), fc.constantFrom('1', '2')), { nil: undefined }),
    isNoted: fc.boolean(),
  }),
  { selector: ({ name }) => name, minLength: 1 },
);

/** A kind of which some maps may not have two fields, one may not change, and others are free. */
function unionDefinition(plural: string) {
  const spec = {
    type: 'object',
    properties: {
      only: { ...texts, maxProperties: 1 },
      ruled: ruled('!(has(self.a) && has(self.b))'),
      once: ruled('!has(oldSelf.b) || self.a == oldSelf.a'),
      choices: {
        type: 'array',
        maxItems: 5,
        items: choice,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
      free: texts,
      image: { type: 'string' },
    },
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.unions.example.org` },
    spec: {
      group: 'unions.example.org',
      names: { kind: `Kind${plural}`, plural },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

const union = (spec: JsonObject) => ({
  apiVersion: 'unions.example.org/v1',
  kind: 'Kindunions',
  metadata: { name: 'a' },
  spec,
});

async function installUnions({ ns }: Applying): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const answer = await ns.cluster.send('POST', definitions, { body: unionDefinition('unions') });
  assert(answer.status === 201 || answer.status === 409, JSON.stringify(answer.body));
  const collection = ns.path('apis/unions.example.org/v1', 'unions');
  await eventually(async () => (await ns.cluster.send('GET', collection)).status === 200, { what: 'the kind' });
}

suite('fields that exclude each other, on a real API server', { concurrency: 4 }, () => {
  for (const [what, manifest, patch] of unions)
    test(`another member of ${what} is removed, and the rest of the object is corrected with it`, async (t) => {
      const it = await applying(t, 'union');
      const plan = await it.plan(manifest);
      const { reply, outcome, live } = await corrected(it, plan, async () => {
        await it.edit(plan, patch, { type: 'strategic-merge' });
        await it.edit(plan, { metadata: { annotations: { 'example.org/theirs': 'stays' } } });
        if (manifest['kind'] === 'Deployment')
          await it.edit(plan, containersWith({ image: 'a:2' }), { type: 'strategic-merge' });
      });
      good(outcome);
      assert.deepEqual(driftsOf(plan, reply, live), []);
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

  for (const [what, member, is] of [
    ['may have one property', 'only', 'maxProperties'],
    ['has a rule', 'ruled', 'a CEL rule'],
  ] as const)
    test(`a custom resource of which a map ${what} is corrected: ${is}`, async (t) => {
      const it = await applying(t, 'union');
      await installUnions(it);
      const plan = await it.plan(union({ [member]: { a: '1' }, free: { x: '1' }, image: 'a:1' }));
      const theirs = { [member]: { a: null, b: '2' }, free: { y: '2' }, image: 'a:2' };
      const { reply, outcome, live } = await corrected(it, plan, () => it.edit(plan, { spec: theirs }));
      good(outcome);
      assert.deepEqual(driftsOf(plan, reply, live), []);
      assert.deepEqual(at(live, 'spec', 'free'), { x: '1', y: '2' }, 'a map that no cause is about');
    });

  test('a CustomResourceDefinition gives up its conversion webhook, whose caBundle another client injected', async (t) => {
    const it = await applying(t, 'union');
    const name = 'converted';
    const definition = (conversion: JsonObject) => ({
      ...unionDefinition(name),
      spec: { ...unionDefinition(name).spec, ...conversion },
    });
    const clientConfig = { service: { namespace: it.ns.name, name: 'hook' } };
    const webhook = { conversionReviewVersions: ['v1'], clientConfig };
    const before = await it.plan(definition({ conversion: { strategy: 'Webhook', webhook } }));
    good(await it.api.create(before, it.signal));
    it.ns.after(() => it.ns.cluster.send('DELETE', before.target.path));
    for (const conversion of [{ conversion: { strategy: 'None' } }, {}]) {
      const back = await it.plan(definition({ conversion: { strategy: 'Webhook', webhook } }), { before });
      good(await it.api.update(back, await it.live(back), it.signal));
      await it.edit(
        before,
        { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } },
        { manager: 'injector' },
      );
      const plan = await it.plan(definition(conversion), { before });
      good(await it.api.update(plan, await it.live(plan), it.signal));
      assert.deepEqual(at(await it.live(plan), 'spec', 'conversion'), { strategy: 'None' });
    }
  });

  test('what was taken over in vain goes back to its owner', async (t) => {
    const it = await applying(t, 'union');
    await installUnions(it);
    const plan = await it.plan(union({ once: { a: '1' } }));
    const { seen, outcome, live } = await corrected(it, plan, () =>
      it.edit(plan, { spec: { once: { a: '2', b: '2' } } }),
    );
    assert.equal(bad(outcome).type, 'permanent');
    assert.deepEqual(at(live, 'spec', 'once'), { a: '2', b: '2' });
    assert.deepEqual(managersOf(live), managersOf(seen));
  });

  test('for any unions and edits, a correction ends in sync, and preserves what others added elsewhere', async (t) => {
    const it = await applying(t, 'union');
    await installUnions(it);
    type Met = Record<'switched' | 'noted', number>;
    const holds = async (list: typeof choices extends fc.Arbitrary<infer T> ? T : never, met: Met) => {
      const ours = list.map(({ name, ours: [member, value] }) => ({ name, [member]: value }));
      const plan = await it.plan(union({ choices: ours, image: 'a:1' }));
      const reply = good(await it.api.create(plan, it.signal)).object;
      try {
        const theirs = list.map(({ name, ours: own, theirs: [member, value] = own, isNoted }) => ({
          name,
          [member]: value,
          ...(isNoted && { note: 'n' }),
        }));
        await it.edit(plan, { spec: { choices: theirs, image: 'a:2' } });
        const seen = await it.live(plan);
        good(await it.api.correct(plan, seen, driftsOf(plan, reply, seen), it.signal));
        const live = await it.live(plan);
        assert.deepEqual(driftsOf(plan, reply, live), []);
        for (const [index, { ours: own, theirs: [member, value] = own, isNoted }] of list.entries()) {
          const choice = objectOf(at(live, 'spec', 'choices', index));
          assert.deepEqual(
            members.filter((each) => each in choice),
            [own[0]],
            JSON.stringify({ list, live }),
          );
          if (member !== own[0]) met.switched += 1;
          if (!isNoted || member !== own[0] || value !== own[1]) continue;
          met.noted += 1;
          assert.equal(choice['note'], 'n', JSON.stringify({ list, live }));
        }
      } finally {
        await it.ns.cluster.api('DELETE', plan.target.path);
      }
    };
    await assertMeets({ switched: 1, noted: 1 }, 60, (met) => fc.asyncProperty(choices, (list) => holds(list, met)));
  });
});
