import type { Actor } from 'xstate';
import type { window } from '../../../machines/weeder/window.ts';
import type { PodIndex } from '../pods/podIndex.ts';
import type { DeletionPolicy } from './deletePod.ts';
import type { DeletionRounds } from './deletionRounds.ts';
import type { WindowRef } from './weederEvents.ts';

/** The state of one window: what it requests, and what it has done so far. */
export interface WindowEntry extends WindowRef {
  readonly actor: Actor<typeof window>;
  /** By the monotonic clock, in milliseconds. */
  readonly openedAt: number;
  /** By the monotonic clock: when the window ends, even if its timer is late because the process was suspended. */
  closesAt: number;
  /** One for each podSelector of the service, in the order of the config, and one for the pods that declare it. */
  requests: readonly DeletionRequest[];
  readonly deleted: Set<string>;
  readonly skipped: Set<string>;
  readonly failed: Set<string>;
  /** How often the pods of each owner were deleted. */
  readonly rounds: DeletionRounds;
  /** The uids of pods with a deletion in flight. Its outcome is counted here, even if the window closes meanwhile. */
  readonly pending: Set<string>;
}

/** A request to delete pods: the dependants of one window in one index. */
export interface DeletionRequest {
  readonly window: WindowEntry;
  readonly policy: DeletionPolicy;
  readonly index: PodIndex;
  /** The uids of the pods that it requests to delete. */
  readonly uids: Set<string>;
}
