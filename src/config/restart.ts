import type { LabelSelector } from '../kube/objects/selector.ts';
import type { WorkloadKind } from '../kube/objects/workloadKinds.ts';

/** A time in which restarts may begin: from each minute that the cron expression names, for `duration`. */
export interface MaintenanceWindow {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** A name of the IANA time zone database. */
  readonly timeZone: string;
  /** Milliseconds. */
  readonly duration: number;
}

/** Sources that workloads of other namespaces may depend on, without an annotation on the source that says so. */
interface ForeignSources {
  readonly namespace: string;
  readonly kinds: ReadonlySet<'ConfigMap' | 'Secret'>;
  readonly names: readonly string[] | 'all';
}

/** How a workload is treated. Times in milliseconds. */
export interface RestartSettings {
  /** How long a changed source must have been left alone. */
  readonly quietPeriod: number;
  /** How long after its first change a restart is no longer put off by further ones. At least `quietPeriod`. */
  readonly quietMax: number;
  /** The shortest time between two restarts of one workload. */
  readonly minInterval: number;
  readonly strategy: 'rollout' | 'evict';
  readonly imagePullSecrets: 'ignore' | 'hash';
  readonly immutableRecreated: 'tell' | 'replace';
  readonly jobs: 'report' | 'recreate';
  /** Whether a StatefulSet's pod that is broken at an older revision is deleted. */
  readonly unstick: boolean;
  /** How long a rollout may make no progress before it counts as stalled. */
  readonly stallAfter: number;
  /** How long a rollout may take in all, for kinds that have no deadline of their own. */
  readonly progressDeadline: number;
  /** Empty: at any time. */
  readonly windows: readonly MaintenanceWindow[];
  /** The consents that the config gives for sources of other namespaces. */
  readonly sources: readonly ForeignSources[];
}

/** Which workloads are managed, and how. */
export interface RestartRule extends RestartSettings {
  readonly namespaces: readonly string[] | 'all';
  readonly kinds: ReadonlySet<WorkloadKind>;
  /** Of the workload's labels. Undefined: all of them. */
  readonly selector: LabelSelector | undefined;
}

/** The section `restartControl`, with nothing left to default. */
export interface RestartConfig {
  /** The first that matches a workload counts. */
  readonly rules: readonly RestartRule[];
  /** For workloads that ask by annotation and that no rule matches. */
  readonly defaults: RestartSettings;
  readonly maxRestartsPerMinute: number;
  /** How many restarts may begin at once after a quiet time. */
  readonly burst: number;
  readonly maxConcurrentRollouts: number;
  readonly maxAdoptionsPerMinute: number;
  /** `named` watches each used source by its name, so that a Role can name them. */
  readonly access: 'all' | 'named';
  /** Sources of another kind are neither watched nor read, whoever uses them. */
  readonly sourceKinds: ReadonlySet<'ConfigMap' | 'Secret'>;
  /** The Secret with the key of the hashes. Undefined namespace: weeder's own. */
  readonly hashKey: { readonly namespace: string | undefined; readonly name: string };
}
