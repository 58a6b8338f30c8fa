import { formatDuration } from '../../base/duration.ts';
import { messageOf } from '../../base/errors.ts';
import type { WeederEvent } from '../../weeder/deletions/weederEvents.ts';
import type { CrashLoopingPod } from '../../weeder/pods/crashLooping.ts';
import { decision, type EventKind, report } from '../file/eventKind.ts';

/**
 * An event of the weeder, as recorded and as printed in a timeline: flat, and without anything that depends on timing
 * alone.
 */
export interface RecordedWeederEvent {
  readonly out: WeederEvent['type'];
  /** `namespace/service`, or the actor that failed. */
  readonly about: string;
  readonly window?: number;
  /** `namespace/name`. */
  readonly pod?: string;
  readonly detail: string;
}

export const weederEventKinds: Readonly<Record<RecordedWeederEvent['out'], EventKind>> = {
  'service.ready': report('service is ready'),
  'service.notReady': report('service is not ready'),
  'window.opened': decision('window opened'),
  'window.closed': decision('window closed'),
  'pod.deleted': decision('pod deleted'),
  'pod.skipped': decision('deletion skipped'),
  'pod.recovered': report('pod recovered'),
  'pod.removed': report('pod removed'),
  'deletion.pending': report('deletion pending'),
  'deletion.expired': report('deletion expired'),
  'deletion.refused': report('deletion refused'),
  'deletion.blocked': report('deletion blocked'),
  'deletion.failed': decision('deletion failed'),
  'actor.failed': report('actor failed'),
};

/**
 * Returns one event for each affected window, because a replay that begins in the middle may know only some of them.
 */
export function recordedEventsOf(event: WeederEvent): RecordedWeederEvent[] {
  if (event.type === 'actor.failed') return [{ out: event.type, about: event.actor, detail: messageOf(event.error) }];
  const windows = 'also' in event ? [event, ...event.also] : [event];
  return windows.map((each) => ({
    out: event.type,
    about: `${each.namespace}/${each.service}`,
    ...('window' in each ? { window: each.window } : {}),
    ...('pod' in event ? { pod: `${event.pod.namespace}/${event.pod.name}` } : {}),
    detail: detailOf(event),
  }));
}

function detailOf(event: Exclude<WeederEvent, { type: 'actor.failed' }>): string {
  switch (event.type) {
    case 'window.opened':
      return formatDuration(Math.round(event.duration));
    case 'window.closed':
      return `${event.deleted} deleted, ${event.skipped} skipped, ${event.failed.length} failed`;
    case 'pod.deleted':
      return `${event.how}, ${stateOf(event.pod)}`;
    case 'pod.skipped':
    case 'deletion.failed':
    case 'deletion.pending':
    case 'deletion.expired':
      return event.reason;
    case 'deletion.refused':
      return `${event.reason}, attempt ${event.attempt}`;
    default:
      return '';
  }
}

function stateOf({ cause, restarts }: CrashLoopingPod): string {
  return `${cause === 'silent' ? 'in unreported back-off' : cause}, restarts ${restarts}`;
}
