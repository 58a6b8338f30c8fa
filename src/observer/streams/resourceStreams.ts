import type { Clock, JsonObject } from '@weeder/kube-runtime/base';
import { apiPath, placeSuffix } from '@weeder/kube-runtime/objects';
import {
  type ClosableSink,
  createStreamSet,
  notifyingComplete,
  type ObjectSink,
  type OpenStream,
  type StreamSet,
} from '@weeder/kube-runtime/watch';
import { includesName } from '../../config/scopes.ts';
import type { ResourceEntry } from '../entries/entries.ts';
import { isSecret } from '../objects/confidential.ts';
import { labelName } from '../objects/fieldManagers.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { createResourceSink } from './resourceSink.ts';

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
export interface ResourceStreams extends Pick<StreamSet<OpenStream>, 'needs'> {
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

interface LabelStream extends OpenStream {
  /** By key. Several applications may have the same resource; each of them is notified. */
  readonly members: Map<string, readonly ResourceEntry[]>;
  /** Called when its list is complete. */
  readonly waiting: Set<() => void>;
  /** The monotonic time since which every change is received. Undefined: changes may be missed. */
  reliableSince: number | undefined;
}

/** A resumed stream counts as reliable after this time without another loss. */
const provenAfter = 5_000;

/** How long to wait for the list of a stream: a stream that weeder may not read must not block GETs. Milliseconds. */
const longestList = 3_000;

export function createResourceStreams(options: ResourceStreamsOptions): ResourceStreams {
  const { clock, namespaces, onChanged } = options;
  const streams = createStreamSet<LabelStream>({
    synced(stream) {
      const wasLost = stream.reliableSince === undefined;
      stream.reliableSince = clock.monotonic();
      for (const notify of [...stream.waiting]) notify();
      if (wasLost) notifyResumed(stream.members);
    },
    closed: options.onClosed,
  });
  const streamOf = new WeakMap<ResourceEntry, LabelStream>();

  function start(plan: ResourceStreamPlan): LabelStream {
    const { name, path, kind } = plan;
    const members = new Map<string, readonly ResourceEntry[]>();
    const bare = createResourceSink(plan, members, clock);
    const sink = options.wrap?.(plan, bare) ?? bare;
    const stream: LabelStream = { name, sink, members, waiting: new Set(), isSynced: false, reliableSince: undefined };
    const trackedSink: ObjectSink = {
      ...notifyingComplete(sink, () => streams.synced(stream)),
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
    // The author of an Application chooses the kind, so a kind that weeder may not read must not make weeder unready.
    const need = { path, kind, labelSelector: labelName, sink: trackedSink, isOptional: true };
    // A Secret is not reduced, but no failure message may quote it.
    streams.open(stream, isSecret(plan) ? { ...need, reduce: (object: JsonObject) => object } : need);
    onChanged();
    return stream;
  }

  function remove(resource: ResourceEntry): void {
    const stream = streamOf.get(resource);
    streamOf.delete(resource);
    const subscribers = stream?.members.get(resource.key) ?? [];
    if (stream === undefined || !subscribers.includes(resource)) return;
    const others = subscribers.filter((each) => each !== resource);
    if (others.length > 0) stream.members.set(resource.key, others);
    else stream.members.delete(resource.key);
    if (stream.members.size > 0) return;
    streams.close(stream);
    onChanged();
  }

  return {
    needs: streams.needs,
    add(resource, plan) {
      const desired = streamPlan(plan, namespaces);
      if (streamOf.get(resource)?.name === desired?.name) return;
      remove(resource);
      if (desired === undefined) return;
      const stream = streams.get(desired.name) ?? start(desired);
      stream.members.set(resource.key, [...(stream.members.get(resource.key) ?? []), resource]);
      streamOf.set(resource, stream);
    },
    remove,
    whenListed(resource, signal) {
      const stream = streamOf.get(resource);
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
      const since = streamOf.get(resource)?.reliableSince;
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
  if (!includesName(namespaces, namespace)) return undefined;
  const plural = collection.split('/').at(-1) ?? '';
  const place = namespaces === 'all' ? undefined : namespace;
  const path = apiPath(apiVersion, plural, { namespace: place });
  return { name: `applied ${apiVersion}/${plural}${placeSuffix(place)}`, path, group, kind };
}

/** A request that failed while the stream was lost may succeed now. */
function notifyResumed(members: ReadonlyMap<string, readonly ResourceEntry[]>): void {
  for (const { actor } of [...members.values()].flat()) actor.send({ type: 'stream.resumed' });
}
