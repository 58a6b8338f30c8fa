import type { Clock } from '@weeder/kube-runtime/base';
import { putBounded } from '@weeder/kube-runtime/base';
import { oldestVersion } from '@weeder/kube-runtime/objects';
import type { ClosableSink } from '@weeder/kube-runtime/watch';
import { createSharedObjects } from '@weeder/kube-runtime/watch';
import type { OptOut } from '../references/annotations.ts';
import { type SourceKind, type SourceRef, sourceKey } from '../references/refs.ts';
import { readSourceMeta, type SourceMeta } from '../references/sourceMeta.ts';

/** Read access to the known sources. */
export interface SourcesKnown {
  /** Returns undefined if the source does not exist. */
  get(ref: SourceRef): SourceMeta | undefined;
  /**
   * When the latest version or the deletion was observed as it happened: epoch milliseconds; undefined: the source was
   * found by a list.
   */
  seenAt(ref: SourceRef): number | undefined;
  /** Returns the current opt-out, or the last one of a source that no longer exists. */
  optOut(ref: SourceRef): OptOut;
}

/** The maximum number of deleted sources whose opt-out is stored. */
const maxDeleted = 1_000;

/** The metadata of ConfigMaps and Secrets, and the sink of their streams. It holds no values. */
interface SourceIndex extends SourcesKnown {
  /** Creates a sink for one more stream. An object stays as long as another stream has it. */
  createSink(kind: SourceKind): ClosableSink;
  readonly size: number;
}

/**
 * `onChanged` is called for each source that was created, changed or deleted; `onRewound` for each one of which no
 * version so far says anything about later ones.
 */
export function createSourceIndex(
  { now }: Pick<Clock, 'now'>,
  onChanged: (ref: SourceRef) => void,
  onRewound: (ref: SourceRef) => void = () => undefined,
): SourceIndex {
  const sources = new Map<string, SourceMeta>();
  const seen = new Map<string, number>();
  const deleted = new Map<string, OptOut>();
  const holders = createSharedObjects();

  function put(meta: SourceMeta, isLive: boolean): void {
    const key = sourceKey(meta.ref);
    const previous = sources.get(key);
    const isSame = previous?.uid === meta.uid && previous.resourceVersion === meta.resourceVersion;
    sources.set(key, meta);
    deleted.delete(key);
    if (isSame) return;
    if (isLive) seen.set(key, now());
    else seen.delete(key);
    onChanged(meta.ref);
  }

  function remove(key: string, isLive: boolean): void {
    const previous = sources.get(key);
    if (previous === undefined) return;
    sources.delete(key);
    putBounded(deleted, key, previous.optOut, maxDeleted);
    if (isLive) putBounded(seen, key, now(), maxDeleted + sources.size);
    else seen.delete(key);
    onChanged(previous.ref);
  }

  function rewind(key: string): void {
    const meta = sources.get(key);
    if (meta === undefined) return;
    sources.set(key, { ...meta, resourceVersion: oldestVersion });
    onRewound(meta.ref);
  }

  return {
    createSink(kind) {
      const objects = holders.stream();
      return {
        begin: objects.begin,
        apply(type, object) {
          const meta = readSourceMeta(object, kind);
          if (meta === undefined) return;
          const key = sourceKey(meta.ref);
          if (type === 'DELETED') {
            if (objects.remove(key)) remove(key, true);
            return;
          }
          objects.add(key);
          put(meta, !objects.isListing);
        },
        end() {
          for (const key of objects.end()) remove(key, false);
        },
        rewound() {
          for (const key of objects.keys()) rewind(key);
        },
        close() {
          for (const key of objects.close()) remove(key, false);
        },
      };
    },
    get: (ref) => sources.get(sourceKey(ref)),
    seenAt: (ref) => seen.get(sourceKey(ref)),
    optOut: (ref) => sources.get(sourceKey(ref))?.optOut ?? deleted.get(sourceKey(ref)) ?? 'none',
    get size() {
      return sources.size;
    },
  };
}
