import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import type { ApplyFailure } from '../model/applyFailure.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { ResourceEntry } from '../state/entries.ts';
import { want } from '../state/hear.ts';
import { keptAfter } from '../state/kept.ts';
import { writeFailed } from './resourceEvents.ts';

/** So many conflicts in a row are no reason to pause: who writes at the same time is soon done. */
const patientConflicts = 3;

export const conflicted: ResourceEvent = { type: 'write.conflicted' };

/** A write of this plan that was not done, as an event. `now`: by the monotonic clock. */
export function writeRefused(
  entry: ResourceEntry,
  plan: ResourcePlan,
  failure: ApplyFailure,
  now: number,
): ResourceEvent {
  const event = writeFailed(failure);
  if (event.type === 'write.refused') return { ...event, isKept: keep(entry, plan, failure, now) };
  if (failure.is !== 'conflict' && failure.is !== 'otherUid' && failure.is !== 'missing') return event;
  // Whatever it is now, it is not what it was when this was decided.
  entry.found = 'lost';
  return lookAgain(entry, failure);
}

/** It is not what it was when this was decided. Time and again, that is as good as a failure: nobody asks in a circle. */
export function lookAgain(
  entry: ResourceEntry,
  failure: ApplyFailure = { is: 'conflict', reason: 'It changes all the time.', retryAfter: 0, fields: [] },
): ResourceEvent {
  entry.conflicts += 1;
  return entry.conflicts < patientConflicts ? conflicted : writeFailed(failure);
}

/** Whether there is something that was applied before: from now on that is compared, and corrected. */
function keep(entry: ResourceEntry, refused: ResourcePlan, failure: ApplyFailure, now: number): boolean {
  const kept = keptAfter(entry, refused, failure, now);
  if (kept === undefined) return false;
  entry.kept = kept;
  if (entry.baseline !== undefined) want(entry, entry.baseline, now);
  return true;
}
