import { arrayOf, type JsonObject, objectOf, textOf } from '../base/json.ts';
import { type Container, type ContainerKind, type ContainerOptions, startContainer } from './container.ts';
import type { Program } from './program.ts';

/** The containers of one pod: the init containers and sidecars one after the other, and then the others at once. */
export interface PodContainers {
  /** As in `status.initContainerStatuses` and `status.containerStatuses`. */
  initStatuses(): readonly JsonObject[];
  mainStatuses(): readonly JsonObject[];
  /** Those of the sidecars, whose readiness counts for the pod's. */
  sidecarStatuses(): readonly JsonObject[];
  /** The init containers and sidecars that hold the others up, by name. */
  incomplete(): readonly string[];
  /** Whether the main containers have been started. */
  haveStarted(): boolean;
  isRunning(): boolean;
  look(): void;
  stop(): void;
}

interface PodContainersOptions
  extends Pick<ContainerOptions, 'clock' | 'version' | 'random' | 'isAvailable' | 'pod' | 'onChange' | 'onExit'> {
  readonly spec: JsonObject;
  readonly programOf: (container: string) => Program;
  /** Whether the volumes are there, without which nothing starts. */
  readonly hasVolumes: () => boolean;
  /** Asked before each start of a container, given as in the spec: what it lacks. */
  readonly configure: (container: JsonObject) => string | undefined;
}

interface Slot {
  readonly kind: ContainerKind;
  readonly name: string;
  readonly image: string;
  readonly spec: JsonObject;
  container: Container | undefined;
}

/** Starts what may start now; the rest follows when what comes before it is done. */
export function startPodContainers({
  spec,
  programOf,
  hasVolumes,
  configure,
  ...options
}: PodContainersOptions): PodContainers {
  const init = arrayOf(spec['initContainers']).map((each) =>
    slotOf(each, objectOf(each)['restartPolicy'] === 'Always' ? 'sidecar' : 'init'),
  );
  const main = arrayOf(spec['containers']).map((each) => slotOf(each, 'main'));
  const notStarted = init.length === 0 ? 'ContainerCreating' : 'PodInitializing';
  let isStarting = false;

  function start(slot: Slot): void {
    const { kind, name, image } = slot;
    slot.container ??= startContainer({
      ...options,
      kind,
      name,
      image,
      program: () => programOf(name),
      configure: () => configure(slot.spec),
      onChange,
    });
  }

  function onChange(): void {
    // While the last of several containers has not started, there is nothing to tell yet.
    if (isStarting) return;
    proceed();
    options.onChange();
  }

  function proceed(): void {
    if (running().length === 0 && !hasVolumes()) return;
    isStarting = true;
    for (const slot of init) {
      start(slot);
      if (!hasPassed(slot)) break;
    }
    if (init.every(hasPassed)) main.forEach(start);
    isStarting = false;
  }

  function running(): readonly Container[] {
    return [...init, ...main].flatMap(({ container }) => container ?? []);
  }

  function status({ name, image, container }: Slot): JsonObject {
    if (container !== undefined) return container.status();
    const state = { waiting: { reason: notStarted } };
    return { name, state, lastState: {}, ready: false, restartCount: 0, image, imageID: '', started: false };
  }

  proceed();
  return {
    initStatuses: () => init.map(status),
    mainStatuses: () => main.map(status),
    sidecarStatuses: () => init.filter(({ kind }) => kind === 'sidecar').map(status),
    incomplete: () => init.filter((slot) => !hasPassed(slot)).map(({ name }) => name),
    haveStarted: () => main.some(({ container }) => container?.hasStarted() === true),
    isRunning: () => running().some((container) => container.isRunning()),
    look() {
      if (running().length === 0) onChange();
      for (const container of running()) container.look();
    },
    stop() {
      for (const container of running()) container.stop();
    },
  };
}

function slotOf(spec: unknown, kind: ContainerKind): Slot {
  const { name, image } = objectOf(spec);
  return { kind, name: textOf(name) ?? '', image: textOf(image) ?? '', spec: objectOf(spec), container: undefined };
}

function hasPassed({ container }: Slot): boolean {
  return container?.hasPassed() === true;
}
