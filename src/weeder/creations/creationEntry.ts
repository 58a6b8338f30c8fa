import type { Actor } from 'xstate';
import type { DependantsEvent } from '../../../machines/weeder/dependants.ts';
import type { podCreation } from '../../../machines/weeder/podCreation.ts';
import type { Place } from '../deletions/pacedQueue.ts';
import type { WindowRef } from '../deletions/weederEvents.ts';
import type { RefusedCreation } from '../owners/ownerIndex.ts';

/** What one `dependants` child of a service requests: the retry of the objects whose pods its webhooks refused. */
export interface CreationRequest {
  readonly window: WindowRef;
  /** By the monotonic clock in milliseconds. */
  readonly openedAt: number;
  /** By the monotonic clock: when the window ends, even if its timer is late because the process was suspended. */
  closesAt: number;
  /** Informs the child about the outcomes. */
  readonly send: (event: DependantsEvent) => void;
  /** The object that goes first, and until when the others wait for it; undefined before the first. */
  canary: { readonly key: string; readonly until: number } | undefined;
}

/** One object that an open window wants to be retried. */
export interface CreationEntry {
  readonly actor: Actor<typeof podCreation>;
  /** The request whose window the outcome counts for. */
  owner: CreationRequest;
  /** Other requests for this object: the first one follows the owner. */
  waiting: readonly CreationRequest[];
  refused: RefusedCreation;
  /** The slot of the latest attempt, or its place in the queue. */
  slot: Place | undefined;
  /** Undefined: the API server refused no attempt. */
  refusal: string | undefined;
}
