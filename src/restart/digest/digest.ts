import { createHash, createHmac } from 'node:crypto';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { OptOut } from '../references/annotations.ts';
import { type SourceRef, type WorkloadRef, workloadKey } from '../references/refs.ts';
import type { Use } from '../references/uses.ts';

/** The key of tags: without the key, a tag reveals nothing about the content. */
export interface HashKey {
  /** Eight characters that identify the key and do not reveal it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The decoded content of a source. It is dropped as soon as the tag is made. */
export interface SourceContent {
  readonly data: ReadonlyMap<string, Buffer>;
  readonly binaryData: ReadonlyMap<string, Buffer>;
  readonly isImmutable: boolean;
}

/** Stands for the content of a source. */
export interface SourceTag {
  /** 128 bits in base64url: 22 characters. */
  readonly tag: string;
  /** Six characters for each used key that exists, if they are at most 20: enough to show which key has changed. */
  readonly keys: Readonly<Record<string, string>> | undefined;
}

/** Content by key; undefined: the key is used but does not exist. */
type Seen = ReadonlyMap<string, Buffer | undefined>;

const maxKeys = 20;
/** The kubelet reads only these two keys of an image pull secret. */
const pullSecretKeys = ['.dockerconfigjson', '.dockercfg'];

/** Reads a whole ConfigMap or Secret. */
export function readContent(object: unknown): SourceContent {
  const { kind, data, binaryData, immutable } = objectOf(object);
  return {
    data: decoded(objectOf(data), kind === 'Secret' ? 'base64' : 'utf8'),
    binaryData: decoded(objectOf(binaryData), 'base64'),
    isImmutable: immutable === true,
  };
}

/**
 * Returns the tag of the content that these uses, all of one source, read. An absent source has the same tag as one
 * without keys, because no pod can distinguish the two. A change to the input of the tag has to raise the version of the
 * state (`state.ts`), or every workload would restart.
 */
export function tagOf(
  key: HashKey,
  { kind, namespace, name }: SourceRef,
  content: SourceContent | 'absent',
  uses: readonly Use[],
  optOut: OptOut,
): SourceTag {
  const source = [kind, namespace, name];
  const { env, files } = seenBy(content, uses, optOut);
  const tag = hmac(key, ['source', ...source, String(env.size), ...pairsOf(env), ...pairsOf(files)]);
  const names = sortedNames([...env, ...files].flatMap(([each, bytes]) => (bytes === undefined ? [] : [each])));
  if (names.length > maxKeys) return { tag, keys: undefined };
  const tagOfKey = (each: string) => [...onlyKey(env, each), ...onlyKey(files, each)];
  const keys = names.map((each) => [each, hmac(key, ['key', ...source, each, ...tagOfKey(each)]).slice(0, 6)]);
  return { tag, keys: Object.fromEntries(keys) };
}

/**
 * Whether a used key was removed between the two tags; true if the tags of keys are missing. The times of field
 * managers do not show a removal: `managedFields` drops a key together with its owner (measured).
 */
export function hasLostKeys({ keys: before }: SourceTag, { keys: after }: SourceTag): boolean {
  if (before === undefined || after === undefined) return true;
  return Object.keys(before).some((key) => !Object.hasOwn(after, key));
}

/** Returns the keys that these uses require and the content lacks; `*` for a source that is required and absent. */
export function missingKeys(content: SourceContent | 'absent', uses: readonly Use[]): string[] {
  const missing = uses
    .filter((use) => !use.isOptional)
    .flatMap(({ key = '*', how }) => {
      if (content === 'absent') return [key];
      if (key === '*' || content.data.has(key)) return [];
      return how !== 'env' && content.binaryData.has(key) ? [] : [key];
    });
  return sortedNames(missing);
}

/** Returns the one hash in the pod template, over all sources of a workload. The tags are given by `sourceKey`. */
export function dependenciesHash(
  key: HashKey,
  workload: WorkloadRef,
  tags: ReadonlyMap<string, Pick<SourceTag, 'tag'>>,
): string {
  const pairs = sortedNames([...tags.keys()]).flatMap((source) => [source, tags.get(source)?.tag]);
  return hmac(key, ['dependencies', workloadKey(workload), ...pairs]);
}

/**
 * Identifies, in eight characters, what these uses, all of one source, read and require. Two tags are comparable if
 * they have the same fingerprint; which containers use the source does not matter.
 */
export function usesFingerprint(uses: readonly Use[], optOut: OptOut): string {
  const lines = uses.map(({ key, how, isOptional }) => JSON.stringify([viewOf(how), key, isOptional]));
  const seesAll = uses.some(({ key }) => key === undefined);
  const isUsed = (skipped: string) => seesAll || uses.some(({ key }) => key === skipped);
  const skipped = optOut === 'all' ? ['*'] : [...(optOut === 'none' ? [] : optOut)].filter(isUsed);
  const text = JSON.stringify([sortedNames(lines), sortedNames(skipped)]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 8);
}

/** Variables read only `data`, files read `binaryData` too. A volume that is not mounted shows nothing. */
function viewOf(how: Use['how']): 'env' | 'files' | 'imagePullSecret' | 'nothing' {
  switch (how) {
    case 'env':
    case 'envFrom':
      return 'env';
    case 'volume':
    case 'annotation':
      return 'files';
    case 'imagePullSecret':
      return 'imagePullSecret';
    case 'unmounted':
      return 'nothing';
  }
}

function seenBy(content: SourceContent | 'absent', uses: readonly Use[], optOut: OptOut): { env: Seen; files: Seen } {
  const data = content === 'absent' ? new Map<string, Buffer>() : content.data;
  const values = new Map(content === 'absent' ? [] : [...content.binaryData, ...data]);
  const env = new Map<string, Buffer | undefined>();
  const files = new Map<string, Buffer | undefined>();
  const isSkipped = (key: string) => optOut === 'all' || (optOut !== 'none' && optOut.has(key));
  const see = (seen: typeof env, from: Seen, keys: Iterable<string>) => {
    for (const key of keys) if (!isSkipped(key)) seen.set(key, from.get(key));
  };
  for (const { key, how } of uses) {
    const view = viewOf(how);
    if (view === 'env') see(env, data, key === undefined ? data.keys() : [key]);
    if (view === 'files') see(files, values, key === undefined ? values.keys() : [key]);
    if (view === 'imagePullSecret') see(files, values, pullSecretKeys);
  }
  return { env, files };
}

function pairsOf(seen: Seen): (string | Buffer | undefined)[] {
  return sortedNames([...seen.keys()]).flatMap((key) => [key, seen.get(key)]);
}

function onlyKey(seen: Seen, key: string): (string | Buffer | undefined)[] {
  return seen.has(key) ? ['seen', seen.get(key)] : ['not seen'];
}

/** Each part is preceded by its length, so that two different lists of parts never have the same bytes. */
export function hmac({ bytes }: HashKey, parts: readonly (string | Buffer | undefined)[]): string {
  const sum = createHmac('sha256', bytes);
  for (const part of parts) {
    const length = part === undefined ? 'absent' : String(Buffer.byteLength(part));
    sum.update(`${length}:`).update(part ?? '');
  }
  return sum.digest().subarray(0, 16).toString('base64url');
}

function decoded(values: JsonObject, encoding: 'base64' | 'utf8'): Map<string, Buffer> {
  const texts = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new Map(texts.map(([key, text]) => [key, Buffer.from(text, encoding)]));
}

function sortedNames(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
