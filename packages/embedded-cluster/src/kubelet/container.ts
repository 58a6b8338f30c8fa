import { timestamp } from '../apiserver/meta/objects.ts';
import type { JsonObject } from '../base/json.ts';
import type { Clock, TimerHandle } from '../clock/clock.ts';
import { type KubeletVersion, planRestart, type RestartPlan } from './backOff.ts';
import { formatDuration } from './duration.ts';
import { type Process, type ProcessOptions, startProcess } from './program.ts';

/** An init container is done when its program would be ready; a sidecar is a restartable init container. */
export type ContainerKind = 'init' | 'sidecar' | 'main';

export interface ContainerOptions extends Pick<ProcessOptions, 'program' | 'isAvailable'> {
  readonly clock: Clock;
  readonly version: KubeletVersion;
  readonly random: () => number;
  readonly kind: ContainerKind;
  readonly name: string;
  readonly image: string;
  /** `pod=` in the kubelet's messages: `name_namespace(uid)`. */
  readonly pod: string;
  /** Asked before each start: what it lacks, in the kubelet's words; undefined: nothing. */
  readonly configure: () => string | undefined;
  /** Its status changed. */
  readonly onChange: () => void;
  /** It exited, and the status says so now. */
  readonly onExit: (restarts: number, plan: RestartPlan) => void;
}

/** One container with all its restarts, from its first start on. */
export interface Container {
  /** As in `status.containerStatuses`. */
  status(): JsonObject;
  isReady(): boolean;
  isRunning(): boolean;
  /** Whether it has run at all. */
  hasStarted(): boolean;
  /** Whether the containers after it may start: it is done, or, of a sidecar, has been started. */
  hasPassed(): boolean;
  look(): void;
  stop(): void;
}

/** After so long without an exit, the next one counts as the first again. */
const forgetsAfter = 600_000;
/** From the end of an init container to its report. */
const relistTime = 300;

/** Starts a container, and again after each exit, as the kubelet does it. */
export function startContainer(options: ContainerOptions): Container {
  const { clock, name, image } = options;
  const timers = new Set<TimerHandle>();
  let process: Process | undefined;
  let state: JsonObject = {};
  let lastState: JsonObject = {};
  let restarts = 0;
  let exits = 0;
  let isReady = false;
  let hasPassed = false;
  let hasStarted = false;
  /** What it lacks. */
  let lack: string | undefined;

  function at(delay: number, act: () => void): void {
    const timer = clock.setTimeout(() => {
      timers.delete(timer);
      act();
    }, delay);
    timers.add(timer);
  }

  function show(next: JsonObject): void {
    state = next;
    options.onChange();
  }

  /** Starts it, unless it lacks something. */
  function run(): void {
    const before = lack;
    lack = options.configure();
    if (lack === undefined) runNow();
    else if (lack !== before) show({ waiting: { reason: 'CreateContainerConfigError', message: lack } });
  }

  function runNow(): void {
    if (hasStarted) restarts += 1;
    hasStarted = true;
    const startedAt = clock.now();
    const setReady = (next: boolean) => {
      if (options.kind === 'init') return completed(startedAt);
      isReady = next;
      options.onChange();
    };
    process = startProcess({ ...options, onReady: setReady, onExit: () => exited(startedAt) });
    hasPassed = options.kind === 'sidecar';
    show({ running: { startedAt: timestamp(startedAt) } });
  }

  function ending(startedAt: number, exitCode: number, reason: string): JsonObject {
    process = undefined;
    return { exitCode, reason, startedAt: timestamp(startedAt), finishedAt: timestamp(clock.now()) };
  }

  function completed(startedAt: number): void {
    const terminated = ending(startedAt, 0, 'Completed');
    at(relistTime, () => {
      isReady = true;
      hasPassed = true;
      show({ terminated });
    });
  }

  function exited(startedAt: number): void {
    const lived = clock.now() - startedAt;
    exits = lived > forgetsAfter ? 1 : exits + 1;
    const plan = planRestart(options.version, exits, lived, options.random);
    const terminated = ending(startedAt, 1, 'Error');
    at(plan.reportedAt, () => {
      isReady = false;
      show({ terminated });
      options.onExit(restarts, plan);
    });
    if (plan.waitingAt !== undefined) {
      const message = `back-off ${formatDuration(plan.backOff)} restarting failed container=${name} pod=${options.pod}`;
      at(plan.waitingAt, () => {
        lastState = { terminated };
        show({ waiting: { reason: 'CrashLoopBackOff', message } });
      });
    }
    at(plan.restartAt, () => {
      lastState = { terminated };
      run();
    });
  }

  run();
  return {
    status: () => ({
      name,
      state,
      lastState,
      ready: isReady,
      restartCount: restarts,
      image,
      imageID: image,
      started: state['running'] !== undefined,
    }),
    isReady: () => isReady,
    isRunning: () => process !== undefined,
    hasPassed: () => hasPassed,
    hasStarted: () => hasStarted,
    look() {
      if (lack === undefined) process?.look();
      else run();
    },
    stop() {
      process?.kill();
      for (const timer of timers) clock.clearTimeout(timer);
      timers.clear();
    },
  };
}
