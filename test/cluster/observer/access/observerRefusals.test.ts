import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { grant } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { type Applying, applying, bad } from '../../support/observer/applying.ts';

const admission = '/apis/admissionregistration.k8s.io/v1';
const value = 'hunter2';
const encoded = Buffer.from(value).toString('base64');

function secret(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: { a: encoded } };
}

const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: value } };

/** Why an object is refused; waits for this message: admission enforces its rules a moment later. */
async function refusedAs(it: Applying, object: JsonObject, message: RegExp, account?: string): Promise<string> {
  const options = account === undefined ? {} : { account };
  return eventually(
    async (saw) => {
      const outcome = await it.api.dryRunAgain(await it.plan(object, options), it.signal);
      if (outcome.ok) return undefined;
      saw(outcome.failure);
      return message.test(outcome.failure.reason) ? outcome.failure.reason : undefined;
    },
    { what: `a refusal as ${message}` },
  );
}

async function assertNotQuoted(it: Applying, object: JsonObject): Promise<void> {
  const { reason } = bad(await it.api.create(await it.plan(object), it.signal));
  for (const text of [value, encoded]) assert.ok(!reason.includes(text), reason);
  assert.doesNotMatch(reason, /Grant it/);
}

suite('the reported reason of a refused Secret', { concurrency: 2 }, () => {
  test('by a ResourceQuota is the quota and not a missing permission', async (t) => {
    const it = await applying(t, 'quota');
    const quotas = it.ns.path('api/v1', 'resourcequotas');
    const status = { hard: { secrets: '0' }, used: { secrets: '0' } };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few' }, spec: { hard: status.hard } };
    await it.ns.cluster.api('POST', quotas, quota);
    const body = { body: { status } };
    assert.equal((await it.ns.cluster.send('PATCH', `${quotas}/few/status`, body)).status, 200);
    const reason = await refusedAs(it, secret('a'), /ResourceQuota/);
    assert.match(
      reason,
      /^The API server refused Secret \S+\/a \(403 Forbidden\): the ResourceQuota few is exceeded \(requested secrets=1, used secrets=0, limited secrets=0\)\.$/,
    );
    await assertNotQuoted(it, secret('a'));
  });

  for (const [code, reason] of [
    [403, 'Forbidden'],
    [422, 'Invalid'],
  ] as const) {
    test(`by an admission policy with ${code} is the policy, without its message, which may quote a value`, async (t) => {
      const it = await applying(t, 'policy');
      const name = `no-secrets-${it.ns.name}`;
      await refuseAll(it, name, reason);
      const message = await refusedAs(it, secret('a'), /AdmissionPolicy/);
      assert.equal(
        message,
        `The API server refused Secret ${it.ns.name}/a (${code} ${reason}): the ValidatingAdmissionPolicy ${name} with the binding ${name} denies it.`,
      );
      await assertNotQuoted(it, secret('a'));
      // For other kinds the message is reported.
      assert.match(await refusedAs(it, settings, /AdmissionPolicy/), /denied request: the value is/);
    });
  }

  test('by a webhook that cannot be called is the webhook', async (t) => {
    const it = await applying(t, 'webhook');
    const name = `away-${it.ns.name}.example.org`;
    await it.ns.cluster.api('POST', `${admission}/validatingwebhookconfigurations`, {
      metadata: { name },
      webhooks: [
        {
          name,
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': it.ns.name } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 1,
        },
      ],
    });
    t.after(() => it.ns.cluster.send('DELETE', `${admission}/validatingwebhookconfigurations/${name}`));
    const reason = await refusedAs(it, secret('a'), /webhook/);
    assert.match(reason, new RegExp(`\\(500 InternalError\\): the admission webhook ${name} cannot be called\\.$`));
    await assertNotQuoted(it, secret('a'));
  });

  test('for a permission, for its namespace and for its types has no value', async (t) => {
    const it = await applying(t, 'reasons');
    const account = `system:serviceaccount:${it.ns.name}:poor`;
    const denied = bad(await it.api.create(await it.plan(secret('a'), { account }), it.signal));
    assert.match(denied.reason, /Grant it in a Role in namespace .*resources: \["secrets"\], verbs: \["patch"\]/);
    const plan = await it.plan(secret('a'));
    const collection = '/api/v1/namespaces/not-there/secrets';
    const { object } = plan.manifest;
    const manifest = { ...plan.manifest, object: { ...object, metadata: { name: 'a', namespace: 'not-there' } } };
    const target = { ...plan.target, path: `${collection}/a`, collection };
    const elsewhere = bad(await it.api.create({ ...plan, manifest, target }, it.signal));
    assert.match(elsewhere.reason, /\(404 NotFound\): namespaces not-there\.$/);
    const refusals: readonly (readonly [JsonObject, RegExp])[] = [
      [{ dataa: { a: encoded } }, /\(500\): \.dataa: field not declared in schema\.$/],
      [{ data: { a: [value] } }, /\(500\): \.data\.a: expected string\.$/],
    ];
    for (const [fields, message] of refusals) {
      const wrong = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, ...fields };
      const { reason } = bad(await it.api.create(await it.plan(wrong), it.signal));
      assert.match(reason, message);
      assert.ok(!reason.includes(value) && !reason.includes(encoded), reason);
    }
    await grant(it.ns.cluster, account, [{ apiGroups: [''], resources: ['secrets'], verbs: ['patch'] }], {
      namespace: it.ns.name,
    });
    const uncreated = bad(await it.api.create(await it.plan(secret('a'), { account }), it.signal));
    assert.match(uncreated.reason, /verbs: \["(?:create|patch)"\]/);
  });
});

/** A policy that refuses Secrets and ConfigMaps of the namespace, and quotes their values. */
async function refuseAll(it: Applying, name: string, reason: 'Forbidden' | 'Invalid'): Promise<void> {
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['secrets', 'configmaps'],
  };
  await it.ns.cluster.api('POST', `${admission}/validatingadmissionpolicies`, {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'false', messageExpression: "'the value is ' + string(object.data.a)", reason }],
    },
  });
  await it.ns.cluster.api('POST', `${admission}/validatingadmissionpolicybindings`, {
    metadata: { name },
    spec: {
      policyName: name,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': it.ns.name } } },
    },
  });
  it.ns.after(() => it.ns.cluster.send('DELETE', `${admission}/validatingadmissionpolicybindings/${name}`));
}
