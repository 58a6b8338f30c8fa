import { type TimerHandle, timeInSeconds } from '@weeder/kube-runtime/base';
import { type AnyEventObject, fromCallback } from 'xstate';
import type { RolloutEffectInput, RolloutObserved } from '../../../machines/restart/rollout.ts';
import { track } from '../../base/promises.ts';
import { keptPods, podsToReplace } from '../content/affectedPods.ts';
import { hashedBy } from '../content/assess.ts';
import { targetSources } from '../patches/finding.ts';
import type { RestartEffects } from '../patches/restartEffects.ts';
import { hasEndedRestart, isRequested, type RestartRequest } from '../patches/restartTime.ts';
import { isByEviction, type WorkloadEntry, watchVersions } from '../patches/workloadEntry.ts';
import { ownPods, podFailuresOf } from '../pods/ownPods.ts';
import { type PodSummary, readPods } from '../pods/podSummary.ts';
import { type RolloutProgress, rolloutOf } from '../pods/rollout.ts';
import type { Refusal } from '../references/answer.ts';
import type { PendingCause } from '../references/events.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';
import { pollInterval } from './awaitRollout.ts';
import { createRefusalReporter, evictNext, type RolloutView } from './evictNext.ts';
import { checkTermination, isEmptied } from './replaceAll.ts';
import { createStallTimer, stallTimeOf, startsOf } from './stall.ts';

/** Follows the rollout of the stored target until the pods are verified or the rollout stalls. */
export function followRollout(effects: RestartEffects) {
  return fromCallback<AnyEventObject, RolloutEffectInput>(({ input, sendBack }) => {
    const entry = effects.entryOf(input.workload);
    if (entry === undefined) return undefined;
    const followed = entry;
    const { clock, inFlight } = effects;
    const stop = new AbortController();
    let timer: TimerHandle | undefined;
    let isChecking = false;
    let mustRecheck = false;
    const stillFor = createStallTimer(clock);

    function stallOf({ progress: now, own, old }: RolloutView): string | undefined {
      const quiet = stillFor(JSON.stringify([now, old.length, startsOf(own)]));
      return quiet >= stallTimeOf(followed.observed)
        ? `the rollout has made no progress since ${timeInSeconds(clock.now() - quiet)}`
        : undefined;
    }

    function nextEvent(): Promise<RolloutObserved | undefined> {
      if (isEmptied(followed.observed.summary) && !effects.isDryRun)
        return checkTermination(effects, followed, stillFor, stop.signal);
      return checkOnce(effects, followed, stallOf, stop.signal);
    }

    /** Runs one check at a time: an update during a check causes another check. */
    async function check(): Promise<void> {
      mustRecheck = isChecking;
      if (isChecking) return;
      isChecking = true;
      const event = await nextEvent().finally(() => {
        isChecking = false;
      });
      if (stop.signal.aborted) return;
      if (event !== undefined) sendBack(event);
      if (mustRecheck) await check();
    }

    function checkNow(): void {
      clock.clearTimeout(timer);
      if (stop.signal.aborted) return;
      timer = clock.setTimeout(checkNow, pollInterval);
      const checked = check().catch((error: unknown) =>
        effects.report({ type: 'actor.failed', actor: `followRollout of ${input.workload}`, error }),
      );
      track(inFlight, checked);
    }

    const unwatch = watchVersions(entry, checkNow);
    checkNow();
    return () => {
      stop.abort();
      clock.clearTimeout(timer);
      unwatch();
    };
  });
}

