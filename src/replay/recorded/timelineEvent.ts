import type { RecordedEvent } from '../../recording/file/lines.ts';

/** An event with its time in milliseconds since the start of the recording. */
export type TimelineEvent = RecordedEvent & { readonly t: number };

/** The events of a replay, and the recorded events. */
export interface Replay {
  readonly startedAt: number;
  /** Milliseconds since the start. */
  readonly endedAt: number;
  readonly recorded: readonly TimelineEvent[];
  readonly replayed: readonly TimelineEvent[];
}
