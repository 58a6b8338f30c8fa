import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { eventually } from '../support/eventually.ts';
import { makeClusterTenant, setObserverScene } from '../support/observer/observerScene.ts';
import { appliedKinds, oneOfEachKind, type ServedKind } from '../support/observer/oneOfEachKind.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';

/** What the controllers do to an object of such a kind. */
const settled: Readonly<Record<string, (object: JsonObject) => boolean>> = {
  ClusterRole: ({ rules, aggregationRule }) => aggregationRule === undefined || arrayOf(rules).length > 0,
  CronJob: () => true,
  Deployment: ({ metadata }) => 'deployment.kubernetes.io/revision' in objectOf(objectOf(metadata)['annotations']),
  DaemonSet: hasStatus('observedGeneration'),
  HorizontalPodAutoscaler: hasStatus('conditions'),
  Job: hasStatus('startTime'),
  Namespace: hasStatus('phase'),
  PersistentVolume: ({ status }) => objectOf(status)['phase'] === 'Bound',
  PersistentVolumeClaim: ({ status }) => objectOf(status)['phase'] === 'Bound',
  PodDisruptionBudget: hasStatus('observedGeneration'),
  ReplicaSet: hasStatus('observedGeneration'),
  ReplicationController: hasStatus('observedGeneration'),
  ResourceQuota: hasStatus('hard'),
  ServiceCIDR: hasStatus('conditions'),
  StatefulSet: hasStatus('observedGeneration'),
  ValidatingAdmissionPolicy: hasStatus('observedGeneration'),
  CustomResourceDefinition: hasStatus('conditions'),
  FlowSchema: hasStatus('conditions'),
  Node: ({ metadata }) => 'node.alpha.kubernetes.io/ttl' in objectOf(objectOf(metadata)['annotations']),
};

function hasStatus(field: string): (object: JsonObject) => boolean {
  return ({ status }) => field in objectOf(status);
}

/** All that run by default, except for the one that creates the account `default`, as the scene does. */
const controllers = '--controllers=*,-serviceaccount-controller';
const plane = suiteControlPlane({ controllerManager: true, controllerManagerFlags: [controllers] });

function pathOf(kinds: readonly ServedKind[], { apiVersion, kind, metadata }: JsonObject): string {
  const served = kinds.find((each) => each.kind === kind && each.apiVersion === apiVersion);
  assert(served, `${String(apiVersion)} ${String(kind)} is not served`);
  return `${served.collection}/${textOf(objectOf(metadata)['name'])}`;
}

function uidOf({ metadata }: JsonObject): unknown {
  return objectOf(metadata)['uid'];
}

suite('manifests that were copied from a cluster', () => {
  test('a copy of one object of every kind of Kubernetes, as kubectl shows it, is in sync, never corrected, and created where absent', async (t) => {
    const cluster = plane();
    const scene = await setObserverScene(t, 'copied', cluster);
    const { ns } = scene;
    await makeClusterTenant(ns);
    const kinds = await appliedKinds(cluster, ns.name);
    const objects = await oneOfEachKind(cluster, 'copied', ns.name);
    const builtIn = kinds.filter(({ apiVersion }) => !apiVersion.startsWith('weeder.dev/'));
    const withoutObject = builtIn.filter(
      ({ kind, apiVersion }) => !objects.some((each) => each['kind'] === kind && each['apiVersion'] === apiVersion),
    );
    // The same objects under their other name.
    assert.deepEqual(
      withoutObject.map(({ kind, apiVersion }) => `${apiVersion} ${kind}`),
      ['events.k8s.io/v1 Event'],
    );
    for (const object of objects) {
      const path = pathOf(kinds, object);
      await cluster.api('POST', path.slice(0, path.lastIndexOf('/')), object);
    }
    const copies: JsonObject[] = [];
    for (const object of objects)
      copies.push(
        await eventually(
          async (saw) => {
            const live = objectOf(await cluster.api('GET', pathOf(kinds, object)));
            saw(live);
            const isSettled = settled[String(object['kind'])];
            return isSettled === undefined || isSettled(live) ? live : undefined;
          },
          { what: `${object['kind']} as its controllers leave it` },
        ),
      );

    const first = await scene.start(t);
    await scene.apply('copied', { manifests: copies, resyncPeriod: '5s', deletionPolicy: 'orphan' });
    await scene.untilInSync('copied');
    await first.stop();
    // The next process does not know what was applied, and compares everything with the result of a dry run.
    const second = await scene.start(t);
    await scene.untilInSync('copied');
    for (const weeder of [first, second])
      assert.deepEqual(
        ['resource drifted', 'resource corrected', 'resource missing'].flatMap((what) => weeder.log.find(what)),
        [],
      );
    assert.equal(await scene.condition('copied', 'Degraded'), 'False');
    await second.stop();

    // As in another cluster without these objects: values assigned to the earlier ones do not apply to them. The
    // aggregated ClusterRole is deleted before the one that it aggregates: the controller that aggregates them applies
    // its result with server-side apply, and so would create again what was deleted a moment ago.
    for (const object of objects.toReversed()) {
      const path = pathOf(kinds, object);
      await cluster.api('PATCH', path, { metadata: { finalizers: null } });
      await cluster.send('DELETE', path, { body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } });
    }
    const third = await scene.start(t);
    for (const copy of copies)
      await eventually(
        async (saw) => {
          const { status, body } = await cluster.send('GET', pathOf(kinds, copy));
          saw([body, third.log.lines.slice(-20)]);
          return status === 200 && uidOf(objectOf(body)) !== uidOf(copy);
        },
        // The API server may reserve the address of a deleted Service for its repair loop's grace period of 60 s.
        { what: `another ${copy['kind']} of the same manifest` },
      );
    await scene.untilInSync('copied');
    assert.deepEqual(third.log.find('resource corrected'), []);
    assert.equal(await scene.condition('copied', 'Degraded'), 'False');
  });
});
