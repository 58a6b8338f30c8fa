import type { Clock } from '@weeder/kube-runtime/base';
import { namespaceOf, uidOf } from '@weeder/kube-runtime/objects';
import type { ChangeType, ClosableSink, LineMetadata } from '@weeder/kube-runtime/watch';
import { addTo, removeFrom } from '../../base/mapOfSets.ts';
import { type CrashLoopingPod, crashLooping, isSameBackOff, unreportedSince } from './crashLooping.ts';
import { deletedAtOf } from './deletedAt.ts';
import { type NeverStarted, neverStarted } from './neverStarted.ts';
import type { Departure, Groups, PodIndex, PodListener, ReadPod, Scope } from './podIndex.ts';
import { type PodSource, podSink, type Reports, together } from './podSink.ts';

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

/** What an index has of pods, and who subscribed to it. */
interface Contents {
  readonly entries: Map<string, Entry>;
  readonly stuck: Map<string, Stuck>;
  readonly byGroup: Map<string, Set<string>>;
  readonly listeners: Map<string, Set<PodListener>>;
}

/** `beside`: receives what the streams report as well, after the index. */
export function createPodIndex(clock: Clock, read: ReadPod = readSelected, beside?: Reports): PodIndex {
  return new Index(clock, read, beside);
}

/**
 * A class, and maps of its own only when there is something to put into them: of ten thousand podSelectors few select a
 * pod that crash-loops, and as closures with maps each index takes 2.6 KB.
 */
class Index implements PodIndex {
  readonly #clock: Clock;
  readonly #read: ReadPod;
  readonly #beside: Reports | undefined;
  #contents: Contents = nothing;
  #sink: ClosableSink | undefined;

  constructor(clock: Clock, read: ReadPod, beside: Reports | undefined) {
    this.#clock = clock;
    this.#read = read;
    this.#beside = beside;
  }

