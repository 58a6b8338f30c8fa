import { createHash } from 'node:crypto';
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { HashKey, SourceTag } from '../digest/digest.ts';
import type { HashKeys } from '../digest/hashKeys.ts';
import { sealOf } from '../digest/seal.ts';

/** The stored tag of one source. */
export interface StoredTag extends SourceTag {
  /** The uses that the tag was made for: `usesFingerprint` of this source. */
  readonly uses: string;
  /** The source was immutable: another tag means that it was recreated. */
  readonly isImmutable: boolean;
}

/** Tags by `sourceKey`; if there were too many, one under `allSources`. */
export type StoredTags = ReadonlyMap<string, StoredTag>;

/**
 * The state that weeder stores on a workload (`weeder.dev/dependencies`), so that it survives weeder's own restarts.
 * Times: epoch milliseconds.
 */
export interface WorkloadState {
  /** The id of the hash key that the tags were made with. */
  readonly keyId: string;
  /** The workload that the state was written on: a copy of the workload has another uid. */
  readonly workloadUid: string;
  /** What the pods are verified to run with. */
  readonly rolledOut: StoredTags;
  /** The target of a restart: the sources that differ, since when, which attempt. */
  readonly target:
    | { readonly tags: StoredTags; readonly since: number; readonly attempt: number; readonly cause: string }
    | undefined;
  /** The latest five restarts. */
  readonly restarts: readonly number[];
  /** The cause of the latest restart, such as `ConfigMap settings (a)`. */
  readonly lastCause?: string;
  /** When another client reverted a restart: the latest two. */
  readonly reverts: readonly number[];
}

/** Used in place of a `sourceKey` if there is one tag for all sources. */
export const allSources = '*';

/** Used in place of a tag if pods may have started with content that the source had in between. */
export const unconfirmedTag = '?';

/** Each ReplicaSet of a Deployment carries a copy, and all annotations together may have 256 KiB. */
const maxBytes = 64 * 1024;
const longestCause = 1000;

/**
 * Returns the annotation's text, sealed with the key that its tags were made with. It has at most 64 KiB: a longer text
 * is written without the tags of keys, and if it is still too long, with one tag for all sources.
 */
export function encodeState(state: WorkloadState, key: HashKey): string {
  for (const smaller of [(each: WorkloadState) => each, withoutKeys]) {
    const text = written(smaller(state), key);
    if (Buffer.byteLength(text) <= maxBytes) return text;
  }
  return written(underOneTag(state), key);
}

/**
 * `none`: the annotation is missing. `unreadable`: it is damaged, or from another version of weeder. `isForged` checks
 * whether weeder wrote it.
 */
export function decodeState(text: string | undefined): 'none' | 'unreadable' | WorkloadState {
  if (text === undefined) return 'none';
  const { state } = partsOf(text);
  return state === undefined ? 'unreadable' : readState(parsed(state));
}

/** Whether the text claims one of these keys, and was not sealed with it. */
export function isForged(text: string | undefined, keys: HashKeys): boolean {
  if (text === undefined) return false;
  const state = decodeState(text);
  const { seal = '', state: sealed = '' } = partsOf(text);
  if (typeof state === 'string' || keys.byId(state.keyId) === undefined) return false;
  return !keys.confirms(state.keyId, 'state', [sealed], seal);
}

/** Whether two texts have the same content, regardless of their seals. */
export function isSameState(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a === b || (partsOf(a).state !== undefined && partsOf(a).state === partsOf(b).state);
}

function partsOf(text: string): { readonly seal?: string | undefined; readonly state?: string | undefined } {
  const [, seal, state] = /^\{"version":1,"seal":"([-\w]+)","state":(.*)\}$/s.exec(text) ?? [];
  return { seal, state };
}

/** Returns the tags in the form of the stored ones, for comparing them and for storing them together. */
export function inFormOf(stored: StoredTags, tags: StoredTags): StoredTags {
  return stored.has(allSources) ? oneTag(tags) : tags;
}

/** Whether it is unknown what the pods run with. */
function hasUnconfirmed(tags: StoredTags): boolean {
  return [...tags.values()].some(({ tag }) => tag === unconfirmedTag);
}

function withoutKeys(state: WorkloadState): WorkloadState {
  const strip = (tags: StoredTags) => new Map([...tags].map(([key, tag]) => [key, { ...tag, keys: undefined }]));
  const target = state.target && { ...state.target, tags: strip(state.target.tags) };
  return { ...state, rolledOut: strip(state.rolledOut), target };
}

