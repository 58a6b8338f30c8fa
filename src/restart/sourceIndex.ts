import type { ClosableSink } from '../kube/sink.ts';
import { type SourceKind, type SourceRef, sourceKey } from './refs.ts';
import { readSourceMeta, type SourceMeta } from './sourceMeta.ts';

/** Everything that is kept of the ConfigMaps and Secrets: the sink of their streams. No value is among it. */
export interface SourceIndex {
  /** A sink for one more stream: its complete lists say nothing of what other streams told. */
  createSink(kind: SourceKind): ClosableSink;
  get(ref: SourceRef): SourceMeta | undefined;
  readonly size: number;
}

/** `onChanged` is told of each source that is another one now: in its version, or because it came or went. */
export function createSourceIndex(onChanged: (ref: SourceRef) => void): SourceIndex {
  const sources = new Map<string, SourceMeta>();

  function put(meta: SourceMeta): void {
    const key = sourceKey(meta.ref);
    const known = sources.get(key);
    sources.set(key, meta);
    if (known?.uid !== meta.uid || known.resourceVersion !== meta.resourceVersion) onChanged(meta.ref);
  }

  function remove(key: string): void {
    const known = sources.get(key);
    if (known !== undefined && sources.delete(key)) onChanged(known.ref);
  }

  return {
    createSink(kind) {
      const mine = new Set<string>();
      let listed = new Set<string>();
      let isListing = false;
      return {
        begin() {
          listed = new Set();
          isListing = true;
        },
        apply(type, object) {
          const meta = readSourceMeta(object, kind);
          if (meta === undefined) return;
          const key = sourceKey(meta.ref);
          if (type === 'DELETED') {
            mine.delete(key);
            remove(key);
            return;
          }
          mine.add(key);
          if (isListing) listed.add(key);
          put(meta);
        },
        end() {
          isListing = false;
          for (const key of [...mine].filter((each) => !listed.has(each))) {
            mine.delete(key);
            remove(key);
          }
        },
        close() {
          for (const key of mine) remove(key);
          mine.clear();
        },
      };
    },
    get: (ref) => sources.get(sourceKey(ref)),
    get size() {
      return sources.size;
    },
  };
}
