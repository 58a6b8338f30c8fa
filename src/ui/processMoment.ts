import type { Moment } from '@weeder/live-page';
import { type ProcessEvent, processWords } from '../process/processLog.ts';

/** `t` is epoch milliseconds. */
export function processMoment(event: ProcessEvent, t: number): Moment {
  const about = 'lease' in event ? event.lease : 'config';
  return { t, what: event.type, words: processWords(event), about, detail: detailOf(event) };
}

function detailOf(event: ProcessEvent): string {
  switch (event.type) {
    case 'leadership.acquired':
      return event.identity;
    case 'leadership.lost':
      return event.reason;
    case 'leadership.standsBy':
      return event.holder;
    case 'leadership.released':
      return '';
    case 'config.applied':
      return `generation ${event.generation}`;
    case 'config.rejected':
      return event.problem.message;
  }
}
