import { type JsonObject, numberOf, objectOf, type VirtualClock, virtualClock } from '@weeder/kube-runtime/base';
import { containerStatusesOf, labelsOf, matchesSelector, uidOf } from '@weeder/kube-runtime/objects';
import type { ChangeType, StreamNeed } from '@weeder/kube-runtime/watch';
import type { InspectionEvent } from 'xstate';
import { type Config, distinctSelectors, longestWindow } from '../../config/config.ts';
import { readNoLog } from '../../weeder/deletions/readLog.ts';
import type { ReportWeeder } from '../../weeder/deletions/weederEvents.ts';
import { type BackOff, backOffOf } from '../../weeder/pods/backOff.ts';
import type { CrashLoopingPod } from '../../weeder/pods/crashLooping.ts';
import { recordedWeederEventOf } from '../../weeder/recording/recordedWeederEvent.ts';
import type { ReadySince } from '../../weeder/services/readySince.ts';
import { streamsOf } from '../../weeder/streams.ts';
import { createWeeder, type Weeder } from '../../weeder/weeder.ts';
import type { TimelineEvent } from '../recorded/timelineEvent.ts';

/** A pod that weeder would have deleted. */
export interface WouldDelete {
  readonly pod: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Milliseconds since the window opened. */
  readonly sinceOpened: number;
  readonly cause: CrashLoopingPod['cause'];
  /** The pod replaced one that was deleted in the same window, and whose saved back-off was counted. */
  readonly isRepeated: boolean;
  readonly backOff: BackOff;
  /** When the kubelet restarted the container in the recording; epoch milliseconds. */
  restartedAt: number | undefined;
}

/** What weeder would have done. */
export interface WhatIfResult {
  readonly startedAt: number;
  readonly events: readonly TimelineEvent[];
  readonly deleted: readonly WouldDelete[];
}

interface WhatIfOptions {
  readonly config: Config;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly concurrentDeletions: number;
  readonly readySince: ReadySince;
  /** A deletion is reported as one of a dry run. */
  readonly report?: ReportWeeder;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** A weeder in simulated time. All deletions are accepted; later events of a deleted pod are ignored. */
export interface WhatIfWeeder {
  readonly clock: VirtualClock;
  /** The current weeder. */
  readonly weeder: Weeder;
  /** Stops the current weeder, and replaces it by a new one. */
  renew(config: Config): void;
  pod(type: ChangeType, object: JsonObject): void;
  /** What it would have done so far. */
  result(): WhatIfResult;
}

/** How long to wait after the longest window that may be open. Milliseconds. */
const margin = 60_000;

export function createWhatIfWeeder({
  config,
  startedAt,
  concurrentDeletions,
  readySince,
  report: reportDryRun = () => {},
  inspect,
}: WhatIfOptions): WhatIfWeeder {
  const clock = virtualClock(startedAt);
  const events: TimelineEvent[] = [];
  const deleted: WouldDelete[] = [];
  const byUid = new Map<string, { readonly pod: CrashLoopingPod; readonly would: WouldDelete }>();
  const newest = new Map<string, JsonObject>();
  const selectors = distinctSelectors(config);
  const create = (begun: Config) =>
    createWeeder({
      config: begun,
      runtime: { clock, ...(inspect === undefined ? {} : { inspect }) },
      concurrentDeletions,
      isDryRun: false,
      random: () => 0.5,
      readySince,
      readLog: readNoLog,
      deletePod: async ({ uid }) => {
        // The watch delivers the deletion a moment after the response.
        clock.setTimeout(() => deliver('DELETED', newest.get(uid) ?? {}), 1);
        return { type: 'delete.accepted' };
      },
      report(event) {
        events.push({ t: clock.monotonic(), ...recordedWeederEventOf(event) });
        reportDryRun(event.type === 'pod.deleted' ? { ...event, how: 'dryRun' } : event);
        if (event.type !== 'pod.deleted') return;
        const { pod, sinceOpened, isRepeated } = event;
        const backOff = backOffOf(pod);
        const name = `${pod.namespace}/${pod.name}`;
        const times = { at: clock.now(), sinceOpened, restartedAt: undefined };
        const would: WouldDelete = { pod: name, ...times, cause: pod.cause, isRepeated, backOff };
        deleted.push(would);
        byUid.set(pod.uid, { pod, would });
      },
    });
  let weeder = create(config);
  let streams = podStreamsOf(weeder, config);

  /** A stream that does not select the pod receives it as DELETED. */
  function deliver(type: ChangeType, object: JsonObject): void {
    for (const { sink, labelSelector } of streams) {
      const selector = selectors.get(labelSelector);
      const isSelected = selector === undefined || matchesSelector(selector, labelsOf(object));
      sink.apply(isSelected ? type : 'DELETED', object);
    }
  }

  return {
    clock,
    get weeder() {
      return weeder;
    },
    renew(renewed) {
      weeder.stop();
      weeder = create(renewed);
      streams = podStreamsOf(weeder, renewed);
    },
    pod(type, object) {
      const uid = uidOf(object);
      const deletion = byUid.get(uid);
      if (deletion !== undefined) {
        if (isRestarted(object, deletion.pod)) deletion.would.restartedAt ??= clock.now();
        return;
      }
      newest.set(uid, object);
      deliver(type, object);
    },
    result: () => ({ startedAt, events, deleted }),
  };
}

/** After the last input, for how long a window may be open. Milliseconds. */
export function restOf(config: Config): number {
  return longestWindow(config) + margin;
}

/** Returns true if the crash-looping container was restarted since then. */
function isRestarted({ status }: JsonObject, { container, restarts }: CrashLoopingPod): boolean {
  return containerStatusesOf(objectOf(status)).some(
    ({ name, restartCount }) => name === container && (numberOf(restartCount) ?? 0) > restarts,
  );
}

/** Returns the streams of pods: each is complete from the start, and receives every pod. */
function podStreamsOf(weeder: Weeder, config: Config): readonly StreamNeed[] {
  const streams = streamsOf(weeder, config, 'all').filter(({ kind }) => kind === 'Pod');
  for (const { sink } of streams) {
    sink.begin();
    sink.end();
  }
  return streams;
}
