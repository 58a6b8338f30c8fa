import type { HashKeys } from '../digest/hashKeys.ts';
import type { ReportRestart } from '../model/facts.ts';
import type { WorkloadFacts } from '../model/workloadFacts.ts';
import { decodeState } from './state.ts';

/** Whose the state on a workload is. `unknown`: it cannot be read, or no key is known. */
export type StateOwner = 'own' | 'foreign' | 'unknown';

/**
 * Says whether the state on a workload was made with one of these keys. Another weeder, with rules and a key of its own,
 * may manage what this one does not: its states are left alone, and one of them is told for each key.
 */
export function createStateOwner(keys: () => HashKeys | undefined, report: ReportRestart) {
  const told = new Set<string>();
  return ({ ref: workload, uid, stateText }: WorkloadFacts): StateOwner => {
    const state = decodeState(stateText);
    const known = keys();
    if (typeof state === 'string' || known === undefined) return 'unknown';
    const { keyId } = state;
    if (known.byId(keyId) !== undefined) return 'own';
    if (!told.has(keyId)) report({ type: 'state.foreign', workload, uid, keyId });
    told.add(keyId);
    return 'foreign';
  };
}
