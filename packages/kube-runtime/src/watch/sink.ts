import type { ChangeType, LineMetadata } from './metadataFastPath.ts';

/**
 * Receives the objects of a stream directly from the decoder, without passing through the machines. All calls are
 * synchronous and in the server's order. An object for which `apply` throws is omitted and logged; what else throws
 * ends the stream, which then restarts with a complete list.
 */
export interface ObjectSink {
  /** A complete list starts. This may be called again before `end()`: the list was interrupted and restarts. */
  begin(): void;
  /** Between `begin()` and `end()` every change is ADDED unless the object changed while the list was read. */
  apply(type: ChangeType, object: unknown): void;
  /**
   * The list is complete as of this resourceVersion: objects that were not seen since the last `begin()` no longer
   * exist.
   */
  end(resourceVersion?: string): void;
  /**
   * From now on changes may be missed: the stream is down, or an object of it could not be read. The sink keeps its
   * previous state until `resumed()` or `end()`.
   */
  lost?(): void;
  /** The stream resumes from its position: every change since then will be delivered. */
  resumed?(): void;
  /**
   * The server went back to an older state, and a complete list follows. The versions so far say nothing about later
   * ones: a lower version may be newer, and the same version may have another content.
   */
  rewound?(): void;
  /**
   * Called before a line is parsed; if it returns true, the line is irrelevant and is not parsed. `line` is a view of a
   * reused buffer, so copy what is needed later; `metadata` is what its first bytes contain.
   */
  isIrrelevant?(line: Buffer, metadata: LineMetadata): boolean;
}

/** The sink of a stream that may be closed permanently while others continue. */
export interface ClosableSink extends ObjectSink {
  /** Nothing more will be delivered, and what was delivered no longer counts. */
  close(): void;
}

/** Passes everything on to the sink, for a wrapper that replaces some of it. What the sink lacks, it lacks, too. */
export function forwardingTo(sink: ObjectSink): ObjectSink {
  return {
    begin: () => sink.begin(),
    apply: (type, object) => sink.apply(type, object),
    end: (resourceVersion) => sink.end(resourceVersion),
    ...(sink.lost === undefined ? {} : { lost: sink.lost.bind(sink) }),
    ...(sink.resumed === undefined ? {} : { resumed: sink.resumed.bind(sink) }),
    ...(sink.rewound === undefined ? {} : { rewound: sink.rewound.bind(sink) }),
    ...(sink.isIrrelevant === undefined ? {} : { isIrrelevant: sink.isIrrelevant.bind(sink) }),
  };
}

/** Wraps the sink so that `onComplete` is called after each complete list. */
export function notifyingComplete(sink: ObjectSink, onComplete: () => void): ObjectSink {
  return {
    ...forwardingTo(sink),
    end(resourceVersion) {
      sink.end(resourceVersion);
      onComplete();
    },
  };
}
