import type { TimerHandle } from '../../base/clock.ts';
import { track } from '../../base/promises.ts';
import type { RestartEffects } from '../effects/restartEffects.ts';
import type { WorkloadEntry } from '../effects/workloadEntry.ts';
import { ownPods, podFailuresOf } from '../pods/ownPods.ts';
import { readPods } from '../pods/podSummary.ts';
import { rolloutOf, templateTextOf } from '../pods/rollout.ts';
import { stallTimeOf, startsOf } from './stall.ts';

interface Listener {
  /** The restart has to wait for the rollout; called once. */
  readonly onPending: (reason: string) => void;
  /** The rollout is complete or has stalled; called once. */
  readonly onOver: () => void;
}

/**
 * Waits for a rollout that another client has started, such as a release: its pods may have the new content already. The
 * restart does not wait for a stalled rollout, which it may repair, and waits no longer than `progressDeadline`. Returns
 * a function that stops the wait.
 */
export function awaitRollout(
  effects: RestartEffects,
  entry: WorkloadEntry,
  { onPending, onOver }: Listener,
): () => void {
  const { clock, api, inFlight, report } = effects;
  const stop = new AbortController();
  let timer: TimerHandle | undefined;
  let hasReported = false;

  function end(): void {
    clock.clearTimeout(timer);
    stop.abort();
    entry.watchers.delete(check);
  }

  function over(): void {
    if (stop.signal.aborted) return;
    end();
    entry.awaitsRolloutSince = undefined;
    entry.podStarts = undefined;
    onOver();
  }

  /** Uses the timestamps of the workload: each change of a source starts this wait again, and must not reset them. */
  function isWaitedFor(): boolean {
    const { progressDeadline = 0 } = entry.settings ?? {};
    entry.awaitsRolloutSince ??= clock.monotonic();
    const hasMoved = clock.monotonic() - entry.lastProgressAt < stallTimeOf(entry);
    return hasMoved && clock.monotonic() - entry.awaitsRolloutSince < progressDeadline;
  }

  async function checkPods(): Promise<void> {
    const { summary } = entry;
    if (summary.selector === undefined) return;
    const listed = await api.listPods(summary.ref.namespace, summary.selector, stop.signal);
    if (listed.is !== 'ok' || stop.signal.aborted) return;
    const own = ownPods(summary, readPods(listed.value));
    noteStarts(startsOf(own));
    if (podFailuresOf(summary, own) !== undefined) over();
  }

  /** What the first list shows may have been so for long. */
  function noteStarts(starts: string): void {
    if (entry.podStarts !== undefined && entry.podStarts !== starts) entry.lastProgressAt = clock.monotonic();
    entry.podStarts = starts;
  }

  function check(): void {
    clock.clearTimeout(timer);
    if (!isUnderWay(entry) || !isWaitedFor()) {
      over();
      return;
    }
    timer = clock.setTimeout(check, pollInterval);
    if (!hasReported) onPending('a rollout of another client is in progress, which may have the new content');
    hasReported = true;
    const checked = checkPods().catch((error: unknown) =>
      report({ type: 'actor.failed', actor: `awaitRollout of ${entry.id}`, error }),
    );
    track(inFlight, checked);
  }

  entry.watchers.add(check);
  check();
  return end;
}

/**
 * Whether some pod has an older template. Pods that are not ready are not a rollout, and neither is a new version with the
 * same template: a Deployment gets one with each annotation, such as weeder's own.
 */
function isUnderWay({ summary, observedTemplate }: WorkloadEntry): boolean {
  const now = rolloutOf(observedTemplate === templateTextOf(summary) ? { ...summary, generation: 0 } : summary);
  if (now.is === 'unobserved') return true;
  return now.is === 'progressing' && !now.isOverdue && (now.done < now.of || now.old > 0);
}

/** The interval between checks of a rollout without updates. Milliseconds. */
export const pollInterval = 5_000;
