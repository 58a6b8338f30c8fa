import type { HashKeys } from '../digest/hashKeys.ts';
import { isEmptiedByWeeder } from '../digest/sealEmptied.ts';
import type { ReportRestart } from '../model/events.ts';
import type { WorkloadFacts } from '../model/workloadFacts.ts';
import { decodeState, isForged } from './state.ts';

/** Whose the state on a workload is. `unknown`: it cannot be read, or no key is known. */
export type StateOwner = 'own' | 'foreign' | 'unknown';

/**
 * Says whether the state on a workload was made with one of these keys. Another weeder, with rules and a key of its own,
 * may manage what this one does not: its states are left alone, and one of them is reported for each key.
 */
export function createStateOwner(keys: () => HashKeys | undefined, report: ReportRestart) {
  const reported = new Set<string>();
  return ({ ref: workload, uid, stateText }: WorkloadFacts): StateOwner => {
    const state = decodeState(stateText);
    const known = keys();
    if (typeof state === 'string' || known === undefined) return 'unknown';
    const { keyId } = state;
    if (known.byId(keyId) !== undefined) return 'own';
    if (!reported.has(keyId)) report({ type: 'state.foreign', workload, uid, keyId });
    reported.add(keyId);
    return 'foreign';
  };
}

/** What is no state, and is not that of another weeder either. */
const forgedState = 'not weeder’s';
const emptiedFault =
  'it says that weeder has ended the pods, and it is not sealed with a hash key of this weeder: it is not believed. Remove it, and scale the workload if its pods are missing.';

/**
 * The facts without what others have written in weeder's name. As long as no key is known nothing is reported apart, and
 * nothing is done either: that weeder has ended the pods is not believed.
 */
export function trustedFacts(facts: WorkloadFacts, keys: HashKeys | undefined): WorkloadFacts {
  const { emptied, uid, stateText } = facts;
  if (keys === undefined) return emptied === undefined ? facts : { ...facts, emptied: undefined };
  const isForgedState = isForged(stateText, keys);
  const isForgedEmptied = emptied !== undefined && !isEmptiedByWeeder(emptied, uid, keys);
  if (!isForgedState && !isForgedEmptied) return facts;
  return {
    ...facts,
    ...(isForgedState ? { stateText: forgedState } : {}),
    ...(isForgedEmptied ? { emptied: undefined, ...(emptied.isUndone ? {} : { emptiedError: emptiedFault }) } : {}),
  };
}
