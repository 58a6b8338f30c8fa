import type { Refusal } from './answer.ts';
import { expectedBy } from './assess.ts';
import type { HashKey } from './digest.ts';
import { readPods } from './podFacts.ts';
import { type SourceRef, sourceKey } from './refs.ts';
import type { RestartApi } from './restartApi.ts';
import type { RestartEffects } from './restartEffects.ts';
import { hasStartedWithin, otherTimes, since, withContents } from './spells.ts';
import type { WorkloadState } from './state.ts';
import { type WantedSource, wantedOf } from './wanted.ts';
import type { Finding, WorkloadEntry } from './workloadEntry.ts';

/** Notes what all of a workload's sources have in them now. Under another key nothing can be compared. */
export function noteContents(
  entry: WorkloadEntry,
  key: HashKey,
  wanted: ReadonlyMap<string, WantedSource>,
  state: WorkloadState | undefined,
): void {
  const isSameKey = entry.finding?.key.id === key.id;
  const known = isSameKey ? [...entry.spells].filter(([source]) => wanted.has(source)) : [];
  entry.spells = withContents(new Map(known), wanted, state && expectedBy(state));
}

/** Notes what a source has in it now while nobody asks: pods that are started during a rollout have that too. */
export async function noteContent(
  { digests, sources }: Pick<RestartEffects, 'digests' | 'sources'>,
  entry: WorkloadEntry,
  ref: SourceRef,
): Promise<void> {
  const { finding, uses } = entry;
  if (finding === undefined) return;
  const its = uses.filter(({ source }) => sourceKey(source) === sourceKey(ref));
  const wanted = await wantedOf(its, finding.key, digests, sources);
  if (wanted.is === 'ok' && entry.finding?.key.id === finding.key.id)
    entry.spells = withContents(entry.spells, wanted.sources);
}

/** The pods that were there before are replaced, or proven to be newer: what they may have started with is over. */
export function forgetSpells(entry: WorkloadEntry, { spells }: Finding): void {
  entry.spells = since(entry.spells, spells);
}

export type DoubtAnswer =
  | { readonly is: 'ok'; readonly sources: readonly WantedSource[] }
  | ({ readonly is: 'refused' } & Refusal);

/**
 * The sources that say again what is written down, where pods may have started while they said something else: by a
 * rollout of somebody, a scaling, an eviction, or a container that came back. Where none has, what was in between is
 * over. A CronJob has no pods of its own, and a Job is not restarted.
 */
export async function doubtedSources(
  api: Pick<RestartApi, 'listPods'>,
  entry: WorkloadEntry,
  wanted: ReadonlyMap<string, WantedSource>,
  signal: AbortSignal,
): Promise<DoubtAnswer> {
  const { facts, spells } = entry;
  const others = otherTimes(spells, wanted);
  if (others.length === 0 || facts.selector === undefined || facts.ref.kind === 'Job') return { is: 'ok', sources: [] };
  const listed = await api.listPods(facts.ref.namespace, facts.selector, signal);
  if (listed.is === 'refused') return listed;
  const pods = listed.is === 'ok' ? readPods(listed.value) : [];
  const doubted = others.filter(({ source, periods }) => hasStartedWithin(facts, pods, source.uses, periods));
  const isOver = (key: string) => others.some((each) => each.key === key && !doubted.includes(each));
  entry.spells = since(entry.spells, new Map([...spells].filter(([key]) => isOver(key))));
  return { is: 'ok', sources: doubted.map(({ source }) => source) };
}
