import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import {
  createStreamStatuses,
  longestFirstList,
  type StreamStatus,
  type StreamStatuses,
  unavailableStreams,
} from '@weeder/kube-runtime/watch';

interface ProcessStreamsOptions {
  readonly clock: Clock;
  /** The streams that have to be open now, by name. */
  readonly needs: () => ReadonlyMap<string, StreamNeed>;
  /** Whether the process still waits for the first lists. */
  readonly isSyncing: () => boolean;
  /** Called when other streams than before are waited for. */
  readonly onChanged: () => void;
}

interface ProcessStreams extends Pick<StreamStatuses, 'forget' | 'totals'> {
  /** The names of all streams, or of some. */
  names(isIncluded?: (need: StreamNeed) => boolean): string[];
  /** The names of those that nothing waits for. */
  notAwaited(): string[];
  /** Whether the API server refuses the stream, or serves it slowly, while it serves its peers. */
  isUnavailable(name: string): boolean;
  /** The status of every stream that was started. */
  all(): StreamStatus[];
  /** Takes the reports of the reflectors. */
  readonly statuses: StreamStatuses;
  stop(): void;
}

/** The streams of all controllers, and for which of them the start waits. */
export function createProcessStreams({ clock, needs, isSyncing, onChanged }: ProcessStreamsOptions): ProcessStreams {
  const statuses = createStreamStatuses(clock);
  let unavailable: ReadonlySet<string> = new Set();
  let slowTimer: TimerHandle | undefined;
  /** False while every stream is read in time, so that hundreds of streams are not examined each time one is synced. */
  let mayBeSkipped = false;

  const isOptional = (need: StreamNeed | undefined) => need?.isOptional === true;
  const isNotAwaited = (need: StreamNeed) => isOptional(need) || need.isAwaited === false || unavailable.has(need.name);
  const names = (isIncluded: (need: StreamNeed) => boolean = () => true) =>
    [...needs().values()].filter(isIncluded).map(({ name }) => name);

  function all(): StreamStatus[] {
    const now = needs();
    return statuses.all().map((status) => {
      const need = now.get(status.name);
      const isMissing = need?.whenMissing !== undefined && status.problem === need.whenMissing;
      return { ...status, isOptional: isOptional(need), peers: need?.peers, isMissing };
    });
  }

  /** Stops waiting for streams that the API server refuses or serves slowly while it serves their peers. */
  function skipUnavailable(): void {
    if (!isSyncing()) return;
    const before = unavailable;
    unavailable = unavailableStreams(all());
    if (unavailable.size !== before.size || [...unavailable].some((name) => !before.has(name))) onChanged();
  }

  function startSkipping(): void {
    mayBeSkipped = true;
    skipUnavailable();
  }

  return {
    names,
    notAwaited: () => names(isNotAwaited),
    isUnavailable: (name) => unavailable.has(name),
    all,
    totals: statuses.totals,
    forget: statuses.forget,
    statuses: {
      ...statuses,
      synced(name, objects) {
        statuses.synced(name, objects);
        if (mayBeSkipped) skipUnavailable();
        if (isSyncing()) slowTimer ??= clock.setTimeout(startSkipping, longestFirstList);
      },
      lost(name, reason, problem, details) {
        statuses.lost(name, reason, problem, details);
        if (details?.isRefused === true) startSkipping();
      },
    },
    stop() {
      clock.clearTimeout(slowTimer);
    },
  };
}
