import type { StoredConfig } from '../config/configText.ts';
import type { StreamState } from '../weeder/streams.ts';
import type { RecordedEvent } from './events.ts';
import type { Input, Requested } from './file/entry.ts';

/**
 * Incremented if one version of weeder could misread the recordings of another. Versions 1 and 2 were written before
 * the release of 0.1.0, with other lines.
 */
export const recordingVersion = 3;

/** The controllers whose lines a recording contains. */
export const controllerNames = ['weeder', 'restart', 'observer'] as const;
export type ControllerName = (typeof controllerNames)[number];

/** The first line of every file of a recording, with the config in force when the file begins. */
export interface RecordingHeader extends StoredConfig {
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
  /** The streams of the weeder that are open when a later file begins. */
  readonly streams?: readonly StreamState[];
}

/** The fields that each line after the header has beside its input or output. */
interface Stamp {
  /** Milliseconds since `startedAt`, by the monotonic clock; the same for all that ran without a pause. */
  readonly t: number;
  /** How far the wall clock has jumped since `startedAt`, in milliseconds; only if that has changed. */
  readonly wall?: number;
  /** The controller that it is about. */
  readonly of: ControllerName;
}

export type RecordedLine = Stamp & (Input | Requested | RecordedEvent);
