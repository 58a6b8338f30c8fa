import type { Moment } from '@weeder/live-page';
import type { WeederEvent } from '../deletions/weederEvents.ts';
import { backOffSaved } from '../pods/backOff.ts';
import { recordedWeederEventOf } from '../recording/recordedWeederEvent.ts';
import { weederTable } from '../report/weederTable.ts';

export function weederMoment(event: WeederEvent, t: number): Moment {
  const { out, ...recorded } = recordedWeederEventOf(event);
  const page = 'service' in event ? { page: { type: 'service', id: recorded.about } as const } : {};
  const moment = { t, what: out, words: weederTable[event.type].words, ...recorded, ...page };
  if (event.type === 'creation.retried' && event.isDryRun)
    return { ...moment, words: 'creation of pods would be retried', isDryRun: true };
  if (event.type !== 'pod.deleted') return moment;
  const saved = backOffSaved(event, t);
  return event.how === 'dryRun'
    ? { ...moment, words: 'pod would be deleted', saved, isDryRun: true }
    : { ...moment, saved };
}
