import type { Moment } from '@weeder/live-page';
import type { WeederEvent } from '../deletions/weederEvents.ts';
import { recordedWeederEventOf } from '../recording/recordedWeederEvent.ts';
import { weederTable } from '../report/weederTable.ts';

export function weederMoment(event: WeederEvent, t: number): Moment {
  const { out, ...described } = recordedWeederEventOf(event);
  const page = 'service' in event ? { page: { type: 'service', id: described.about } as const } : {};
  const recorded = { ...described, ...page };
  if (event.type === 'pod.deleted' && event.how === 'dryRun')
    return { t, what: out, words: 'pod would be deleted', ...recorded, isDryRun: true };
  return { t, what: out, words: weederTable[event.type].words, ...recorded };
}
