import { timestamp } from '../apiserver/meta/objects.ts';
import type { JsonObject } from '../base/json.ts';
import type { Clock, TimerHandle } from '../clock/clock.ts';
import { type KubeletVersion, planRestart, type RestartPlan } from './backOff.ts';
import { formatDuration } from './duration.ts';
import { type Process, type ProcessOptions, startProcess } from './program.ts';

/** An init container completes when its program would become ready; a sidecar is a restartable init container. */
export type ContainerKind = 'init' | 'sidecar' | 'main';

export interface ContainerOptions extends Pick<ProcessOptions, 'program' | 'isAvailable'> {
  readonly clock: Clock;
  readonly version: KubeletVersion;
  readonly random: () => number;
  readonly kind: ContainerKind;
  readonly name: string;
  readonly image: string;
  /** `pod=` in messages: `name_namespace(uid)`. */
  readonly pod: string;
  /** Called before each start; returns the kubelet's message if ConfigMaps, Secrets or keys are missing. */
  readonly configure: () => string | undefined;
  /** Called when the status changes. */
  readonly onChange: () => void;
  /** Called when the status reports an exit. */
  readonly onExit: (restarts: number, plan: RestartPlan) => void;
}

/** A container with all of its restarts. */
export interface Container {
  /** The entry of `status.containerStatuses`. */
  status(): JsonObject;
  isReady(): boolean;
  isRunning(): boolean;
  /** Whether it has started at least once. */
  hasStarted(): boolean;
  /** Whether the next containers may start: an init container has completed, a sidecar has started. */
  hasPassed(): boolean;
  sync(): void;
  stop(): void;
}

/** The back-off is reset after a container has run for this time, in milliseconds. */
const backOffResetAfter = 600_000;
/** The time from the completion of an init container to its report, in milliseconds. */
const relistTime = 300;

/** Starts a container, and restarts it after each exit. */
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
  /** The kubelet's message about a missing ConfigMap, Secret or key. */
  let missing: string | undefined;

  function at(delay: number, act: () => void): void {
    const timer = clock.setTimeout(() => {
      timers.delete(timer);
      act();
    }, delay);
    timers.add(timer);
  }

  function setState(next: JsonObject): void {
    state = next;
    options.onChange();
  }

  /** Starts the container unless something is missing. */
  function run(): void {
    const before = missing;
    missing = options.configure();
    if (missing === undefined) startNow();
    else if (missing !== before) setState({ waiting: { reason: 'CreateContainerConfigError', message: missing } });
  }

  function startNow(): void {
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
    setState({ running: { startedAt: timestamp(startedAt) } });
  }

  function terminatedState(startedAt: number, exitCode: number, reason: string): JsonObject {
    process = undefined;
    return { exitCode, reason, startedAt: timestamp(startedAt), finishedAt: timestamp(clock.now()) };
  }

  function completed(startedAt: number): void {
    const terminated = terminatedState(startedAt, 0, 'Completed');
    at(relistTime, () => {
      isReady = true;
      hasPassed = true;
      setState({ terminated });
    });
  }

  function exited(startedAt: number): void {
    const runTime = clock.now() - startedAt;
    exits = runTime > backOffResetAfter ? 1 : exits + 1;
    const plan = planRestart(options.version, exits, runTime, options.random);
    const terminated = terminatedState(startedAt, 1, 'Error');
    at(plan.reportedAt, () => {
      isReady = false;
      setState({ terminated });
      options.onExit(restarts, plan);
    });
    if (plan.waitingAt !== undefined) {
      const message = `back-off ${formatDuration(plan.backOff)} restarting failed container=${name} pod=${options.pod}`;
      at(plan.waitingAt, () => {
        lastState = { terminated };
        setState({ waiting: { reason: 'CrashLoopBackOff', message } });
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
    sync() {
      if (missing === undefined) process?.sync();
      else run();
    },
    stop() {
      process?.kill();
      for (const timer of timers) clock.clearTimeout(timer);
      timers.clear();
    },
  };
}
