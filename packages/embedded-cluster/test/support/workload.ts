import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { KubeObject } from '../../src/apiserver/meta/objects.ts';
import type { Resource } from '../../src/apiserver/registry/resource.ts';
import { pods } from '../../src/apiserver/strategies/resources.ts';
import { arrayOf, type JsonObject, objectOf } from '../../src/base/json.ts';
import { isPodReady } from '../../src/base/podConditions.ts';
import { startWorkloads } from '../../src/controllers/workloads.ts';
import { startKubelet } from '../../src/kubelet/kubelet.ts';
import { programAnnotation } from '../../src/kubelet/program.ts';
import { demoCluster, storedObject, testNamespace } from './cluster.ts';

/** Starts the embedded cluster in virtual time, with all controllers, a kubelet, and one workload. */
export async function demoWorkload(t: TestContext, resource: Resource, more: JsonObject = {}) {
  const { clock, store } = demoCluster();
  const stopFunctions = [startWorkloads(store, clock), startKubelet({ store, clock, version: '1.36', seed: 1 })];
  t.after(() => {
    for (const stop of stopFunctions) stop();
  });
  const labels = { app: 'web' };
  const spec = { containers: [{ name: 'main', image: 'x:1' }] };
  const template = { metadata: { labels, annotations: { release: '1' } }, spec };
  const object = {
    metadata: { name: 'web', namespace: testNamespace },
    spec: { selector: { matchLabels: labels }, template, ...more },
  };
  storedObject(store.create(resource, object));
  await clock.pass(10_000);

  function current(): KubeObject {
    const object = store.get(resource, testNamespace, 'web');
    assert(object !== undefined, 'the workload does not exist');
    return object;
  }

  const patch = (change: JsonObject) => storedObject(store.patch(resource, testNamespace, 'web', change));
  return {
    clock,
    store,
    current,
    patch,
    status: () => objectOf(current()['status']),
    conditions: () =>
      arrayOf(objectOf(current()['status'])['conditions']).map((condition) => {
        const { type, status, reason } = objectOf(condition);
        return `${String(type)}=${String(status)} ${String(reason)}`;
      }),
    /** Rolls out a new template; `breakRelease` rolls out one that never becomes ready. */
    release: (release: string) => patch(templateOf({ release })),
    breakRelease: (release: string) =>
      patch(templateOf({ release, [programAnnotation]: JSON.stringify({ isHealthy: false }) })),
    pods: () => store.list(pods, { namespace: testNamespace }),
    /** The releases of the pods, sorted by pod name; `!` marks those that are not ready. */
    releases: () => store.list(pods, { namespace: testNamespace }).map(releaseOf),
    remove: (name: string) => store.delete(pods, testNamespace, name),
  };
}

function releaseOf(pod: KubeObject): string {
  const mark = isPodReady(pod) ? '' : '!';
  return `${pod.metadata.annotations?.['release']}${mark}`;
}

function templateOf(annotations: JsonObject): JsonObject {
  return { spec: { template: { metadata: { annotations } } } };
}
