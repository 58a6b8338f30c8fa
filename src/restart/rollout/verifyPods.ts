import type { RolloutEvent } from '../../../machines/restart/rollout.ts';
import { keptPods, podsToReplace, replaceablePods } from '../content/affectedPods.ts';
import { type Assessment, type ChangedSource, changesIn } from '../content/assess.ts';
import type { CurrentSource } from '../content/currentSources.ts';
import { changesOf } from '../patches/finding.ts';
import type { RestartEffects, RolloutEffect } from '../patches/restartEffects.ts';
import type { PresentPods, WorkloadEntry } from '../patches/workloadEntry.ts';
import { podsWithCachedContent } from '../pods/ownPods.ts';
import { type PodSummary, readPods } from '../pods/podSummary.ts';
import type { BlockCause } from '../references/events.ts';
import { sourceKey } from '../references/refs.ts';
import type { RestartApi } from '../requests/restartApi.ts';
import { whyNotReplaced } from './replaceAll.ts';

/** Checks whether some container runs with old content, and whether a restart would help. */
export function verifyPods(effects: RestartEffects): RolloutEffect {
  const { api } = effects;
  return async (entry, _input, signal) => {
    const { summary } = entry.observed;
    const changed = changesOf(entry);
    const against = await whyNotReplaced(effects, entry, signal);
    if (against !== undefined) return against;
    // The next run of a CronJob reads everything again; only its template has to change.
    if (summary.selector === undefined) return { type: 'verified.outdated' };
    const listed = await api.listPods(summary.ref.namespace, summary.selector, signal);
    if (listed.type === 'refused') return { ...listed, type: 'effect.failed' };
    if (listed.type !== 'ok') return { type: 'verified.current' };
    const pods = readPods(listed.value);
    const perhaps = changed.filter((each) => isOlderPodThere(each, replaceablePods(summary, pods)));
    if (perhaps.length > 0) return blocked(perhaps);
    // A pod may have the old content of an immutable source, however new the pod is.
    const isAny =
      changed.some(({ isRecreated }) => isRecreated === true) && podsWithCachedContent(summary, pods).length > 0;
    const written = changed.map((each) => ({ ...each, present: presentFor(entry, each.source) }));
    return {
      type:
        isAny || podsToReplace(summary, pods, written).length > keptPods(summary)
          ? 'verified.outdated'
          : 'verified.current',
    };
  };
}

/** The earlier pods used a source of this name: an immutable source that is younger than these pods was recreated. */
function isOlderPodThere({ isRecreated, source: { createdAt } }: ChangedSource, pods: readonly PodSummary[]): boolean {
  if (isRecreated !== 'ifPodsAreOlder' || createdAt === undefined) return false;
  return pods.some((pod) => pod.createdAt !== undefined && pod.createdAt < createdAt);
}

function blocked(recreated: readonly ChangedSource[]): RolloutEvent {
  const names = recreated.map(({ source: { ref } }) => `${ref.kind} ${ref.namespace}/${ref.name}`).join(', ');
  const reason = `${names} is immutable and was recreated: nodes keep the old content as long as a pod refers to it`;
  return {
    type: 'verified.blocked',
    cause: 'immutable' satisfies BlockCause,
    reason: `${reason}; give new content a new name`,
  };
}

/**
 * Returns the pods that exist when the change of these sources is known. A pod that is not among them later was created
 * after the write, by any clock: this recognises a release whose pods were created within the same second. The list for
 * a version is reused as long as the version is the latest. If the pods cannot be listed, only the times decide.
 */
export async function presentPods(
  api: Pick<RestartApi, 'listPods'>,
  { observed: { summary }, present }: WorkloadEntry,
  current: ReadonlyMap<string, CurrentSource>,
  assessment: Assessment,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PresentPods>> {
  if (assessment.type === 'current') return new Map();
  const changed = changesIn(assessment);
  const upToDate = new Map([...present].filter(([key, { version }]) => current.get(key)?.version === version));
  const unknown = changed.filter(({ source }) => !upToDate.has(sourceKey(source.ref)));
  if (unknown.length === 0 || summary.selector === undefined) return upToDate;
  const listed = await api.listPods(summary.ref.namespace, summary.selector, signal);
  if (listed.type !== 'ok') return upToDate;
  const podStarts = readPods(listed.value);
  const pods = new Map(podStarts.map(({ uid, startedContainers }) => [uid, startedContainers]));
  const added = unknown.map(({ source }): [string, PresentPods] => [
    sourceKey(source.ref),
    { version: source.version, pods },
  ]);
  return new Map([...added, ...upToDate]);
}

/** Returns the pods that may have older content than this version of a source; undefined if they were not listed. */
function presentFor({ present }: WorkloadEntry, { ref, version }: CurrentSource): PresentPods['pods'] | undefined {
  const presentPods = present.get(sourceKey(ref));
  return presentPods?.version === version ? presentPods.pods : undefined;
}
