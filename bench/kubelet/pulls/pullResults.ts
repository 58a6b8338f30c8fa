import { median, percentile } from '../../support/statistics.ts';
import { table } from '../../support/table.ts';

/** The result of one pod. */
export interface PullOutcome {
  /** How long the registry was away. Seconds. */
  readonly outage: number;
  /** Whether the pod declared the registry. */
  readonly hasWeeder: boolean;
  /** From the EndpointSlice of the registry being ready to a pod of the Deployment being Ready, as a watcher saw both. */
  readonly seconds: number;
  /** Whether another pod became Ready. */
  readonly replaced: boolean;
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
