import type { Config } from '../config/config.ts';
import { distinctSelectors } from '../config/selectors.ts';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import { matchesSelector } from '../kube/selector.ts';
import type { ChangeType } from '../kube/sink.ts';
import type { StreamNeed } from '../kube/streamNeed.ts';
import { toldOf } from '../recording/told.ts';
import { type VirtualClock, virtualClock } from '../virtualClock.ts';
import { type BackOff, backOffOf } from '../weeder/backOff.ts';
import { labelsOf } from '../weeder/fanOut.ts';
import type { ReadySince } from '../weeder/readySince.ts';
import { streamsOf } from '../weeder/streams.ts';
import { createWeeder, type Weeder } from '../weeder/weeder.ts';
import type { Timed } from './replayRecording.ts';

/** A pod that weeder would have deleted. */
export interface WouldDelete {
  readonly pod: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Milliseconds since the window opened. */
  readonly sinceOpened: number;
  readonly isSilent: boolean;
  readonly backOff: BackOff;
}

/** What weeder would have done. */
export interface WhatIf {
  readonly startedAt: number;
  readonly facts: readonly Timed[];
  readonly deleted: readonly WouldDelete[];
  /** Sources whose content nobody read then: each write of them counts as a change. */
  readonly unread?: readonly string[];
}

export interface WhatIfOptions {
  readonly config: Config;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly concurrentDeletions: number;
  readonly readySince: ReadySince;
}

/** A weeder in simulated time whose deletions are all accepted: a pod is gone then, whatever is told of it later. */
export interface WhatIfStage {
  readonly clock: VirtualClock;
  /** The one at work now. */
  readonly weeder: Weeder;
  /** A fresh weeder takes the place of the one before, which stops. */
  renew(config: Config): void;
  pod(type: ChangeType, object: JsonObject): void;
  /** Awaits the end of the last window. */
  end(): Promise<WhatIf>;
}

/** What happens after the last input is awaited for this long: longer than any window that is open then. */
const margin = 60_000;

export function whatIfStage({ config, startedAt, concurrentDeletions, readySince }: WhatIfOptions): WhatIfStage {
  const clock = virtualClock(startedAt);
  const facts: Timed[] = [];
  const deleted: WouldDelete[] = [];
  const gone = new Set<string>();
  const newest = new Map<string, JsonObject>();
  const selectors = distinctSelectors(config);
  const create = (its: Config) =>
    createWeeder({
      config: its,
      runtime: { clock },
      concurrentDeletions,
      isDryRun: false,
      random: () => 0.5,
      readySince,
      deletePod: async ({ uid }) => {
        gone.add(uid);
        // The watch tells of it a moment after the answer.
        clock.setTimeout(() => deal('DELETED', newest.get(uid) ?? {}), 1);
        return { type: 'delete.accepted' };
      },
      report(fact) {
        facts.push(...toldOf(fact).map((told) => ({ t: clock.monotonic(), ...told })));
        if (fact.type !== 'pod.deleted') return;
        const { pod, sinceOpened } = fact;
        const backOff = backOffOf(pod);
        const isSilent = pod.cause === 'silent';
        deleted.push({ pod: `${pod.namespace}/${pod.name}`, at: clock.now(), sinceOpened, isSilent, backOff });
      },
    });
  let weeder = create(config);
  let streams = podStreamsOf(weeder, config);

  /** To a stream that does not select a pod, it looks as if it had gone. */
  function deal(type: ChangeType, object: JsonObject): void {
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
    renew(its) {
      weeder.stop();
      weeder = create(its);
      streams = podStreamsOf(weeder, its);
    },
    pod(type, object) {
      const uid = textOf(objectOf(object['metadata'])['uid']) ?? '';
      if (gone.has(uid)) return;
      newest.set(uid, object);
      deal(type, object);
    },
    async end() {
      const longest = Math.max(0, ...[...config.services.values()].map(({ watchDuration }) => watchDuration));
      await clock.pass(longest + margin);
      return { startedAt, facts, deleted };
    },
  };
}

/** They are complete from the start, and hear of each pod that is told of. */
function podStreamsOf(weeder: Weeder, config: Config): readonly StreamNeed[] {
  const streams = streamsOf(weeder, config, 'all').filter(({ kind }) => kind === 'Pod');
  for (const { sink } of streams) {
    sink.begin();
    sink.end();
  }
  return streams;
}
