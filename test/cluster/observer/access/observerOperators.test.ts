/**
 * Custom resources end before the workload that removes their finalizers, when an Application with both is deleted as when
 * both leave its manifests.
 */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Cleanup } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { customKind } from '../../support/observer/customKind.ts';
import {
  at,
  conditionOf,
  configMap,
  deployment,
  isThere,
  pathOf,
  read,
  untilAbsent,
} from '../../support/observer/observedObjects.ts';
import { makeClusterTenant, setObserverScene } from '../../support/observer/observerScene.ts';

const size = { size: { type: 'integer' } };

/** An Application with an operator, the kind that it manages, and an object of that kind with the operator's finalizer. */
async function operated(t: Cleanup) {
  const scene = await setObserverScene(t, 'operators');
  const { ns } = scene;
  await makeClusterTenant(ns);
  const kind = customKind(ns);
  const definition = kind.definition(size);
  const definitionPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`;
  ns.after(() => ns.cluster.send('DELETE', definitionPath));
  const manifests = [
    definition,
    deployment('operator'),
    configMap('settings', { a: '1' }),
    kind.object('one', { size: 1 }),
  ];
  await scene.start(t);
  await scene.apply('shop', { manifests });
  await scene.untilInSync('shop');
  const write = (finalizers: readonly string[] | null) =>
    ns.cluster.api('PATCH', `${kind.pathOf('one')}?fieldManager=operator`, { metadata: { finalizers } });
  await write([`${ns.name}.example.org/cleanup`]);

  return {
    ...scene,
    kind,
    definitionPath,
    /** The operator does what it does while it is installed. */
    async cleanUp() {
      const operator = await read(ns, 'Deployment', 'operator');
      assert.equal(at(operator, 'metadata', 'deletionTimestamp'), undefined);
      await write(null);
    },
    async untilTerminating() {
      await eventually(
        async () => at(await ns.cluster.api('GET', kind.pathOf('one')), 'metadata', 'deletionTimestamp') !== undefined,
        { what: 'the deletion of the custom resource' },
      );
    },
  };
}

const waits =
  /Widget\.\S+ \S+\/one \(waits for its finalizers \S+\/cleanup, set by operator\/Update; holds up other deletions/;

suite('an operator and its custom resources on a real API server', { concurrency: true }, () => {
  test('when their Application is deleted, the operator remains until its custom resource is gone', async (t) => {
    const its = await operated(t);
    const { ns } = its;
    const application = ns.path('apis/weeder.dev/v1alpha1', 'applications', 'shop');
    await ns.cluster.api('DELETE', application);
    await its.untilTerminating();
    await eventually(
      async (saw) => {
        const { message } = await conditionOf(its, 'shop', 'Applied');
        saw(message);
        return waits.test(String(message));
      },
      { what: 'the finalizer and its client in the status' },
    );
    assert.ok(await isThere(ns, 'ConfigMap', 'settings'));
    await its.cleanUp();
    await untilAbsent(ns.cluster, application);
    for (const path of [pathOf(ns, 'Deployment', 'operator'), pathOf(ns, 'ConfigMap', 'settings'), its.definitionPath])
      assert.equal((await ns.cluster.send('GET', path)).status, 404, path);
  });

  test('when both leave the manifests, the same, and the Application is ready afterwards', async (t) => {
    const its = await operated(t);
    const { ns } = its;
    await its.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await its.untilTerminating();
    await eventually(
      async (saw) => {
        const ready = await conditionOf(its, 'shop', 'Ready');
        saw(ready);
        return ready['status'] === 'False' && ready['reason'] === 'Pruning';
      },
      { what: 'that the removal counts in Ready' },
    );
    await its.cleanUp();
    await untilAbsent(ns.cluster, its.definitionPath);
    await untilAbsent(ns.cluster, pathOf(ns, 'Deployment', 'operator'));
    await eventually(async () => (await its.condition('shop', 'Ready')) === 'True', { what: 'that it is ready' });
    assert.ok(await isThere(ns, 'ConfigMap', 'settings'));
  });
});
