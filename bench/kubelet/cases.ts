/** What a dependant does without its service, and when the service comes back. Seconds. */
export interface Case {
  /** How long it lives before it exits. */
  readonly lives: number;
  /** The back-off in which it sits when the service is ready again. */
  readonly backOff: number;
  /** How long after the beginning of that back-off, at the earliest. */
  readonly returnsAfter: number;
}

/** Those that the goal is for. */
const usual: readonly Case[] = [0, 5].flatMap((lives) =>
  [40, 80].map((backOff) => ({ lives, backOff, returnsAfter: 5 })),
);
/** The worst moment: what has only just exited might still be restarted at once, so weeder waits for up to 2 s. */
const worst: readonly Case[] = [0, 5].map((lives) => ({ lives, backOff: 80, returnsAfter: 0 }));

export const cases = [...usual, ...worst];

/** One dependant with a service of its own, in a namespace of its own. */
export interface Trial extends Case {
  /** The namespace. */
  readonly name: string;
  readonly helped: boolean;
  /** Of the service, on the host's network. */
  readonly port: number;
}

/** What came of it. */
export interface Outcome extends Case {
  /** Whether weeder watched the service. */
  readonly helped: boolean;
  /** From the service's EndpointSlice being ready to the dependant's pod being Ready, as a watcher of both saw it. */
  readonly seconds: number;
  /** From that same moment to the pod's deletion, seen by the same watcher; only where there was one. */
  readonly deletedAfter?: number | undefined;
  /** What the kubelet reported of the dependant at that moment. */
  readonly reported: 'terminated' | 'CrashLoopBackOff';
  /** Seconds that it had been in this back-off, by the node's clock, to the second. */
  readonly into: number;
  /** Whether it is another pod that became Ready. */
  readonly replaced: boolean;
}

/** The service of the trials that weeder is to help, and of the others: its config names the first only. */
export const services = { helped: 'store', unhelped: 'store-unaided' } as const;

/** All trials of `runs` runs; the longer back-offs first, because they take longer to grow. */
export function trialsOf(runs: number, ports: readonly number[]): Trial[] {
  const kinds = [...cases].sort((a, b) => b.backOff - a.backOff);
  const each = Array.from({ length: runs }, (_, run) =>
    kinds.flatMap((one) => [false, true].map((helped) => ({ ...one, helped, run: run + 1 }))),
  );
  return each.flat().map(({ lives, backOff, returnsAfter, helped, run }, index) => ({
    lives,
    backOff,
    returnsAfter,
    helped,
    name: `lives-${lives}s-back-off-${backOff}s-returns-${returnsAfter}s-${helped ? 'helped' : 'unaided'}-${run}`,
    port: ports[index] ?? 0,
  }));
}
