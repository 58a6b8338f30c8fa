import type { ClosableSink, ObjectSink } from '@weeder/kube-runtime/watch';
import type { CrashLoopingPod } from './crashLooping.ts';
import type { NeverStarted } from './neverStarted.ts';
import type { Reports } from './podSink.ts';

/** Receives the changes of the crash-looping pods in the subscribed namespaces. */
export interface PodListener {
  /** A pod is crash-looping: it is new, or has a newer state. */
  crashLooping(pod: CrashLoopingPod): void;
  /** A pod no longer crash-loops: it runs, is no longer selected, is terminating, or was deleted. */
  left(uid: string, departure: Departure): void;
}

/** How a pod left the index. */
export interface Departure {
  /** The pod was deleted, is terminating, or is no longer selected; false: its containers no longer crash-loop. */
  readonly isRemoved: boolean;
  /** When the API server accepted the deletion: epoch milliseconds by its clock. */
  readonly deletedAt: number | undefined;
}

export type Groups = readonly string[];

/** What an index keeps of a pod. */
interface ReadPodResult {
  /** Undefined: the pod does not crash-loop. */
  readonly pod: CrashLoopingPod | undefined;
  /** A pod in no group is not selected. */
  readonly groups: Groups;
}

/** Reads a pod as the API serves it. `before`: how it was read before, if it was crash-looping then. */
export type ReadPod = (object: unknown, before: CrashLoopingPod | undefined) => ReadPodResult;

/** Groups of pods by name, or all pods. */
export type Scope = 'all' | readonly string[];

/**
 * The pods of one podSelector that crash-loop now, and those that cannot start: the sink of a pod stream. The index
 * keeps nothing of other pods. Open windows subscribe to it by group: unless the index has other groups, a pod is in
 * that of its namespace.
 */
export interface PodIndex extends ObjectSink, Reports {
  /**
   * Creates a sink for another stream into the same index. A complete list of that stream does not remove pods of other
   * streams.
   */
  createSink(): ClosableSink;
  get(uid: string): CrashLoopingPod | undefined;
  /** Since when the pod is in this run of its back-off, as far as it was seen, by the monotonic clock. */
  firstSeen(uid: string): number | undefined;
  /** Since when the pod is in an unreported back-off, by the monotonic clock. Undefined: it is in none. */
  unreportedSince(uid: string): number | undefined;
  /** Whether the pod crash-loops now and is in one of these groups. */
  includes(scope: Scope, uid: string): boolean;
  /** The groups of a pod that crash-loops now. */
  groupsOf(uid: string): Groups;
  /** Reports every pod that crash-loops now to the listener, and then each change. Returns the unsubscribe function. */
  subscribe(scope: Scope, listener: PodListener): () => void;
  /** The uids of the pods that crash-loop now in these groups. */
  uids(scope: Scope): Iterable<string>;
  /** The pods that crash-loop now in these groups. */
  podsIn(scope: Scope): readonly CrashLoopingPod[];
  /** The pods that cannot start now. */
  neverStarted(scope: Scope): Iterable<NeverStarted>;
  /** How many pods crash-loop now. */
  size(): number;
}
