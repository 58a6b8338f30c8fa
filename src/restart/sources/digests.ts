import { isAtLeast } from '@weeder/kube-runtime/objects';
import {
  dependenciesHash,
  type HashKey,
  missingKeys,
  type SourceContent,
  type SourceTag,
  tagOf,
  usesFingerprint,
} from '../digest/digest.ts';
import type { Answer, Refusal } from '../references/answer.ts';
import { type SourceRef, sourceKey, type WorkloadRef } from '../references/refs.ts';
import type { SourceMeta } from '../references/sourceMeta.ts';
import type { Use } from '../references/uses.ts';
import type { ReadSource, RestartApi } from '../requests/restartApi.ts';
import type { SourcesKnown } from './sourceIndex.ts';

/** The tag of a source for some uses of it. */
export interface Digest extends SourceTag {
  readonly isAbsent: boolean;
  readonly isImmutable: boolean;
  /** Keys that these uses require and the source does not have. */
  readonly missing: readonly string[];
}

type DigestAnswer = { readonly type: 'ok'; readonly digest: Digest } | ({ readonly type: 'refused' } & Refusal);

/** Reads each used source once per version, and stores only its tags. */
export interface Digests {
  digestOf(key: HashKey, ref: SourceRef, uses: readonly Use[]): Promise<DigestAnswer>;
  /** Returns the hash in the pod template, over all tags of a workload. */
  hashOf(key: HashKey, workload: WorkloadRef, tags: ReadonlyMap<string, Pick<SourceTag, 'tag'>>): string;
  /** Drops a source that is no longer used. */
  forget(ref: SourceRef): void;
  /** Aborts the requests in flight. */
  stop(): void;
}

interface DigestsOptions {
  readonly api: Pick<RestartApi, 'readSource'>;
  readonly sources: SourcesKnown;
}

/** A request for the content of a source, until it has been read. */
interface DigestRequest {
  readonly key: HashKey;
  readonly uses: readonly Use[];
  readonly resolve: (answer: DigestAnswer) => void;
}

interface Known {
  readonly resourceVersion: string;
  readonly digests: Map<string, Digest>;
}

/** The number of sources that are read concurrently. */
const concurrency = 16;

export function createDigests({ api, sources }: DigestsOptions): Digests {
  const cache = new Map<string, Known>();
  const queued = new Map<string, { readonly ref: SourceRef; readonly requests: DigestRequest[] }>();
  /**
   * The reads in flight, and the version that was known when each began: a caller that knows no newer version waits for
   * it.
   */
  const underWay = new Map<string, { readonly version: string | undefined; readonly requests: DigestRequest[] }>();
  const stopped = new AbortController();
  let reading = 0;

  function isNew(key: string, meta: SourceMeta | undefined): boolean {
    const cached = cache.get(key);
    return cached === undefined || meta === undefined || !isAtLeast(cached.resourceVersion, meta.resourceVersion);
  }

  function readNext(): void {
    for (const [key, { ref, requests }] of queued) {
      if (reading >= concurrency) return;
      queued.delete(key);
      reading += 1;
      void read(key, ref, requests).finally(() => {
        reading -= 1;
        readNext();
      });
    }
  }

  async function read(key: string, ref: SourceRef, requests: readonly DigestRequest[]): Promise<void> {
    const current = { version: sources.get(ref)?.resourceVersion, requests: [...requests] };
    underWay.set(key, current);
    const answer = await api.readSource(ref, stopped.signal);
    if (underWay.get(key) === current) underWay.delete(key);
    const digests = new Map<string, Digest>();
    for (const request of current.requests) request.resolve(answerTo(key, ref, request, answer, digests));
  }

  /** `made` holds the tags of this response. Many workloads may use one long source in the same way. */
  function answerTo(
    key: string,
    ref: SourceRef,
    request: DigestRequest,
    answer: Answer<ReadSource>,
    digests: Map<string, Digest>,
  ): DigestAnswer {
    switch (answer.type) {
      case 'ok': {
        const { content, meta } = answer.value;
        const cacheKey = requestKey(request.key, request.uses, meta.optOut);
        const digest = digests.get(cacheKey) ?? digestFor(request, ref, content, meta.optOut);
        digests.set(cacheKey, digest);
        if (sources.get(ref) !== undefined) remember(key, meta).set(cacheKey, digest);
        return { type: 'ok', digest };
      }
      case 'notFound':
        return { type: 'ok', digest: absent(request, ref, sources.optOut(ref)) };
      case 'conflicted':
        return { type: 'refused', reason: 'it changed while it was read', failure: 'conflict', retryAfter: 0 };
      case 'refused':
        return answer;
    }
  }

  function remember(key: string, meta: SourceMeta): Map<string, Digest> {
    const cached = cache.get(key);
    if (cached !== undefined && !isNew(key, meta)) return cached.digests;
    const digests = new Map<string, Digest>();
    cache.set(key, { resourceVersion: meta.resourceVersion, digests });
    return digests;
  }

  return {
    digestOf(key, ref, uses) {
      const id = sourceKey(ref);
      const meta = sources.get(ref);
      if (meta === undefined) cache.delete(id);
      // A source that no stream has delivered may still exist: its stream may lag behind that of its workload, and
      // excludes Secrets of some types. So it is requested each time.
      const cached =
        meta === undefined || isNew(id, meta)
          ? undefined
          : cache.get(id)?.digests.get(requestKey(key, uses, meta.optOut));
      if (cached !== undefined) return Promise.resolve({ type: 'ok', digest: cached });
      return new Promise((resolve) => {
        const reader = underWay.get(id);
        if (reader !== undefined && reader.version === meta?.resourceVersion) {
          reader.requests.push({ key, uses, resolve });
          return;
        }
        const waiting = queued.get(id) ?? { ref, requests: [] };
        waiting.requests.push({ key, uses, resolve });
        queued.set(id, waiting);
        readNext();
      });
    },
    hashOf: dependenciesHash,
    forget: (ref) => void cache.delete(sourceKey(ref)),
    stop: () => stopped.abort(),
  };
}

function requestKey(key: HashKey, uses: readonly Use[], optOut: SourceMeta['optOut']): string {
  return `${key.id} ${usesFingerprint(uses, optOut)}`;
}

function digestFor(
  { key, uses }: Pick<DigestRequest, 'key' | 'uses'>,
  ref: SourceRef,
  content: SourceContent,
  optOut: SourceMeta['optOut'],
): Digest {
  const tag = tagOf(key, ref, content, uses, optOut);
  return { ...tag, isAbsent: false, isImmutable: content.isImmutable, missing: missingKeys(content, uses) };
}

function absent(
  { key, uses }: Pick<DigestRequest, 'key' | 'uses'>,
  ref: SourceRef,
  optOut: SourceMeta['optOut'],
): Digest {
  const tag = tagOf(key, ref, 'absent', uses, optOut);
  return { ...tag, isAbsent: true, isImmutable: false, missing: missingKeys('absent', uses) };
}
