import { z } from 'zod';
import { median, percentile } from '../../support/statistics.ts';
import { table } from '../../support/table.ts';

const PullOutcome = z.object({
  /** How long the registry was away. Seconds. */
  outage: z.number(),
  /** Whether the pod declared the registry. */
  hasWeeder: z.boolean(),
  /** From the EndpointSlice of the registry being ready to a pod of the Deployment being Ready, as a watcher saw both. */
  seconds: z.number(),
  /** Whether another pod became Ready. */
  replaced: z.boolean(),
});
export type PullOutcome = z.infer<typeof PullOutcome>;

/** The results of a measurement. The committed ones are in `results.json`. */
export const PullResults = z.object({
  /** The day. */
  measured: z.string(),
  kubelet: z.string(),
  runtime: z.string(),
  machine: z.string(),
  /** Pods of each outage, with weeder and without. */
  runs: z.number(),
  outcomes: z.array(PullOutcome),
});
export type PullResults = z.infer<typeof PullResults>;

/** A section of docs/development/benchmarks.md. */
export function pullsReport({ measured, kubelet, runtime, machine, runs, outcomes }: PullResults): string {
  return [
    `## Images of a registry that was away

A real kubelet has pods that wait for an image, each of its own, from registries that are away. Half of the pods declare the registry, and weeder deletes these. The time runs from the EndpointSlice of the registry becoming ready to a pod being Ready. The kubelet keeps the back-off of a pull for the uid of the pod and the image, so that a new pod pulls at once. A status shows a failed pull only when the kubelet looks at the pod again, 10 to 15 s later.`,
    pullsTable(outcomes),
    `Medians of ${runs} pods, with the range, measured on ${measured} by \`npm run bench:kubelet -- --pulls --write\` with ${kubelet} and ${runtime}, ${machine}.`,
  ].join('\n\n');
}

/** One row for each length of the outage. */
export function pullsTable(outcomes: readonly PullOutcome[]): string {
  const rows = [...new Set(outcomes.map(({ outage }) => outage))].map((outage) => {
    const of = (hasWeeder: boolean) =>
      words(outcomes.filter((each) => each.outage === outage && each.hasWeeder === hasWeeder));
    return [`${outage} s`, of(false), of(true)];
  });
  return table(['the registry is away for', 'without weeder', 'with weeder'], rows);
}

function words(outcomes: readonly PullOutcome[]): string {
  const seconds = outcomes.map((each) => each.seconds);
  const [low, middle, high] = [percentile(seconds, 0), median(seconds), percentile(seconds, 100)].map((each) =>
    each.toFixed(1),
  );
  return `${middle} s (${low}–${high})`;
}
