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

/** The exit of a container, which the pod's status reports now. */
export interface ContainerExit {
  readonly type: 'container.exited';
  readonly pod: string;
  /** The number of restarts before the exit. */
  readonly restarts: number;
  /** The back-off in milliseconds; 0 if the container is restarted at once. */
  readonly backOff: number;
}

export interface KubeletOptions {
  readonly store: Pick<ApiStore, 'get' | 'list' | 'watch' | 'patch' | 'delete'>;
  readonly clock: Clock;
  readonly version: KubeletVersion;
  /** With the same seed each pod, in the order of creation, gets the same random numbers. */
  readonly seed: number;
  readonly report?: (exit: ContainerExit) => void;
  /** The time from the creation of a pod to the start of its containers, in milliseconds. Default 400. */
  readonly startTime?: number;
  /** Returns the time from the deletion of a pod to its removal, in milliseconds. Default 300. */
  readonly terminationTime?: () => number;
  /** The program of a container; by default that of the pod's annotation. */
  readonly program?: (pod: KubeObject, container: string) => Program;
  /** Called at each start of a container, with its content of ConfigMaps and Secrets. */
  readonly onStart?: (pod: KubeObject, container: string, content: ContainerContent) => void;
}

const defaultStartTime = 400;
const defaultTerminationTime = 300;
/** The time from a change of a ConfigMap or Secret to the start of the containers that wait for it, in milliseconds. */
const sourceDelay = 1_000;

/** The state of a pod in the kubelet. */
interface PodWorker {
  pod: KubeObject;
  containers: PodContainers | undefined;
  /** Writes the status of the pod. */
  report: () => void;
  timer: TimerHandle | undefined;
  isTerminating: boolean;
}

/** Starts one kubelet for all nodes, which simulates the containers of all pods. Returns a function that stops it. */
export function startKubelet(options: KubeletOptions): () => void {
  const { store, clock, version, seed, report, program = programOf, onStart, startTime = defaultStartTime } = options;
  const { terminationTime = () => defaultTerminationTime } = options;
  let sourceTimer: TimerHandle | undefined;
  const workers = new Map<string, PodWorker>();
  let started = 0;

  function isAvailable(namespace: string | undefined, service: string): boolean {
    const labelSelector = { matchLabels: { 'kubernetes.io/service-name': service } };
    const slices = store.list(endpointSlices, { ...(namespace === undefined ? {} : { namespace }), labelSelector });
    return slices
      .flatMap(({ endpoints }) => arrayOf(endpoints))
      .map((endpoint) => objectOf(objectOf(endpoint)['conditions']))
      .some(({ ready, serving }) => ready !== false && serving !== false);
  }

  function start(worker: PodWorker): void {
    started += 1;
    const ordinal = started;
    const random = seededRandom(seed * 7919 + ordinal);
    const { name, namespace = '', uid } = worker.pod.metadata;
    worker.report = () => {
      const current = store.get(pods, namespace, name);
      if (current?.metadata.uid !== uid || worker.containers === undefined) return;
      const status = podStatus(current, worker.containers, `10.244.0.${ordinal}`, clock.now());
      store.patch(pods, namespace, name, { status }, { subresource: 'status', manager: 'kubelet' });
    };
    const spec = objectOf(worker.pod['spec']);
    const sources = sourcesOf(store, namespace, spec);
    const configure = (container: JsonObject): string | undefined => {
      const env = sources.env(container);
      const files = sources.files();
      if (env.ok)
        onStart?.(worker.pod, String(container['name']), { env: env.value, files: files.ok ? files.value : {} });
      return env.ok ? undefined : env.error;
    };
    worker.containers = startPodContainers({
      clock,
      version,
      random,
      spec,
      hasVolumes: () => sources.files().ok,
      configure,
      pod: `${name}_${namespace}(${uid})`,
      programOf: (container) => program(worker.pod, container),
      isAvailable: (service) => isAvailable(namespace, service),
      onChange: () => worker.report(),
      onExit: (restarts, { backOff }) => report?.({ type: 'container.exited', pod: name, restarts, backOff }),
    });
    worker.report();
  }

  function terminate(worker: PodWorker): void {
    worker.isTerminating = true;
    stop(worker);
    const { name, namespace = '', uid } = worker.pod.metadata;
    const isRunning = worker.containers?.isRunning() === true;
    const remove = () => void store.delete(pods, namespace, name, { uid, gracePeriodSeconds: 0 });
    worker.timer = clock.setTimeout(remove, isRunning ? terminationTime() : 0);
  }

  function stop(worker: PodWorker): void {
    clock.clearTimeout(worker.timer);
    worker.containers?.stop();
  }

  function onPod(type: string, pod: KubeObject): void {
    const { uid, deletionTimestamp } = pod.metadata;
    const worker = workers.get(uid) ?? newWorker(pod);
    worker.pod = pod;
    if (type === 'DELETED') {
      stop(worker);
      workers.delete(uid);
    } else if (deletionTimestamp !== undefined) {
      if (!worker.isTerminating) terminate(worker);
    } else if (workers.has(uid)) {
      worker.containers?.sync();
      // A readiness gate may have changed.
      if (objectOf(pod['spec'])['readinessGates'] !== undefined) worker.report();
    } else {
      workers.set(uid, worker);
      worker.timer = clock.setTimeout(() => start(worker), startTime);
    }
  }

  function syncAll(): void {
    for (const { containers } of workers.values()) containers?.sync();
  }

  function onSource(): void {
    sourceTimer ??= clock.setTimeout(() => {
      sourceTimer = undefined;
      syncAll();
    }, sourceDelay);
  }

  const unwatch = [
    store.watch(pods, {}, onPod),
    store.watch(endpointSlices, {}, syncAll),
    store.watch(configMaps, {}, onSource),
    store.watch(secrets, {}, onSource),
  ];
  return () => {
    clock.clearTimeout(sourceTimer);
    for (const stopWatch of unwatch) stopWatch();
    for (const worker of workers.values()) stop(worker);
  };
}

function newWorker(pod: KubeObject): PodWorker {
  return { pod, containers: undefined, report: () => {}, timer: undefined, isTerminating: false };
}
