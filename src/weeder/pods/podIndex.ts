import type { Clock } from '../../base/clock.ts';
import { numberOf, objectOf, timeOf } from '../../base/json.ts';
import { addTo, removeFrom } from '../../base/mapOfSets.ts';
import { namespaceOf, uidOf } from '../../kube/objects/identity.ts';
import type { ClosableSink, ObjectSink } from '../../kube/watch/sink.ts';
import { type CrashLoopingPod, crashLooping, isSameBackOff, unreportedSince } from './crashLooping.ts';
import { type NeverStarted, neverStarted } from './neverStarted.ts';
import { type PodSource, podSink, type Reports } from './podSink.ts';

/** Receives the changes of the crash-looping pods in the subscribed namespaces. */
interface PodListener {
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
  /** How many pods crash-loop now. Not a getter, which doubles the memory of an index: there may be ten thousand. */
  size(): number;
}

/** A pod that cannot start: which stream reported it last, and in which of its complete lists. */
interface Stuck {
  readonly pod: NeverStarted;
  readonly groups: Groups;
  readonly source: PodSource;
  readonly list: number;
}

interface Entry {
  readonly pod: CrashLoopingPod;
  readonly groups: Groups;
  /** Since when the pod has been in this run of this back-off. Milliseconds by the local monotonic clock. */
  readonly firstSeen: number;
  /** The streams that have reported the pod, each with the number of its latest complete list at that time. */
  readonly reporters: Map<PodSource, number>;
}

type Groups = readonly string[];

/** `groupsOf`: the groups of a pod, as the API serves it. A pod in none is not selected. */
export function createPodIndex(clock: Clock, groupsOf: (pod: unknown) => Groups = homeOf): PodIndex {
  const entries = new Map<string, Entry>();
  const stuck = new Map<string, Stuck>();
  const byGroup = new Map<string, Set<string>>();
  const listeners = new Map<string, Set<PodListener>>();

  function notify(groups: Groups, what: (listener: PodListener) => void): void {
    for (const listener of new Set(groups.flatMap((name) => [...(listeners.get(name) ?? [])]))) what(listener);
  }

  function put(pod: CrashLoopingPod, groups: Groups, source: PodSource): void {
    const known = entries.get(pod.uid);
    const isSame = known !== undefined && isSameBackOff(known.pod, pod);
    const reporters = (known?.reporters ?? new Map<PodSource, number>()).set(source, source.list);
    entries.set(pod.uid, { pod, groups, firstSeen: isSame ? known.firstSeen : clock.monotonic(), reporters });
    const left = known?.groups.filter((name) => !groups.includes(name)) ?? [];
    for (const name of left) removeFrom(byGroup, name, pod.uid);
    for (const name of groups) addTo(byGroup, name, pod.uid);
    notify(left, (listener) => listener.left(pod.uid, unseen));
    if (known?.pod.resourceVersion !== pod.resourceVersion) {
      notify([...groups, everywhere], (listener) => listener.crashLooping(pod));
    }
  }

  function remove(uid: string, departure: Departure): void {
    const known = entries.get(uid);
    if (known === undefined) return;
    entries.delete(uid);
    for (const name of known.groups) removeFrom(byGroup, name, uid);
    notify([...known.groups, everywhere], (listener) => listener.left(uid, departure));
  }

  /** A pod that is selected was reported. */
  function take(uid: string, groups: Groups, object: unknown, source: PodSource): void {
    const pod = crashLooping(object);
    if (pod !== undefined) put(pod, groups, source);
    else remove(uid, departureOf(false, object));
    const never = pod === undefined ? neverStarted(object) : undefined;
    if (never === undefined) stuck.delete(uid);
    else stuck.set(uid, { pod: never, groups, source, list: source.list });
  }

  /** This stream no longer has the pod. While one stream replaces another, the other one may still have it. */
  function forgetReporter(uid: string, { reporters }: Entry, source: PodSource): void {
    if (reporters.delete(source) && reporters.size === 0) remove(uid, unseen);
  }

  function* uidsIn(scope: Scope): Generator<string> {
    if (scope === 'all') yield* entries.keys();
    else for (const name of new Set(scope)) yield* byGroup.get(name) ?? [];
  }

  function podsIn(scope: Scope): CrashLoopingPod[] {
    return [...uidsIn(scope)].flatMap((uid) => entries.get(uid)?.pod ?? []);
  }

  const index: Reports = {
    has: (uid) => entries.has(uid) || stuck.has(uid),
    report(source, type, object) {
      const uid = uidOf(object);
      const groups = type === 'DELETED' ? [] : groupsOf(object);
      if (groups.length > 0) take(uid, groups, object, source);
      else {
        remove(uid, departureOf(true, object));
        stuck.delete(uid);
      }
    },
    completed(source) {
      for (const [uid, entry] of entries) {
        if (entry.reporters.get(source) !== source.list) forgetReporter(uid, entry, source);
      }
      for (const [uid, { source: by, list }] of stuck) if (by === source && list !== source.list) stuck.delete(uid);
    },
    closed(source) {
      for (const [uid, entry] of entries) forgetReporter(uid, entry, source);
      for (const [uid, { source: by }] of stuck) if (by === source) stuck.delete(uid);
    },
  };

  return {
    ...podSink(index),
    ...index,
    createSink: () => podSink(index),
    get: (uid) => entries.get(uid)?.pod,
    unreportedSince(uid) {
      const entry = entries.get(uid);
      return entry === undefined ? undefined : unreportedSince(entry.pod, entry.firstSeen, clock);
    },
    includes(scope, uid) {
      const groups = entries.get(uid)?.groups ?? [];
      return scope === 'all' ? groups.length > 0 : groups.some((name) => scope.includes(name));
    },
    groupsOf: (uid) => entries.get(uid)?.groups ?? [],
    subscribe(scope, listener) {
      const names = scope === 'all' ? [everywhere] : [...new Set(scope)];
      for (const name of names) addTo(listeners, name, listener);
      for (const pod of podsIn(scope)) listener.crashLooping(pod);
      return () => {
        for (const name of names) removeFrom(listeners, name, listener);
      };
    },
    uids: uidsIn,
    podsIn,
    *neverStarted(scope) {
      for (const { pod, groups } of stuck.values())
        if (scope === 'all' || groups.some((name) => scope.includes(name))) yield pod;
    },
    size: () => entries.size,
  };
}

/** The pod is missing from a complete list. */
const unseen: Departure = { isRemoved: true, deletedAt: undefined };

function homeOf(pod: unknown): Groups {
  return [namespaceOf(pod)];
}

function departureOf(isDeleted: boolean, object: unknown): Departure {
  const { deletionTimestamp, deletionGracePeriodSeconds } = objectOf(objectOf(object)['metadata']);
  const endsAt = timeOf(deletionTimestamp);
  const deletedAt = endsAt === undefined ? undefined : endsAt - (numberOf(deletionGracePeriodSeconds) ?? 0) * 1000;
  return { isRemoved: isDeleted || endsAt !== undefined, deletedAt };
}

/** No group has this name. */
const everywhere = '*';
