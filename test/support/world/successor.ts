import assert from 'node:assert/strict';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import type { Outcome } from '../../../src/observer/objects/applyFailure.ts';
import { type ApplicationRef, applicationApi, applicationsPath } from '../../../src/observer/status/applicationApi.ts';

/** The default of the CRD, also for a status that was removed. */
const initial = { observedGeneration: -1 };

/**
 * Tests which writes for an application reach an application that was deleted and recreated under the same name.
 * `namespace` has no application.
 */
export async function checkSuccessor(client: KubeClient, namespace: string): Promise<void> {
  const api = applicationApi(client);
  const path = `${applicationsPath(namespace)}/shop`;
  const first = await make(client, namespace);
  assert.equal(textOfOutcome(await api.patchStatus(first, undefined, { observedGeneration: 1 })), 'ok');
  await remove(client, path);
  const second = await make(client, namespace);

  for (const before of [undefined, {}, { observedGeneration: 1 }])
    assert.equal(textOfOutcome(await api.patchStatus(first, before, { observedGeneration: 7 })), 'otherUid');
  assert.equal(textOfOutcome(await api.addFinalizer(first)), 'otherUid');
  assert.equal(textOfOutcome(await api.removeFinalizer(first)), 'otherUid');
  assert.deepEqual(await statusOf(client, path), initial);

  assert.equal(textOfOutcome(await api.patchStatus(second, undefined, { observedGeneration: 2 })), 'ok');
  assert.equal(textOfOutcome(await api.patchStatus(second, { observedGeneration: 2 }, { conditions: [] })), 'ok');
  assert.deepEqual(await statusOf(client, path), { observedGeneration: 2, conditions: [] });
  assert.equal(textOfOutcome(await api.patchStatus(second, {}, { observedGeneration: 'x' })), 'permanent');

  const steps = [{ op: 'remove', path: '/status' }];
  await sent(client, 'PATCH', `${path}/status`, steps, 'application/json-patch+json');
  assert.deepEqual(await statusOf(client, path), initial);
  assert.equal(textOfOutcome(await api.patchStatus(second, { observedGeneration: 2 }, { conditions: [] })), 'ok');
  assert.deepEqual(await statusOf(client, path), { ...initial, conditions: [] });

  // Recreated after it was read, and before it is patched.
  let third: ApplicationRef | undefined;
  const late: KubeClient = {
    ...client,
    async call(request) {
      if (request.method !== 'PATCH' || third !== undefined) return client.call(request);
      await remove(client, path);
      third = await make(client, namespace);
      return client.call(request);
    },
  };
  assert.equal(textOfOutcome(await applicationApi(late).addFinalizer(second)), 'conflict');
  assert.deepEqual(arrayOf(objectOf((await sent(client, 'GET', path))['metadata'])['finalizers']), []);

  await remove(client, path);
  assert.equal(textOfOutcome(await api.patchStatus(second, undefined, { observedGeneration: 2 })), 'missing');
}

function textOfOutcome(outcome: Outcome<unknown>): string {
  return outcome.ok ? 'ok' : outcome.failure.type;
}

async function make(client: KubeClient, namespace: string): Promise<ApplicationRef> {
  const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }];
  const application = await sent(client, 'POST', applicationsPath(namespace), {
    apiVersion: 'weeder.dev/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop' },
    spec: { manifests },
  });
  return { namespace, name: 'shop', uid: String(objectOf(application['metadata'])['uid']) };
}

async function remove(client: KubeClient, path: string): Promise<void> {
  await sent(client, 'DELETE', path);
}

async function statusOf(client: KubeClient, path: string): Promise<unknown> {
  return (await sent(client, 'GET', path))['status'];
}

async function sent(
  client: KubeClient,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  contentType?: string,
): Promise<JsonObject> {
  const answer = await client.call({
    method,
    path,
    ...(body === undefined ? {} : { body }),
    ...(contentType === undefined ? {} : { contentType }),
  });
  if (!answer.ok) throw new Error(JSON.stringify(answer.failure));
  return objectOf(answer.body);
}
