import { formatPath, type Path } from '../../base/fieldError.ts';
import type { JsonObject } from '../../base/json.ts';
import type { InventoryEntry } from './inventory.ts';

/** An Application as the API server has it, read. */
export interface Application {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** RFC 3339. */
  readonly createdAt: string;
  /** How many resources its spec has, and how long it is, in bytes of JSON. */
  readonly resources: number;
  readonly bytes: number;
  /** A clause that says why nothing of it is applied, where its namespace has more than it may have. */
  readonly refusal?: string;
  /** It has a `deletionTimestamp`. */
  readonly isTerminating: boolean;
  readonly hasFinalizer: boolean;
  /** All of them, those of others too. */
  readonly finalizers: readonly string[];
  /** Its annotation says that the finalizer has to go whatever becomes of the resources. */
  readonly isForced: boolean;
  readonly spec: ApplicationSpec;
  /** While there is any, nothing is pruned: what cannot be read may be what seems to have left. */
  readonly errors: readonly FieldError[];
  /** What works, and better did not stand there. */
  readonly warnings: readonly ApplicationWarning[];
  readonly inventory: readonly InventoryEntry[];
  /** The generation that the status is about; 0: there is none yet. */
  readonly observedGeneration: number;
}

/** What is desired; where there are errors, as much of it as could be read, with the harmless choice for the rest. */
export interface ApplicationSpec {
  /** Those without errors of their own. */
  readonly manifests: readonly UnresolvedManifest[];
  /** As it stands there; `undefined` where it does not. */
  readonly schema: unknown;
  readonly mode: 'correct' | 'detect';
  /** Epoch milliseconds. */
  readonly pausedUntil: number | undefined;
  /** Milliseconds. */
  readonly resyncPeriod: number;
  readonly deletionPolicy: 'delete' | 'orphan';
  /** `Kind/name`. */
  readonly recreate: ReadonlySet<string>;
  readonly serviceAccountName: string | undefined;
}

/** A manifest of which it is not known yet whether its kind lives in namespaces. */
export interface UnresolvedManifest {
  /** Its place in `spec.manifests`. */
  readonly index: number;
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
  /** As the manifest says it. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** Without status and what the API server alone writes; a Secret's `stringData` is in `data`. */
  readonly object: JsonObject;
}

/** What is wrong with a spec, for tests and for those who count. */
export type FieldErrorCode =
  | 'spec'
  | 'manifestsMissing'
  | 'tooLarge'
  | 'limit'
  | 'tooDeep'
  | 'duplicate'
  | 'notAnObject'
  | 'apiVersion'
  | 'kind'
  | 'list'
  | 'name'
  | 'generateName'
  | 'namespace'
  | 'itself'
  | 'secretValue'
  | 'number'
  | 'repeatedKey';

/** One thing that is wrong with the spec. Never holds a value of a Secret. */
export interface FieldError extends ApplicationWarning {
  readonly code: FieldErrorCode;
  /** The place in `spec.manifests` of the only resource that it concerns; undefined: all of the application. */
  readonly manifest: number | undefined;
}

export interface ApplicationWarning {
  /** Where, from the top of the object: `['spec', 'manifests', 0, 'metadata', 'name']`. */
  readonly path: Path;
  /** A clause that stands behind the place. */
  readonly message: string;
}

/** An error in words, as it stands in the condition Invalid. */
export interface ReportedError {
  /** `spec`: nothing is applied; otherwise that resource is left as it is, and the others go on. */
  readonly of: 'spec' | 'manifest' | 'schema';
  /** `spec.manifests[2].metadata.name`. */
  readonly place: string;
  /** A clause that stands behind the place. */
  readonly message: string;
}

export function reportedError({ manifest, path, message }: FieldError): ReportedError {
  return { of: manifest === undefined ? 'spec' : 'manifest', place: formatPath(path), message };
}
