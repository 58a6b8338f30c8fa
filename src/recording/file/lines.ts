import type { StoredConfig } from '../../config/configText.ts';
import type { StreamState } from '../../weeder/streams.ts';
import type { Input, Requested } from './entry.ts';

/**
 * Incremented if one version of weeder could misread the recordings of another. Versions 1 to 3 were written before
 * the release of 0.1.0, with other lines.
 */
export const recordingVersion = 4;

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

/** An event of a controller: flat, and without anything that depends on timing alone. */
export interface RecordedEvent {
  /** Its type; each controller has a table of its own. */
  readonly out: string;
  readonly about: string;
  readonly window?: number;
  /** `namespace/name`. */
  readonly pod?: string;
  readonly detail: string;
}

/**
 * Whether an event is about one of the services, workloads or applications that cannot be replayed until they settle,
 * because the file begins in the middle of their work.
 */
export type IsExcluded = (event: Pick<RecordedEvent, 'out' | 'about'>, busy: ReadonlySet<string>) => boolean;

/** The fields that each line after the header has beside its input or output. */
interface Stamp<Name> {
  /** Milliseconds since `startedAt`, by the monotonic clock; the same for all that ran without a pause. */
  readonly t: number;
  /** How far the wall clock has jumped since `startedAt`, in milliseconds; only if that has changed. */
  readonly wall?: number;
  /** The controller that it is about. */
  readonly of: Name;
}

export type RecordedLine<Name extends string = string> = Stamp<Name> & (Input | Requested | RecordedEvent);
