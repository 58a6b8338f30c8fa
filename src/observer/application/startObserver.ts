import type { TimerHandle } from '@weeder/kube-runtime/base';
import { longestEnding } from '../../../machines/observer/application.ts';
import { track } from '../../base/promises.ts';
import { isAccessProven } from '../entries/access.ts';
import type { ApplicationEntry, ResourceEntry } from '../entries/entries.ts';
import { foundOf, isInSync } from '../entries/live.ts';
import { forgetObject } from '../entries/transitions.ts';
import { isOfKubernetes } from '../kinds/kubernetesGroups.ts';
import { groupVersionOf } from '../kinds/servedKinds.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { rebaseline } from '../resource/rebaseline.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { prune } from './prune.ts';

/**
 * The time for which the events of a stream are trusted. After it the object is read from the API server, in case an
 * event was lost. Milliseconds.
 */
const trustFor = 600_000;

/** The period after which expired access proofs are renewed. Milliseconds. */
const renewEvery = 60_000;

/** Resyncs are aligned to whole seconds, so that thousands of timers do not wake the process one by one. */
const step = 1_000;

/**
 * Observes one application: the actors of its resources compare and correct them. Resyncs resources that are not in
 * sync or have no reliable stream, renews access proofs, and renews baselines by dry runs. Writes nothing itself.
 * Returns a function that stops it.
 */
export function startObserver(effects: ObserverEffects, entry: ApplicationEntry): () => void {
  const { runtime, report, random, streams, rebaselineSchedule } = effects;
  const { clock } = runtime;
  const stop = new AbortController();
  const started = [...entry.resources.values()];
  let trustedUntil = clock.monotonic() + trustFor * (0.5 + 0.5 * random(entry.id));
  let timer: TimerHandle | undefined;
  let proofTimer: TimerHandle | undefined;
  // Removals that wait for another application were due for the first time before this.
  let pruneTimer = entry.pendingRemovals.size > 0 ? clock.setTimeout(pruneTracked, effects.pruneDelay()) : undefined;
  let pruneAgainIn = 1_000;
  let isPruning = false;

  /** Marks the live object as unknown, unless the resource ignores resyncs while it waits to retry. */
  function markUnknown(resource: ResourceEntry): void {
    if (resource.actor.getSnapshot().can({ type: 'resync.due' })) forgetObject(resource, 'unknown');
  }

  function resync(): void {
    const isDoubtful = clock.monotonic() >= trustedUntil;
    if (isDoubtful) trustedUntil = clock.monotonic() + trustFor;
    for (const resource of started) {
      const isReported = streams.isReliable(resource) && foundOf(resource.live) !== undefined;
      if (isDoubtful || !isReported) markUnknown(resource);
      else if (isInSync(resource.live)) continue;
      resource.actor.send({ type: 'resync.due' });
    }
    pruneTracked();
    wait();
  }

  function pruneTracked(): void {
    if (isPruning || entry.pendingRemovals.size === 0) return;
    isPruning = true;
    track(entry.inFlight, prune(effects, entry, stop.signal).finally(pruneSoon));
  }

  /** Objects that terminate hold up others. Any other failure is tried again with the next resync. */
  function pruneSoon(): void {
    isPruning = false;
    if (stop.signal.aborted || ![...entry.pendingRemovals.values()].some(({ state }) => state === 'terminating'))
      return;
    clock.clearTimeout(pruneTimer);
    pruneTimer = clock.setTimeout(pruneTracked, pruneAgainIn);
    pruneAgainIn = Math.min(longestEnding, 2 * pruneAgainIn);
  }

  function wait(): void {
    timer = later(resync, entry.newest.spec.resyncPeriod * (0.9 + 0.2 * random(entry.id)));
  }

  function later(act: () => void, wait: number): TimerHandle {
    const now = clock.now();
    return clock.setTimeout(act, Math.ceil((now + wait) / step) * step - now);
  }

  /** This detects a revoked permission independently of the resync period, not only after a change. */
  function renewProofs(): void {
    const now = clock.monotonic();
    for (const resource of started) if (!isAccessProven(resource, now)) resource.actor.send({ type: 'resync.due' });
    renewLater();
  }

  function renewLater(): void {
    proofTimer = later(renewProofs, renewEvery);
  }

  function rebaselineTracked(resource: ResourceEntry): void {
    const actor = `rebaseline ${entry.id} ${resource.key}`;
    const done = rebaseline(effects, resource, stop.signal);
    track(
      entry.inFlight,
      done.catch((error) => report({ type: 'actor.failed', actor, error })),
    );
  }

  for (const { actor } of started) actor.send({ type: 'observation.started' });
  watchKinds(effects, entry, stop.signal);
  wait();
  renewLater();
  const leave = rebaselineSchedule.join(
    entry.about.namespace,
    started,
    ({ key }) => `${entry.id} ${key}`,
    rebaselineTracked,
  );
  return () => {
    leave();
    stop.abort();
    clock.clearTimeout(timer);
    clock.clearTimeout(proofTimer);
    clock.clearTimeout(pruneTimer);
    for (const { actor } of started) actor.send({ type: 'observation.stopped' });
  };
}

/** Plans the application again when the schema of one of its kinds has changed. */
function watchKinds({ restMapper, report }: ObserverEffects, entry: ApplicationEntry, signal: AbortSignal): void {
  const plans = [...entry.resources.values()].flatMap(({ desired: { plan } }) => plan ?? []);
  const custom = plans.filter(({ manifest: { identity } }) => !isOfKubernetes(identity.group));
  for (const { manifest, topology } of new Map(custom.map((plan) => [kindOf(plan), plan])).values()) {
    const { kind } = manifest.identity;
    restMapper.whenChanged({ ...groupVersionOf(manifest.apiVersion), kind }, topology, signal).then(
      ({ ok }) => ok && entry.actor.send({ type: 'application.changed' }),
      (error) => report({ type: 'actor.failed', actor: `kinds ${entry.id}`, error }),
    );
  }
}

function kindOf({ manifest: { apiVersion, identity } }: ResourcePlan): string {
  return `${apiVersion} ${identity.kind}`;
}
