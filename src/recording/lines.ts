import type { StreamState } from '../weeder/streams.ts';
import type { ObserverEntry } from './observer/observerLines.ts';
import type { RestartEntry } from './restart/restartLines.ts';
import type { WeederInput, WeederOutput } from './weeder/weederLines.ts';

/**
 * Incremented if one version of weeder could misread the recordings of another. Version 1 was written before the
 * release of 0.1.0, with other names for its lines and events.
 */
export const recordingVersion = 2;

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
  /** In the form of a config file: the config in force when the file begins. */
  readonly config: object;
  /** The streams that are open when a later file begins. */
  readonly streams?: readonly StreamState[];
}

/** The fields that each line after the header has beside its input or output. */
interface Stamp {
  /** Milliseconds since `startedAt`, by the monotonic clock. */
  readonly t: number;
  /** How far the wall clock has jumped since `startedAt`, in milliseconds; only if that has changed. */
  readonly wall?: number;
}

export type RecordedLine = Stamp & (WeederInput | WeederOutput | RestartEntry | ObserverEntry);
