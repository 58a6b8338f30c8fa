import type { ResourceState } from '../../../machines/observer/resource.ts';
import type { Wait } from '../entries/entries.ts';
import type { Identity } from '../objects/identity.ts';
import type { ReportedError } from '../spec/application.ts';

/** The conditions of an application, in their order in the status. */
export const conditionTypes = ['Ready', 'Reconciling', 'Stalled', 'Applied', 'InSync', 'Degraded', 'Invalid'] as const;
export type ConditionType = (typeof conditionTypes)[number];

/** The desired content of a condition. */
export interface DesiredCondition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word in CamelCase, for programs. */
  readonly reason: string;
  /** For users. */
  readonly message: string;
}

/** A condition without its type. */
export type ConditionContent = Omit<DesiredCondition, 'type'>;

/** A resource in the form that the conditions need. */
export interface ResourceView {
  readonly identity: Identity;
  readonly state: ResourceState;
  /** Its current manifest is applied. */
  readonly isApplied: boolean;
  /** Why it is refused, retried or claimed, or what blocks its deletion; empty otherwise. */
  readonly reason: string;
  /** What its deletion waits for, once it is terminating; empty otherwise. */
  readonly terminating: string;
  /** It terminates for longer than usual. */
  readonly isDelayed: boolean;
  /** Why its current manifest is refused while the last known good one is used; empty otherwise. */
  readonly refusal: string;
  /** The last known good manifest is used, and in sync. */
  readonly isAsLastApplied: boolean;
  /** Why the kind that it defines is not served; empty otherwise. */
  readonly unserved: string;
  /** The paths of its drifts. */
  readonly paths: readonly string[];
  /** The conflicting field manager, while the next correction waits. */
  readonly conflictingManager: string | undefined;
  /** The wait for its next attempt, if it is a long one. */
  readonly wait: Wait | undefined;
  /** Why its correction waits for a maintenance window, in a clause; empty otherwise. */
  readonly pending: string;
}

/** An application in the form that the conditions need. */
export interface ApplicationView {
  readonly phase: 'invalid' | 'paused' | 'applying' | 'observing' | 'deleting';
  readonly mode: 'correct' | 'detect';
  /** Its generation is new: what it needs may have been applied together with it. */
  readonly isSettling: boolean;
  /** Epoch milliseconds; only while it is paused. */
  readonly pausedUntil: number | undefined;
  /** The errors of the spec as a whole, of manifests, and of the observer schema. */
  readonly errors: readonly ReportedError[];
  /** Why nothing is applied, if the ServiceAccount of the application does not exist; '' if it does. */
  readonly accountError: string;
  /** Sentences to add to InSync: replicas that an autoscaler manages, and values that admission mutates. */
  readonly notes: readonly string[];
  readonly resources: readonly ResourceView[];
}
