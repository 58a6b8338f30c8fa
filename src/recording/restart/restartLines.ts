import type { ChangeType } from '../../kube/watch/metadataFastPath.ts';
import type { RefusalClass } from '../../restart/model/answer.ts';
import type { RecordedRestartEvent } from './recordedRestartEvent.ts';

/** What the API server said to a question, as far as something is decided by it: no sentence, and no content. */
export type RecordedResponse =
  | { readonly is: 'ok'; readonly value?: unknown }
  | { readonly is: 'notFound' }
  | { readonly is: 'conflicted' }
  | { readonly is: 'refused'; readonly failure: RefusalClass; readonly retryAfter: number };

/** Something that reached restart control. */
export type RestartInput =
  /** Restart control with this config begins; a second one takes the place of the first. */
  | { readonly in: 'created'; readonly config: object }
  | { readonly in: 'start' | 'stop' }
  | { readonly in: 'config'; readonly config: object }
  | { readonly in: 'begin'; readonly stream: string }
  | { readonly in: 'end'; readonly stream: string; readonly resourceVersion?: string }
  | { readonly in: ChangeType; readonly stream: string; readonly object: object }
  /** The hash keys by their ids, which do not reveal them. */
  | { readonly in: 'keys'; readonly current: string; readonly ids: readonly string[] }
  /** The Secret of the hash keys was read, whether it exists or not. */
  | { readonly in: 'keysRead' }
  /** `to`: which question, in words. */
  | { readonly in: 'response'; readonly request: string; readonly response: RecordedResponse }
  /** What goes into the pod template; only where it is another one than before. */
  | { readonly in: 'hash'; readonly request: string; readonly hash: string }
  | { readonly in: 'random'; readonly value: number }
  /**
   * What stands before it in this file repeats what earlier files left behind. Of the `busy` workloads something was
   * under way that is not repeated: they are of no account until they come to `rest`.
   */
  | { readonly in: 'snapshotEnd'; readonly busy: readonly string[] }
  | { readonly in: 'settled'; readonly workload: string };

/** A line of restart control, under a key of its own, so that it is not mistaken for a line of the weeder. */
export interface RestartEntry {
  readonly restart: RestartInput | RecordedRestartEvent;
}

/** Appends one line of restart control. */
export type AppendRestart = (entry: RestartInput | RecordedRestartEvent) => void;

/** Where the lines of restart control are recorded. */
export interface RestartRecording {
  readonly append: AppendRestart;
  /** Whenever a new file begins it is asked which workloads are busy then. */
  onNewFile(busyNow: () => readonly string[]): void;
}
