import { inParallel } from '../../src/base/promises.ts';
import { newNamespace, type TestNamespace } from '../../test/cluster/support/namespace.ts';
import { Pod } from '../../test/cluster/support/objects.ts';
import { crashLoopBackOff, patchPodStatus, running } from '../../test/cluster/support/observer/statuses.ts';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { createService, setSlice } from '../../test/cluster/support/services.ts';
import { podBody, podStatus } from './podBody.ts';
import { monotonic } from './processFigures.ts';

export const service = 'etcd';
export const podLabels = { role: 'apiserver' } as const;

/** Requests of the scene itself under way at a time. */
const width = 32;

/** Namespaces with one service each, its dependants, and pods that have nothing to do with it. */
export interface Scene {
  /** Every service is down, and so many new pods in each namespace crash-loop; returns their namespaces by uid. */
  breakDown(): Promise<ReadonlyMap<string, string>>;
  /** Every service is ready again, as fast as the API server takes it; returns the moments by namespace. */
  recover(): Promise<ReadonlyMap<string, number>>;
  /** How long one of its pods is, as JSON. */
  podBytes(): Promise<number>;
}

/** `crashing`: pods in each namespace that a recovery concerns; two healthy ones are beside them. */
export async function buildScene(cluster: Cluster, namespaces: number, crashing: number): Promise<Scene> {
  const names = Array.from({ length: namespaces }, (_, index) => `shoot-${index + 1}`);
  const scenes = new Map<string, TestNamespace>();
  await inParallel(names, width, async (name) => {
    const ns = await newNamespace(cluster, name, { after: () => {} });
    scenes.set(name, ns);
    await createService(ns, service);
    await setSlice(ns, service, { ready: [false] });
    await createPod(ns, 'kube-apiserver-0', podLabels, true);
    await createPod(ns, 'prometheus-0', { role: 'monitoring' }, true);
  });
  const all = [...scenes.values()];
  let made = 0;

  async function breakDown(): Promise<ReadonlyMap<string, string>> {
    const pods = new Map<string, string>();
    await inParallel(all, width, async (ns) => {
      await setSlice(ns, service, { ready: [false] });
      for (let index = 0; index < crashing; index += 1) {
        made += 1;
        const { uid } = (await createPod(ns, `kube-apiserver-${made}`, podLabels, false)).metadata;
        pods.set(uid, ns.name);
      }
    });
    return pods;
  }

  async function recover(): Promise<ReadonlyMap<string, number>> {
    const sent = new Map<string, number>();
    // Connections that have been idle for seconds are closed; a handshake is no part of a flip.
    await inParallel(Array.from({ length: width }), width, async () => void (await cluster.send('GET', '/readyz')));
    await inParallel(all, width, async (ns) => {
      sent.set(ns.name, monotonic());
      await setSlice(ns, service, { ready: [true] });
    });
    return sent;
  }

  async function podBytes(): Promise<number> {
    const pod = await cluster.api('GET', `/api/v1/namespaces/${names[0]}/pods/kube-apiserver-0`);
    return JSON.stringify(pod).length;
  }

  // An API server that has never deleted a pod takes a tenth of a second longer for its first.
  await breakDown();
  await inParallel(all, width, async (ns) => {
    const others = encodeURIComponent('metadata.name!=kube-apiserver-0,metadata.name!=prometheus-0');
    await cluster.api('DELETE', `${ns.path('api/v1', 'pods')}?fieldSelector=${others}`);
  });
  await recover();
  return { breakDown, recover, podBytes };
}

async function createPod(
  ns: TestNamespace,
  name: string,
  labels: Readonly<Record<string, string>>,
  isHealthy: boolean,
): Promise<Pod> {
  const pod = Pod.parse(await ns.cluster.api('POST', ns.path('api/v1', 'pods'), podBody(name, labels)));
  const status = podStatus(isHealthy ? running() : crashLoopBackOff(5));
  await patchPodStatus(ns, name, status);
  return pod;
}
