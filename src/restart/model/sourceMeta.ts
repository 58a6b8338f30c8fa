import { arrayOf, type JsonObject, objectOf, timeOf } from '../../base/json.ts';
import { identityOf } from '../../kube/objects/identity.ts';
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

/** All that is ever kept of a source. */
export interface SourceMeta {
  readonly ref: SourceRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly optOut: OptOut;
  /** What is wrong with its opt-out, in one sentence. */
  readonly optOutError: string | undefined;
  /** What is wrong with its list of allowed namespaces. */
  readonly allowReferencesError: AnnotationError | undefined;
  /** The namespaces whose workloads may depend on it, besides its own. */
  readonly allowedNamespaces: 'none' | ReadonlySet<string>;
  /** It is being deleted. */
  readonly isEnding: boolean;
  /**
   * The last write of its content, by `managedFields`, which do not show removed keys
   * (`hasLostKeys`): epoch milliseconds by the API server's clock. Undefined: it cannot be known, not even that it was
   * not just now.
   */
  readonly lastDataWrite: number | undefined;
  /** Epoch milliseconds by the API server's clock. */
  readonly createdAt: number | undefined;
}

const storedFields = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'];
const storedAnnotations = [skipHashCalculation, kudoSkipHashCalculation, reloaderIgnore, allowReferencesFrom, usedFrom];
/** The field sets of `managedFields` that are content. Their children would reveal the names of keys. */
const contentFields = ['f:data', 'f:binaryData', 'f:stringData', 'f:immutable'];

/**
 * Reads a source as the API serves it, whole or its metadata alone (which does not say its kind); undefined when it
 * cannot be told which object in which version it is.
 */
export function readSourceMeta(object: unknown, kind: SourceKind): SourceMeta | undefined {
  const identity = identityOf(object);
  if (identity === undefined) return undefined;
  const { namespace, name, uid, resourceVersion } = identity;
  const meta = objectOf(objectOf(object)['metadata']);
  const annotations = objectOf(meta['annotations']);
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

/**
 * The same object with nothing but what `readSourceMeta` needs. What else is in the metadata may hold values:
 * `kubectl apply` writes the whole Secret into an annotation. To stand before recorder, cache and log.
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

/** Those of these fields that are texts. */
function textsOf(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (typeof object[name] === 'string' ? [[name, object[name]]] : [])));
}

/** Unknown as soon as one of the managers has no time: its write may be the newest. */
function lastDataWriteOf(meta: JsonObject): number | undefined {
  const times = contentManagers(meta).map(({ time }) => time);
  return times.length === 0 || times.includes(undefined) ? undefined : Math.max(...times.map((time) => time ?? 0));
}

function contentManagers(meta: JsonObject): { time: number | undefined; fields: string[] }[] {
  return arrayOf(meta['managedFields'])
    .map((entry) => ({ time: timeOf(objectOf(entry)['time']), owned: objectOf(objectOf(entry)['fieldsV1']) }))
    .map(({ time, owned }) => ({ time, fields: contentFields.filter((field) => owned[field] !== undefined) }))
    .filter(({ fields }) => fields.length > 0);
}
