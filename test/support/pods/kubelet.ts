/**
 * A kubelet with one pod, by the rules of its `computePodActions`, `doBackOff` and `convertToAPIContainerStatuses`. While
 * it starts a container it does and reports nothing else. Times are milliseconds.
 */

import type { Clock } from '@weeder/kube-runtime/base';
import type { PodOptions } from '../objects/objects.ts';

/** A container, and how its runs end; the last run repeats. */
export interface ModelContainer {
  readonly kind: 'container' | 'initContainer' | 'sidecar';
  readonly runs: readonly { readonly lasts: number; readonly exit: number }[];
  readonly startsIn: number;
  /** How long it runs until its startup probe succeeds; 0: it has none. */
  readonly probe: number;
}

export interface ModelPod {
  /** The init containers and sidecars come first. */
  readonly containers: readonly ModelContainer[];
  /** When its sandbox is lost, and for how long there is none. */
  readonly losses: readonly { readonly at: number; readonly lasts: number }[];
  /** Whether the kubelet reports back-offs; otherwise the status stays `terminated`. */
  readonly saysSo: boolean;
  /** Whether the sandboxes are lost in reboots, after which the kubelet knows of no back-off. */
  readonly reboots: boolean;
}

interface Run {
  readonly from: number;
  until: number;
  exit: number;
  isOfSandbox: boolean;
}

interface Container extends ModelContainer {
  readonly name: string;
  restarts: number;
  last: Run | undefined;
  backOff: number;
  isReported: boolean;
  /** A back-off has delayed the next start, and nothing else does. */
  isDelayed: boolean;
}

const longestBackOff = 300_000;

export function createKubelet({ containers: drawn, losses, saysSo, reboots }: ModelPod, clock: Clock) {
  const containers = drawn.map(
    (each, index): Container => ({
      ...each,
      name: `${each.kind === 'container' ? 'main' : 'init'}-${index}`,
      restarts: -1,
      last: undefined,
      backOff: 0,
      isReported: false,
      isDelayed: false,
    }),
  );
  const before = containers.filter(({ kind }) => kind !== 'container');
  const mains = containers.filter(({ kind }) => kind === 'container');
  const left = [...losses].sort((a, b) => a.at - b.at);
  const began = clock.now();
  let sandboxFrom = began;
  let busyUntil = 0;
  let sandbox: { readonly status: 'True' | 'False'; readonly lastTransitionTime: string } | undefined;

  const isRunning = ({ last }: Container) => last !== undefined && clock.now() < last.until;
  const hasPassed = ({ kind, last, probe }: Container) =>
    kind === 'sidecar'
      ? last !== undefined && clock.now() < last.until && clock.now() >= last.from + probe
      : last?.isOfSandbox === true && clock.now() >= last.until && last.exit === 0;

  function loseSandbox(): void {
    const loss = left[0];
    if (loss === undefined || clock.now() < began + loss.at) return;
    left.shift();
    sandboxFrom = clock.now() + loss.lasts;
    for (const each of containers) {
      const { last } = each;
      if (isRunning(each) && last !== undefined) Object.assign(last, { until: clock.now(), exit: 137 });
      if (last !== undefined) last.isOfSandbox = false;
      each.isDelayed = false;
      if (reboots) Object.assign(each, { backOff: 0, isReported: false });
    }
  }

  /** Those that the kubelet may start now: it looks for the last step that was done, and begins behind it. */
  function due(): readonly Container[] {
    const idle = (each: Container) => !isRunning(each);
    const hasInitialized = mains.some(isRunning) || before.length === 0 || hasPassed(before.at(-1) ?? never());
    const done = hasInitialized ? before.length : before.findLastIndex(({ last }) => last?.isOfSandbox === true);
    const sidecars = before.slice(0, Math.max(0, done)).filter((each) => each.kind === 'sidecar' && idle(each));
    if (hasInitialized) return [...sidecars, ...mains.filter(idle)];
    const current = before[Math.max(0, done)] ?? never();
    const next = hasPassed(current) ? before[done + 1] : current;
    return next !== undefined && idle(next) ? [...sidecars, next] : sidecars;
  }

  /** One after another. */
  function start(each: Container): void {
    const now = Math.max(busyUntil, clock.now());
    // The runtime no longer knows the runs of init containers in other sandboxes.
    const known = each.last?.isOfSandbox === true || each.kind === 'container' ? each.last : undefined;
    if (known !== undefined && now < known.until + each.backOff) {
      each.isDelayed = true;
      each.isReported = saysSo;
      return;
    }
    if (known !== undefined) each.backOff = Math.min(longestBackOff, each.backOff === 0 ? 10_000 : 2 * each.backOff);
    each.restarts += 1;
    const from = now + each.startsIn;
    const { lasts, exit } = each.runs[Math.min(each.restarts, each.runs.length - 1)] ?? never();
    Object.assign(each, { isReported: false, last: { from, until: from + lasts, exit, isOfSandbox: true } });
    busyUntil = from;
  }

  /** The kubelet looks at the sandbox, and then at the containers in it. */
  function report(): PodOptions {
    const status = containers.some(({ last }) => last?.isOfSandbox === true) ? 'True' : 'False';
    if (sandbox?.status !== status) sandbox = { status, lastTransitionTime: new Date(clock.now()).toISOString() };
    return {
      conditions: { PodReadyToStartContainers: sandbox },
      initContainers: before.map((each) => stateOf(each, isRunning(each), hasPassed(each))),
      containers: mains.map((each) => stateOf(each, isRunning(each), isRunning(each))),
    };
  }

  return {
    /** What the kubelet reports, before its next step. Undefined: it is busy. */
    sync(): PodOptions | undefined {
      if (clock.now() < busyUntil) return undefined;
      loseSandbox();
      const status = report();
      for (const each of containers) if (isRunning(each)) each.isDelayed = false;
      if (clock.now() >= sandboxFrom) for (const each of due()) start(each);
      return status;
    },
    isDelayed: (name: string) => containers.find((each) => each.name === name)?.isDelayed === true,
  };
}

function stateOf({ name, kind, probe, last, restarts, isReported }: Container, runs: boolean, started: boolean) {
  const spec = kind === 'sidecar' ? { restartPolicy: 'Always', ...(probe > 0 && { startupProbe: {} }) } : {};
  const common = { name, spec, restarts: Math.max(0, restarts), started };
  if (last === undefined) return { ...common, state: { waiting: { reason: 'PodInitializing' } } };
  const [startedAt, finishedAt] = [last.from, last.until].map((time) => new Date(time).toISOString());
  if (runs) return { ...common, state: { running: { startedAt } } };
  const ended = { terminated: { exitCode: last.exit, startedAt, finishedAt } };
  return isReported
    ? { ...common, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended }
    : { ...common, state: ended };
}

function never(): never {
  throw new Error('A pod of the model has no such container.');
}
