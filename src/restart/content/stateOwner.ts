import type { HashKeys } from '../digest/hashKeys.ts';
import { isEmptiedByWeeder } from '../digest/sealEmptied.ts';
import type { ReportRestart } from '../references/events.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';
import { decodeState, isForged } from './state.ts';

/** The owner of the state on a workload. `unknown`: the state cannot be read, or no key is known. */
export type StateOwner = 'own' | 'foreign' | 'unknown';

/**
 * Decides whether the state on a workload was made with one of these keys. Another weeder, with rules and a key of its
 * own, may manage workloads that this one does not: their states are left alone, and one of them is reported per key.
 */
export function createStateOwner(keys: () => HashKeys | undefined, report: ReportRestart) {
  const reported = new Set<string>();
  return ({ ref: workload, uid, stateText }: WorkloadSummary): StateOwner => {
    const state = decodeState(stateText);
    const hashKeys = keys();
    if (typeof state === 'string' || hashKeys === undefined) return 'unknown';
    const { keyId } = state;
    if (hashKeys.byId(keyId) !== undefined) return 'own';
    if (!reported.has(keyId)) report({ type: 'state.foreign', workload, uid, keyId });
    reported.add(keyId);
    return 'foreign';
  };
}

/** An invalid state that is not another weeder's either. */
const forgedState = 'not weeder’s';
const emptiedError =
  'it says that weeder has terminated the pods, but it is not sealed with a hash key of this weeder: it is ignored. Remove it, and scale the workload if its pods are missing.';

/**
 * Returns the summary without forged annotations. As long as no key is known, an annotation that says weeder has scaled
 * the workload to zero is not trusted, but nothing is reported or done about it.
 */
export function trustedSummary(summary: WorkloadSummary, keys: HashKeys | undefined): WorkloadSummary {
  const { emptied, uid, stateText } = summary;
  if (keys === undefined) return emptied === undefined ? summary : { ...summary, emptied: undefined };
  const isForgedState = isForged(stateText, keys);
  const isForgedEmptied = emptied !== undefined && !isEmptiedByWeeder(emptied, uid, keys);
  if (!isForgedState && !isForgedEmptied) return summary;
  return {
    ...summary,
    ...(isForgedState ? { stateText: forgedState } : {}),
    ...(isForgedEmptied ? { emptied: undefined, ...(emptied.isUndone ? {} : { emptiedError }) } : {}),
  };
}
