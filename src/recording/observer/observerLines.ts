import type { ChangeType } from '../../kube/watch/metadataFastPath.ts';
import type { ApplyFailureKind } from '../../observer/model/applyFailure.ts';
import type { ListTopology } from '../../observer/model/schemaNode.ts';
import type { RecordedObserverEvent } from './recordedObserverEvent.ts';

/** The API server's response to a request, without messages and without values of Secrets. */
export type RecordedObserverResponse =
  | { readonly is: 'ok'; readonly value?: unknown }
  | {
      readonly is: 'failed';
      readonly failure: ApplyFailureKind;
      /** Milliseconds. */
      readonly retryAfter: number;
      /** The other application, if it is the reason. */
      readonly by?: string;
    };

/** A node in the schema of a kind, from the API server's own document. */
export interface RecordedSchemaNode {
  /** The names of the fields that lead to it; `[]` stands for the elements of a list. */
  readonly path: readonly string[];
  readonly list: ListTopology;
  readonly map: 'granular' | 'atomic';
}

/** An input of the application observer. */
export type ObserverInput =
  /** An observer was created with this config; a second one replaces the first. */
  | { readonly in: 'created'; readonly config: object }
  | { readonly in: 'start' | 'stop' }
  | { readonly in: 'config'; readonly config: object }
  | { readonly in: 'begin'; readonly stream: string }
  /** Changes may be missed until it is resumed, or the next complete list has ended. */
  | { readonly in: 'lost'; readonly stream: string }
  | { readonly in: 'resumed'; readonly stream: string }
  /** The stream delivers nothing more. */
  | { readonly in: 'closed'; readonly stream: string }
  | { readonly in: 'end'; readonly stream: string; readonly resourceVersion?: string }
  /** An application has no spec here if it is the same as in its previous line. */
  | { readonly in: ChangeType; readonly stream: string; readonly object: object }
  /** `request`: from `observerRequests`. */
  | { readonly in: 'response'; readonly request: string; readonly response: RecordedObserverResponse }
  /** A node of a kind such as `apps/v1/Deployment`; only if it differs from an unknown node. */
  | ({ readonly in: 'schemaNode'; readonly kind: string } & RecordedSchemaNode)
  /** The mark for the hash of a manifest. `of`: the hash of the manifest as it is recorded. */
  | { readonly in: 'hash'; readonly of: string; readonly hash: string }
  | { readonly in: 'random'; readonly value: number }
  /**
   * The preceding lines of this file repeat the state at the end of earlier files. They do not repeat what was in
   * progress for the `busy` applications: these are excluded until they are `settled`.
   */
  | { readonly in: 'snapshotEnd'; readonly busy: readonly string[] }
  | { readonly in: 'settled'; readonly application: string };

/** A line of the application observer. Its own key distinguishes it from the lines of other controllers. */
export interface ObserverEntry {
  readonly observer: ObserverInput | RecordedObserverEvent;
}

/** Appends one line of the application observer. */
export type AppendObserver = (entry: ObserverInput | RecordedObserverEvent) => void;

/** Where the lines of the application observer are recorded. */
export interface ObserverRecording {
  readonly append: AppendObserver;
  /** The key of the marks that replace the content of Secrets. */
  readonly key: Buffer;
  /** `busyNow` is called whenever a new file begins, and returns the applications that have not settled. */
  onNewFile(busyNow: () => readonly string[]): void;
}
