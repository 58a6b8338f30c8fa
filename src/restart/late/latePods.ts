import type { Release } from '@weeder/kube-runtime/queue';
import { type Actor, type AnyEventObject, createActor, fromCallback } from 'xstate';
import { type LatePodsEvent, type LatePodsInput, latePods } from '../../../machines/restart/latePods.ts';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { effectLogic, type Random } from '../../actors/effect.ts';
import { createRegistry } from '../../actors/registry.ts';
import type { HashKeys } from '../digest/hashKeys.ts';
import type { RestartSchedule } from '../pace/restartSchedule.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import type { WaitingPod } from '../pods/waitingPod.ts';
import type { ReportRestart } from '../references/events.ts';
import { type SourceRef, sourceKey } from '../references/refs.ts';
import type { RestartApi } from '../requests/restartApi.ts';
import type { Digests } from '../sources/digests.ts';
import type { SourcesKnown } from '../sources/sourceIndex.ts';
import { appearedAt, isHelped } from './appearance.ts';
import { findLatePods } from './findLatePods.ts';
import { longestWait } from './nextMount.ts';

/** The workloads of which a source has just appeared, with a `latePods` actor each, every one a root actor. */
export interface LatePods {
  /** This source of a workload has changed, before the workload is assessed again. */
  sourceChanged(entry: WorkloadEntry, source: SourceRef): void;
  /** The workload is managed from now on: its sources may have appeared before. */
  managed(entry: WorkloadEntry): void;
  /** The workload is no longer managed. */
  forget(id: string): void;
  stop(): void;
  actors(): Iterable<Actor<typeof latePods>>;
}

interface LatePodsOptions {
  readonly runtime: ActorRuntime;
  readonly api: Pick<RestartApi, 'listWaitingPods' | 'evict'>;
  readonly digests: Digests;
  readonly sources: SourcesKnown;
  readonly schedule: RestartSchedule;
  readonly report: ReportRestart;
  readonly random: Random;
  readonly isDryRun: boolean;
  readonly keys: () => HashKeys | undefined;
  readonly entryOf: (workload: string) => WorkloadEntry | undefined;
  readonly inFlight: Set<Promise<unknown>>;
}

interface LateEntry {
  readonly actor: Actor<typeof latePods>;
  /** When the sources appeared, by `sourceKey`. */
  readonly appearances: Map<string, number>;
  /** By the monotonic clock, in milliseconds: after that, the kubelet has tried again by itself. */
  until: number;
  /** The uids of the pods that were evicted: in a dry run they remain. */
  readonly evicted: Set<string>;
}

