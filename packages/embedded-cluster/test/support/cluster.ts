import assert from 'node:assert/strict';
import { createApiServer } from '../../src/apiserver/apiServer.ts';
import type { KubeObject } from '../../src/apiserver/meta/objects.ts';
import type { Outcome } from '../../src/apiserver/meta/status.ts';
import { endpointSlices, namespaces, pods } from '../../src/apiserver/strategies/resources.ts';
import { seededRandom } from '../../src/base/random.ts';
import { simulatedClock } from '../../src/clock/simulatedClock.ts';
import { type Program, programAnnotation } from '../../src/kubelet/program.ts';

export const testNamespace = 'shoot-1';

/** The API without HTTP, in virtual time. */
export function demoCluster() {
  const clock = simulatedClock(Date.parse('2026-11-21T06:00:00Z'));
  const { store } = createApiServer({ clock, random: seededRandom(1) });
  storedObject(store.create(namespaces, { metadata: { name: testNamespace } }));
  return {
    clock,
    store,
    /** Creates a pod on a node with a program. */
    pod(name: string, program: Partial<Program>, containers: readonly string[] = ['main']) {
      const annotations = { [programAnnotation]: JSON.stringify(program) };
      const spec = { nodeName: 'node-1', containers: containers.map((each) => ({ name: each, image: 'x:1' })) };
      return storedObject(store.create(pods, { metadata: { name, namespace: testNamespace, annotations }, spec }));
    },
    /** Makes the Service `db` ready or unready. */
    setReady(isReady: boolean) {
      const endpoints = [{ addresses: ['10.0.0.1'], conditions: { ready: isReady } }];
      if (store.get(endpointSlices, testNamespace, 'db-slice') !== undefined) {
        storedObject(store.patch(endpointSlices, testNamespace, 'db-slice', { endpoints }));
        return;
      }
      const labels = { 'kubernetes.io/service-name': 'db' };
      const metadata = { name: 'db-slice', namespace: testNamespace, labels };
      storedObject(store.create(endpointSlices, { metadata, addressType: 'IPv4', endpoints }));
    },
  };
}

/** Returns the object of a result that must be a success. */
export function storedObject(outcome: Outcome<KubeObject>): KubeObject {
  assert(outcome.ok, outcome.ok ? '' : (outcome.error.message ?? ''));
  return outcome.value;
}
