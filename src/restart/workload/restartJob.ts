import type { WorkloadEvent } from '../../../machines/restart/workload.ts';
import type { HashKey } from '../digest/digest.ts';
import type { Afterwards } from '../effects/question.ts';
import type { RestartEffects } from '../effects/restartEffects.ts';
import type { WorkloadEntry } from '../effects/workloadEntry.ts';

/**
 * A Job's template cannot be changed: it is deleted, and recreated from a copy that is kept before. What becomes of it
 * then is seen to by its recreation, in this process or in the next.
 */
export async function restartJob(
  { api, recreations }: RestartEffects,
  entry: WorkloadEntry,
  key: HashKey,
  stateText: string,
  signal: AbortSignal,
  afterwards: Afterwards,
): Promise<WorkloadEvent> {
  const { ref, uid, resourceVersion } = entry.facts;
  const release = recreations.hold(uid);
  if (release === undefined) return { type: 'restart.conflicted' };
  afterwards(release);
  const keeping = await api.keepJob({ ref, uid, resourceVersion }, stateText, key, signal);
  if (keeping.is === 'gone') return { type: 'workload.gone' };
  if (keeping.is === 'conflicted') return { type: 'restart.conflicted' };
  if (keeping.is === 'refused') return { ...keeping, type: 'restart.refused' };
  const { kept, isEarlier } = keeping.value;
  recreations.take(kept);
  const ending = await api.endJob(kept, signal);
  if (ending.is === 'ok') return { type: 'restart.accepted' };
  if (ending.is === 'conflicted') return { type: 'restart.conflicted' };
  // Whether a deletion whose answer was lost has arrived is found out by its recreation.
  if (ending.is === 'refused') return { ...ending, type: 'restart.refused' };
  // Somebody else has deleted it, and does not want it back.
  if (!isEarlier) await api.dropCopy(kept, signal);
  return { type: 'workload.gone' };
}
