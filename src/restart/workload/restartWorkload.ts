import type { RolloutEvent } from '../../../machines/restart/rollout.ts';
import type { Defer } from '../../actors/effect.ts';
import { hashedBy } from '../content/assess.ts';
import { decodeState, encodeState } from '../content/state.ts';
import type { HashKey } from '../digest/digest.ts';
import { markChangesHandled } from '../pace/quietPeriod.ts';
import { changesOf, recordRestart } from '../patches/finding.ts';
import type { RestartEffects, RolloutEffect } from '../patches/restartEffects.ts';
import type { RestartRequest } from '../patches/restartTime.ts';
import { isByEviction, type WorkloadEntry } from '../patches/workloadEntry.ts';
import { emptyPatch, restartPatch, statePatch, writeWorkload } from '../patches/workloadPatch.ts';
import { keepInMemory, recordWrite } from '../patches/written.ts';
import { endWait } from '../pods/progress.ts';
import { isReplaced } from '../rollout/replaceAll.ts';
import { trimContentHistory } from '../rollout/uncertainStarts.ts';
import { stateOfRestart } from './nextState.ts';

/**
 * Restarts by one write: the target in the state, and a new hash in the pod template, which makes Kubernetes roll the
 * pods.
 */
export function restartWorkload(effects: RestartEffects): RolloutEffect {
  const { clock, digests, isDryRun } = effects;
  return async (entry, _input, signal, defer) => {
    const { finding } = entry;
    const { summary } = entry.observed;
    const changed = changesOf(entry);
    if (finding === undefined || changed.length === 0) return { type: 'effect.conflicted' };
    const cause = causeOf(changed);
    const text = encodeState(stateOfRestart(summary.uid, finding, clock.now(), cause), finding.key);
    // A state that was too long is stored in a shorter form, and a later reader has to compute the same hash.
    const state = decodeState(text);
    if (typeof state === 'string') return { type: 'effect.failed', reason: 'the generated state is unreadable' };
    const hash = digests.hashOf(finding.key, summary.ref, hashedBy(state));
    const begun = (): RolloutEvent => {
      recordRestart(entry, finding, state);
      trimContentHistory(entry, finding);
      markChangesHandled(entry, finding.asOf);
      endWait(entry);
      return { type: 'restart.accepted' };
    };
    if (isDryRun) {
      keepInMemory(entry, text);
      return begun();
    }
    const patch = patchFor(entry, finding.key, text, { hash, since: state.target?.since ?? clock.now() }, cause);
    const isRecreated = summary.kind.restart === 'recreation';
    const event = await (isRecreated
      ? restartJob(effects, entry, finding.key, text, signal, defer)
      : writeWorkload(effects, entry, 'restart.accepted', patch, signal));
    if (event.type !== 'restart.accepted') return event;
    recordWrite(clock, entry, text);
    return begun();
  };
}

function patchFor(entry: WorkloadEntry, key: HashKey, text: string, request: RestartRequest, cause: string): object {
  const { summary } = entry.observed;
  if (isReplaced(entry)) return emptyPatch(summary, key, text, request, cause);
  return isByEviction(entry) ? statePatch(summary, text) : restartPatch(summary, text, request, cause);
}

/** Returns a text such as `ConfigMap settings (log.level), Secret database`. */
function causeOf(changed: ReturnType<typeof changesOf>): string {
  return changed
    .map(({ source: { ref }, keys }) => `${ref.kind} ${ref.name}${keys.length > 0 ? ` (${keys.join(', ')})` : ''}`)
    .join(', ');
}

/**
 * A Job's template is immutable: the Job is deleted, and recreated from a copy that is stored first. The `recreation`
 * actor does the rest, in this process or in the next.
 */
async function restartJob(
  { api, recreations }: RestartEffects,
  entry: WorkloadEntry,
  key: HashKey,
  stateText: string,
  signal: AbortSignal,
  defer: Defer,
): Promise<RolloutEvent> {
  const { ref, uid, resourceVersion } = entry.observed.summary;
  const release = recreations.lock(uid);
  if (release === undefined) return { type: 'effect.conflicted' };
  defer(release);
  const stored = await api.storeCopy({ ref, uid, resourceVersion }, stateText, key, signal);
  if (stored.type === 'notFound') return { type: 'workload.deleted' };
  if (stored.type === 'conflicted') return { type: 'effect.conflicted' };
  if (stored.type === 'refused') return { ...stored, type: 'effect.failed' };
  const { copy, isEarlier } = stored.value;
  recreations.take(copy);
  const ending = await api.deleteJob(copy, signal);
  if (ending.type === 'ok') return { type: 'restart.accepted' };
  if (ending.type === 'conflicted') return { type: 'effect.conflicted' };
  // The `recreation` actor finds out whether a deletion whose response was lost has taken effect.
  if (ending.type === 'refused') return { ...ending, type: 'effect.failed' };
  // Another client deleted the Job, so it must not be recreated.
  if (!isEarlier) await api.deleteCopy(copy, signal);
  return { type: 'workload.deleted' };
}
