import type { Clock, TimerHandle } from '../../clock.ts';
import { arrayOf, objectOf, textOf } from '../../json.ts';
import type { ApiStore } from '../apiServer/apiStore.ts';
import type { KubeObject } from '../apiServer/objects.ts';
import { endpointSlices, pods } from '../apiServer/resources.ts';
import type { ContainerExit } from '../facts.ts';
import { seededRandom } from '../random.ts';
import type { KubeletVersion } from './backOff.ts';
import { type Container, startContainer } from './container.ts';
import { podStatus } from './podStatus.ts';
import { programOf } from './program.ts';

export interface KubeletOptions {
  readonly store: ApiStore;
  readonly clock: Clock;
  readonly version: KubeletVersion;
  /** The same seed gives each pod, in the order of their creation, the same fate. */
  readonly seed: number;
  readonly report?: (exit: ContainerExit) => void;
}

/** From a pod's creation to its containers' start, and from the wish to delete it to its end. Milliseconds. */
const startTime = 400;
const endTime = 300;

interface Node {
  pod: KubeObject;
  readonly containers: Container[];
  timer: TimerHandle | undefined;
  isEnding: boolean;
}

/** Runs the programs of all pods, as one kubelet for all nodes. Returns what ends it. */
export function startKubelet({ store, clock, version, seed, report }: KubeletOptions): () => void {
  const running = new Map<string, Node>();
  let started = 0;

  function isAvailable(namespace: string | undefined, service: string): boolean {
    const labelSelector = { matchLabels: { 'kubernetes.io/service-name': service } };
    const slices = store.list(endpointSlices, { ...(namespace === undefined ? {} : { namespace }), labelSelector });
    return slices
      .flatMap(({ endpoints }) => arrayOf(endpoints))
      .some((endpoint) => objectOf(objectOf(endpoint)['conditions'])['ready'] !== false);
  }

  function start(node: Node): void {
    started += 1;
    const ordinal = started;
    const random = seededRandom(seed * 7919 + ordinal);
    const { name, namespace = '', uid } = node.pod.metadata;
    const onChange = () => {
      // While the last of several containers has not started, there is nothing to tell yet.
      if (node.containers.length < specs.length) return;
      const current = store.get(pods, namespace, name);
      if (current?.metadata.uid !== uid) return;
      const status = podStatus(current, node.containers, `10.244.0.${ordinal}`, clock.now());
      store.patch(pods, namespace, name, { status }, { subresource: 'status', manager: 'kubelet' });
    };
    const specs = arrayOf(objectOf(node.pod['spec'])['containers']).map(objectOf);
    for (const spec of specs) {
      const container = startContainer({
        clock,
        version,
        random,
        name: textOf(spec['name']) ?? '',
        image: textOf(spec['image']) ?? '',
        pod: `${name}_${namespace}(${uid})`,
        program: () => programOf(node.pod),
        isAvailable: (service) => isAvailable(namespace, service),
        onChange,
        onExit: (restarts, plan) => report?.({ type: 'container.exited', pod: name, restarts, backOff: plan.backOff }),
      });
      node.containers.push(container);
    }
    onChange();
  }

  function end(node: Node): void {
    node.isEnding = true;
    stop(node);
    const { name, namespace = '', uid } = node.pod.metadata;
    const hasToEnd = node.containers.some((container) => container.isRunning());
    const remove = () => void store.delete(pods, namespace, name, { uid, gracePeriodSeconds: 0 });
    node.timer = clock.setTimeout(remove, hasToEnd ? endTime : 0);
  }

  function stop(node: Node): void {
    clock.clearTimeout(node.timer);
    for (const container of node.containers) container.stop();
  }

  function onPod(type: string, pod: KubeObject): void {
    const { uid, deletionTimestamp } = pod.metadata;
    const node = running.get(uid) ?? { pod, containers: [], timer: undefined, isEnding: false };
    node.pod = pod;
    if (type === 'DELETED') {
      stop(node);
      running.delete(uid);
    } else if (deletionTimestamp !== undefined) {
      if (!node.isEnding) end(node);
    } else if (running.has(uid)) {
      for (const container of node.containers) container.look();
    } else {
      running.set(uid, node);
      node.timer = clock.setTimeout(() => start(node), startTime);
    }
  }

  const unwatch = [
    store.watch(pods, {}, onPod),
    store.watch(endpointSlices, {}, () => {
      for (const { containers } of running.values()) for (const container of containers) container.look();
    }),
  ];
  return () => {
    for (const each of unwatch) each();
    for (const node of running.values()) stop(node);
  };
}