async function checkOnce(
  effects: RestartEffects,
  entry: WorkloadEntry,
  stallOf: (view: RolloutView) => string | undefined,
  signal: AbortSignal,
): Promise<RolloutObserved | undefined> {
  const { finding } = entry;
  const { summary } = entry.observed;
  const state = finding?.state;
  const isDone = effects.isDryRun || isNewJob(entry);
  // A CronJob's restart is complete with the write, because its next run reads everything again; so is the simulated
  // restart of a dry run.
  if (finding === undefined || state?.target === undefined || summary.selector === undefined || isDone)
    return { type: 'rollout.complete' };
  // Pods started before all old pods had terminated: the content that they read is unknown.
  if (summary.emptied?.isUndone) return { type: 'rollout.reverted' };
  if (isUnobserved(entry)) {
    const reason = stallOf({ own: [], old: [], progress: { type: 'unobserved' } });
    return standingEvent({ type: 'unobserved' }, reason);
  }
  const listed = await effects.api.listPods(summary.ref.namespace, summary.selector, signal);
  if (signal.aborted) return undefined;
  const hash = effects.digests.hashOf(finding.key, summary.ref, hashedBy(state));
  const request = { hash, since: state.target.since };
  reportRefusal(effects, entry, listed.type === 'refused' ? podsNotListed(listed) : undefined);
  if (listed.type !== 'ok') return byStatusAlone(entry, request, stallOf);
  const pods = readPods(listed.value);
  const own = ownPods(summary, pods);
  // Without a quiet period these pods may have been created within a second of the write, but they were created for it.
  const isOfThisRestart = ({ dependenciesHash: theirs }: PodSummary) => theirs === hash;
  const old = podsToReplace(summary, pods, targetSources(entry)).filter((pod) => !isOfThisRestart(pod));
  const progress = rolloutOf(summary, own);
  const view = { own, old, progress };
  if (isComplete(summary, view, request)) return { type: 'rollout.complete' };
  if (!isByEviction(entry) && !isRequested(summary, request) && progress.type === 'complete')
    return { type: 'rollout.reverted' };
  const refusal = await evictNext(effects, entry, view, signal);
  const stalled = stallOf(view);
  // The failure of a pod is a better reason than the lack of progress.
  const reason = podFailuresOf(summary, own) ?? (stalled && (refusal ?? stalled));
  return standingEvent(progress, reason);
}

function isComplete(summary: WorkloadSummary, { old, progress }: RolloutView, request: RestartRequest): boolean {
  const isOver = progress.type === 'complete' || hasEndedRestart(summary, request);
  return isOver && old.length <= keptPods(summary);
}

const reportRefusal = createRefusalReporter();

function podsNotListed(refusal: Refusal): Refusal {
  const reason = `its pods cannot be listed, and its rollout is followed by its status alone: ${refusal.reason}`;
  return { ...refusal, reason };
}

/** If the pods cannot be listed, the controller's status says whether all have the written template and are ready. */
function byStatusAlone(
  entry: WorkloadEntry,
  request: RestartRequest,
  stallOf: (view: RolloutView) => string | undefined,
): RolloutObserved | undefined {
  const progress = rolloutOf(entry.observed.summary);
  if (!isByEviction(entry) && progress.type === 'complete')
    return { type: isRequested(entry.observed.summary, request) ? 'rollout.complete' : 'rollout.reverted' };
  return standingEvent(progress, stallOf({ own: [], old: [], progress }));
}

/** Every pod of a recreated Job is new; later changes are detected as usual. */
function isNewJob({ observed: { summary }, finding }: WorkloadEntry): boolean {
  return summary.kind.restart === 'recreation' && finding?.state?.workloadUid !== summary.uid;
}

/**
 * The controller has not observed the template yet, so it has created no pod: many workloads that restart together do
 * not list their pods then. A Job that is being deleted yields no more observations: the Job that follows it shows the
 * outcome.
 */
function isUnobserved(entry: WorkloadEntry): boolean {
  const { finding } = entry;
  const { summary } = entry.observed;
  if (summary.kind.restart === 'recreation') return finding?.state?.workloadUid === summary.uid;
  return !isByEviction(entry) && rolloutOf(summary).type === 'unobserved';
}

/** `reason`: why the rollout has stalled. The machine ignores what it knows. */
function standingEvent(progress: RolloutProgress, reason: string | undefined): RolloutObserved | undefined {
  const suspended = suspensionOf(progress);
  if (suspended !== undefined) {
    const cause: PendingCause = progress.type === 'paused' ? 'paused' : 'other';
    return { type: 'rollout.suspended', cause, reason: suspended };
  }
  return reason === undefined ? undefined : { type: 'rollout.stalled', reason };
}

function suspensionOf(progress: RolloutProgress): string | undefined {
  if (progress.type === 'paused') return 'the workload is paused';
  if (progress.type !== 'waitingForDeletion') return undefined;
  return `its update strategy is OnDelete: these pods have to be deleted: ${progress.pods.join(', ')}`;
}
