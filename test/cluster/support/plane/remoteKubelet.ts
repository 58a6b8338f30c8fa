import { type KubeletOptions, type Program, startKubelet } from '@weeder/embedded-cluster';
import { configMaps, endpointSlices, pods, secrets } from '@weeder/embedded-cluster/resources';
import { arrayOf, objectOf, systemClock, textOf } from '@weeder/kube-runtime/base';
import { type Cleanup, cleanUp } from '../cleanup.ts';

import type { Cluster } from './access.ts';
import { ensureNode } from './node.ts';
import { remoteStore } from './remoteStore.ts';

const nodeName = 'weeder-demo-node';

/** What becomes of pods that nothing goes wrong with. */
export const healthy: Program = { needs: undefined, readyAfter: 200, givesUpAfter: 0, survives: 0, isHealthy: true };

/** How the pods behave. By default each is `healthy`. */
export type PodBehaviour = Pick<KubeletOptions, 'onStart' | 'program' | 'startTime'>;

interface RemoteKubeletOptions extends PodBehaviour {
  readonly cluster: Cluster;
  readonly namespace: string;
}

/**
 * Starts a scheduler and the simulated kubelet for the pods of one namespace of a real API server. They end with the
 * test.
 */
export async function startRemoteKubelet(t: Cleanup, options: RemoteKubeletOptions) {
  const { cluster, namespace, program = () => healthy, ...behaviour } = options;
  await ensureNode(cluster, nodeName);
  const store = remoteStore(t, cluster, namespace, [pods, endpointSlices, configMaps, secrets]);
  const bound = new Set<string>();
  store.watch(pods, {}, (type, { metadata, spec }) => {
    if (type === 'DELETED' || bound.has(metadata.uid) || objectOf(spec)['nodeName'] !== undefined) return;
    bound.add(metadata.uid);
    const body = { metadata: { name: metadata.name }, target: { kind: 'Node', name: nodeOf(spec) ?? nodeName } };
    // The pod may be deleted meanwhile, so the answer is ignored.
    void cluster.send('POST', `/api/v1/namespaces/${namespace}/pods/${metadata.name}/binding`, { body });
  });
  const stop = startKubelet({ store, clock: systemClock, version: '1.36', seed: 1, program, ...behaviour });
  cleanUp(t, stop);
}

/** Returns the node that a DaemonSet has chosen for its pod. */
function nodeOf(spec: unknown): string | undefined {
  const { requiredDuringSchedulingIgnoredDuringExecution: required } = objectOf(
    objectOf(objectOf(spec)['affinity'])['nodeAffinity'],
  );
  const [term] = arrayOf(objectOf(required)['nodeSelectorTerms']);
  const [field] = arrayOf(objectOf(term)['matchFields']);
  return textOf(arrayOf(objectOf(field)['values'])[0]);
}
