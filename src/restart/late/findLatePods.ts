import { readCurrentSources } from '../content/currentSources.ts';
import type { HashKeys } from '../digest/hashKeys.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import { ownPods } from '../pods/ownPods.ts';
import { type WaitingPod, waitingPod } from '../pods/waitingPod.ts';
import type { Refusal } from '../references/answer.ts';
import { sourceKey } from '../references/refs.ts';
import type { RestartApi } from '../requests/restartApi.ts';
import type { Digests } from '../sources/digests.ts';
import type { SourcesKnown } from '../sources/sourceIndex.ts';
import { latestMount, nextMount } from './nextMount.ts';

/** A shorter wait is not worth a new pod, which has to be scheduled, and gets a new sandbox. Milliseconds. */
const worthwhile = 10_000;

interface FindOptions {
  readonly api: Pick<RestartApi, 'listWaitingPods'>;
  readonly digests: Digests;
  readonly sources: SourcesKnown;
  /** Undefined: the keys have not been read yet, or are not usable. */
  readonly keys: () => HashKeys | undefined;
  readonly now: () => number;
}

/** The sources of a workload that have appeared, by `sourceKey`: when they did, as in `appearedAt`. */
type Appearances = ReadonlyMap<string, number>;

type Found =
  | {
      readonly type: 'ok';
      /** The kubelet would leave these waiting for long. */
      readonly due: readonly WaitingPod[];
      /** When the kubelet has tried to start the others, in milliseconds from now; undefined: there are no others. */
      readonly checkIn: number | undefined;
    }
  | ({ readonly type: 'refused' } & Refusal);

/**
 * Finds the pods of a workload that wait for a source that has appeared, and can start now: each source that a pod
 * requires exists, with the keys that it names. A pod of an older template may refer to sources that the workload no
 * longer uses; it is left alone, because they are not watched.
 */
export async function findLatePods(
  { api, digests, sources, keys, now }: FindOptions,
  entry: WorkloadEntry,
  appearances: Appearances,
  signal: AbortSignal,
): Promise<Found> {
  const { summary, uses } = entry.observed;
  const hashKeys = keys();
  if (hashKeys === undefined || summary.selector === undefined) return none;
  const listed = await api.listWaitingPods(summary.ref.namespace, summary.selector, signal);
  if (listed.type === 'refused') return listed;
  const read = listed.type === 'ok' ? listed.value.flatMap((object) => waitingPod(object) ?? []) : [];
  const own = new Set(ownPods(summary, read).map(({ uid }) => uid));
  const watched = new Set(uses.map(({ source }) => sourceKey(source)));
  const waiting = read.filter(
    (pod) =>
      own.has(pod.uid) &&
      hasWaitedFor(pod, appearances) &&
      pod.requires.every(({ source }) => watched.has(sourceKey(source))),
  );
  const late: WaitingPod[] = [];
  for (const pod of waiting) {
    const current = await readCurrentSources(pod.requires, hashKeys.current, digests, sources);
    if (current.type === 'refused') return current;
    if ([...current.sources.values()].every(({ digest }) => digest.missing.length === 0)) late.push(pod);
  }
  const time = now();
  const [due, later] = [late.filter((pod) => isDue(pod, time)), late.filter((pod) => !isDue(pod, time))];
  const tried = later.map(({ waitsSince }) => nextMount(waitsSince, time) + latestMount - time);
  return { type: 'ok', due, checkIn: tried.length === 0 ? undefined : Math.max(...tried) };
}

const none: Found = { type: 'ok', due: [], checkIn: undefined };

/**
 * Whether the pod is older than the appearance of a source in its volumes. The replacement of an evicted pod is not, in
 * whole seconds by the same clock.
 */
function hasWaitedFor({ createdAt, volumeSources }: WaitingPod, appearances: Appearances): boolean {
  return volumeSources.some((source) => {
    const since = appearances.get(sourceKey(source));
    return createdAt !== undefined && since !== undefined && createdAt < Math.floor(since / 1_000) * 1_000;
  });
}

function isDue({ waitsSince }: WaitingPod, now: number): boolean {
  return nextMount(waitsSince, now) - now > worthwhile;
}
