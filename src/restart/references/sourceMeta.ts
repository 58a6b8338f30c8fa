import { arrayOf, type JsonObject, largest, objectOf, timeOf } from '@weeder/kube-runtime/base';
import { identityOf, shortTextIn } from '@weeder/kube-runtime/objects';
import {
  type AnnotationError,
  allowReferencesError,
  allowReferencesFrom,
  kudoSkipHashCalculation,
  type OptOut,
  optOutError,
  optOutOf,
  readAllowedNamespaces,
  reloaderIgnore,
  skipHashCalculation,
  usedFrom,
} from './annotations.ts';
import type { SourceKind, SourceRef } from './refs.ts';

/** Everything that weeder stores about a source. */
export interface SourceMeta {
  readonly ref: SourceRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly optOut: OptOut;
  /** The error in its opt-out, in one sentence. */
  readonly optOutError: string | undefined;
  /** The error in its list of allowed namespaces. */
  readonly allowReferencesError: AnnotationError | undefined;
  /** The namespaces whose workloads may depend on it, in addition to its own. */
  readonly allowedNamespaces: 'none' | ReadonlySet<string>;
  /** The source is being deleted. */
  readonly isEnding: boolean;
  /**
   * The last write of its content, by `managedFields`, which do not show removed keys (`hasLostKeys`): epoch
   * milliseconds by the API server's clock. Undefined: the time is unknown, and may even be just now.
   */
  readonly lastDataWrite: number | undefined;
  /** Epoch milliseconds by the API server's clock. */
  readonly createdAt: number | undefined;
}

const storedFields = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'];
const storedAnnotations = [skipHashCalculation, kudoSkipHashCalculation, reloaderIgnore, allowReferencesFrom, usedFrom];
/** Bytes; Kubernetes allows 256 KiB for all of them. */
const longestAnnotation = 16 * 1024;
/** The fields in `managedFields` that are content. Their children would reveal the names of keys. */
const contentFields = ['f:data', 'f:binaryData', 'f:stringData', 'f:immutable'];

/**
 * Reads a source as the API serves it, whole or only its metadata (which does not contain its kind); returns undefined
 * if the object or its version cannot be identified.
 */
export function readSourceMeta(object: unknown, kind: SourceKind): SourceMeta | undefined {
  const identity = identityOf(object);
  if (identity === undefined) return undefined;
  const { namespace, name, uid, resourceVersion } = identity;
  const meta = objectOf(objectOf(object)['metadata']);
  const annotations = shortened(objectOf(meta['annotations']));
  return {
    ref: { kind, namespace, name },
    uid,
    resourceVersion,
    optOut: optOutOf(annotations),
    optOutError: optOutError(annotations),
    allowReferencesError: allowReferencesError(annotations),
    allowedNamespaces: readAllowedNamespaces(annotations),
    isEnding: meta['deletionTimestamp'] !== undefined,
    lastDataWrite: lastDataWriteOf(meta),
    createdAt: timeOf(meta['creationTimestamp']),
  };
}

/** What is omitted of a list ends in an entry that cannot be read. */
function shortened(annotations: JsonObject): JsonObject {
  const shorten = (value: unknown) => shortTextIn(value, longestAnnotation) ?? value;
  return Object.fromEntries(storedAnnotations.map((name) => [name, shorten(annotations[name])]));
}

/**
 * Returns the same object with only the fields that `readSourceMeta` needs. Other metadata may hold values: `kubectl
 * apply` writes the whole Secret into an annotation. It has to be applied before recorder, cache and log see the
 * object.
 */
export function withoutSecrets(object: unknown): JsonObject {
  const whole = objectOf(object);
  const meta = objectOf(whole['metadata']);
  return {
    ...textsOf(whole, ['apiVersion', 'kind']),
    metadata: {
      ...textsOf(meta, storedFields),
      annotations: textsOf(objectOf(meta['annotations']), storedAnnotations),
      managedFields: contentManagers(meta).map(({ time, fields }) => ({
        ...(time === undefined ? {} : { time: new Date(time).toISOString() }),
        fieldsV1: Object.fromEntries(fields.map((field) => [field, {}])),
      })),
    },
  };
}

/** Returns those of these fields that are strings. */
function textsOf(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (typeof object[name] === 'string' ? [[name, object[name]]] : [])));
}

/** The time is unknown as soon as one of the managers has none, because its write may be the latest. */
function lastDataWriteOf(meta: JsonObject): number | undefined {
  const times = contentManagers(meta).map(({ time }) => time);
  return times.includes(undefined) ? undefined : largest(times.map((time) => time ?? 0));
}

function contentManagers(meta: JsonObject): { time: number | undefined; fields: string[] }[] {
  return arrayOf(meta['managedFields'])
    .map((entry) => ({ time: timeOf(objectOf(entry)['time']), owned: objectOf(objectOf(entry)['fieldsV1']) }))
    .map(({ time, owned }) => ({ time, fields: contentFields.filter((field) => owned[field] !== undefined) }))
    .filter(({ fields }) => fields.length > 0);
}
