import type { Moment } from '@weeder/live-page';
import type { WeederEvent } from '../deletions/weederEvents.ts';
import { recordedWeederEventOf } from '../recording/recordedWeederEvent.ts';

export function weederMoment(event: WeederEvent, t: number): Moment {
  const { out, ...recorded } = recordedWeederEventOf(event);
  return { t, what: out, ...recorded };
}
