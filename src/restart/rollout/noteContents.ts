import type { HashKey } from '../digest/digest.ts';
import type { RestartEffects } from '../effects/restartEffects.ts';
import type { Finding, WorkloadEntry } from '../effects/workloadEntry.ts';
import { type SourceRef, sourceKey } from '../model/refs.ts';
import { expectedBy } from '../state/assess.ts';
import { since, withContents } from '../state/spells.ts';
import type { WorkloadState } from '../state/state.ts';
import { type WantedSource, wantedOf } from '../state/wanted.ts';

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
