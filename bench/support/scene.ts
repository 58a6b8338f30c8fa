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

/** The maximum number of concurrent requests of the scene itself. */
const concurrency = 32;

/** Namespaces with one service each, its dependants, and unrelated pods. */
export interface Scene {
  /** Makes every service not ready, and creates crash-looping pods. Returns the namespaces of the pods by uid. */
  breakDown(): Promise<ReadonlyMap<string, string>>;
  /** Makes every service ready, as fast as the API server accepts it. Returns the times by namespace. */
  recover(): Promise<ReadonlyMap<string, number>>;
  /** The size of one of its pods as JSON. Bytes. */
  podBytes(): Promise<number>;
}

/** `crashing` is the number of crash-looping dependants in each namespace, beside two healthy pods. */
export async function buildScene(cluster: Cluster, namespaces: number, crashing: number): Promise<Scene> {
  const names = Array.from({ length: namespaces }, (_, index) => `shoot-${index + 1}`);
  const scenes = new Map<string, TestNamespace>();
  await inParallel(names, concurrency, async (name) => {
    const ns = await newNamespace(cluster, name, { after: () => {} });
    scenes.set(name, ns);
    await createService(ns, service);
    await setSlice(ns, service, { ready: [false] });
    await createPod(ns, 'kube-apiserver-0', podLabels, true);
    await createPod(ns, 'prometheus-0', { role: 'monitoring' }, true);
  });
  const sceneNamespaces = [...scenes.values()];
  let created = 0;

  async function breakDown(): Promise<ReadonlyMap<string, string>> {
    const pods = new Map<string, string>();
    await inParallel(
      sceneNamespaces,
      concurrency,
      async (ns) => void (await setSlice(ns, service, { ready: [false] })),
    );
    const homes = sceneNamespaces.flatMap((ns) => Array<TestNamespace>(crashing).fill(ns));
    await inParallel(homes, concurrency, async (ns) => {
      created += 1;
      const { uid } = (await createPod(ns, `kube-apiserver-${created}`, podLabels, false)).metadata;
      pods.set(uid, ns.name);
    });
    return pods;
  }

  async function recover(): Promise<ReadonlyMap<string, number>> {
    const sent = new Map<string, number>();
    // Opens the connections first, because idle ones are closed after some seconds: a handshake is not part of a
    // recovery.
    await inParallel(
      Array.from({ length: concurrency }),
      concurrency,
      async () => void (await cluster.send('GET', '/readyz')),
    );
    await inParallel(sceneNamespaces, concurrency, async (ns) => {
      sent.set(ns.name, monotonic());
      await setSlice(ns, service, { ready: [true] });
    });
    return sent;
  }

  async function podBytes(): Promise<number> {
    const pod = await cluster.api('GET', `/api/v1/namespaces/${names[0]}/pods/kube-apiserver-0`);
    return JSON.stringify(pod).length;
  }

  // The first deletion of a pod takes a new API server a tenth of a second longer.
  await breakDown();
  await inParallel(sceneNamespaces, concurrency, async (ns) => {
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
