import { setTimeout as pause } from 'node:timers/promises';
import { ZodError } from 'zod';
import { eventually } from './eventually.ts';
import type { TestNamespace } from './namespace.ts';
import { type Pod, PodList, Pod as PodSchema, Status, WatchEvent } from './objects.ts';
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

export interface PodObserver {
  /** All events in order. Pods that existed at the start are `ADDED`. */
  readonly events: readonly PodEvent[];
  /** The DELETED events in order. */
  deletions(): PodEvent[];
  /** Waits until the pod with this uid is deleted, and returns the event. */
  untilDeleted(uid: string, within?: number): Promise<PodEvent>;
  /** Resolves when the observer has received all earlier events. Used before negative assertions. */
  caughtUp(): Promise<void>;
}

const markerPrefix = 'observer-marker-';

/** Records all pod events of a namespace until the test ends. Reconnects if a connection is closed. */
export async function watchDeletions(ns: TestNamespace): Promise<PodObserver> {
  const events: PodEvent[] = [];
  const known = new Map<string, Pod>();
  const end = new AbortController();
  const record = (type: PodEvent['type'], pod: Pod): void => {
    const { name, uid, resourceVersion, deletionTimestamp } = pod.metadata;
    if (type === 'DELETED') known.delete(uid);
    else known.set(uid, pod);
    events.push({
      type,
      at: performance.timeOrigin + performance.now(),
      name,
      uid,
      resourceVersion,
      deletionTimestamp,
      pod,
    });
  };
  const started = Promise.withResolvers<void>();
  const over = observe(ns, end.signal, known, record, () => started.resolve());
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
    events,
    deletions,
    untilDeleted: (uid, within) =>
      eventually(
        (saw) => {
          saw(events.filter((event) => event.uid === uid).map(({ type, pod }) => [type, pod.status.containerStatuses]));
          return deletions().find((event) => event.uid === uid);
        },
        { what: `the deletion of pod ${uid} in ${ns.name}`, every: 5, ...(within === undefined ? {} : { within }) },
      ),
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
  known: ReadonlyMap<string, Pod>,
  record: Recorder,
  onWatching: () => void,
): Promise<void> {
  let from: string | undefined;
  while (!signal.aborted) {
    try {
      from ??= await relist(ns, known, record);
      from = await follow(ns, from, signal, record, onWatching);
    } catch (error) {
      if (error instanceof ZodError) throw error;
      // Some tests close connections.
      await pause(20);
    }
  }
}

async function relist(ns: TestNamespace, known: ReadonlyMap<string, Pod>, record: Recorder): Promise<string> {
  const list = PodList.parse(await ns.cluster.api('GET', ns.path('api/v1', 'pods')));
  const present = new Set(list.items.map((pod) => pod.metadata.uid));
  for (const [uid, pod] of [...known]) if (!present.has(uid)) record('DELETED', pod);
  for (const pod of list.items) record(known.has(pod.metadata.uid) ? 'MODIFIED' : 'ADDED', pod);
  return list.metadata.resourceVersion;
}

/** Reads one watch to its end, and returns the last version, or undefined if that is no longer available. */
async function follow(
  ns: TestNamespace,
  from: string,
  signal: AbortSignal,
  record: Recorder,
  onWatching: () => void,
): Promise<string | undefined> {
  const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${from}`;
  const { status, lines } = await ns.cluster.lines(`${ns.path('api/v1', 'pods')}?${query}`, { signal });
  if (status === 410) return undefined;
  if (status !== 200) throw new Error(`watch refused: ${status}`);
  onWatching();
  let last: string | undefined = from;
  try {
    for await (const line of lines) {
      last = take(WatchEvent.parse(JSON.parse(line)), last, record);
      if (last === undefined) break;
    }
  } catch (error) {
    if (error instanceof ZodError) throw error;
    // The connection was closed: the caller resumes the watch.
  }
  return last;
}

function take({ type, object }: WatchEvent, last: string, record: Recorder): string | undefined {
  if (type === 'ERROR') return Status.parse(object).code === 410 ? undefined : last;
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return last;
  const pod = PodSchema.parse(object);
  record(type, pod);
  return pod.metadata.resourceVersion;
}
