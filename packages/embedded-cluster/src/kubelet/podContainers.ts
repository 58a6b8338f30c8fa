import { arrayOf, type JsonObject, objectOf, textOf } from '../base/json.ts';
import { type Container, type ContainerKind, type ContainerOptions, startContainer } from './container.ts';
import type { Program } from './program.ts';

/** The containers of a pod: init containers and sidecars start in order, and then all main containers start. */
export interface PodContainers {
  /** The entries of `status.initContainerStatuses` and `status.containerStatuses`. */
  initStatuses(): readonly JsonObject[];
  mainStatuses(): readonly JsonObject[];
  /** The statuses of the sidecars, which count for the readiness of the pod. */
  sidecarStatuses(): readonly JsonObject[];
  /** The names of the init containers and sidecars that the main containers wait for. */
  incomplete(): readonly string[];
  /** Whether the main containers have been started. */
  haveStarted(): boolean;
  isRunning(): boolean;
  sync(): void;
  stop(): void;
}

interface PodContainersOptions
  extends Pick<ContainerOptions, 'clock' | 'version' | 'random' | 'isAvailable' | 'pod' | 'onChange' | 'onExit'> {
  readonly spec: JsonObject;
  readonly programOf: (container: string) => Program;
  /** Whether all volumes can be mounted, as is required to start containers. */
  readonly hasVolumes: () => boolean;
  /** Called before each start of a container, with its spec; returns the kubelet's message if something is missing. */
  readonly configure: (container: JsonObject) => string | undefined;
}

interface Entry {
  readonly kind: ContainerKind;
  readonly name: string;
  readonly image: string;
  readonly spec: JsonObject;
  container: Container | undefined;
}

/** Starts the first container. The others start when those before them have completed. */
export function startPodContainers({
  spec,
  programOf,
  hasVolumes,
  configure,
  ...options
}: PodContainersOptions): PodContainers {
  const init = arrayOf(spec['initContainers']).map((each) =>
    entryOf(each, objectOf(each)['restartPolicy'] === 'Always' ? 'sidecar' : 'init'),
  );
  const main = arrayOf(spec['containers']).map((each) => entryOf(each, 'main'));
  const notStarted = init.length === 0 ? 'ContainerCreating' : 'PodInitializing';
  let isStarting = false;

  function start(entry: Entry): void {
    const { kind, name, image } = entry;
    entry.container ??= startContainer({
      ...options,
      kind,
      name,
      image,
      program: () => programOf(name),
      configure: () => configure(entry.spec),
      onChange,
    });
  }

  function onChange(): void {
    // The status is reported once, after the last container has started.
    if (isStarting) return;
    proceed();
    options.onChange();
  }

  function proceed(): void {
    if (running().length === 0 && !hasVolumes()) return;
    isStarting = true;
    for (const entry of init) {
      start(entry);
      if (!hasPassed(entry)) break;
    }
    if (init.every(hasPassed)) main.forEach(start);
    isStarting = false;
  }

  function running(): readonly Container[] {
    return [...init, ...main].flatMap(({ container }) => container ?? []);
  }

  function status({ name, image, container }: Entry): JsonObject {
    if (container !== undefined) return container.status();
    const state = { waiting: { reason: notStarted } };
    return { name, state, lastState: {}, ready: false, restartCount: 0, image, imageID: '', started: false };
  }

  proceed();
  return {
    initStatuses: () => init.map(status),
    mainStatuses: () => main.map(status),
    sidecarStatuses: () => init.filter(({ kind }) => kind === 'sidecar').map(status),
    incomplete: () => init.filter((entry) => !hasPassed(entry)).map(({ name }) => name),
    haveStarted: () => main.some(({ container }) => container?.hasStarted() === true),
    isRunning: () => running().some((container) => container.isRunning()),
    sync() {
      if (running().length === 0) onChange();
      for (const container of running()) container.sync();
    },
    stop() {
      for (const container of running()) container.stop();
    },
  };
}

function entryOf(spec: unknown, kind: ContainerKind): Entry {
  const { name, image } = objectOf(spec);
  return { kind, name: textOf(name) ?? '', image: textOf(image) ?? '', spec: objectOf(spec), container: undefined };
}

function hasPassed({ container }: Entry): boolean {
  return container?.hasPassed() === true;
}
