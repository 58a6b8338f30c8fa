import type { RestartEvent, SourceChange } from '../../restart/references/events.ts';
import type { WorkloadRef } from '../../restart/references/refs.ts';
import type { TimelineEntry } from '../timeline.ts';
import type { ShopEvent, SourceAction } from './events.ts';

type Entry = Omit<TimelineEntry, 'who'>;

/** An event as a line of the timeline; undefined if other lines already show it. */
export function restartTimelineEntry(event: ShopEvent | RestartEvent): TimelineEntry | undefined {
  const action = actionOf(event);
  if (action !== undefined) return { who: 'kubectl', ...action };
  if (event.type === 'rollout.began') {
    const whose = event.isRestart ? undefined : 'gets new pods, by its release';
    return whose === undefined
      ? undefined
      : { who: 'cluster', what: `${named(event.workload)} ${whose}`, tone: 'plain' };
  }
  const line = weederLine(event);
  return line === undefined ? undefined : { who: 'weeder', ...line };
}

/** The actions of the shop's users. */
function actionOf(event: ShopEvent | RestartEvent): Entry | undefined {
  switch (event.type) {
    case 'source.changed':
      return { what: `changes ${sourceOf(event)}`, tone: 'plain' };
    case 'source.deleted':
      return { what: `deletes ${sourceOf(event)}`, tone: 'bad' };
    case 'source.created':
      return { what: `creates ${event.source.kind} ${event.source.name} with the same content`, tone: 'good' };
    case 'image.changed':
      return { what: `sets the image of ${event.workload} to ${event.image}`, tone: 'plain' };
    default:
      return undefined;
  }
}

function weederLine(event: ShopEvent | RestartEvent): Entry | undefined {
  switch (event.type) {
    case 'restarter.started':
      return { what: 'starts', tone: 'plain' };
    case 'restarter.stopped':
      return { what: 'stops', tone: 'bad' };
    case 'workload.adopted':
      return { what: `adopts ${named(event.workload)}: nothing restarts`, tone: 'plain' };
    case 'workload.changed':
      return { what: `observes the change: ${event.workload.name} uses ${changed(event.sources)}`, tone: 'plain' };
    case 'workload.restarted':
      return { what: `restarts ${named(event.workload)}`, tone: 'action' };
    case 'workload.rolledOut': {
      const took = (event.sinceChange / 1_000).toFixed(1);
      const what = `${event.workload.name} is up to date, ${took} s after the change`;
      return { what, tone: 'good' };
    }
    case 'workload.skipped':
      return { what: `does not restart ${event.workload.name}: its pods are newer`, tone: 'good' };
    case 'workload.blocked':
      return { what: `cannot restart ${event.workload.name} yet: ${event.reason}`, tone: 'bad' };
    case 'workload.pending':
      return { what: `waits to restart ${event.workload.name}: ${waitsFor(event)}`, tone: 'plain' };
    case 'workload.stalled':
    case 'workload.refused':
      return { what: `fails with ${event.workload.name}: ${event.reason}`, tone: 'bad' };
    default:
      return undefined;
  }
}

function waitsFor({ cause, reason }: Extract<RestartEvent, { type: 'workload.pending' }>): string {
  return cause === 'rollout' ? 'a rollout is in progress' : reason;
}

function named({ kind, name }: WorkloadRef): string {
  return `${kind} ${name}`;
}

function sourceOf({ source, keys }: Pick<SourceAction, 'source' | 'keys'>): string {
  return `${source.kind} ${source.name}${keys.length === 0 ? '' : `, ${keys.join(', ')}`}`;
}

function changed(sources: readonly SourceChange[]): string {
  return sources.map(({ source, keys }) => `${keys.join(', ')} of ${source.name}`).join('; ');
}
