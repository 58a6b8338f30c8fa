import { type JsonObject, textOf } from '@weeder/kube-runtime/base';
import {
  entriesOf,
  isKeyName,
  isNamespaceName,
  isSourceName,
  quoted,
  type SourceKind,
  type SourceRef,
  sourceKey,
} from './refs.ts';
import type { Use } from './uses.ts';

/** On a workload: the sources that it uses in addition to those in its pod template. */
export const alsoDependsOn = 'weeder.dev/also-depends-on';
/** On a source: the other namespaces whose workloads may depend on it, like a ReferenceGrant of Gateway API. */
export const allowReferencesFrom = 'weeder.dev/allow-references-from';
/** The former name of `allowReferencesFrom`. It counts only where the new one is not set. */
export const usedFrom = 'weeder.dev/used-from';

const kinds: ReadonlyMap<string, SourceKind> = new Map([
  ['configmap', 'ConfigMap'],
  ['secret', 'Secret'],
]);

/**
 * Parses `configmap/shop/settings,secret/shared/database#password`; a source without a namespace (`secret/database`) is
 * in the workload's own. Each error is one sentence and affects no other entry; the first ten are reported. The uses
 * are required: while one of these sources is missing, nothing restarts. Whether another namespace allows the use is
 * not checked here.
 */
export function readAlsoDependsOn(text: string, namespace: string): { uses: Use[]; errors: string[] } {
  const uses = new Map<string, Use>();
  const errors: string[] = [];
  const entries = [...new Set(entriesOf(text))];
  for (const entry of entries.slice(0, maxEntries)) {
    const read = readEntry(entry, namespace);
    if (typeof read === 'string') errors.push(`${alsoDependsOn} contains ${quoted(entry)}: ${read}.`);
    else uses.set(`${sourceKey(read.source)}#${read.key ?? ''}`, read);
  }
  const tooMany = `${alsoDependsOn} names ${entries.length} sources: only the first ${maxEntries} of them are used.`;
  const more = `${alsoDependsOn} has ${errors.length - maxErrors} more entries that cannot be read.`;
  return {
    uses: [...uses.values()],
    errors: [
      ...errors.slice(0, maxErrors),
      ...(errors.length > maxErrors ? [more] : []),
      ...(entries.length > maxEntries ? [tooMany] : []),
    ],
  };
}

/** Each source has to be watched and read, and an annotation may have 256 KiB. */
const maxEntries = 100;
/** Each error is a log line and an Event. */
const maxErrors = 10;

/** Returns the use that an entry declares, or a clause that says why the entry cannot be read. */
function readEntry(entry: string, ownNamespace: string): Use | string {
  const [path = '', key, ...more] = entry.split('#');
  const parts = path.split('/');
  const [kindName = '', namespace = '', name = ''] = parts.length === 2 ? parts.toSpliced(1, 0, ownNamespace) : parts;
  const kind = kinds.get(kindName);
  if (kind === undefined || parts.length < 2 || parts.length > 3 || more.length > 0) {
    return 'expected configmap/NAMESPACE/NAME or secret/NAMESPACE/NAME, with #KEY at the end for one key alone';
  }
  if (!isNamespaceName(namespace)) return `${quoted(namespace)} is not a valid name of a namespace`;
  if (!isSourceName(name)) return `${quoted(name)} is not a valid name of a ${kind}`;
  if (key !== undefined && !isKeyName(key)) return `${quoted(key)} is not a valid name of a key`;
  const source: SourceRef = { kind, namespace, name };
  return { source, key, how: 'annotation', isOptional: false, containers: [] };
}

/**
 * Parses the namespaces that a source allows to refer to it, such as `shop,bank`. Entries that are not names of
 * namespaces allow nothing, and no entry allows all namespaces.
 */
export function readAllowedNamespaces(annotations: JsonObject): 'none' | ReadonlySet<string> {
  const namespaces = entriesOf(textOf(annotations[referencesAnnotation(annotations)]) ?? '').filter(isNamespaceName);
  return namespaces.length === 0 ? 'none' : new Set(namespaces);
}

/** An invalid annotation. */
export interface AnnotationError {
  readonly annotation: string;
  /** A sentence that says what is wrong. */
  readonly reason: string;
}

/** Returns undefined if the list of allowed namespaces can be read, or is not set. */
export function allowReferencesError(annotations: JsonObject): AnnotationError | undefined {
  const annotation = referencesAnnotation(annotations);
  const wrong = entriesOf(textOf(annotations[annotation]) ?? '').find((entry) => !isNamespaceName(entry));
  if (wrong === undefined) return undefined;
  const reason = `${quoted(wrong)} is not a valid name of a namespace: write names separated by commas. This entry allows nothing.`;
  return { annotation, reason };
}

function referencesAnnotation(annotations: JsonObject): string {
  return annotations[allowReferencesFrom] === undefined && annotations[usedFrom] !== undefined
    ? usedFrom
    : allowReferencesFrom;
}

/** The part of a source that never causes a restart: nothing, all of it, or these keys. */
export type OptOut = 'none' | 'all' | ReadonlySet<string>;

/** On a source: `"true"` opts out the whole source, `"key1,key2"` these keys. */
export const skipHashCalculation = 'weeder.dev/skip-hash-calculation';
/** KUDO's annotation opts out a source with any value. */
export const kudoSkipHashCalculation = 'kudo.dev/skip-hash-calculation';
/** Reloader's annotation opts out a source with the value `"true"`. */
export const reloaderIgnore = 'reloader.stakater.com/ignore';

/**
 * Reads the opt-out from a source's annotations. An unreadable opt-out leaves the whole source out, so that it restarts
 * nothing.
 */
export function optOutOf(annotations: JsonObject): OptOut {
  if (annotations[kudoSkipHashCalculation] !== undefined || annotations[reloaderIgnore] === 'true') return 'all';
  const value = annotations[skipHashCalculation] ?? 'false';
  if (value === 'false') return 'none';
  if (typeof value !== 'string' || value === 'true') return 'all';
  const keys = entriesOf(value);
  if (!keys.every(isKeyName)) return 'all';
  return keys.length === 0 ? 'none' : new Set(keys);
}

/** Returns the error in a source's opt-out, in one sentence; undefined if there is none. */
export function optOutError(annotations: JsonObject): string | undefined {
  const value = annotations[skipHashCalculation] ?? 'false';
  const wrong = typeof value === 'string' ? entriesOf(value).find((entry) => !isKeyName(entry)) : typeof value;
  if (wrong === undefined) return undefined;
  const rule = 'expected "true", or the names of keys separated by commas';
  return `${quoted(wrong)} is not a valid name of a key: ${rule}. Until it is corrected, the whole source is left out.`;
}
