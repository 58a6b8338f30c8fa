import type { ChangeType } from '@weeder/kube-runtime/watch';
import type { StoredConfig } from '../../config/configText.ts';
import type { ListTopology } from '../../observer/objects/schemaNode.ts';

/** A node in the schema of a kind, from the API server's own document. */
export interface RecordedSchemaNode {
  /** The names of the fields that lead to it; `[]` stands for the elements of a list. */
  readonly path: readonly string[];
  readonly list: ListTopology;
  readonly map: 'granular' | 'atomic';
  /** Default: false. */
  readonly isNullable?: boolean;
}

/** What a stream delivers. */
export type StreamInput =
  /**
   * `lost`: changes may be missed until `resumed` or `end`. `rewound`: versions so far say nothing about later ones.
   * `closed`: the stream delivers nothing more.
   */
  | { readonly in: 'begin' | 'lost' | 'resumed' | 'rewound' | 'closed'; readonly stream: string }
  /** `resourceVersion`: the version of the list, if the server names one. */
  | { readonly in: 'end'; readonly stream: string; readonly resourceVersion?: string }
  /** The reduced object. It has no spec if the spec is the same as in its previous line. */
  | { readonly in: ChangeType; readonly stream: string; readonly object: object };

/** An input of a controller. */
export type Input =
  /** The controller was created with this config; a second one replaces the first. */
  | ({ readonly in: 'created' | 'config' } & StoredConfig)
  | { readonly in: 'start' | 'stop' }
  | StreamInput
  /** What the API server has responded to a request: only what decisions depend on. */
  | { readonly in: 'response'; readonly request: string; readonly response?: unknown }
  /** The actor that it is `for` is not in recordings of earlier builds. */
  | { readonly in: 'random'; readonly value: number; readonly for?: string }
  /** The timer of this name fires, or is cleared, after an input before which it was due. Milliseconds since `startedAt`. */
  | { readonly in: 'timer'; readonly name: string; readonly due: number }
  /** The mark that stands for a digest; recorded only if it has changed. */
  | { readonly in: 'hash'; readonly request: string; readonly hash: string }
  /** The ids of the hash keys, which do not reveal the keys. */
  | { readonly in: 'keys'; readonly current: string; readonly ids: readonly string[] }
  /** The Secret of the hash keys was read, whether it exists or not. */
  | { readonly in: 'keysRead' }
  /** A node of a kind such as `apps/v1/Deployment`; only if it differs from an unknown node. */
  | ({ readonly in: 'schemaNode'; readonly kind: string } & RecordedSchemaNode)
  /**
   * The preceding lines of this controller repeat the state at the end of earlier files. They do not repeat what was in
   * progress for the `busy` services, workloads or applications: these are excluded until they are `settled`.
   */
  | { readonly in: 'snapshotEnd'; readonly busy: readonly string[] }
  | { readonly in: 'settled'; readonly id: string };

/** A request was sent that has no event of its own. */
export interface Requested {
  readonly out: 'requested';
  readonly request: string;
}

/** An event as it is recorded. */
interface Output {
  readonly out: string;
  readonly about: string;
  readonly detail: string;
}

export type Entry = Input | Requested | Output;

/** Appends one line of a controller to the recording. */
export type Append = (entry: Entry) => void;

/** A moment by both clocks, in milliseconds: since `startedAt`, and how far the wall clock has jumped since. */
export interface Moment {
  readonly t: number;
  readonly wall: number;
}

/** A recording has its times to the microsecond. Milliseconds. */
export function roundedTime(t: number): number {
  return Math.round(t * 1000) / 1000;
}
