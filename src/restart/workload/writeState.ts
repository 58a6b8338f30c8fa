import type { WorkloadEvent } from '../../../machines/restart/workload.ts';
import { type CurrentSource, readCurrentSources } from '../content/currentSources.ts';
import { encodeState, isSameState } from '../content/state.ts';
import type { Finding } from '../patches/finding.ts';
import type { RestartEffects, WorkloadEffect } from '../patches/restartEffects.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import { releasePatch, statePatch, writeWorkload } from '../patches/workloadPatch.ts';
import { keepInMemory, recordWrite } from '../patches/written.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';
import { trimContentHistory } from '../rollout/uncertainStarts.ts';
import { stateAfter } from './nextState.ts';

/** Writes the current state to the workload, unless the stored state is the same. */
export function writeState(effects: RestartEffects): WorkloadEffect {
  const { clock, isDryRun } = effects;

  async function write(
    entry: WorkloadEntry,
    text: string | undefined,
    patch: object,
    signal: AbortSignal,
  ): Promise<WorkloadEvent> {
    const { inMemory } = entry.written;
    if (isSameState(inMemory ?? entry.observed.summary.stateText, text)) return { type: 'state.written' };
    if (isDryRun || isOnlyRemembered(entry.observed.summary) || (inMemory !== undefined && text !== undefined)) {
      keepInMemory(entry, text);
      return { type: 'state.written' };
    }
    const event = await writeWorkload(effects, entry, 'state.written', patch, signal);
    if (event.type === 'state.written') recordWrite(clock, entry, text);
    return event;
  }

  return async (entry, { outcome }, signal) => {
    // Another weeder may manage it by now.
    if (outcome === 'released' && effects.ownerOf(entry.observed.summary) === 'foreign')
      return { type: 'state.written' };
    if (outcome === 'released') return write(entry, undefined, releasePatch(entry.observed.summary), signal);
    const finding = await underCurrentKey(effects, entry);
    if (finding === undefined) return { type: 'effect.failed', reason: 'it has not been assessed' };
    const text = encodeState(stateAfter(entry.observed.summary.uid, finding, outcome, clock.now()), finding.key);
    const event = await write(entry, text, statePatch(entry.observed.summary, text), signal);
    if (outcome === 'skipped' && event.type === 'state.written') trimContentHistory(entry, finding);
    return event;
  };
}

/** weeder never recreates a Job that its CronJob creates again, so writing to each of them would be pointless. */
function isOnlyRemembered({ job, stateText }: WorkloadSummary): boolean {
  return job?.creator !== undefined && stateText === undefined;
}

/** An adopted state is written under the current key, so that finally no state refers to an old key. */
async function underCurrentKey(effects: RestartEffects, entry: WorkloadEntry): Promise<Finding | undefined> {
  const { finding } = entry;
  const current = effects.keys()?.current;
  const isFinal = finding?.assessment.type === 'new' || finding?.assessment.type === 'current';
  if (finding === undefined || current === undefined || !isFinal || finding.key.id === current.id) return finding;
  // A change since the assessment must stay a change: the tags of the old key show it, and those of the new key follow.
  const again = await readCurrentSources(entry.observed.uses, finding.key, effects.digests, effects.sources);
  const currentSources = await readCurrentSources(entry.observed.uses, current, effects.digests, effects.sources);
  if (again.type !== 'ok' || currentSources.type !== 'ok') return undefined;
  const isSame = ([key, { tag }]: readonly [string, CurrentSource]) =>
    (finding.firstSeen.get(key) ?? finding.current.get(key)?.tag)?.tag === tag.tag;
  if (![...again.sources].every(isSame)) return finding;
  return { ...finding, key: current, current: currentSources.sources, firstSeen: new Map() };
}
