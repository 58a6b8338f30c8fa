import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { ConditionType } from '../../../src/observer/status/condition.ts';
import { type Condition, conditionOf } from '../../../src/observer/status/statusPatch.ts';
import { kstatusOf } from '../../support/objects/kstatus.ts';
import { eventually } from '../support/eventually.ts';
import { configMap } from '../support/observer/observedObjects.ts';
import { makeAccount, type ObserverScene, setObserverScene } from '../support/observer/observerScene.ts';

/** Starts weeder, and creates the application `shop`, whose account does not exist. */
async function withoutAccount(t: Parameters<typeof setObserverScene>[0], prefix: string): Promise<ObserverScene> {
  const scene = await setObserverScene(t, prefix);
  await scene.watch('apis/weeder.dev/v1alpha1', 'applications');
  await scene.start(t);
  await scene.apply('shop', { serviceAccountName: 'deployer', manifests: [configMap('settings', { a: '1' })] });
  return scene;
}

function said(object: JsonObject, type: ConditionType): Condition | undefined {
  return conditionOf(objectOf(object['status'])['conditions'], type);
}

async function untilReason(scene: ObserverScene, type: ConditionType, reason: string): Promise<void> {
  await eventually(
    async (saw) => {
      const object = await scene.application('shop');
      saw(object['status']);
      return said(object, type)?.reason === reason;
    },
    { what: `${type} with ${reason}` },
  );
}

/** How long after its creation the application was first stalled, in milliseconds; undefined: never. */
function stalledAfter({ changes }: ObserverScene): number | undefined {
  const stalled = changes.find(({ object }) => said(object, 'Stalled') !== undefined)?.object;
  if (stalled === undefined) return undefined;
  const created = Date.parse(String(objectOf(stalled['metadata'])['creationTimestamp']));
  return Date.parse(said(stalled, 'Stalled')?.lastTransitionTime ?? '') - created;
}

test('an application whose account and permissions are created after it is in progress until it is ready', async (t) => {
  const scene = await withoutAccount(t, 'together');
  await untilReason(scene, 'Reconciling', 'ServiceAccountNotFound');
  await makeAccount(scene.ns, 'deployer');
  await untilReason(scene, 'Reconciling', 'Unverified');
  const { cluster, name: namespace } = scene.ns;
  await cluster.api('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    metadata: { name: 'deployer' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'deployer', namespace }],
  });
  await scene.untilInSync('shop');
  await eventually(async () => kstatusOf(await scene.application('shop')) === 'Current', { what: 'it is ready' });
  // Only a machine that is busy for half a minute leaves it without permissions for so long.
  assert((stalledAfter(scene) ?? 30_000) >= 29_000, `stalled after ${stalledAfter(scene)} ms`);
});

test('an application whose account stays missing is stalled after half a minute, without another change', async (t) => {
  const scene = await withoutAccount(t, 'alone');
  await untilReason(scene, 'Reconciling', 'ServiceAccountNotFound');
  await untilReason(scene, 'Stalled', 'ServiceAccountNotFound');
  assert.equal(kstatusOf(await scene.application('shop')), 'Failed');
  // Both times have whole seconds.
  assert((stalledAfter(scene) ?? 0) >= 29_000, `stalled after ${stalledAfter(scene)} ms`);
});
