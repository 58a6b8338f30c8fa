import type { Clock, TimerHandle } from '../../clock.ts';
import { formatDuration } from '../../config/duration.ts';
import type { JsonObject } from '../../json.ts';
import { timestamp } from '../apiServer/objects.ts';
import { type KubeletVersion, planRestart, type RestartPlan } from './backOff.ts';
import { type Process, type ProcessOptions, startProcess } from './program.ts';

export interface ContainerOptions extends Pick<ProcessOptions, 'program' | 'isAvailable'> {
  readonly clock: Clock;
  readonly version: KubeletVersion;
  readonly random: () => number;
  readonly name: string;
  readonly image: string;
  /** `pod=` in the kubelet's messages: `name_namespace(uid)`. */
  readonly pod: string;
  /** Its status changed. */
  readonly onChange: () => void;
  /** It exited, and the status says so now. */
  readonly onExit: (restarts: number, plan: RestartPlan) => void;
}

/** One container with all its restarts. */
export interface Container {
  /** As in `status.containerStatuses`. */
  status(): JsonObject;
  isReady(): boolean;
  isRunning(): boolean;
  look(): void;
  stop(): void;
}

/** After so long without an exit, the next one counts as the first again. */
const forgetsAfter = 600_000;

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

  function run(): void {
    const startedAt = clock.now();
    const setReady = (next: boolean) => {
      isReady = next;
      options.onChange();
    };
    process = startProcess({ ...options, onReady: setReady, onExit: () => exited(startedAt) });
    show({ running: { startedAt: timestamp(startedAt) } });
  }

  function exited(startedAt: number): void {
    process = undefined;
    const lived = clock.now() - startedAt;
    exits = lived > forgetsAfter ? 1 : exits + 1;
    const plan = planRestart(options.version, exits, lived, options.random);
    const times = { startedAt: timestamp(startedAt), finishedAt: timestamp(clock.now()) };
    const terminated = { exitCode: 1, reason: 'Error', ...times };
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
      restarts += 1;
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
    look: () => process?.look(),
    stop() {
      process?.kill();
      for (const timer of timers) clock.clearTimeout(timer);
      timers.clear();
    },
  };
}
