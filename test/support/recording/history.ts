import type { ServiceConfig } from '../../../src/config/config.ts';
import type { DeletionAnswer } from '../../../src/weeder/deletions/deletePod.ts';

/** A pod as the streams tell of it, by what the story made it, not by what weeder reads in it. */
export interface ToldPod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly role: string;
  readonly version: string;
  /** `ended`: in unreported back-off once it lasts; `healthy`: whatever is not crash-looping. */
  readonly state: 'backOff' | 'ended' | 'healthy';
  readonly restarts: number;
  /** By the node's clock, epoch milliseconds. */
  readonly finishedAt: number;
  readonly protection: 'none' | 'bare' | 'never';
}

/** Something that happened around weeder, in the order in which it did. */
export type Happening =
  /** A weeder begins with what is told from now on until `listed`; the one before has stopped. */
  | { readonly what: 'listing' }
  | { readonly what: 'running' }
  | { readonly what: 'stopped' }
  | { readonly what: 'told'; readonly pod: ToldPod }
  | { readonly what: 'lost'; readonly uid: string }
  /** A slice changed: its service is ready or not, as all its slices tell together. */
  | { readonly what: 'slice'; readonly service: string; readonly isReady: boolean }
  /** The list of slices is read again: what was before it is unknown. */
  | { readonly what: 'gap' }
  | { readonly what: 'gapEnds' }
  /** The backing pods told since when a service is ready; undefined: they do not tell. */
  | { readonly what: 'dated'; readonly service: string; readonly since: number | undefined }
  | {
      readonly what: 'asked';
      readonly attempt: number;
      readonly uid: string;
      readonly version: string;
      readonly how: string;
    }
  | { readonly what: 'answered'; readonly attempt: number; readonly answer: DeletionAnswer }
  /** Time passed, or was set: nothing else. */
  | { readonly what: 'time' }
  /** The process stood still since what was before: what was due meanwhile happens once time passes again. */
  | { readonly what: 'awake' };

/** `t`: milliseconds that passed since the story began; `wall`: what the clock on the wall says. */
export type Entry = Happening & { readonly t: number; readonly wall: number };

/** Everything that happened in one story, and by which rules. */
export interface History {
  readonly services: readonly ServiceConfig[];
  readonly concurrentDeletions: number;
  readonly entries: readonly Entry[];
}
