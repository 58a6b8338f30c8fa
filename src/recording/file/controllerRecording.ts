import type { Clock } from '@weeder/kube-runtime/base';
import type { Append } from './entry.ts';
import type { RecordingHeader } from './lines.ts';

/** Where the lines of one controller are recorded. */
export interface ControllerRecording {
  readonly append: Append;
  /** Returns the clock for the controller, whose late timers are recorded. */
  readonly clockFor: (clock: Clock) => Clock;
  /** The key of the marks that replace content. It is in no file, so that no reader can guess what a mark stands for. */
  readonly key: Buffer;
  /** `busyNow` is called whenever a new file begins, and returns what has not settled. */
  onNewFile(busyNow: () => readonly string[]): void;
  /** Until the next call, this is asked before a new file begins. */
  beforeNewFile(handover: FileHandover): void;
}

/** What a controller has to say before a new file begins, beside its lines. */
export interface FileHandover {
  /** A new file would lack a pending request, or the state of a handover between two streams: it is put off. */
  isUnfinished(): boolean;
  /** Its fields in the header of the new file. */
  header(): Pick<RecordingHeader, 'declared' | 'webhooks' | 'streams'>;
}
