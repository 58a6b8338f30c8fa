/** Whose way of reporting a back-off is imitated. */
export const kubeletVersions = ['1.34', '1.36'] as const;
export type KubeletVersion = (typeof kubeletVersions)[number];

/** How a kubelet deals with one exit. Milliseconds, counted from the exit. */
export interface RestartPlan {
  /** The back-off that is due; 0: restarted at once. */
  readonly backOff: number;
  /** When the status says `terminated`. */
  readonly reportedAt: number;
  /** When it says `waiting` with CrashLoopBackOff; undefined where none is due. */
  readonly waitingAt: number | undefined;
  readonly restartAt: number;
}

const firstBackOff = 10_000;
const longestBackOff = 300_000;
/** From a restart's decision to the running container. */
const restartTime = 90;

/** The back-off that is due after the exit number `exits` (from 1) in a row, in milliseconds. */
export function backOffAfter(exits: number): number {
  return exits <= 1 ? 0 : Math.min(longestBackOff, firstBackOff * 2 ** (exits - 2));
}

/**
 * What a kubelet does about the exit number `exits` (from 1) in a row, of a container that lived for `lived`
 * milliseconds. The numbers are those of two recorded real kubelets (test/data/recorded).
 */
export function planRestart(version: KubeletVersion, exits: number, lived: number, random: () => number): RestartPlan {
  // Always three draws, so that one exit's outcome does not shift the next one's.
  const [relist, late, manner] = [random(), random(), random()];
  const reportedAt = 200 + relist * 900;
  const backOff = backOffAfter(exits);
  if (backOff === 0) return { backOff, reportedAt, waitingAt: undefined, restartAt: reportedAt + restartTime };
  const restartAt = backOff + 1_000 + late * Math.min(3_000, backOff / 5);
  const waitingAt = Math.min(reportedAt + terminatedFor(version, lived, manner), restartAt - restartTime);
  return { backOff, reportedAt, waitingAt, restartAt };
}

/** How long the status goes on saying `terminated` before it says CrashLoopBackOff, unless the restart comes first. */
function terminatedFor(version: KubeletVersion, lived: number, manner: number): number {
  if (version === '1.34') return 10_000 + manner * 6_000;
  const exitsAtOnce = lived < 1_000;
  return exitsAtOnce && manner < 0.75 ? 1_000 : Number.POSITIVE_INFINITY;
}
