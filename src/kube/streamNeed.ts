import type { WatchSource } from './watchOnce.ts';

/** One list+watch stream that somebody needs. */
export interface StreamNeed extends WatchSource {
  /** Unique in the process, and readable in a log line: health, metrics and recordings know the stream by it. */
  readonly name: string;
  /** What it tells can be had without it, only later: weeder is ready also while it cannot be read. Default: false. */
  readonly isOptional?: boolean;
  /**
   * The controller starts without this stream, and holds back only what depends on it. Weeder is ready while the server
   * refuses it (403, 404), if another stream with the same text has been read. Default: the controller waits for it.
   */
  readonly peers?: string;
}
