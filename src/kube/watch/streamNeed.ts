import type { WatchSource } from './watchOnce.ts';

/** One list+watch stream that somebody needs. */
export interface StreamNeed extends WatchSource {
  /** Unique in the process, and readable in a log line: health, metrics and recordings know the stream by it. */
  readonly name: string;
  /** What it tells can be had without it, only later: weeder is ready also while it cannot be read. Default: false. */
  readonly isOptional?: boolean;
  /**
   * Streams with the same text serve one purpose in several places: while one of them has been read, nobody waits for
   * those that the server refuses, or is slow to serve. Default: it is waited for in any case.
   */
  readonly peers?: string;
  /** False: the controller starts without this stream, and holds back what depends on it. Default: true. */
  readonly isAwaited?: boolean;
}
