import type { Clock } from '../clock.ts';
import type { Digests } from './digests.ts';
import type { ReportRestart } from './facts.ts';
import type { HashKeys } from './hashKeys.ts';
import type { StateOwner } from './ownState.ts';
import type { Recreations } from './recreations.ts';
import type { SourceRef } from './refs.ts';
import type { RestartApi } from './restartApi.ts';
import type { SourcesKnown } from './sourceIndex.ts';
import type { Turns } from './turns.ts';
import type { WorkloadEntry } from './workloadEntry.ts';
import type { WorkloadFacts } from './workloadFacts.ts';

/** What the `workload` machine needs of the world. */
export interface RestartEffects {
  readonly clock: Clock;
  readonly api: RestartApi;
  readonly digests: Digests;
  readonly turns: Turns;
  readonly recreations: Recreations;
  readonly report: ReportRestart;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  readonly isDryRun: boolean;
  /** Whether this source has been read, if there is one: before that it must not be taken for absent. */
  readonly hasRead: (source: SourceRef) => boolean;
  /** Undefined: not read yet, or not usable. */
  readonly keys: () => HashKeys | undefined;
  readonly sources: SourcesKnown;
  readonly ownerOf: (facts: WorkloadFacts) => StateOwner;
  readonly entryOf: (workload: string) => WorkloadEntry | undefined;
  /** What a write has made of a workload, before its stream tells. */
  readonly learn: (entry: WorkloadEntry, object: unknown) => void;
  /** Requests that are under way. */
  readonly inFlight: Set<Promise<unknown>>;
}
