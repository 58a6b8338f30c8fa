import { setTimeout as pause } from 'node:timers/promises';
import { ZodError } from 'zod';
import { eventually } from './eventually.ts';
import type { TestNamespace } from './namespace.ts';
import { type Pod, Pod as PodSchema } from './objects.ts';
import { watchCollection } from './plane/watching.ts';
import { barePod } from './restart/workloads.ts';

/** An event of a pod, observed by a watch that shares no code with weeder. */
export interface PodEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The time of arrival. Milliseconds since the epoch, with fractions. */
  readonly at: number;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp: string | undefined;
  readonly pod: Pod;
}

export type PodObserver = Awaited<ReturnType<typeof watchDeletions>>;

const markerPrefix = 'observer-marker-';

/** Records all pod events of a namespace until the test ends. */
export async function watchDeletions(ns: TestNamespace) {
  const events: PodEvent[] = [];
  const eventsOf = new Map<string, PodEvent[]>();
  const podsByUid = new Map<string, Pod>();
  const end = new AbortController();
  const record = (type: PodEvent['type'], pod: Pod): void => {
    const { name, uid, resourceVersion, deletionTimestamp } = pod.metadata;
    if (type === 'DELETED') podsByUid.delete(uid);
    else podsByUid.set(uid, pod);
    const at = performance.timeOrigin + performance.now();
    const event = { type, at, name, uid, resourceVersion, deletionTimestamp, pod };
    events.push(event);
    eventsOf.set(uid, [...(eventsOf.get(uid) ?? []), event]);
  };
  const started = Promise.withResolvers<void>();
  const over = observe(ns, end.signal, podsByUid, record, () => started.resolve());
  over.catch((error: unknown) => started.reject(error));
  ns.after(async () => {
    end.abort();
    await over;
  });
  await started.promise;
  let markers = 0;
  const deletions = (): PodEvent[] =>
    events.filter((event) => event.type === 'DELETED' && !event.name.startsWith(markerPrefix));
  return {
    /** All events in order. Pods that existed at the start are `ADDED`. */
    events,
    /** The DELETED events in order. */
    deletions,
    /** Waits until the pod with this uid is deleted, and returns the event. */
    untilDeleted: (uid: string) =>
      eventually(
        (saw) => {
          const own = eventsOf.get(uid) ?? [];
          saw(own.map(({ type, pod }) => [type, pod.status.containerStatuses]));
          return own.find(({ type }) => type === 'DELETED');
        },
        { what: `the deletion of pod ${uid} in ${ns.name}`, every: 5 },
      ),
    /** Resolves when the observer has received all earlier events. Used before negative assertions. */
    caughtUp: async () => {
      markers += 1;
      const marker = await barePod(ns, `${markerPrefix}${markers}`, { labels: {} });
      await ns.cluster.api('DELETE', ns.path('api/v1', 'pods', marker.metadata.name));
      const { uid } = marker.metadata;
      await eventually(() => events.some((event) => event.type === 'DELETED' && event.uid === uid), {
        what: `the marker of the observer in ${ns.name}`,
        every: 5,
      });
    },
  };
}

type Recorder = (type: PodEvent['type'], pod: Pod) => void;

async function observe(
  ns: TestNamespace,
  signal: AbortSignal,
  podsByUid: ReadonlyMap<string, Pod>,
  record: Recorder,
  onWatching: () => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { objects, changes } = await watchCollection(ns.cluster, ns.path('api/v1', 'pods'), signal);
      recordList(
        objects.map((object) => PodSchema.parse(object)),
        podsByUid,
        record,
      );
      onWatching();
      for await (const { type, object } of changes) record(type, PodSchema.parse(object));
    } catch (error) {
      if (error instanceof ZodError) throw error;
      // Some tests stop the API server, or compact its changes.
      await pause(20);
    }
  }
}

function recordList(listed: readonly Pod[], podsByUid: ReadonlyMap<string, Pod>, record: Recorder): void {
  const present = new Set(listed.map((pod) => pod.metadata.uid));
  for (const [uid, pod] of [...podsByUid]) if (!present.has(uid)) record('DELETED', pod);
  for (const pod of listed) record(podsByUid.has(pod.metadata.uid) ? 'MODIFIED' : 'ADDED', pod);
}
