import type { LabelSelector } from '@weeder/kube-runtime/objects';
import type { MaintenanceWindow } from './maintenance.ts';

/** Sources that workloads of other namespaces may depend on without an annotation on the source that permits it. */
interface ForeignSources {
  readonly namespace: string;
  readonly kinds: ReadonlySet<'ConfigMap' | 'Secret'>;
  readonly names: readonly string[] | 'all';
}

/** How a workload is treated. Times are milliseconds. */
export interface RestartSettings {
  /** How long a changed source must remain unchanged before a restart. */
  readonly quietPeriod: number;
  /** How long after its first change further changes no longer delay a restart. At least `quietPeriod`. */
  readonly quietMax: number;
  /** The minimum time between two restarts of one workload. */
  readonly minInterval: number;
  readonly strategy: 'rollout' | 'evict';
  readonly imagePullSecrets: 'ignore' | 'hash';
  readonly immutableRecreated: 'report' | 'replace';
  readonly jobs: 'report' | 'recreate';
  /** Whether a pod that has never started is evicted when what its volumes waited for exists. */
  readonly lateSources: 'ignore' | 'evict';
  /** Whether a broken pod of a StatefulSet is deleted if it has an older revision. */
  readonly unstick: boolean;
  /** How long a rollout may make no progress before it counts as stalled. */
  readonly stallAfter: number;
  /** How long a whole rollout may take, for kinds without a deadline of their own. */
  readonly progressDeadline: number;
  /** Empty: at any time. */
  readonly maintenanceWindows: readonly MaintenanceWindow[];
  /** The permissions that the config grants for sources of other namespaces. */
  readonly sources: readonly ForeignSources[];
}

/** Which workloads are managed, and how. */
export interface RestartRule extends RestartSettings {
  readonly namespaces: readonly string[] | 'all';
  readonly kinds: ReadonlySet<string>;
  /** Selects by the labels of the workload. Undefined: all workloads. */
  readonly selector: LabelSelector | undefined;
}

/** A kind of workload of another group, and where it differs from what weeder knows of the kind. */
export interface OtherKind {
  /** `Rollout.argoproj.io`. */
  readonly name: string;
  /** `spec.template`. */
  readonly templatePath?: string | undefined;
  readonly restartBy?: 'template' | 'time' | undefined;
  readonly restartField?: string | undefined;
  readonly restartedField?: string | undefined;
}

/** The section `restartControl`, with all defaults applied. */
export interface RestartConfig {
  /** The first rule that matches a workload applies. */
  readonly rules: readonly RestartRule[];
  readonly workloadKinds: readonly OtherKind[];
  /** For workloads that opt in by annotation and match no rule. */
  readonly defaults: RestartSettings;
  readonly maxRestartsPerMinute: number;
  /** The maximum number of restarts in a burst, after a time without restarts. */
  readonly burst: number;
  readonly maxConcurrentRollouts: number;
  readonly maxAdoptionsPerMinute: number;
  /** `named` watches each used source by its name, so that a Role can restrict access by `resourceNames`. */
  readonly access: 'all' | 'named';
  /** Sources of other kinds are neither watched nor read, even if a workload uses them. */
  readonly sourceKinds: ReadonlySet<'ConfigMap' | 'Secret'>;
  /** The Secret with the key for the hashes. Undefined namespace: weeder's own. */
  readonly hashKey: { readonly namespace: string | undefined; readonly name: string };
}
