import type { ServiceConfig } from '../../../src/config/config.ts';
import type { DeletionAnswer } from '../../../src/weeder/deletions/deletePod.ts';

/** A pod as the streams deliver it, by the values of the story, not by what weeder parses. */
export interface DeliveredPod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly role: string;
  readonly version: string;
  /** `ended`: in unreported back-off after a while; `healthy`: anything that is not crash-looping. */
  readonly state: 'backOff' | 'ended' | 'healthy';
  readonly restarts: number;
  /** By the node's clock, epoch milliseconds. */
  readonly finishedAt: number;
  readonly protection: 'none' | 'bare' | 'never';
}

/** Something that happened around weeder, in order. */
export type HistoryEvent =
  /** A weeder begins with the events from now on until `listed`; the previous one has stopped. */
  | { readonly what: 'listing' }
  | { readonly what: 'running' }
  | { readonly what: 'stopped' }
  | { readonly what: 'delivered'; readonly pod: DeliveredPod }
  | { readonly what: 'lost'; readonly uid: string }
  /** A slice changed: its service is ready or not, by all of its slices. */
  | { readonly what: 'slice'; readonly service: string; readonly isReady: boolean; readonly exists: boolean }
  /** The slices are listed again: the state before is unknown. */
  | { readonly what: 'gap' }
  | { readonly what: 'gapEnds' }
  /** The backing pods showed since when a service is ready; undefined: they did not. */
  | { readonly what: 'dated'; readonly service: string; readonly since: number | undefined }
  | {
      readonly what: 'requested';
      readonly attempt: number;
      readonly uid: string;
      readonly version: string;
      readonly how: string;
    }
  | { readonly what: 'answered'; readonly attempt: number; readonly answer: DeletionAnswer }
  /** Time passed, or was set: nothing else. */
  | { readonly what: 'time' }
  /** The process was suspended: timers that were due meanwhile fire once time passes again. */
  | { readonly what: 'awake' };

/** `t`: milliseconds since the story began; `wall`: the wall clock. */
export type Entry = HistoryEvent & { readonly t: number; readonly wall: number };

/** Everything that happened in one story, with its settings. */
export interface History {
  readonly services: readonly ServiceConfig[];
  readonly concurrentDeletions: number;
  readonly entries: readonly Entry[];
}
