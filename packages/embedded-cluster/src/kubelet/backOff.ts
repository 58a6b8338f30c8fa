/** The kubelet versions whose reports of a back-off can be imitated. */
export const kubeletVersions = ['1.34', '1.36'] as const;
export type KubeletVersion = (typeof kubeletVersions)[number];

/** The schedule of the restart after one exit, in milliseconds from the exit. */
export interface RestartPlan {
  /** The back-off; 0 if the container is restarted at once. */
  readonly backOff: number;
  /** When the status changes to `terminated`. */
  readonly reportedAt: number;
  /** When it changes to `waiting` with CrashLoopBackOff; undefined if there is no back-off. */
  readonly waitingAt: number | undefined;
  readonly restartAt: number;
}

const firstBackOff = 10_000;
const longestBackOff = 300_000;
/** From the decision to restart to the running container. */
const restartTime = 90;

/** The back-off after the exit number `exits` (from 1) in a row, in milliseconds. */
export function backOffAfter(exits: number): number {
  return exits <= 1 ? 0 : Math.min(longestBackOff, firstBackOff * 2 ** (exits - 2));
}

/**
 * Plans the restart after the exit number `exits` (from 1) in a row, of a container that ran for `lived` milliseconds.
 * The numbers were measured on recordings of two real kubelets.
 */
export function planRestart(version: KubeletVersion, exits: number, lived: number, random: () => number): RestartPlan {
  // Always three random numbers, so that the outcome of one exit does not shift that of the next.
  const [relist, late, manner] = [random(), random(), random()];
  const reportedAt = 200 + relist * 900;
  const backOff = backOffAfter(exits);
  if (backOff === 0) return { backOff, reportedAt, waitingAt: undefined, restartAt: reportedAt + restartTime };
  const restartAt = backOff + 1_000 + late * Math.min(3_000, backOff / 5);
  const waitingAt = Math.min(reportedAt + terminatedFor(version, lived, manner), restartAt - restartTime);
  return { backOff, reportedAt, waitingAt, restartAt };
}

/** How long the status stays `terminated` before it becomes CrashLoopBackOff, unless the restart comes first. */
function terminatedFor(version: KubeletVersion, lived: number, manner: number): number {
  if (version === '1.34') return 10_000 + manner * 6_000;
  const exitsAtOnce = lived < 1_000;
  return exitsAtOnce && manner < 0.75 ? 1_000 : Number.POSITIVE_INFINITY;
}
