import type { PresentPods, WorkloadEntry } from '../effects/workloadEntry.ts';
import { sourceKey } from '../model/refs.ts';
import { readPods } from '../pods/podFacts.ts';
import type { RestartApi } from '../requests/restartApi.ts';
import { type Assessment, changesIn } from '../state/assess.ts';
import type { WantedSource } from '../state/wanted.ts';

/**
 * Which pods are there now that these sources are known to have changed. One that is not among them later was made
 * after the write, by whatever clocks: that is how a release is told whose pods were made within the same second.
 * What is known of a version stays as long as it is the newest. Where the list cannot be had, the times decide alone.
 */
export async function presentPods(
  api: Pick<RestartApi, 'listPods'>,
  { facts, present }: WorkloadEntry,
  wanted: ReadonlyMap<string, WantedSource>,
  assessment: Assessment,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PresentPods>> {
  if (assessment.is === 'current') return new Map();
  const changed = changesIn(assessment);
  const known = new Map([...present].filter(([key, { version }]) => wanted.get(key)?.version === version));
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

/** Those that may have older content than this version of a source; undefined: nobody looked. */
export function presentFor(
  { present }: WorkloadEntry,
  { ref, version }: WantedSource,
): PresentPods['pods'] | undefined {
  const found = present.get(sourceKey(ref));
  return found?.version === version ? found.pods : undefined;
}