  createSink(): ClosableSink {
    return podSink(this.#beside === undefined ? this : together(this, this.#beside));
  }

  begin(): void {
    this.#ownSink().begin();
  }

  apply(type: ChangeType, object: unknown): void {
    this.#ownSink().apply(type, object);
  }

  end(): void {
    this.#ownSink().end();
  }

  isIrrelevant(line: Buffer, metadata: LineMetadata): boolean {
    return this.#ownSink().isIrrelevant?.(line, metadata) ?? false;
  }

  has(uid: string): boolean {
    return this.#contents.entries.has(uid) || this.#contents.stuck.has(uid);
  }

  report(source: PodSource, type: ChangeType, object: unknown): void {
    const uid = uidOf(object);
    const { pod, groups } = type === 'DELETED' ? unselected : this.#read(object, this.get(uid));
    if (groups.length > 0) this.#take(pod, groups, object, source);
    else {
      this.#remove(uid, departureOf(true, object));
      this.#contents.stuck.delete(uid);
    }
  }

  completed(source: PodSource): void {
    const { entries, stuck } = this.#contents;
    for (const [uid, entry] of entries) {
      if (entry.reporters.get(source) !== source.list) this.#forgetReporter(uid, entry, source);
    }
    for (const [uid, { source: by, list }] of stuck) if (by === source && list !== source.list) stuck.delete(uid);
  }

  closed(source: PodSource): void {
    const { entries, stuck } = this.#contents;
    for (const [uid, entry] of entries) this.#forgetReporter(uid, entry, source);
    for (const [uid, { source: by }] of stuck) if (by === source) stuck.delete(uid);
  }

  get(uid: string): CrashLoopingPod | undefined {
    return this.#contents.entries.get(uid)?.pod;
  }

  firstSeen(uid: string): number | undefined {
    return this.#contents.entries.get(uid)?.firstSeen;
  }

  unreportedSince(uid: string): number | undefined {
    const entry = this.#contents.entries.get(uid);
    return entry === undefined ? undefined : unreportedSince(entry.pod, entry.firstSeen, this.#clock);
  }

  includes(scope: Scope, uid: string): boolean {
    const groups = this.groupsOf(uid);
    return scope === 'all' ? groups.length > 0 : groups.some((name) => scope.includes(name));
  }

  groupsOf(uid: string): Groups {
    return this.#contents.entries.get(uid)?.groups ?? [];
  }

  subscribe(scope: Scope, listener: PodListener): () => void {
    const names = scope === 'all' ? [everywhere] : [...new Set(scope)];
    const { listeners } = this.#own();
    for (const name of names) addTo(listeners, name, listener);
    for (const pod of this.podsIn(scope)) listener.crashLooping(pod);
    return () => {
      for (const name of names) removeFrom(listeners, name, listener);
    };
  }

  *uids(scope: Scope): Generator<string> {
    const { entries, byGroup } = this.#contents;
    if (scope === 'all') yield* entries.keys();
    else for (const name of new Set(scope)) yield* byGroup.get(name) ?? [];
  }

  podsIn(scope: Scope): CrashLoopingPod[] {
    return [...this.uids(scope)].flatMap((uid) => this.get(uid) ?? []);
  }

  *neverStarted(scope: Scope): Generator<NeverStarted> {
    for (const { pod, groups } of this.#contents.stuck.values())
      if (scope === 'all' || groups.some((name) => scope.includes(name))) yield pod;
  }

  size(): number {
    return this.#contents.entries.size;
  }

  #ownSink(): ClosableSink {
    this.#sink ??= this.createSink();
    return this.#sink;
  }

  /** The contents, for a change. */
  #own(): Contents {
    if (this.#contents === nothing) this.#contents = noContents();
    return this.#contents;
  }

  /** A pod that is selected was reported. */
  #take(pod: CrashLoopingPod | undefined, groups: Groups, object: unknown, source: PodSource): void {
    const uid = uidOf(object);
    if (pod !== undefined) this.#put(pod, groups, source);
    else this.#remove(uid, departureOf(false, object));
    const never = pod === undefined ? neverStarted(object) : undefined;
    if (never === undefined) this.#contents.stuck.delete(uid);
    else this.#own().stuck.set(uid, { pod: never, groups, source, list: source.list });
  }

  #put(pod: CrashLoopingPod, groups: Groups, source: PodSource): void {
    const { entries, byGroup } = this.#own();
    const entry = entries.get(pod.uid);
    const isSame = entry !== undefined && isSameBackOff(entry.pod, pod);
    const reporters = (entry?.reporters ?? new Map<PodSource, number>()).set(source, source.list);
    entries.set(pod.uid, { pod, groups, firstSeen: isSame ? entry.firstSeen : this.#clock.monotonic(), reporters });
    const left = entry?.groups.filter((name) => !groups.includes(name)) ?? [];
    for (const name of left) removeFrom(byGroup, name, pod.uid);
    for (const name of groups) addTo(byGroup, name, pod.uid);
    this.#notify(left, (listener) => listener.left(pod.uid, unseen));
    if (entry?.pod.resourceVersion !== pod.resourceVersion) {
      this.#notify([...groups, everywhere], (listener) => listener.crashLooping(pod));
    }
  }

  #remove(uid: string, departure: Departure): void {
    const { entries, byGroup } = this.#contents;
    const entry = entries.get(uid);
    if (entry === undefined) return;
    entries.delete(uid);
    for (const name of entry.groups) removeFrom(byGroup, name, uid);
    this.#notify([...entry.groups, everywhere], (listener) => listener.left(uid, departure));
  }

  /** This stream no longer has the pod. While one stream replaces another, the other one may still have it. */
  #forgetReporter(uid: string, { reporters }: Entry, source: PodSource): void {
    if (reporters.delete(source) && reporters.size === 0) this.#remove(uid, unseen);
  }

  #notify(groups: Groups, what: (listener: PodListener) => void): void {
    const { listeners } = this.#contents;
    for (const listener of new Set(groups.flatMap((name) => [...(listeners.get(name) ?? [])]))) what(listener);
  }
}

function noContents(): Contents {
  return { entries: new Map(), stuck: new Map(), byGroup: new Map(), listeners: new Map() };
}

/** Of every index into which nothing was put yet. */
const nothing: Contents = noContents();

/** The pod is missing from a complete list. */
const unseen: Departure = { isRemoved: true, deletedAt: undefined };

const unselected = { pod: undefined, groups: [] };

function readSelected(object: unknown): ReturnType<ReadPod> {
  return { pod: crashLooping(object), groups: [namespaceOf(object)] };
}

function departureOf(isDeleted: boolean, object: unknown): Departure {
  const deletedAt = deletedAtOf(object);
  return { isRemoved: isDeleted || deletedAt !== undefined, deletedAt };
}

/** No group has this name. */
const everywhere = '*';
