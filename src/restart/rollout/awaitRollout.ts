import type { TimerHandle } from '@weeder/kube-runtime/base';
import { track } from '../../base/promises.ts';
import type { RestartEffects } from '../patches/restartEffects.ts';
import { type WorkloadEntry, watchVersions } from '../patches/workloadEntry.ts';
import { ownPods, podFailuresOf } from '../pods/ownPods.ts';
import { readPods } from '../pods/podSummary.ts';
import { awaitsRollout, beginWait, endWait, isUnderWay, recordStarts } from '../pods/progress.ts';
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
    unwatch();
  }

  function over(): void {
    if (stop.signal.aborted) return;
    end();
    endWait(entry);
    onOver();
  }

  /** Uses the timestamps of the workload: each change of a source starts this wait again, and must not reset them. */
  function isWaitedFor(): boolean {
    const { progressDeadline = 0 } = entry.observed.settings ?? {};
    const now = clock.monotonic();
    beginWait(entry, now);
    const { changedAt, awaitedSince = now } = entry.progress;
    return now - changedAt < stallTimeOf(entry.observed) && now - awaitedSince < progressDeadline;
  }

  async function checkPods(): Promise<void> {
    const { summary } = entry.observed;
    if (summary.selector === undefined) return;
    const listed = await api.listPods(summary.ref.namespace, summary.selector, stop.signal);
    if (listed.type !== 'ok' || stop.signal.aborted) return;
    const own = ownPods(summary, readPods(listed.value));
    recordStarts(entry, startsOf(own), clock.monotonic());
    if (podFailuresOf(summary, own) !== undefined) over();
  }

  function check(): void {
    clock.clearTimeout(timer);
    if (!isUnderWay(entry.observed.summary, entry.progress) || !isWaitedFor()) {
      over();
      return;
    }
    timer = clock.setTimeout(check, pollInterval);
    if (!hasReported) onPending(awaitsRollout);
    hasReported = true;
    const checked = checkPods().catch((error: unknown) =>
      report({ type: 'actor.failed', actor: `awaitRollout of ${entry.id}`, error }),
    );
    track(inFlight, checked);
  }

  const unwatch = watchVersions(entry, check);
  check();
  return end;
}

/** The interval between checks of a rollout without updates. Milliseconds. */
export const pollInterval = 5_000;