function underOneTag(state: WorkloadState): WorkloadState {
  const target = state.target && {
    ...state.target,
    tags: oneTag(new Map([...state.rolledOut, ...state.target.tags])),
    cause: state.target.cause.slice(0, longestCause),
  };
  return { ...state, rolledOut: oneTag(state.rolledOut), target };
}

function oneTag(tags: StoredTags): StoredTags {
  if (tags.has(allSources)) return new Map([...tags].filter(([key]) => key === allSources));
  const sorted = sortedByName(tags);
  const one = {
    tag: hasUnconfirmed(tags)
      ? unconfirmedTag
      : hash(JSON.stringify(sorted.map(([key, { tag }]) => [key, tag]))).slice(0, 22),
    keys: undefined,
    uses: shortHash(JSON.stringify(sorted.map(([key, { uses }]) => [key, uses]))),
    isImmutable: sorted.some(([, { isImmutable }]) => isImmutable),
  };
  return new Map([[allSources, one]]);
}

/** The order is always the same: an unchanged state has the same text, and is not written again. */
function written(state: WorkloadState, key: HashKey): string {
  const { keyId, workloadUid, rolledOut, target, restarts, lastCause, reverts } = state;
  const json = JSON.stringify({
    key: keyId,
    uid: workloadUid,
    rolledOut: writtenTags(rolledOut),
    ...(target === undefined ? {} : { target: { ...target, tags: writtenTags(target.tags) } }),
    restarts: restarts.slice(-5),
    ...(lastCause === undefined ? {} : { cause: lastCause.slice(0, longestCause) }),
    reverts: reverts.slice(-2),
  });
  return `{"version":1,"seal":"${sealOf(key, 'state', [json])}","state":${json}}`;
}

function writtenTags(tags: StoredTags): object {
  const entries = sortedByName(tags).map(([key, { tag, uses, isImmutable, keys }]) => {
    const tagsOfKeys = keys && [Object.fromEntries(sortedByName(new Map(Object.entries(keys))))];
    return [key, [tag, uses, isImmutable ? 1 : 0, ...(tagsOfKeys ?? [])]];
  });
  return Object.fromEntries(entries);
}

function sortedByName<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function parsed(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    // Invalid JSON is as unreadable as JSON of another shape.
    return {};
  }
}

function readState({ key, uid, rolledOut, target, ...fields }: JsonObject): WorkloadState | 'unreadable' {
  const tags = readTags(rolledOut);
  const goal = target === undefined ? 'none' : readTarget(objectOf(target));
  const times = { restarts: readTimes(fields['restarts']), reverts: readTimes(fields['reverts']) };
  const lastCause = textOf(fields['cause']);
  if (typeof key !== 'string' || typeof uid !== 'string' || tags === undefined || goal === undefined)
    return 'unreadable';
  if (times.restarts === undefined || times.reverts === undefined) return 'unreadable';
  const read = { keyId: key, workloadUid: uid, rolledOut: tags, restarts: times.restarts, reverts: times.reverts };
  const cause = lastCause === undefined ? {} : { lastCause };
  return { ...read, ...cause, target: goal === 'none' ? undefined : goal };
}

function readTarget(target: JsonObject): WorkloadState['target'] {
  const tags = readTags(target['tags']);
  const [since, attempt] = [numberOf(target['since']), numberOf(target['attempt'])];
  const cause = textOf(target['cause']);
  if (tags === undefined || since === undefined || attempt === undefined || cause === undefined) return undefined;
  return { tags, since, attempt, cause };
}

function readTags(value: unknown): StoredTags | undefined {
  if (!isObject(value)) return undefined;
  const tags = Object.entries(value).map(([key, entry]): [string, StoredTag | undefined] => [key, readTag(entry)]);
  const readable = tags.filter((entry): entry is [string, StoredTag] => entry[1] !== undefined);
  return readable.length === tags.length ? new Map(readable) : undefined;
}

function readTag(entry: unknown): StoredTag | undefined {
  if (!Array.isArray(entry)) return undefined;
  const [tag, uses, immutable, keys]: readonly unknown[] = entry;
  if (typeof tag !== 'string' || typeof uses !== 'string') return undefined;
  const named = Object.entries(objectOf(keys)).filter((each): each is [string, string] => typeof each[1] === 'string');
  return { tag, uses, isImmutable: immutable === 1, keys: keys === undefined ? undefined : Object.fromEntries(named) };
}

function readTimes(value: unknown): number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every((time): time is number => typeof time === 'number') ? value : undefined;
}

function shortHash(text: string): string {
  return hash(text).slice(0, 8);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
