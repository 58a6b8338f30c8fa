import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failed, ok } from '@weeder/kube-runtime/base';
import { codedError } from '../../../src/base/errors.ts';
import { resolveConfig } from '../../../src/config/config.ts';
import { configFile } from '../../../src/config/schema/schema.ts';
import { explainWebhooks } from '../../../src/explain/explainWebhooks.ts';
import { inspectCluster, type ReadStream } from '../../../src/explain/inspectCluster.ts';
import { slice } from '../../support/objects/objects.ts';
import { failedCreate, messages, webhook } from '../../support/world/creationWorld.ts';
import { listInto } from '../../support/world/declaringPods.ts';

const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
const calling = (name: string, service: string, policy = 'Fail') => ({
  metadata: { name },
  webhooks: [{ name, failurePolicy: policy, clientConfig: { service: { namespace: 'policy', name: service } }, rules }],
});

async function explained(config: object, objects: Readonly<Record<string, readonly object[]>>): Promise<string> {
  const read: ReadStream = async ({ kind, sink }) => {
    listInto(sink, ...(objects[kind] ?? []));
    return ok(undefined);
  };
  const view = await inspectCluster(resolveConfig(configFile.parse(config)), 'all', read);
  assert.ok(view.ok);
  return explainWebhooks(view.value).join('\n');
}

const objects = {
  ValidatingWebhookConfiguration: [calling(webhook, 'webhook'), calling('ignored.example.com', 'other', 'Ignore')],
  MutatingWebhookConfiguration: [calling('sidecar.example.com', 'absent')],
  EndpointSlice: [slice({ namespace: 'policy', service: 'webhook', ready: [false] })],
  Event: [failedCreate('web', 0), failedCreate('full', 0, { message: messages.quota })],
};

test('each webhook without which no pod can be created is explained with its Services, and the objects that it refused', async () => {
  assert.equal(
    await explained({ podCreation: {} }, objects),
    [
      `webhook ${webhook}  (window 5m0s, whileNotReady hold)`,
      '  policy/webhook: Down',
      '    ReplicaSet shop/web: it has refused its pods  → retried in a window if it still lacks pods',
      'webhook sidecar.example.com  (window 5m0s, whileNotReady hold)',
      '  policy/absent: no EndpointSlice in a watched namespace',
    ].join('\n'),
  );
});

test('without such a webhook, explain says so; without the section, it reads and says nothing of them', async () => {
  assert.match(await explained({ podCreation: {} }, {}), /^no webhook is called for new pods/);
  assert.equal(await explained({ declaredDependencies: {} }, objects), '');
});

test('webhooks that may not be read are an error', async () => {
  const refusal = codedError('USAGE', 'refused (403)');
  const read: ReadStream = async ({ kind }) => (kind.includes('Webhook') ? failed(refusal) : ok(undefined));
  const view = await inspectCluster(resolveConfig(configFile.parse({ podCreation: {} })), 'all', read);
  assert.deepEqual(view, failed(refusal));
});
