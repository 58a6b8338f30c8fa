import type { Moment } from '@weeder/live-page';
import type { WeederEvent } from '../deletions/weederEvents.ts';
import { recordedWeederEventOf } from '../recording/recordedWeederEvent.ts';
import { weederTable } from '../report/weederTable.ts';

export function weederMoment(event: WeederEvent, t: number): Moment {
  const { out, ...recorded } = recordedWeederEventOf(event);
  const words =
    event.type === 'pod.deleted' && event.how === 'dryRun' ? 'pod would be deleted' : weederTable[event.type].words;
  return { t, what: out, words, ...recorded };
}
