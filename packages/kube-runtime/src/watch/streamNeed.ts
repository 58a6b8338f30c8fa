import type { WatchSource } from './watchOnce.ts';

/** A list+watch stream that a controller requires. */
export interface StreamNeed extends WatchSource {
  /** The name that health checks, metrics, recordings and log lines use; unique in the process. */
  readonly name: string;
  /**
   * Streams with the same value serve one purpose in several places: once one of them has been read, those that the
   * server refuses or serves slowly are not waited for. Default: the stream is always waited for.
   */
  readonly peers?: string;
  /** False: the controller starts without this stream, and delays what depends on it. Default: true. */
  readonly isAwaited?: boolean;
}
