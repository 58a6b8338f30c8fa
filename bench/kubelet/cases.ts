/** How a dependant behaves without its service, and when the service recovers. Seconds. */
export interface Case {
  /** How long it runs before it exits. */
  readonly runsFor: number;
  /** How often it has been restarted when the service recovers. */
  readonly restarts: number;
  /** The longest back-off of the kubelet. */
  readonly longestBackOff: number;
  /** The minimum time from the start of its back-off to the recovery. */
  readonly recoversAfter: number;
}

/** The default of kubelets, and that of a kubelet with a short maximum. Seconds. */
export const longestBackOffs = { default: 300, short: 10 } as const;

/** The cases to which the goal applies. */
const usual: readonly Case[] = [0, 5].flatMap((runsFor) =>
  [3, 4].map((restarts) => ({ runsFor, restarts, longestBackOff: longestBackOffs.default, recoversAfter: 5 })),
);
/**
 * The worst moment: the kubelet might restart a container that has just exited at once, so weeder waits for up to 2 s.
 */
const worst: readonly Case[] = [0, 5].map((runsFor) => ({
  runsFor,
  restarts: 4,
  longestBackOff: longestBackOffs.default,
  recoversAfter: 0,
}));
/** With the default, the back-off would be 40 s. */
const short: readonly Case[] = [5, 0].flatMap((recoversAfter) =>
  [0, 5].map((runsFor) => ({ runsFor, restarts: 3, longestBackOff: longestBackOffs.short, recoversAfter })),
);

export const cases = [...usual, ...worst, ...short];

/** The cases of one node. */
export function casesOf(longest: number): readonly Case[] {
  return cases.filter(({ longestBackOff }) => longestBackOff === longest);
}

/** The back-off when the service recovers: none after the first exit, then 10 s, doubling each time. Seconds. */
export function backOffOf({ restarts, longestBackOff }: Case): number {
  return restarts === 0 ? 0 : Math.min(longestBackOff, 10 * 2 ** (restarts - 1));
}

/** One dependant with its own service, in its own namespace. */
export interface Trial extends Case {
  /** The namespace. */
  readonly name: string;
  readonly hasWeeder: boolean;
  /** The port of the service on the host's network. */
  readonly port: number;
}

/** The result of a trial. */
export interface Outcome extends Case {
  /** Whether weeder watched the service. */
  readonly hasWeeder: boolean;
  /** From the service's EndpointSlice being ready to the dependant's pod being Ready, as a watcher of both saw it. */
  readonly seconds: number;
  /** From that moment to the deletion of the pod, as the same watcher saw it. Only if the pod was deleted. */
  readonly deletedAfter?: number | undefined;
  /** The state of the dependant that the kubelet reported at that moment. */
  readonly reported: 'terminated' | 'CrashLoopBackOff';
  /** How long it had been in this back-off, by the node's clock. Whole seconds. */
  readonly backOffElapsed: number;
  /** Whether another pod became Ready. */
  readonly replaced: boolean;
}

/** The services of the trials with and without weeder: its config names only the first. */
export const services = { withWeeder: 'store', withoutWeeder: 'store-without-weeder' } as const;

/** All trials of `runs` runs; those with more restarts first, because these take longer to reach. */
export function trialsOf(kinds: readonly Case[], runs: number, ports: readonly number[]): Trial[] {
  const slowestFirst = [...kinds].sort((a, b) => b.restarts - a.restarts);
  const trialsByRun = Array.from({ length: runs }, (_, run) =>
    slowestFirst.flatMap((one) => [false, true].map((hasWeeder) => ({ ...one, hasWeeder, run: run + 1 }))),
  );
  return trialsByRun.flat().map(({ run, ...one }, index) => ({
    ...one,
    name: `runs-${one.runsFor}s-back-off-${backOffOf(one)}s-recovers-${one.recoversAfter}s-${one.hasWeeder ? 'with' : 'without'}-${run}`,
    port: ports[index] ?? 0,
  }));
}
