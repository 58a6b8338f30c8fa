import type { ChangeType, PeekedMetadata } from './metadataFastPath.ts';

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
   * From now on changes may be missed: the stream is down, or an object of it could not be read. What the sink holds is
   * the state of before, until `resumed()` or `end()`.
   */
  lost?(): void;
  /** The stream goes on where it stopped: every change since then comes in. */
  resumed?(): void;
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
    ...(sink.lost === undefined ? {} : { lost: sink.lost.bind(sink) }),
    ...(sink.resumed === undefined ? {} : { resumed: sink.resumed.bind(sink) }),
    ...(sink.isIrrelevant === undefined ? {} : { isIrrelevant: sink.isIrrelevant.bind(sink) }),
  };
}
