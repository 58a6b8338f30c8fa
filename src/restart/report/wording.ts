import { timeInSeconds } from '../../base/clock.ts';
import { withFullStop } from '../../controller/report/wording.ts';
import type { AboutWorkload, BlockCause, PendingCause, RestartHow, SourceChange } from '../model/events.ts';
import { sourceKey } from '../model/refs.ts';

const restarted = {
  rollout: { reason: 'Restarted', action: 'Rollout', words: 'its pods are replaced by a rollout' },
  evict: { reason: 'Restarted', action: 'Evict', words: 'its pods are evicted one by one' },
  recreate: { reason: 'Restarted', action: 'Recreate', words: 'it is recreated' },
  replace: { reason: 'Restarted', action: 'Replace', words: 'all of its pods are terminated before new ones start' },
  dryRun: { reason: 'RestartDryRun', action: 'DryRun', words: 'it would be restarted (dry run)' },
} as const;

interface Restarted extends AboutWorkload {
  readonly how: RestartHow;
}

export function restartMessage({ workload, how }: Restarted): string {
  if (how === 'dryRun') return 'workload would be restarted (dry run)';
  const isForNextRun = workload.kind === 'CronJob' && how === 'rollout';
  return `workload restarted: ${isForNextRun ? 'its next run has the new content' : restarted[how].words}`;
}

/** The Event of a restart, without the sources. The current run of a CronJob ends with the content that it started with. */
export function restartContent({ workload, how }: Restarted) {
  const { words, ...kind } = restarted[how];
  const isForNextRun = workload.kind === 'CronJob' && how !== 'dryRun';
  const outcome = isForNextRun ? 'its next run has the new content' : words;
  return { ...kind, type: 'Normal', outcome: outcome.charAt(0).toUpperCase() + outcome.slice(1) } as const;
}

interface Why {
  readonly reason: string;
  readonly until?: number | undefined;
}

export function why({ reason, until }: Why): string {
  return until === undefined ? withFullStop(reason) : `${reason.replace(/\.$/, '')}, until ${timeInSeconds(until)}.`;
}

export function whyFields({ cause, reason, until }: Why & { readonly cause: PendingCause | BlockCause }): object {
  return { cause, reason, ...(until === undefined ? {} : { until: new Date(until).toISOString() }) };
}

interface Changed {
  readonly sources: readonly SourceChange[];
}

export function changeFields({ sources }: Changed) {
  return { sources: sources.map(({ source, keys }) => ({ source: sourceKey(source), keys })) };
}

export function changesIn({ sources }: Changed): string {
  return sources
    .map(({ source, keys }) => `${sourceKey(source)}${keys.length === 0 ? '' : ` (${keys.join(', ')})`}`)
    .join(', ');
}
