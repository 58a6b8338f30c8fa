import type { Clock } from '@weeder/kube-runtime/base';
import type { RolloutEffectInput, RolloutEvent } from '../../../machines/restart/rollout.ts';
import type { EffectInput, WorkloadEvent } from '../../../machines/restart/workload.ts';
import type { Defer, Random } from '../../actors/effect.ts';
import type { StateOwner } from '../content/stateOwner.ts';
import type { HashKeys } from '../digest/hashKeys.ts';
import type { Recreations } from '../jobs/recreations.ts';
import type { RestartSchedule } from '../pace/restartSchedule.ts';
import type { ReportRestart } from '../references/events.ts';
import type { SourceRef } from '../references/refs.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';
import type { RestartApi } from '../requests/restartApi.ts';
import type { Digests } from '../sources/digests.ts';
import type { SourcesKnown } from '../sources/sourceIndex.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/** The dependencies of the effects of the `workload` and `rollout` machines. */
export interface RestartEffects {
  readonly clock: Clock;
  readonly api: RestartApi;
  readonly digests: Digests;
  readonly schedule: RestartSchedule;
  readonly recreations: Recreations;
  readonly report: ReportRestart;
  readonly random: Random;
  readonly isDryRun: boolean;
  /** Whether this source has been read, if it exists: before that it must not be taken for absent. */
  readonly hasRead: (source: SourceRef) => boolean;
  /** Undefined: the keys have not been read yet, or are not usable. */
  readonly keys: () => HashKeys | undefined;
  readonly sources: SourcesKnown;
  readonly ownerOf: (summary: WorkloadSummary) => StateOwner;
  readonly entryOf: (workload: string) => WorkloadEntry | undefined;
  /** Takes the workload from the response to a write, before its stream delivers it. */
  readonly observeWrite: (entry: WorkloadEntry, object: unknown) => void;
  /** The requests in flight. */
  readonly inFlight: Set<Promise<unknown>>;
}

/** One asynchronous effect, whose result is the event that the machine receives. */
export type RestartEffect<Input, Event> = (
  entry: WorkloadEntry,
  input: Input,
  signal: AbortSignal,
  afterwards: Defer,
) => Promise<Event>;

export type WorkloadEffect = RestartEffect<EffectInput, WorkloadEvent>;
export type RolloutEffect = RestartEffect<RolloutEffectInput, RolloutEvent>;
