import type { Clock } from '../../base/clock.ts';
import { parseJson } from '../../base/exactInteger.ts';
import { type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { isAtLeast } from '../../kube/objects/resourceVersion.ts';
import { type ClosableSink, notifyingComplete, type ObjectSink } from '../../kube/watch/sink.ts';
import type { StreamNeed } from '../../kube/watch/streamNeed.ts';
import { isSecret } from '../model/confidential.ts';
import { labelName } from '../model/fieldManagers.ts';
import { identityKey } from '../model/identity.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { foundOf, type ResourceEntry } from '../state/entries.ts';
import { isInSync, observeObject } from '../state/observeObject.ts';
import { pacedComparison } from '../state/pacedComparison.ts';

/** One list+watch stream of all objects of a kind that have the label of an application. */
interface ResourceStreamPlan {
  /** Unique in the process and legible in a log line. */
  readonly name: string;
  readonly path: string;
  readonly group: string;
  readonly kind: string;
}

/** Wraps the sink of the stream. */
export type WrapResourceSink = (stream: ResourceStreamPlan, sink: ClosableSink) => ClosableSink;

interface ResourceStreamsOptions {
  readonly clock: Clock;
  /** The watched namespaces. */
  readonly namespaces: 'all' | readonly string[];
  readonly wrap?: WrapResourceSink;
  readonly onChanged: () => void;
  readonly onClosed: (name: string) => void;
}

/** The streams of the kinds in use. All applications share one for each kind. */
export interface ResourceStreams {
  /** By name. */
  readonly needs: ReadonlyMap<string, StreamNeed>;
  /** Subscribes the resource to the stream of its kind. Does nothing if it is subscribed already. */
  add(resource: ResourceEntry, plan: ResourcePlan): void;
  remove(resource: ResourceEntry): void;
  /** Resolves when the stream has read its complete list, or after a timeout; then the object is read with a GET. */
  whenListed(resource: ResourceEntry, signal: AbortSignal): Promise<void>;
  /**
   * Returns true if a stream reports every change of the resource. It is false while the stream is lost and for a while
   * after that, because the stream may be lost again. Then only a GET shows the live object.
   */
  isReliable(resource: ResourceEntry): boolean;
}

interface OpenStream {
  readonly plan: ResourceStreamPlan;
  readonly sink: ClosableSink;
  /** By key. Several applications may have the same resource; each of them is notified. */
  readonly members: Map<string, readonly ResourceEntry[]>;
  /** Called when its list is complete. */
  readonly waiting: Set<() => void>;
  /** The stream has read its complete list at least once. */
  isSynced: boolean;
  /** The monotonic time since which every change is received. Undefined: changes may be missed. */
  reliableSince: number | undefined;
}

/** A resumed stream counts as reliable after this time without another loss. */
const provenAfter = 5_000;

/** How long to wait for the list of a stream: a stream that weeder may not read must not block GETs. Milliseconds. */
const longestList = 3_000;

export function createResourceStreams(options: ResourceStreamsOptions): ResourceStreams {
  const { clock, namespaces, onChanged, onClosed } = options;
  const open = new Map<string, OpenStream>();
  const needs = new Map<string, StreamNeed>();
  const streamOf = new WeakMap<ResourceEntry, string>();

  function start(plan: ResourceStreamPlan): OpenStream {
    const members = new Map<string, readonly ResourceEntry[]>();
    const bare = createSink(plan, members, clock);
    const sink = options.wrap === undefined ? bare : options.wrap(plan, bare);
    const stream: OpenStream = {
      plan,
      sink,
      members,
      waiting: new Set(),
      isSynced: false,
      reliableSince: undefined,
    };
    const trackedSink: ObjectSink = {
      ...notifyingComplete(sink, () => {
        const wasLost = stream.reliableSince === undefined;
        stream.isSynced = true;
        stream.reliableSince = clock.monotonic();
        for (const notify of [...stream.waiting]) notify();
        if (wasLost) notifyResumed(members);
      }),
      lost() {
        if (stream.reliableSince === undefined) return;
        stream.reliableSince = undefined;
        sink.lost?.();
      },
      resumed() {
        if (!stream.isSynced || stream.reliableSince !== undefined) return;
        stream.reliableSince = clock.monotonic() + provenAfter;
        sink.resumed?.();
        notifyResumed(members);
      },
    };
    open.set(plan.name, stream);
    const { name, path, kind } = plan;
    // The author of an Application chooses the kind, so a kind that weeder may not read must not make weeder unready.
    const need = { name, path, kind, labelSelector: labelName, sink: trackedSink, isOptional: true };
    // A Secret is not reduced, but no failure message may quote it.
    needs.set(name, isSecret(plan) ? { ...need, reduce: (object: JsonObject) => object } : need);
    onChanged();
    return stream;
  }

  function remove(resource: ResourceEntry): void {
    const stream = open.get(streamOf.get(resource) ?? '');
    streamOf.delete(resource);
    const subscribers = stream?.members.get(resource.key) ?? [];
    if (stream === undefined || !subscribers.includes(resource)) return;
    const others = subscribers.filter((each) => each !== resource);
    if (others.length > 0) stream.members.set(resource.key, others);
    else stream.members.delete(resource.key);
    if (stream.members.size > 0) return;
    const { name } = stream.plan;
    open.delete(name);
    needs.delete(name);
    stream.sink.close();
    onClosed(name);
    onChanged();
  }

  return {
    needs,
    add(resource, plan) {
      const desired = streamPlan(plan, namespaces);
      if (streamOf.get(resource) === desired?.name) return;
      remove(resource);
      if (desired === undefined) return;
      const stream = open.get(desired.name) ?? start(desired);
      stream.members.set(resource.key, [...(stream.members.get(resource.key) ?? []), resource]);
      streamOf.set(resource, desired.name);
    },
    remove,
    whenListed(resource, signal) {
      const stream = open.get(streamOf.get(resource) ?? '');
      if (stream === undefined || stream.isSynced || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = clock.setTimeout(notify, longestList);
        stream.waiting.add(notify);
        signal.addEventListener('abort', notify);

        function notify(): void {
          clock.clearTimeout(timer);
          stream?.waiting.delete(notify);
          signal.removeEventListener('abort', notify);
          resolve();
        }
      });
    },
    isReliable(resource) {
      const since = open.get(streamOf.get(resource) ?? '')?.reliableSince;
      return since !== undefined && clock.monotonic() >= since;
    },
  };
}

