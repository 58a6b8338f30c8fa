import type { ChangeType } from '../../kube/watch/metadataFastPath.ts';
import type { RefusalClass } from '../../restart/model/answer.ts';
import type { RecordedRestartEvent } from './recordedRestartEvent.ts';

/** The API server's response to a request, without messages and content: only what decisions depend on. */
export type RecordedResponse =
  | { readonly is: 'ok'; readonly value?: unknown }
  | { readonly is: 'notFound' }
  | { readonly is: 'conflicted' }
  | { readonly is: 'refused'; readonly failure: RefusalClass; readonly retryAfter: number };

/** An input of restart control. */
export type RestartInput =
  /** Restart control was created with this config; a second one replaces the first. */
  | { readonly in: 'created'; readonly config: object }
  | { readonly in: 'start' | 'stop' }
  | { readonly in: 'config'; readonly config: object }
  | { readonly in: 'begin'; readonly stream: string }
  | { readonly in: 'end'; readonly stream: string; readonly resourceVersion?: string }
  | { readonly in: ChangeType; readonly stream: string; readonly object: object }
  /** The ids of the hash keys, which do not reveal the keys. */
  | { readonly in: 'keys'; readonly current: string; readonly ids: readonly string[] }
  /** The Secret of the hash keys was read, whether it exists or not. */
  | { readonly in: 'keysRead' }
  /** `request`: from `restartRequests`. */
  | { readonly in: 'response'; readonly request: string; readonly response: RecordedResponse }
  /** The hash for the pod template; recorded only if it has changed. */
  | { readonly in: 'hash'; readonly request: string; readonly hash: string }
  | { readonly in: 'random'; readonly value: number }
  /**
   * The preceding lines of this file repeat the state at the end of earlier files. They do not repeat what was in
   * progress for the `busy` workloads: these are excluded until they are `settled`.
   */
  | { readonly in: 'snapshotEnd'; readonly busy: readonly string[] }
  | { readonly in: 'settled'; readonly workload: string };

/** A line of restart control. Its own key distinguishes it from the lines of the weeder. */
export interface RestartEntry {
  readonly restart: RestartInput | RecordedRestartEvent;
}

/** Appends one line of restart control. */
export type AppendRestart = (entry: RestartInput | RecordedRestartEvent) => void;

/** Where the lines of restart control are recorded. */
export interface RestartRecording {
  readonly append: AppendRestart;
  /** `busyNow` is called whenever a new file begins, and returns the workloads that have not settled. */
  onNewFile(busyNow: () => readonly string[]): void;
}
