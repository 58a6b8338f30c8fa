import type { ChangeType } from '../kube/watch/peek.ts';
import type { DeletionAnswer } from '../weeder/deletions/deletePod.ts';
import type { ReadyEvidence } from '../weeder/services/readiness.ts';
import type { StreamState } from '../weeder/streams.ts';
import type { ObserverEntry } from './observer/observerLines.ts';
import type { RestartEntry } from './restart/restartLines.ts';
import type { Told } from './told.ts';

/** Raised whenever an older weeder could misread what a newer one wrote. */
export const recordingVersion = 1;

/** The first line of every file of a recording. */
export interface RecordingHeader {
  readonly weeder: 'recording';
  readonly version: number;
  readonly weederVersion: string;
  /** RFC 3339; the same in all files of a recording. */
  readonly startedAt: string;
  /** Counts the files of a recording, from 1. */
  readonly part: number;
  readonly namespaces: 'all' | readonly string[];
  readonly concurrentDeletions: number;
  readonly isDryRun: boolean;
  /** As a config file says it: the one in force when the file begins. */
  readonly config: object;
  /** The streams that are open when a later file begins. */
  readonly streams?: readonly StreamState[];
}

/** Something that reached the weeder's core. */
export type RecordedInput =
  | { readonly in: 'begin'; readonly stream: string }
  /** As of which resourceVersion, where the server says it. */
  | { readonly in: 'end'; readonly stream: string; readonly resourceVersion?: string }
  /** A pod that no longer crash-loops is DELETED here: to the weeder that is the same. */
  | { readonly in: ChangeType; readonly stream: string; readonly object: object }
  | { readonly in: 'start' | 'stop' }
  /** From now on this config is in force; as in the header. */
  | { readonly in: 'config'; readonly config: object }
  /** This replica leads, or stands by, anew: a fresh weeder with this config takes the place of the one before. */
  | { readonly in: 'fresh'; readonly config: object }
  /** What stands before it in this file repeats what earlier files left behind. `windows`: those that are open. */
  | { readonly in: 'resume'; readonly isRunning: boolean; readonly windows: readonly string[] }
  /** Epoch milliseconds; null: it could not be known. */
  | { readonly in: 'readySince'; readonly evidence: string; readonly since: number | null }
  | { readonly in: 'answer'; readonly uid: string; readonly answer: DeletionAnswer }
  | { readonly in: 'random'; readonly value: number };

/** Something that came out of it. */
export type RecordedOutput =
  | { readonly out: 'deletion.requested'; readonly uid: string; readonly resourceVersion: string }
  | { readonly out: 'readySince.asked'; readonly evidence: string }
  | Told;

/** A moment by both clocks, in milliseconds: since `startedAt`, and how far the wall clock has jumped since. */
export interface Moment {
  readonly t: number;
  readonly wall: number;
}

/** What each line after the header has beside its input or output. */
interface Stamp {
  /** Milliseconds since `startedAt`, by the monotonic clock. */
  readonly t: number;
  /** How far the wall clock has jumped since `startedAt`, in milliseconds; only where that changed. */
  readonly wall?: number;
}

/** Takes down one line of a recording. */
export type Note = (entry: RecordedInput | RecordedOutput) => void;

export type RecordedLine = Stamp & (RecordedInput | RecordedOutput | RestartEntry | ObserverEntry);

/** By what a question for a service's age is found again in a replay. */
export function evidenceKey({ backingPods, lastWrite }: ReadyEvidence): string {
  return `${backingPods?.map(({ namespace, name }) => `${namespace}/${name}`).join(' ') ?? '?'} ${lastWrite ?? '?'}`;
}

/** By what a window is found again: `namespace/service#window`. */
export function windowKey(about: string, window: number | undefined): string {
  return `${about}#${window ?? 0}`;
}

/** By the name of a stream: does it tell of EndpointSlices? Otherwise of pods. */
export function isOfSlices(stream: string): boolean {
  return stream.startsWith('endpointslices');
}
