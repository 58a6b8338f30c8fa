/** The kubelet versions whose reports of a back-off can be simulated. */
export const kubeletVersions = ['1.34', '1.36'] as const;
export type KubeletVersion = (typeof kubeletVersions)[number];

/** The schedule of the restart after one exit, in milliseconds from the exit. */
export interface RestartPlan {
  /** The back-off; 0 if the container is restarted at once. */
  readonly backOff: number;
  /** When the status changes to `terminated`. */
  readonly reportedAt: number;
  /** When the status changes to `waiting` with CrashLoopBackOff; undefined if there is no back-off. */
  readonly waitingAt: number | undefined;
  readonly restartAt: number;
}

const firstBackOff = 10_000;
const maxBackOff = 300_000;
/** The time from the decision to restart to the running container, in milliseconds. */
const restartTime = 90;

/** Returns the back-off after this number of consecutive exits, in milliseconds. */
export function backOffAfter(exits: number): number {
  return exits <= 1 ? 0 : Math.min(maxBackOff, firstBackOff * 2 ** (exits - 2));
}

/**
 * Plans the restart after this number of consecutive exits, of a container that ran for `runTime` milliseconds. The
 * times are those of recordings of two real kubelets.
 */
export function planRestart(
  version: KubeletVersion,
  exits: number,
  runTime: number,
  random: () => number,
): RestartPlan {
  // Each exit uses three random numbers, so that its result does not affect that of the next.
  const [relist, late, variant] = [random(), random(), random()];
  const reportedAt = 200 + relist * 900;
  const backOff = backOffAfter(exits);
  if (backOff === 0) return { backOff, reportedAt, waitingAt: undefined, restartAt: reportedAt + restartTime };
  const restartAt = backOff + 1_000 + late * Math.min(3_000, backOff / 5);
  const waitingAt = Math.min(reportedAt + terminatedFor(version, runTime, variant), restartAt - restartTime);
  return { backOff, reportedAt, waitingAt, restartAt };
}

/** Returns the time from `terminated` to CrashLoopBackOff in milliseconds, unless the restart comes first. */
function terminatedFor(version: KubeletVersion, runTime: number, variant: number): number {
  if (version === '1.34') return 10_000 + variant * 6_000;
  const exitsAtOnce = runTime < 1_000;
  return exitsAtOnce && variant < 0.75 ? 1_000 : Number.POSITIVE_INFINITY;
}
