import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf } from '../../../src/base/json.ts';
import { setDryRunBaseline } from '../../../src/observer/resource/findBaseline.ts';
import { observerWorld } from '../../support/world/observerWorld.ts';

const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } };
const policy = '.spec.policy';
/** Of `policy`, as somebody has set it. */
const managedFields = [{ manager: 'editor', operation: 'Update', fieldsV1: { 'f:spec': { 'f:policy': {} } } }];

/** What is wanted of `policy` after a trial on the live object, in which `editor` has set it; `known`: from the status. */
async function wantedOf(known: ReadonlyMap<string, string>, inManifest: object = {}) {
  const world = await observerWorld();
  const manifests = [{ ...service, spec: { type: 'NodePort', ...inManifest } }];
  world.apply('web', { manifests, observerSchema: [{ ...service, spec: { policy: 'observed' } }] });
  await world.pass(5_000);
  const [resource] = [...world.core.entries()].flatMap(({ resources }) => [...resources.values()]);
  if (resource?.plan === undefined) return assert.fail('it is planned');
  resource.initialised = known;
  const { object } = resource.plan.manifest;
  const metadata = { ...objectOf(object['metadata']), managedFields };
  const live = { ...object, metadata, spec: { type: 'NodePort', policy: 'Local', ...inManifest } };
  setDryRunBaseline(resource, resource.plan, { object: live, isIndependent: false }, 0);
  world.stop();
  return { wanted: resource.baseline?.fields.get(policy), known: resource.initialised.get(policy) };
}

test('what the server had filled in is wanted where somebody has set it while weeder was away', async () => {
  assert.deepEqual(await wantedOf(new Map([[policy, 'Cluster']])), { wanted: 'Cluster', known: 'Cluster' });
});

test('where it is not known what the server had filled in, the value of somebody else is not taken for it', async () => {
  assert.deepEqual(await wantedOf(new Map()), { wanted: undefined, known: undefined });
});

test('what the manifest says by now is no value of the server any more', async () => {
  const { wanted, known } = await wantedOf(new Map([[policy, 'Cluster']]), { policy: 'Local' });
  assert.deepEqual([wanted, known], ['Local', undefined]);
});
