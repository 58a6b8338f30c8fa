import type { ChangeType } from '../../kube/watch/metadataFastPath.ts';
import type { DeletionAnswer } from '../../weeder/deletions/deletePod.ts';
import type { ReadyEvidence } from '../../weeder/services/readiness.ts';
import type { RecordedWeederEvent } from './recordedWeederEvent.ts';

/** An input of the weeder. */
export type WeederInput =
  | { readonly in: 'begin'; readonly stream: string }
  /** `resourceVersion`: the version of the list, if the server names one. */
  | { readonly in: 'end'; readonly stream: string; readonly resourceVersion?: string }
  /** A pod that no longer crash-loops is DELETED here: the weeder treats both alike. */
  | { readonly in: ChangeType; readonly stream: string; readonly object: object }
  | { readonly in: 'start' | 'stop' }
  /** A new config, in the form of the header. */
  | { readonly in: 'config'; readonly config: object }
  /** This replica became the leader, or a standby, again: a new weeder with this config replaces the one before. */
  | { readonly in: 'created'; readonly config: object }
  /** The preceding lines of this file repeat the state at the end of earlier files. `windows`: the open windows. */
  | { readonly in: 'snapshotEnd'; readonly isRunning: boolean; readonly windows: readonly string[] }
  /** Epoch milliseconds; null if unknown. */
  | { readonly in: 'readySince'; readonly evidence: string; readonly since: number | null }
  | { readonly in: 'response'; readonly uid: string; readonly response: DeletionAnswer }
  | { readonly in: 'random'; readonly value: number };

/** A request or an event of the weeder. */
export type WeederOutput =
  | { readonly out: 'deletion.requested'; readonly uid: string; readonly resourceVersion: string }
  | { readonly out: 'readySince.requested'; readonly evidence: string }
  | RecordedWeederEvent;

/** A moment by both clocks, in milliseconds: since `startedAt`, and how far the wall clock has jumped since. */
export interface Moment {
  readonly t: number;
  readonly wall: number;
}

/** Appends one line of the weeder to the recording. */
export type AppendWeeder = (entry: WeederInput | WeederOutput) => void;

/** The key by which a replay finds the recorded response about the age of a service. */
export function evidenceKey({ backingPods, lastWrite }: ReadyEvidence): string {
  return `${backingPods?.map(({ namespace, name }) => `${namespace}/${name}`).join(' ') ?? '?'} ${lastWrite ?? '?'}`;
}

/** The key of a window: `namespace/service#window`. */
export function windowKey(about: string, window: number | undefined): string {
  return `${about}#${window ?? 0}`;
}

/** Returns true if a stream is of EndpointSlices, by its name. Otherwise it is of pods. */
export function isSliceStream(stream: string): boolean {
  return stream.startsWith('endpointslices');
}
