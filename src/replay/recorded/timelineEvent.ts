import type { RecordedEvent } from '../../recording/events.ts';

/** An event with its time in milliseconds since the start of the recording. */
export type TimelineEvent = RecordedEvent & { readonly t: number };

/** An event, and how many inputs came before it: what follows from the same input has the same number on both sides. */
export interface PlacedEvent {
  readonly event: TimelineEvent;
  readonly after: number;
}

/** What the weeder says now to the recorded inputs, and what it said then. */
export interface Replay {
  readonly startedAt: number;
  /** Milliseconds since the start. */
  readonly endedAt: number;
  readonly recorded: readonly TimelineEvent[];
  readonly replayed: readonly TimelineEvent[];
}
