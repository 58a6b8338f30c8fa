import type { ChangeType } from '../../kube/watch/metadataFastPath.ts';
import type { ApplyFailureKind } from '../../observer/model/applyFailure.ts';
import type { ListTopology } from '../../observer/model/schemaNode.ts';
import type { RecordedObserverEvent } from './recordedObserverEvent.ts';

/** What the API server said to a question: no sentence, and of a Secret no value. */
export type RecordedObserverResponse =
  | { readonly is: 'ok'; readonly value?: unknown }
  | {
      readonly is: 'failed';
      readonly failure: ApplyFailureKind;
      /** Milliseconds. */
      readonly retryAfter: number;
      /** The other application, where that is why. */
      readonly by?: string;
    };

/** One place in the objects of a kind, as the API server's own document says it. */
export interface RecordedSchemaNode {
  /** The names of the fields that lead to it; `[]` stands for the elements of a list. */
  readonly path: readonly string[];
  readonly list: ListTopology;
  readonly map: 'granular' | 'atomic';
}

/** Something that reached the application observer. */
export type ObserverInput =
  /** An observer with this config begins; a second one takes the place of the first. */
  | { readonly in: 'created'; readonly config: object }
  | { readonly in: 'start' | 'stop' }
  | { readonly in: 'config'; readonly config: object }
  | { readonly in: 'begin'; readonly stream: string }
  /** Changes may be missed until it is resumed, or the next complete list has ended. */
  | { readonly in: 'lost'; readonly stream: string }
  | { readonly in: 'resumed'; readonly stream: string }
  /** Nothing comes of it any more. */
  | { readonly in: 'closed'; readonly stream: string }
  | { readonly in: 'end'; readonly stream: string; readonly resourceVersion?: string }
  /** An application whose spec is that of its line before has none here. */
  | { readonly in: ChangeType; readonly stream: string; readonly object: object }
  /** `to`: which question, in words. */
  | { readonly in: 'response'; readonly request: string; readonly response: RecordedObserverResponse }
  /** Of the kind `apps/v1/Deployment`; only what is not as everywhere else. */
  | ({ readonly in: 'schemaNode'; readonly kind: string } & RecordedSchemaNode)
  /** What stands for the hash of a manifest: `of` is that of the manifest as it is in the recording. */
  | { readonly in: 'hash'; readonly of: string; readonly hash: string }
  | { readonly in: 'random'; readonly value: number }
  /**
   * What stands before it in this file repeats what earlier files left behind. Of the `busy` applications something was
   * under way that is not repeated: they are of no account until they come to `rest`.
   */
  | { readonly in: 'snapshotEnd'; readonly busy: readonly string[] }
  | { readonly in: 'settled'; readonly application: string };

/** A line of the application observer, under a key of its own, so that it is not mistaken for a line of another controller. */
export interface ObserverEntry {
  readonly observer: ObserverInput | RecordedObserverEvent;
}

/** Appends one line of the application observer. */
export type AppendObserver = (entry: ObserverInput | RecordedObserverEvent) => void;

/** Where the lines of the application observer are recorded. */
export interface ObserverRecording {
  readonly append: AppendObserver;
  /** Of the marks that stand for what Secrets hold. */
  readonly key: Buffer;
  /** Whenever a new file begins it is asked which applications are busy then. */
  onNewFile(busyNow: () => readonly string[]): void;
}
