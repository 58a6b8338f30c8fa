import { type ApiStore, isTerminating, type KubeObject, sourcesOf, timestamp } from '@weeder/embedded-cluster';
import { pods } from '@weeder/embedded-cluster/resources';
import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { VirtualClock } from '@weeder/kube-runtime/testing';
import { made } from '../world/embedded.ts';

const kubelet = { manager: 'kubelet', subresource: 'status' } as const;
const retryOfContainers = 12_000;
const longestDelay = 122_000;
const stopsAfter = 50;

/**
 * A kubelet that tries again to mount volumes with the delays of the real one, which were measured: a source that
 * appears does not shorten them. A container whose environment lacks a source is tried again every 12 s.
 */
export function mountingKubelet(store: ApiStore, clock: VirtualClock) {
  const taken = new Set<string>();
  /** When containers started, by the uid of their pod. */
  const started = new Map<string, number>();
  const began = clock.now();
  const node = {
    started,
    /** It mounts nothing, whatever exists. */
    isStuck: false,
  };

  function current({ metadata }: KubeObject): KubeObject | undefined {
    const pod = store.get(pods, metadata.namespace ?? '', metadata.name);
    return pod?.metadata.uid === metadata.uid && !isTerminating(pod) ? pod : undefined;
  }

  function write({ metadata }: KubeObject, status: JsonObject): void {
    made(store.patch(pods, metadata.namespace ?? '', metadata.name, { status }, kubelet));
  }

  function statusOf({ spec }: KubeObject, state: JsonObject, hasVolumes: boolean, isReady: boolean): JsonObject {
    const isTrue = (is: boolean) => (is ? 'True' : 'False');
    return {
      phase: isReady ? 'Running' : 'Pending',
      conditions: [
        { type: 'PodReadyToStartContainers', status: isTrue(hasVolumes) },
        { type: 'Ready', status: isTrue(isReady) },
      ],
      containerStatuses: arrayOf(objectOf(spec)['containers']).map((container) => {
        const { name, image } = objectOf(container);
        return { name, image, imageID: '', ready: isReady, started: isReady, restartCount: 0, lastState: {}, state };
      }),
    };
  }

  function mount(pod: KubeObject, delay: number): void {
    const now = current(pod);
    if (now === undefined) return;
    if (!node.isStuck && sourcesOf(store, now.metadata.namespace ?? '', objectOf(now['spec'])).files().ok) start(now);
    else clock.setTimeout(() => mount(pod, Math.min(longestDelay, delay * 2)), delay);
  }

  function start(pod: KubeObject): void {
    const now = current(pod);
    if (now === undefined) return;
    const spec = objectOf(now['spec']);
    const sources = sourcesOf(store, now.metadata.namespace ?? '', spec);
    if (arrayOf(spec['containers']).every((container) => sources.env(objectOf(container)).ok)) {
      started.set(now.metadata.uid, clock.now() - began);
      write(now, statusOf(now, { running: { startedAt: timestamp(clock.now()) } }, true, true));
      return;
    }
    write(now, statusOf(now, { waiting: { reason: 'CreateContainerConfigError' } }, true, false));
    clock.setTimeout(() => start(pod), retryOfContainers);
  }

  store.watch(pods, {}, (type, pod) => {
    const { uid, name, namespace = '' } = pod.metadata;
    if (type !== 'DELETED' && isTerminating(pod))
      clock.setTimeout(() => void store.delete(pods, namespace, name, { uid, gracePeriodSeconds: 0 }), stopsAfter);
    if (type !== 'ADDED' || taken.has(uid)) return;
    taken.add(uid);
    const waiting = { waiting: { reason: 'ContainerCreating' } };
    clock.setTimeout(() => {
      const now = current(pod);
      if (now === undefined) return;
      write(now, { ...statusOf(now, waiting, false, false), startTime: timestamp(clock.now()) });
      mount(pod, 500);
    }, 1);
  });
  return node;
}
