import type { RecordedEvent } from '../../recording/events.ts';

/** An event with its time in milliseconds since the start of the recording. */
export type TimelineEvent = RecordedEvent & { readonly t: number };

/** An event with the number of preceding inputs, which is the same in both runs for the effects of the same input. */
export interface PlacedEvent {
  readonly event: TimelineEvent;
  readonly after: number;
}

/** The events of a replay, and the recorded events. */
export interface Replay {
  readonly startedAt: number;
  /** Milliseconds since the start. */
  readonly endedAt: number;
  readonly recorded: readonly TimelineEvent[];
  readonly replayed: readonly TimelineEvent[];
}
