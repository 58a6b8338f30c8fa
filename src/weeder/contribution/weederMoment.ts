import type { Moment } from '../../controller/report/moment.ts';
import type { WeederEvent } from '../deletions/weederEvents.ts';
import { recordedWeederEventOf } from '../recording/recordedWeederEvent.ts';

export function weederMoment(event: WeederEvent, t: number): Moment {
  const { out, ...recorded } = recordedWeederEventOf(event);
  return { t, what: out, ...recorded };
}
