/** How a dependant behaves without its service, and when the service recovers. Seconds. */
export interface Case {
  /** How long it runs before it exits. */
  readonly runsFor: number;
  /** Its back-off when the service recovers. */
  readonly backOff: number;
  /** The minimum time from the start of that back-off to the recovery. */
  readonly recoversAfter: number;
}

/** The cases to which the goal applies. */
const usual: readonly Case[] = [0, 5].flatMap((runsFor) =>
  [40, 80].map((backOff) => ({ runsFor, backOff, recoversAfter: 5 })),
);
/**
 * The worst moment: the kubelet might restart a container that has just exited at once, so weeder waits for up to 2 s.
 */
const worst: readonly Case[] = [0, 5].map((runsFor) => ({ runsFor, backOff: 80, recoversAfter: 0 }));

export const cases = [...usual, ...worst];

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

/** All trials of `runs` runs; those with longer back-offs first, because these take longer to reach. */
export function trialsOf(runs: number, ports: readonly number[]): Trial[] {
  const kinds = [...cases].sort((a, b) => b.backOff - a.backOff);
  const each = Array.from({ length: runs }, (_, run) =>
    kinds.flatMap((one) => [false, true].map((hasWeeder) => ({ ...one, hasWeeder, run: run + 1 }))),
  );
  return each.flat().map(({ runsFor, backOff, recoversAfter, hasWeeder, run }, index) => ({
    runsFor,
    backOff,
    recoversAfter,
    hasWeeder,
    name: `runs-${runsFor}s-back-off-${backOff}s-recovers-${recoversAfter}s-${hasWeeder ? 'with' : 'without'}-${run}`,
    port: ports[index] ?? 0,
  }));
}
