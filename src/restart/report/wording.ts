import { timeInSeconds } from '@weeder/kube-runtime/base';
import { withFullStop } from '../../controller/report/wording.ts';
import { isForNextRun } from '../kinds/kinds.ts';
import type { AboutWorkload, BlockCause, PendingCause, RestartHow, SourceChange } from '../references/events.ts';
import { sourceKey } from '../references/refs.ts';

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

/**
 * The current run of a CronJob ends with the content that it started with: whatever the strategy, no pod is evicted or
 * replaced.
 */
const forNextRun = { ...restarted.rollout, words: 'its next run has the new content' } as const;

function contentOf({ workload, how }: Restarted) {
  return isForNextRun(workload.kind) && how !== 'dryRun' ? forNextRun : restarted[how];
}

export function restartMessage(event: Restarted): string {
  if (event.how === 'dryRun') return 'workload would be restarted (dry run)';
  return `workload restarted: ${contentOf(event).words}`;
}

/** The Event of a restart, without the sources. */
export function restartContent(event: Restarted) {
  const { words, ...kind } = contentOf(event);
  return { ...kind, type: 'Normal', outcome: words.charAt(0).toUpperCase() + words.slice(1) } as const;
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
