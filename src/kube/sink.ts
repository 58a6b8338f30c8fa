import type { PeekedMetadata } from './peek.ts';

/** What happened to an object, as a watch tells it. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * Where the objects of a stream go, straight from the bytes and past the machines. All calls are synchronous and in
 * the server's order. A sink that throws ends the stream, which then starts anew with a complete list.
 */
export interface ObjectSink {
  /** A complete list starts. May come again before `end()`: the list was cut and starts from the beginning. */
  begin(): void;
  /** Between `begin()` and `end()` every change is ADDED unless the object changed while the list was read. */
  apply(type: ChangeType, object: unknown): void;
  /** The list is complete, as of this resourceVersion: what was not seen since the last `begin()` is gone. */
  end(resourceVersion?: string): void;
  /**
   * Asked before a line is parsed: true = it cannot matter and need not be. `line` is a view of a buffer that is used
   * again, so copy what has to be kept; `metadata` is what its first bytes say.
   */
  isIrrelevant?(line: Buffer, metadata: PeekedMetadata): boolean;
}

/** The sink of a stream that may be closed for good while others go on. */
export interface ClosableSink extends ObjectSink {
  /** Nothing comes any more, and what came before counts no longer. */
  close(): void;
}

/** The sink, with somebody told of each complete list. */
export function tellingComplete(sink: ObjectSink, onComplete: () => void): ObjectSink {
  return {
    begin: () => sink.begin(),
    apply: (type, object) => sink.apply(type, object),
    end(resourceVersion) {
      sink.end(resourceVersion);
      onComplete();
    },
    ...(sink.isIrrelevant === undefined ? {} : { isIrrelevant: sink.isIrrelevant.bind(sink) }),
  };
}
