import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { conditionOf } from '../../../../src/observer/status/statusPatch.ts';
import { eventually } from '../../support/eventually.ts';
import { customKind } from '../../support/observer/customKind.ts';
import { configMap } from '../../support/observer/observedObjects.ts';
import { makeClusterTenant, type ObserverScene, setObserverScene } from '../../support/observer/observerScene.ts';

const fields = { size: { type: 'integer' } };
const applications = ['apis/weeder.dev/v1alpha1', 'applications'] as const;

suite('an application that waits for a kind of its own, on a real API server', { concurrency: true }, () => {
  test('is being applied until the kind is served, and never fails', async (t) => {
    const scene = await setObserverScene(t, 'applying');
    await makeClusterTenant(scene.ns);
    await scene.watch(...applications);
    const kind = customKind(scene.ns);
    scene.ns.after(() => kind.remove());
    await scene.start(t);
    const definition = kind.definition(fields);
    await scene.apply('shop', {
      manifests: [kind.object('ours', { size: 1 }), configMap('a', { a: '1' }), definition],
    });
    await scene.untilInSync('shop');
    assert.deepEqual([...new Set(statusesOf(scene).map(summaryOf))].toSorted(), [
      'Applied=True AllApplied, Degraded=False AsExpected',
      'Applied=Unknown Applying, Degraded=False AsExpected',
    ]);
  });

  test('shows each resource as it is meanwhile, and fails if the kind is not served in time', async (t) => {
    const scene = await setObserverScene(t, 'applying');
    await makeClusterTenant(scene.ns);
    await scene.watch(...applications);
    const { cluster } = scene.ns;
    const kind = customKind(scene.ns);
    await kind.define(fields);
    // The API server never serves a second definition of the same kind.
    const first = kind.definition(fields);
    const names = { ...first.spec.names, plural: 'others', singular: 'other' };
    const name = `others.${first.spec.group}`;
    const second = {
      ...first,
      metadata: { name },
      spec: { ...first.spec, names, versions: first.spec.versions.map((each) => ({ ...each, name: 'v2' })) },
    };
    scene.ns.after(() => cluster.send('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`));
    await scene.start(t);
    const ours = { ...kind.object('ours', {}), apiVersion: `${first.spec.group}/v2` };
    await scene.apply('shop', { manifests: [ours, configMap('a', { a: '1' }), second] });
    await eventually(() => summaryOf(statusesOf(scene).at(-1)) === 'Applied=False Failed, Degraded=True NoKindMatch', {
      what: 'the failure',
    });
    const statuses = statusesOf(scene);
    const waiting = statuses.findLast((each) => summaryOf(each).startsWith('Applied=Unknown Applying'));
    assert.deepEqual(rowsOf(waiting), ['ConfigMap Pending', 'CustomResourceDefinition InSync', 'Widget NoKindMatch']);
    const failed = statuses.find((each) => summaryOf(each).includes('Applied=False'));
    assert(rowsOf(failed).includes('ConfigMap InSync'), 'it fails only when everything was tried');
  });
});

/** What the watch has reported since weeder has seen the application. */
function statusesOf({ changes }: ObserverScene): readonly JsonObject[] {
  return changes.map(({ object }) => objectOf(object['status'])).filter((status) => 'resources' in status);
}

function summaryOf(status: JsonObject | undefined): string {
  const [applied, degraded] = (['Applied', 'Degraded'] as const).map((type) =>
    conditionOf(status?.['conditions'], type),
  );
  return `Applied=${applied?.status} ${applied?.reason}, Degraded=${degraded?.status} ${degraded?.reason}`;
}

function rowsOf(status: JsonObject | undefined): readonly string[] {
  return arrayOf(status?.['resources'])
    .map((row) => `${objectOf(row)['kind']} ${objectOf(row)['state']}`)
    .toSorted();
}
