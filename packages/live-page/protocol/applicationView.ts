import type { HealthFilter } from './health.ts';

/**
 * An application of the application observer: GET `/applications?search=…&namespace=…&show=all` returns an `ApplicationList`. It contains no
 * value of a Secret.
 */
export interface ApplicationView {
  /** `shop/web` */
  readonly id: string;
  /** The id of its actor. */
  readonly actor: string;
  /** The innermost state of its machine; while it is observed, the word for the worst of its resources. */
  readonly state: string;
  readonly since: number;
  /** When the state ends by a timer; undefined: no timer runs. */
  readonly until: number | undefined;
  /** Nothing is applied: the application is in mode `detect`, or weeder in a dry run. */
  readonly isDetectOnly: boolean;
  /** Each with its path. */
  readonly errors: readonly string[];
  /** The number of resources. If it exceeds the limit, the worst come first. */
  readonly total: number;
  readonly resources: readonly ResourceView[];
}

export interface ResourceView {
  /** `Deployment shop/web` */
  readonly id: string;
  /** The id of its actor; undefined while the resource is not observed. */
  readonly actor: string | undefined;
  /** The innermost state of its machine, or the state in the status. */
  readonly state: string;
  /** When the state ends by a timer, such as a wait before the next correction. */
  readonly until: number | undefined;
  readonly reason: string;
  /** The field manager that wrote the drifted fields. */
  readonly conflictingManager: string | undefined;
  /** The number of observed fields; undefined: not known yet. */
  readonly observed: number | undefined;
  readonly drifts: readonly DriftView[];
  readonly moreDrifts: number;
  /** The newest first; `corrected` is the number of stored corrections. */
  readonly corrections: readonly CorrectionView[];
  readonly corrected: number;
}

/** Values are truncated JSON. Undefined: the field is missing, or belongs to a Secret. */
export interface DriftView {
  readonly path: string;
  readonly type: 'changed' | 'missing' | 'excess' | 'duplicate';
  readonly desired?: string;
  readonly found?: string;
}

export interface CorrectionView {
  readonly at: number;
  readonly drifts: readonly DriftView[];
  readonly conflictingManager: string | undefined;
}

export interface ApplicationList {
  /** The number of applications, and how many of them match. */
  readonly total: number;
  readonly found: number;
  /** How many of all applications each filter shows. */
  readonly counts: Readonly<Record<HealthFilter, number>>;
  /** The namespaces of all applications, in the order of their names. */
  readonly namespaces: readonly string[];
  readonly applications: readonly ApplicationView[];
}
