import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { configMaps, endpointSlices, pods, secrets } from '../apiserver/strategies/resources.ts';
import { arrayOf, type JsonObject, objectOf } from '../base/json.ts';
import { seededRandom } from '../base/random.ts';
import type { Clock, TimerHandle } from '../clock/clock.ts';
import type { KubeletVersion } from './backOff.ts';
import { type ContainerContent, sourcesOf } from './content.ts';
import { type PodContainers, startPodContainers } from './podContainers.ts';
import { podStatus } from './podStatus.ts';
import { type Program, programOf } from './program.ts';

/** A container exited, and the pod's status says so now. */
export interface ContainerExit {
  readonly type: 'container.exited';
  readonly pod: string;
  /** How often the container had been restarted before. */
  readonly restarts: number;
  /** The back-off in milliseconds; 0 if the container is restarted at once. */
  readonly backOff: number;
}

export interface KubeletOptions {
  readonly store: Pick<ApiStore, 'get' | 'list' | 'watch' | 'patch' | 'delete'>;
  readonly clock: Clock;
  readonly version: KubeletVersion;
  /** The same seed gives each pod, in the order of creation, the same random numbers. */
  readonly seed: number;
  readonly report?: (exit: ContainerExit) => void;
  /** From the creation of a pod to the start of its containers, in milliseconds. */
  readonly startTime?: number;
  /** The program of a container; by default that of the pod's annotation. */
  readonly program?: (pod: KubeObject, container: string) => Program;
  /** Called at each start of a container, with its content of ConfigMaps and Secrets. */
  readonly onStart?: (pod: KubeObject, container: string, content: ContainerContent) => void;
}

/** The default of the start time; and the time from the deletion of a pod to its end. */
const usualStartTime = 400;
const endTime = 300;
/** From a change of a ConfigMap or Secret to the start of the containers that wait for it. */
const sourceTime = 1_000;

interface Node {
  pod: KubeObject;
  containers: PodContainers | undefined;
  /** Writes the status of the pod. */
  report: () => void;
  timer: TimerHandle | undefined;
  isEnding: boolean;
}

/** Simulates one kubelet for all nodes, on which the programs of all pods run. Returns a function that stops it. */
export function startKubelet(options: KubeletOptions): () => void {
  const { store, clock, version, seed, report, program = programOf, onStart, startTime = usualStartTime } = options;
  let sourceTimer: TimerHandle | undefined;
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
    node.report = () => {
      const current = store.get(pods, namespace, name);
      if (current?.metadata.uid !== uid || node.containers === undefined) return;
      const status = podStatus(current, node.containers, `10.244.0.${ordinal}`, clock.now());
      store.patch(pods, namespace, name, { status }, { subresource: 'status', manager: 'kubelet' });
    };
    const spec = objectOf(node.pod['spec']);
    const sources = sourcesOf(store, namespace, spec);
    const configure = (container: JsonObject): string | undefined => {
      const env = sources.env(container);
      const files = sources.files();
      if (env.ok)
        onStart?.(node.pod, String(container['name']), { env: env.value, files: files.ok ? files.value : {} });
      return env.ok ? undefined : env.error;
    };
    node.containers = startPodContainers({
      clock,
      version,
      random,
      spec,
      hasVolumes: () => sources.files().ok,
      configure,
      pod: `${name}_${namespace}(${uid})`,
      programOf: (container) => program(node.pod, container),
      isAvailable: (service) => isAvailable(namespace, service),
      onChange: () => node.report(),
      onExit: (restarts, { backOff }) => report?.({ type: 'container.exited', pod: name, restarts, backOff }),
    });
    node.report();
  }

  function end(node: Node): void {
    node.isEnding = true;
    stop(node);
    const { name, namespace = '', uid } = node.pod.metadata;
    const hasToEnd = node.containers?.isRunning() === true;
    const remove = () => void store.delete(pods, namespace, name, { uid, gracePeriodSeconds: 0 });
    node.timer = clock.setTimeout(remove, hasToEnd ? endTime : 0);
  }

  function stop(node: Node): void {
    clock.clearTimeout(node.timer);
    node.containers?.stop();
  }

  function onPod(type: string, pod: KubeObject): void {
    const { uid, deletionTimestamp } = pod.metadata;
    const node = running.get(uid) ?? newNode(pod);
    node.pod = pod;
    if (type === 'DELETED') {
      stop(node);
      running.delete(uid);
    } else if (deletionTimestamp !== undefined) {
      if (!node.isEnding) end(node);
    } else if (running.has(uid)) {
      node.containers?.sync();
      // A readiness gate may have changed.
      if (objectOf(pod['spec'])['readinessGates'] !== undefined) node.report();
    } else {
      running.set(uid, node);
      node.timer = clock.setTimeout(() => start(node), startTime);
    }
  }

  function syncAll(): void {
    for (const { containers } of running.values()) containers?.sync();
  }

  function onSource(): void {
    sourceTimer ??= clock.setTimeout(() => {
      sourceTimer = undefined;
      syncAll();
    }, sourceTime);
  }

  const unwatch = [
    store.watch(pods, {}, onPod),
    store.watch(endpointSlices, {}, syncAll),
    store.watch(configMaps, {}, onSource),
    store.watch(secrets, {}, onSource),
  ];
  return () => {
    clock.clearTimeout(sourceTimer);
    for (const each of unwatch) each();
    for (const node of running.values()) stop(node);
  };
}

function newNode(pod: KubeObject): Node {
  return { pod, containers: undefined, report: () => {}, timer: undefined, isEnding: false };
}