/** Undefined if the namespace is not watched. */
function streamPlan(
  { target: { identity, apiVersion, collection } }: ResourcePlan,
  namespaces: 'all' | readonly string[],
): ResourceStreamPlan | undefined {
  const { group, kind, namespace } = identity;
  if (namespaces !== 'all' && !namespaces.includes(namespace)) return undefined;
  const plural = collection.split('/').at(-1) ?? '';
  const root = group === '' ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const path = namespaces === 'all' ? `${root}/${plural}` : collection;
  const place = namespaces === 'all' ? '' : ` in ${namespace}`;
  return { name: `applied ${apiVersion}/${plural}${place}`, path, group, kind };
}

function createSink(
  { group, kind }: ResourceStreamPlan,
  members: ReadonlyMap<string, readonly ResourceEntry[]>,
  clock: Clock,
): ClosableSink {
  let listed: Set<ResourceEntry> | undefined;
  const paced = pacedComparison(clock, (resource, object) => {
    if (members.get(resource.key)?.includes(resource)) takeSafely(resource, object);
  });

  function membersOf(object: JsonObject): readonly ResourceEntry[] {
    const { namespace, name } = objectOf(object['metadata']);
    const key = identityKey({ group, kind, namespace: textOf(namespace) ?? '', name: textOf(name) ?? '' });
    return members.get(key) ?? [];
  }

  function take(resource: ResourceEntry, object: JsonObject): void {
    const before = comparisonState(resource);
    if (!observeObject(resource, object, clock.monotonic()) || comparisonState(resource) === before) return;
    resource.actor?.send({ type: 'object.changed', isInSync: isInSync(resource) });
  }

  /** An exception would end the stream for all resources. The following check meets the same error and reports it. */
  function takeSafely(resource: ResourceEntry, object: JsonObject): void {
    try {
      take(resource, object);
    } catch {
      resource.found = 'unknown';
      resource.actor?.send({ type: 'object.changed', isInSync: false });
    }
  }

  return {
    // Of a large object that changes often, only the compared fields are parsed.
    isIrrelevant(line, { type, namespace, name }) {
      if (type !== 'MODIFIED' || line.length < largeLine) return false;
      const its = members.get(identityKey({ group, kind, namespace, name })) ?? [];
      const [resource] = its;
      if (resource === undefined || its.length > 1) return false;
      const kept = Buffer.from(line);
      const isHeld = paced.hold(resource, () => objectIn(kept));
      if (isHeld) listed?.add(resource);
      return isHeld;
    },
    begin() {
      listed = new Set();
    },
    apply(type, object) {
      const its = objectOf(object);
      for (const resource of membersOf(its)) {
        if (type === 'DELETED') paced.drop(resource);
        else listed?.add(resource);
        if (type === 'DELETED') markLost(resource, versionOf(its), clock.monotonic());
        else paced.take(resource, its);
      }
    },
    end(resourceVersion) {
      for (const resource of [...members.values()].flat()) {
        if (listed?.has(resource) !== false) continue;
        paced.drop(resource);
        if (foundOf(resource) !== undefined) markLost(resource, resourceVersion, clock.monotonic());
      }
      listed = undefined;
    },
    close: () => undefined,
  };
}

/** Bytes of a line that takes a noticeable time to parse. */
const largeLine = 64 * 1024;

/** Parses the object in a line that is a watch event. */
function objectIn(line: Buffer): JsonObject | undefined {
  try {
    return objectOf(objectOf(parseJson(line.toString('utf8')))['object']);
  } catch {
    return undefined;
  }
}

/** A request that failed while the stream was lost may succeed now. */
function notifyResumed(members: ReadonlyMap<string, readonly ResourceEntry[]>): void {
  for (const { actor } of [...members.values()].flat()) actor?.send({ type: 'stream.resumed' });
}

/**
 * The object left the stream: it was deleted or lost its label. A version that weeder has written since then is
 * ignored.
 */
function markLost(resource: ResourceEntry, version: string | undefined, now: number): void {
  if (!isAtLeast(version, resource.writtenVersion)) return;
  resource.found = 'lost';
  resource.driftedAt ??= now;
  resource.actor?.send({ type: 'object.changed', isInSync: false });
}

/** There is nothing new to decide while this text is the same. */
function comparisonState(resource: ResourceEntry): string {
  const found = foundOf(resource);
  if (found === undefined) return '';
  return isInSync(resource)
    ? `in sync ${found.label}`
    : JSON.stringify([found.uid, found.isTerminating, found.label, resource.drifts]);
}

function versionOf(object: JsonObject): string | undefined {
  return textOf(objectOf(object['metadata'])['resourceVersion']);
}
