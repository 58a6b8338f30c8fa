import type { DependantsEvent } from '../../../machines/weeder/dependants.ts';
import type { ServiceSettings } from '../../config/config.ts';
import type { PodIndex, Scope } from '../pods/podIndex.ts';
import type { DeletionPolicy } from './deletePod.ts';
import type { WindowRef } from './weederEvents.ts';

/** Dependants of a service: a part of an index. */
export interface Dependants {
  readonly index: PodIndex;
  readonly scope: Scope;
}

/** How the config has the service's dependants deleted, how fast, and when. */
export type RequestPolicy = DeletionPolicy & Pick<ServiceSettings, 'pace' | 'maintenanceWindows'>;

/** What one `dependants` child of a service requests: the deletion of its crash-looping pods. */
export interface DeletionRequest extends Pick<Dependants, 'index'> {
  readonly window: WindowRef;
  /** When the window opened, by the monotonic clock in milliseconds. */
  readonly openedAt: number;
  /** By the monotonic clock: when the window ends, even if its timer is late because the process was suspended. */
  closesAt: number;
  policy: RequestPolicy;
  /** Informs the child about the outcomes. */
  readonly send: (event: DependantsEvent) => void;
  /** The uids of the pods that it wants to be deleted. */
  readonly uids: Set<string>;
  /** Those with an attempt in flight whose outcome it awaits, even if it has withdrawn them. */
  readonly pending: Set<string>;
}
