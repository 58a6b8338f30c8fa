import { type HashKey, usesFingerprint } from '../digest/digest.ts';
import type { Refusal } from '../references/answer.ts';
import { type SourceRef, sourceKey } from '../references/refs.ts';
import type { Use } from '../references/uses.ts';
import type { Digest, Digests } from '../sources/digests.ts';
import type { SourcesKnown } from '../sources/sourceIndex.ts';
import type { StoredTag } from './state.ts';

/** A workload's uses of one source, with the current tag. */
export interface CurrentSource {
  readonly ref: SourceRef;
  readonly uses: readonly Use[];
  readonly tag: StoredTag;
  readonly digest: Digest;
  /** Changes with each version of the source, and when it is deleted. */
  readonly version: string;
  /** When the content was last written, by the API server's clock: epoch milliseconds; undefined: unknown. */
  readonly lastWrite: number | undefined;
  /** When this object was created: epoch milliseconds by the API server's clock. */
  readonly createdAt: number | undefined;
  /** When the latest version was observed as it happened: by weeder's clock. */
  readonly seenAt: number | undefined;
}

export type CurrentSourcesAnswer =
  | { readonly type: 'ok'; readonly sources: ReadonlyMap<string, CurrentSource> }
  | ({ readonly type: 'refused' } & Refusal);

/**
 * Returns the current tags for the uses of a pod template under this key. Sources that are opted out as a whole are
 * left out.
 */
export async function readCurrentSources(
  uses: readonly Use[],
  key: HashKey,
  digests: Digests,
  sourceMetas: SourcesKnown,
): Promise<CurrentSourcesAnswer> {
  const bySource = Map.groupBy(uses, ({ source }) => sourceKey(source));
  const sources = new Map<string, CurrentSource>();
  const answers = await Promise.all(
    [...bySource].map(async ([id, sourceUses]) => {
      const ref = sourceUses[0]?.source;
      // An opted-out source has no tag; but if it is required, a pod cannot start without it.
      const isLeftOut = ref !== undefined && sourceMetas.optOut(ref) === 'all' && sourceMetas.get(ref) !== undefined;
      if (ref === undefined || isLeftOut) return undefined;
      return { id, ref, uses: sourceUses, answer: await digests.digestOf(key, ref, sourceUses) };
    }),
  );
  for (const read of answers) {
    if (read === undefined) continue;
    const { id, ref, uses: sourceUses, answer } = read;
    if (answer.type === 'refused') return answer;
    const { digest } = answer;
    const fingerprint = usesFingerprint(sourceUses, sourceMetas.optOut(ref));
    const tag = { tag: digest.tag, keys: digest.keys, uses: fingerprint, isImmutable: digest.isImmutable };
    sources.set(id, {
      ref,
      uses: sourceUses,
      tag,
      digest,
      version: sourceMetas.get(ref)?.resourceVersion ?? `deleted at ${sourceMetas.seenAt(ref)}`,
      lastWrite: sourceMetas.get(ref)?.lastDataWrite,
      createdAt: sourceMetas.get(ref)?.createdAt,
      seenAt: sourceMetas.seenAt(ref),
    });
  }
  return { type: 'ok', sources };
}
