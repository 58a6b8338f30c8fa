import { readPod } from './podFacts.ts';
import { ownPods, troubleOf } from './proof.ts';
import type { RestartEffects } from './restartEffects.ts';
import { rolloutOf } from './rollout.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/**
 * Tells, look by look, whether a rollout that somebody else has begun goes on: its end may prove that no restart is
 * needed (F3). One that stands still, or whose newest pods are in trouble, is none: what has changed may be its cure (F9).
 */
export function watchForeignRollout({ api, clock }: RestartEffects, entry: WorkloadEntry) {
  let progress = '';
  let progressedAt = clock.monotonic();

  return async (signal: AbortSignal): Promise<boolean> => {
    const { facts, settings, finding } = entry;
    // One that is followed no longer, because it stands still, is our own.
    if (!isTurningOver(entry) || finding?.state?.target !== undefined || facts.selector === undefined) return false;
    const text = JSON.stringify(rolloutOf(facts));
    if (text !== progress) progressedAt = clock.monotonic();
    progress = text;
    if (clock.monotonic() - progressedAt >= (settings?.stallAfter ?? 0)) return false;
    const listed = await api.listPods(facts.ref.namespace, facts.selector, signal);
    if (listed.is !== 'ok') return true;
    const own = ownPods(
      facts,
      listed.value.flatMap((each) => readPod(each) ?? []),
    );
    const newest = Math.max(...own.map(({ createdAt = 0 }) => createdAt));
    return (
      troubleOf(
        facts,
        own.filter(({ createdAt = 0 }) => createdAt === newest),
      ) === undefined
    );
  };
}

/** Pods of an older template are still to be replaced; that new ones are not available yet proves nothing more. */
export function isTurningOver({ facts }: WorkloadEntry): boolean {
  const progress = rolloutOf(facts);
  return (
    progress.is === 'unobserved' || (progress.is === 'progressing' && (progress.done < progress.of || progress.old > 0))
  );
}
