import type { JsonObject } from '@weeder/kube-runtime/base';
import type { Identity } from '@weeder/kube-runtime/objects';
import { formatPath, type Path } from '../../base/fieldError.ts';
import type { InventoryEntry } from './inventory.ts';

/** An Application, read from the API server's object. */
export interface Application extends Identity {
  readonly generation: number;
  /** RFC 3339. */
  readonly createdAt: string;
  /** The number of resources in its spec, and the size of the spec in bytes of JSON. */
  readonly resources: number;
  readonly bytes: number;
  /** A clause that says why nothing is applied, if its namespace exceeds a limit. */
  readonly refusal?: string;
  /** It has a `deletionTimestamp`. */
  readonly isTerminating: boolean;
  readonly hasFinalizer: boolean;
  /** All finalizers, including those of other controllers. */
  readonly finalizers: readonly string[];
  /** Its annotation requests that the finalizer is removed, whatever happens to the resources. */
  readonly isForced: boolean;
  readonly spec: ApplicationSpec;
  /** While there are errors, nothing is pruned: a manifest that cannot be read may only seem to be removed. */
  readonly errors: readonly FieldError[];
  /** Content that works but is not recommended. */
  readonly warnings: readonly ApplicationWarning[];
  readonly inventory: readonly InventoryEntry[];
  /** The generation that the status describes; 0 if there is no status yet. */
  readonly observedGeneration: number;
}

/** The desired state. If the spec has errors: the parts that can be read, with harmless values for the others. */
export interface ApplicationSpec {
  /** The manifests without errors of their own. */
  readonly manifests: readonly UnresolvedManifest[];
  /** The observer schema before it is parsed; `undefined` if there is none. */
  readonly schema: unknown;
  readonly mode: 'correct' | 'detect';
  /** Epoch milliseconds. */
  readonly pausedUntil: number | undefined;
  /** Milliseconds. */
  readonly resyncPeriod: number;
  readonly deletionPolicy: 'delete' | 'orphan';
  /** `Kind/name`. */
  readonly recreate: ReadonlySet<string>;
  /** `Kind/name` of definitions and Namespaces. */
  readonly deleteWithContents: ReadonlySet<string>;
  readonly serviceAccountName: string | undefined;
}

/** A manifest before it is known whether its kind is namespaced. */
export interface UnresolvedManifest {
  /** Its index in `spec.manifests`. */
  readonly index: number;
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
  /** The namespace in the manifest. */
  readonly namespace: string | undefined;
  readonly name: string;
  /**
   * Without the status and the fields that only the API server writes; the `stringData` of a Secret is in `data`. Only
   * the schema of the kind says which nulls are values.
   */
  readonly object: JsonObject;
}

/** The class of an error, for programs. */
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

/** An error in a spec. It never contains a value of a Secret. */
export interface FieldError extends ApplicationWarning {
  readonly code: FieldErrorCode;
  /** The index in `spec.manifests` of the only affected resource; undefined if the whole application is affected. */
  readonly manifest: number | undefined;
}

export interface ApplicationWarning {
  /** The path from the top of the object: `['spec', 'manifests', 0, 'metadata', 'name']`. */
  readonly path: Path;
  /** A clause that follows the path. */
  readonly message: string;
}

/** An error in the form of the condition Invalid. */
export interface ReportedError {
  /** `spec`: nothing is applied. Otherwise only that resource is left as it is. */
  readonly of: 'spec' | 'manifest' | 'schema';
  /** `spec.manifests[2].metadata.name`. */
  readonly place: string;
  /** A clause that follows the path. */
  readonly message: string;
}

export function reportedError({ manifest, path, message }: FieldError): ReportedError {
  return { of: manifest === undefined ? 'spec' : 'manifest', place: formatPath(path), message };
}
