import type { Leading } from '../kube/whileLeading.ts';
import type { DeletePod } from './deletePod.ts';

/** Deletions that are sent only while this replica leads. */
export function deleteWhileLeading(leading: Leading, deletePod: DeletePod): DeletePod {
  return async (request, signal) => {
    const isWanted = () => leading.isValid() && request.isWanted();
    const answer = await deletePod({ ...request, isWanted }, AbortSignal.any([signal, leading.signal]));
    if (answer.type !== 'delete.refused' || leading.isValid()) return answer;
    return { type: 'delete.refused', reason: 'this replica does not lead any more', failure: 'cancelled' };
  };
}
