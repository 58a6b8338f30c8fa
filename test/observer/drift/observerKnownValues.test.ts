import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { recordDryRunBaseline } from '../../../src/observer/resource/findBaseline.ts';
import { observerWorld } from '../../support/world/observerWorld.ts';

const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } };
const policy = '.spec.policy';
/** `policy` as another manager has set it. */
const managedFields = [{ manager: 'editor', operation: 'Update', fieldsV1: { 'f:spec': { 'f:policy': {} } } }];

/** The desired `policy` after a dry run on the live object, in which `editor` has set it; `initialised`: from the status. */
async function desiredOf(initialised: ReadonlyMap<string, string>, inManifest: object = {}) {
  const world = await observerWorld();
  const manifests = [{ ...service, spec: { type: 'NodePort', ...inManifest } }];
  world.apply('web', { manifests, observerSchema: [{ ...service, spec: { policy: 'observed' } }] });
  await world.pass(5_000);
  const [resource] = [...world.core.entries()].flatMap(({ resources }) => [...resources.values()]);
  if (resource?.desired.plan === undefined) return assert.fail('it is planned');
  resource.live = { ...resource.live, initialised };
  const { plan } = resource.desired;
  const { object } = plan.manifest;
  const metadata = { ...objectOf(object['metadata']), managedFields };
  const live = { ...object, metadata, spec: { type: 'NodePort', policy: 'Local', ...inManifest } };
  recordDryRunBaseline(resource, plan, { object: live, isIndependent: false }, 0);
  world.stop();
  return { desired: resource.live.baseline?.fields.get(policy), initialised: resource.live.initialised.get(policy) };
}

test('a value that the server had defaulted is desired if another client changed it while weeder was down', async () => {
  assert.deepEqual(await desiredOf(new Map([[policy, 'Cluster']])), { desired: 'Cluster', initialised: 'Cluster' });
});

test('if the server’s default is unknown, another manager’s value is not used instead', async () => {
  assert.deepEqual(await desiredOf(new Map()), { desired: undefined, initialised: undefined });
});

test('a value that the manifest now contains is no longer a server default', async () => {
  const { desired, initialised } = await desiredOf(new Map([[policy, 'Cluster']]), { policy: 'Local' });
  assert.deepEqual([desired, initialised], ['Local', undefined]);
});
