import type { Clock } from '@weeder/kube-runtime/base';
import type { RestartEvent } from '../../restart/references/events.ts';
import type { Restarter } from './restarter.ts';
import type { Rollout } from './rollout.ts';
import type { Shop } from './shop.ts';
import { type Chapter, quiet, type Stage } from './story.ts';

/** The outcome of a chapter. */
export interface ChapterResult {
  readonly chapter: Chapter;
  /** The rollouts during the chapter. */
  readonly rollouts: readonly Rollout[];
  /** Pods that run with outdated content of their sources. */
  readonly stale: readonly string[];
  /** Whether all rollouts ended in time. */
  readonly isSettled: boolean;
}

interface StoryParts {
  readonly clock: Clock;
  readonly shop: Shop;
  readonly restarter: Restarter;
}

/** The time limit for a chapter to settle, and the polling interval. Milliseconds. */
const patience = 120_000;
const pollInterval = 100;

/** Returns what plays a chapter, in a shop that has settled. */
export async function chapterPlayer({ clock, shop, restarter }: StoryParts) {
  const pass = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const stage: Stage = { shop, restarter, pass };

  async function rest(): Promise<boolean> {
    const deadline = clock.monotonic() + patience;
    while (!(shop.isSettled() && restarter.isSettled())) {
      if (clock.monotonic() > deadline) return false;
      await pass(pollInterval);
    }
    return true;
  }

  await rest();
  return async (chapter: Chapter): Promise<ChapterResult> => {
    const before = shop.rollouts.length;
    await chapter.play(stage);
    await pass(quiet);
    const isSettled = await rest();
    const rollouts = shop.rollouts.slice(before);
    return { chapter, rollouts, stale: shop.podsWithOldContent(), isSettled };
  };
}

/** One sentence for each unexpected outcome. */
export function deviationsOf(
  { chapter, rollouts, stale, isSettled }: ChapterResult,
  events: readonly RestartEvent[],
): string[] {
  const restarted = rollouts.map(({ workload }) => workload.name).toSorted();
  const needed = chapter.needed.toSorted();
  const { type, of } = chapter.expected;
  const reportedFor = events.flatMap((event) => (event.type === type ? [event.workload.name] : []));
  const errors: string[] = [];
  if (restarted.join() !== needed.join()) errors.push(`rollouts of ${listed(restarted)} instead of ${listed(needed)}`);
  if ([...new Set(reportedFor)].toSorted().join() !== of.toSorted().join())
    errors.push(`${type} was reported for ${listed(reportedFor)} instead of ${listed(of)}`);
  if (stale.length > 0) errors.push(`old content in ${listed(stale)}`);
  if (!isSettled) errors.push('it did not settle');
  return errors.map((error) => `"${chapter.title}": ${error}.`);
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.join(', ');
}
