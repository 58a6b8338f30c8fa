import type { WorkloadEvent } from '../../../machines/restart/workload.ts';
import type { RestartEffects, WorkloadEffect } from '../effects/restartEffects.ts';
import { changesOf, type PresentPods, type WorkloadEntry } from '../effects/workloadEntry.ts';
import { sourceKey } from '../model/refs.ts';
import { lingeringPods } from '../pods/ownPods.ts';
import { type PodFacts, readPods } from '../pods/podFacts.ts';
import type { RestartApi } from '../requests/restartApi.ts';
import { podsToReplace, replaceablePods } from '../state/affectedPods.ts';
import { type Assessment, type ChangedSource, changesIn } from '../state/assess.ts';
import type { CurrentSource } from '../state/currentSources.ts';
import { whyNotReplaced } from './replaceAll.ts';

/** Looks whether some container runs with old content, and whether a restart would help. */
export function verifyPods(effects: RestartEffects): WorkloadEffect {
  const { api } = effects;
  return async (entry, _input, signal) => {
    const { facts } = entry;
    const changed = changesOf(entry);
    const against = await whyNotReplaced(effects, entry, signal);
    if (against !== undefined) return against;
    // The next run of a CronJob reads everything anew; what has to change is its template.
    if (facts.selector === undefined) return { type: 'verified.outdated' };
    const listed = await api.listPods(facts.ref.namespace, facts.selector, signal);
    if (listed.is === 'refused') return { ...listed, type: 'verified.refused' };
    if (listed.is !== 'ok') return { type: 'verified.current' };
    const pods = readPods(listed.value);
    const perhaps = changed.filter((each) => isOlderPodThere(each, replaceablePods(facts, pods)));
    if (perhaps.length > 0) return blocked(entry, perhaps);
    // Of what was immutable, a pod may have the old content however new it is.
    const isAny = changed.some(({ isRecreated }) => isRecreated === true) && lingeringPods(facts, pods).length > 0;
    const written = changed.map((each) => ({ ...each, present: presentFor(entry, each.source) }));
    return { type: isAny || podsToReplace(facts, pods, written).length > 0 ? 'verified.outdated' : 'verified.current' };
  };
}

/** The pods of before used a source of this name: an immutable one that is younger than they are was recreated. */
function isOlderPodThere({ isRecreated, source: { createdAt } }: ChangedSource, pods: readonly PodFacts[]): boolean {
  if (isRecreated !== 'ifPodsAreOlder' || createdAt === undefined) return false;
  return pods.some((pod) => pod.createdAt !== undefined && pod.createdAt < createdAt);
}

function blocked(entry: WorkloadEntry, recreated: readonly ChangedSource[]): WorkloadEvent {
  entry.cause = 'immutable';
  const names = recreated.map(({ source: { ref } }) => `${ref.kind} ${ref.namespace}/${ref.name}`).join(', ');
  const reason = `${names} is immutable and was recreated: nodes keep the old content as long as a pod refers to it`;
  return { type: 'verified.blocked', reason: `${reason}; give new content a new name` };
}

/**
 * Which pods are there now that these sources are known to have changed. One that is not among them later was made
 * after the write, by any clock: this recognises a release whose pods were created within the same second.
 * What is known of a version stays as long as it is the newest. Where the list cannot be had, the times decide alone.
 */
export async function presentPods(
  api: Pick<RestartApi, 'listPods'>,
  { facts, present }: WorkloadEntry,
  current: ReadonlyMap<string, CurrentSource>,
  assessment: Assessment,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PresentPods>> {
  if (assessment.is === 'current') return new Map();
  const changed = changesIn(assessment);
  const known = new Map([...present].filter(([key, { version }]) => current.get(key)?.version === version));
  const unknown = changed.filter(({ source }) => !known.has(sourceKey(source.ref)));
  if (unknown.length === 0 || facts.selector === undefined) return known;
  const listed = await api.listPods(facts.ref.namespace, facts.selector, signal);
  if (listed.is !== 'ok') return known;
  const found = readPods(listed.value);
  const pods = new Map(found.map(({ uid, startedContainers }) => [uid, startedContainers]));
  const added = unknown.map(({ source }): [string, PresentPods] => [
    sourceKey(source.ref),
    { version: source.version, pods },
  ]);
  return new Map([...added, ...known]);
}

/** Those that may have older content than this version of a source; undefined if they were not listed. */
function presentFor({ present }: WorkloadEntry, { ref, version }: CurrentSource): PresentPods['pods'] | undefined {
  const found = present.get(sourceKey(ref));
  return found?.version === version ? found.pods : undefined;
}
