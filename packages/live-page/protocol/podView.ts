import type { Moment } from './moment.ts';

/** A pod: GET `/pod?namespace=shop&name=web-0` returns a `PodView`. */
export interface PodView {
  readonly namespace: string;
  readonly name: string;
  /** Why it is, is not, or was deleted. Times in it are UTC, as in RFC 3339. */
  readonly sentence: string;
  /** The services on which it depends; a part, if there are many. Empty: weeder keeps nothing of it now. */
  readonly services: readonly PodServiceView[];
  /** The number of these services. */
  readonly total: number;
  /** The newest events of pods of this name, at most 50, oldest first. */
  readonly moments: readonly Moment[];
  /** The id of its actor. Undefined: no window requests its deletion. */
  readonly actor: string | undefined;
}

export interface PodServiceView {
  readonly namespace: string;
  readonly service: string;
  readonly isReady: boolean;
  readonly exists: boolean;
  /** Since when it is ready, not ready, or without an EndpointSlice. */
  readonly since: number | undefined;
  /** `held`: its deletions wait, because the service is not ready again. */
  readonly window: 'none' | 'open' | 'held' | 'unknown';
}