export function createLatePods(options: LatePodsOptions): LatePods {
  const { runtime, api, sources, schedule, report, random, isDryRun, inFlight } = options;
  const { clock } = runtime;
  const registry = createRegistry<LateEntry>({
    failed: (id, error) => report({ type: 'actor.failed', actor: `latePods ${id}`, error }),
  });

  type Effect = (entry: WorkloadEntry, late: LateEntry, signal: AbortSignal) => Promise<LatePodsEvent>;

  const invoking = (effect: Effect) =>
    effectLogic<LatePodsInput>(
      { failure: 'effect.failed', random, actorOf: ({ workload }) => workload, inFlight: () => inFlight },
      ({ workload }, signal) => {
        const [entry, late] = [options.entryOf(workload), registry.get(workload)];
        const isOver = late === undefined || clock.monotonic() > late.until;
        if (isOver || entry === undefined || !isHelped(entry, clock.now()))
          return Promise.resolve({ type: 'pods.none' });
        return effect(entry, late, signal);
      },
    );

  const find = async (entry: WorkloadEntry, { appearances, evicted }: LateEntry, signal: AbortSignal) => {
    const found = await findLatePods({ ...options, now: clock.now }, entry, appearances, signal);
    return found.type === 'ok' ? { ...found, due: found.due.filter(({ uid }) => !evicted.has(uid)) } : found;
  };

  const checkPods: Effect = async (entry, late, signal) => {
    const found = await find(entry, late, signal);
    if (found.type === 'refused') return { ...found, type: 'effect.failed' };
    if (found.due.length > 0) return { type: 'pods.due' };
    return found.checkIn === undefined ? { type: 'pods.none' } : { type: 'pods.later', checkIn: found.checkIn };
  };

  const evictPods: Effect = async (entry, late, signal) => {
    const found = await find(entry, late, signal);
    if (found.type === 'refused') return { ...found, type: 'effect.failed' };
    for (const pod of found.due) {
      // A source may have been deleted while another pod was evicted.
      if (signal.aborted || !pod.requires.every(({ source }) => isThere(source))) break;
      const answer = await api.evict(pod, signal);
      if (answer.type === 'refused') return { ...answer, type: 'effect.failed' };
      // The next check shows whether a pod that has changed still waits.
      if (answer.type !== 'ok') continue;
      late.evicted.add(pod.uid);
      reportEvicted(entry, late, pod);
    }
    return { type: 'eviction.done' };
  };

  function isThere(source: SourceRef): boolean {
    return sources.get(source)?.isEnding === false;
  }

  function reportEvicted({ observed: { summary } }: WorkloadEntry, { appearances }: LateEntry, pod: WaitingPod): void {
    const appeared = pod.volumeSources.filter((source) => appearances.has(sourceKey(source)));
    report({
      type: 'pod.evicted',
      workload: summary.ref,
      uid: summary.uid,
      pod: pod.name,
      waitedFor: [...new Map(appeared.map((source) => [sourceKey(source), source])).values()],
      isDryRun,
    });
  }

  const logic = latePods.provide({
    actors: {
      checkPods: invoking(checkPods),
      evictPods: invoking(evictPods),
      evictionSlot: fromCallback<AnyEventObject, LatePodsInput>(({ input: { workload }, sendBack }) => {
        const entry = options.entryOf(workload);
        if (entry === undefined) return undefined;
        const before = registry.get(workload)?.evicted.size ?? 0;
        const release: Release = schedule.requestRestart(
          `latePods ${workload}`,
          { namespace: entry.observed.summary.ref.namespace, since: clock.monotonic() },
          { onGranted: () => sendBack({ type: 'slot.granted' }), onPending: () => undefined },
        );
        return () => release({ wasUsed: !isDryRun && (registry.get(workload)?.evicted.size ?? 0) > before });
      }),
    },
    actions: {
      reportFailed: ({ context: { workload, reason, failure, failures, retryIn } }) => {
        const summary = options.entryOf(workload)?.observed.summary;
        if (summary !== undefined)
          report({
            type: 'workload.refused',
            workload: summary.ref,
            uid: summary.uid,
            reason,
            failure,
            attempt: failures,
            retryIn,
          });
      },
    },
  });

  function begin(entry: WorkloadEntry, source: SourceRef): void {
    const at = appearedAt(entry, source, sources, clock.now());
    if (at === undefined || !isHelped(entry, clock.now())) return;
    const until = clock.monotonic() + longestWait;
    const late = registry.get(entry.id);
    if (late !== undefined) {
      const isNew = late.appearances.get(sourceKey(source)) !== at;
      late.appearances.set(sourceKey(source), at);
      late.until = until;
      if (isNew) late.actor.send({ type: 'source.appeared' });
      return;
    }
    const actor = createActor(logic, { ...runtime, id: `latePods ${entry.id}`, input: { workload: entry.id } });
    registry.add(entry.id, { actor, appearances: new Map([[sourceKey(source), at]]), until, evicted: new Set() });
  }

  return {
    sourceChanged: begin,
    managed(entry) {
      const all = new Map(entry.observed.uses.map(({ source }) => [sourceKey(source), source]));
      for (const source of all.values()) begin(entry, source);
    },
    forget: registry.remove,
    stop: registry.stop,
    actors: () => registry.actors(),
  };
}
