import type { ClosableSink } from './sink.ts';
import type { StreamNeed } from './streamNeed.ts';

/** A stream that has to be open. */
export interface OpenStream {
  /** Unique in the process. */
  readonly name: string;
  readonly sink: ClosableSink;
  /** The stream has read its complete list, and its objects count. */
  isSynced: boolean;
}

/** The streams that have to be open, in the order in which they were opened. */
export interface StreamSet<S extends OpenStream> {
  /** By name. */
  readonly needs: ReadonlyMap<string, StreamNeed>;
  get(name: string): S | undefined;
  all(): S[];
  /** Replaces the need of an open stream, too. */
  open(stream: S, need: Omit<StreamNeed, 'name'>): void;
  /** To be called with each complete list of the stream. Does nothing if the stream has been closed. */
  synced(stream: S): void;
  close(stream: S): void;
}

export function createStreamSet<S extends OpenStream>(on: {
  /** A stream has read a complete list; `isFirst`: its first. */
  readonly synced: (stream: S, isFirst: boolean) => void;
  /** The stream of this name will deliver nothing more. */
  readonly closed: (name: string) => void;
}): StreamSet<S> {
  const streams = new Map<string, S>();
  const needs = new Map<string, StreamNeed>();
  return {
    needs,
    get: (name) => streams.get(name),
    all: () => [...streams.values()],
    open(stream, need) {
      const { name } = stream;
      streams.set(name, stream);
      needs.set(name, { ...need, name });
    },
    synced(stream) {
      if (streams.get(stream.name) !== stream) return;
      const isFirst = !stream.isSynced;
      stream.isSynced = true;
      on.synced(stream, isFirst);
    },
    close({ name, sink }) {
      streams.delete(name);
      needs.delete(name);
      sink.close();
      on.closed(name);
    },
  };
}
