import type { WorkloadEvent } from '../../../machines/restart/workload.ts';
import type { RestartEffects } from './restartEffects.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/** What each write is for, and what the machine hears when it is done. */
const done = { restart: 'restart.accepted', state: 'state.written', restore: 'restore.done' } as const;

/** One patch of a workload; its answer, as the machine takes it. What the workload is then is learnt before its stream tells. */
export async function writeWorkload(
  { api, learn }: Pick<RestartEffects, 'api' | 'learn'>,
  entry: WorkloadEntry,
  what: keyof typeof done,
  patch: object,
  signal: AbortSignal,
): Promise<WorkloadEvent> {
  const answer = await api.patchWorkload(entry.facts.ref, patch, signal);
  switch (answer.is) {
    case 'ok':
      learn(entry, answer.value);
      return { type: done[what] };
    case 'gone':
      return { type: 'workload.gone' };
    case 'conflicted':
      return { type: `${what}.conflicted` };
    case 'refused':
      return { ...answer, type: `${what}.refused` };
  }
}
