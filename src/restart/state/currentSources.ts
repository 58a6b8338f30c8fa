import { type HashKey, usesFingerprint } from '../digest/digest.ts';
import type { Refusal } from '../model/answer.ts';
import { type SourceRef, sourceKey } from '../model/refs.ts';
import type { Use } from '../model/uses.ts';
import type { Digest, Digests } from '../sources/digests.ts';
import type { SourcesKnown } from '../sources/sourceIndex.ts';
import type { StoredTag } from './state.ts';

/** What a workload uses of one source, and what that comes to now. */
export interface CurrentSource {
  readonly ref: SourceRef;
  readonly uses: readonly Use[];
  readonly tag: StoredTag;
  readonly digest: Digest;
  /** Another text with each newer version, and when it goes. */
  readonly version: string;
  /** When its content was written last, by the API server's clock: epoch milliseconds; undefined: it cannot be known. */
  readonly lastWrite: number | undefined;
  /** When this object was made: epoch milliseconds by the API server's clock. */
  readonly createdAt: number | undefined;
  /** When its newest version was seen as it came: by weeder's clock. */
  readonly seenAt: number | undefined;
}

export type CurrentSourcesAnswer =
  | { readonly is: 'ok'; readonly sources: ReadonlyMap<string, CurrentSource> }
  | ({ readonly is: 'refused' } & Refusal);

/** What the uses of a pod template come to under this key. Sources that are opted out as a whole are not among it. */
export async function readCurrentSources(
  uses: readonly Use[],
  key: HashKey,
  digests: Digests,
  known: SourcesKnown,
): Promise<CurrentSourcesAnswer> {
  const bySource = Map.groupBy(uses, ({ source }) => sourceKey(source));
  const sources = new Map<string, CurrentSource>();
  const answers = await Promise.all(
    [...bySource].map(async ([id, its]) => {
      const ref = its[0]?.source;
      // One that is left out has no tag; but a pod cannot start without it if it is required.
      const isLeftOut = ref !== undefined && known.optOut(ref) === 'all' && known.get(ref) !== undefined;
      if (ref === undefined || isLeftOut) return undefined;
      return { id, ref, uses: its, answer: await digests.digestOf(key, ref, its) };
    }),
  );
  for (const found of answers) {
    if (found === undefined) continue;
    const { id, ref, uses: its, answer } = found;
    if (answer.is === 'refused') return answer;
    const { digest } = answer;
    const made = usesFingerprint(its, known.optOut(ref));
    const tag = { tag: digest.tag, keys: digest.keys, uses: made, isImmutable: digest.isImmutable };
    sources.set(id, {
      ref,
      uses: its,
      tag,
      digest,
      version: known.get(ref)?.resourceVersion ?? `gone at ${known.seenAt(ref)}`,
      lastWrite: known.get(ref)?.lastDataWrite,
      createdAt: known.get(ref)?.createdAt,
      seenAt: known.seenAt(ref),
    });
  }
  return { is: 'ok', sources };
}
