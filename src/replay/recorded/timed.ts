import type { Told } from '../../recording/told.ts';

/** A fact with its time in milliseconds since the start of the recording. */
export type Timed = Told & { readonly t: number };

/** A fact, and how many inputs came before it: what follows from the same input has the same number on both sides. */
export interface Placed {
  readonly fact: Timed;
  readonly after: number;
}

/** What the weeder says now to the recorded inputs, and what it said then. */
export interface Replay {
  readonly startedAt: number;
  /** Milliseconds since the start. */
  readonly endedAt: number;
  readonly recorded: readonly Timed[];
  readonly replayed: readonly Timed[];
}
