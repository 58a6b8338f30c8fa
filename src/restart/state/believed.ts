import type { HashKeys } from '../digest/hashKeys.ts';
import { isEmptiedByWeeder } from '../digest/sealEmptied.ts';
import type { WorkloadFacts } from '../model/workloadFacts.ts';
import { isForged } from './state.ts';

/** What is no state, and is not that of another weeder either. */
const forgedState = 'not weeder’s';
const emptiedFault =
  'it says that weeder has ended the pods, and it is not sealed with a hash key of this weeder: it is not believed. Remove it, and scale the workload if its pods are missing.';

/**
 * The facts without what others have written in weeder's name. As long as no key is known nothing is told apart, and
 * nothing is done either: that weeder has ended the pods is not believed.
 */
export function believed(facts: WorkloadFacts, keys: HashKeys | undefined): WorkloadFacts {
  const { emptied, uid, stateText } = facts;
  if (keys === undefined) return emptied === undefined ? facts : { ...facts, emptied: undefined };
  const isForgedState = isForged(stateText, keys);
  const isForgedEmptied = emptied !== undefined && !isEmptiedByWeeder(emptied, uid, keys);
  if (!isForgedState && !isForgedEmptied) return facts;
  return {
    ...facts,
    ...(isForgedState ? { stateText: forgedState } : {}),
    ...(isForgedEmptied ? { emptied: undefined, ...(emptied.isUndone ? {} : { emptiedFault }) } : {}),
  };
}
