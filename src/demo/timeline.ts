import { formatDuration } from '@weeder/kube-runtime/base';
import type { WeederEvent } from '../weeder/deletions/weederEvents.ts';
import { waitBecause } from '../weeder/report/wording.ts';
import type { ScenarioEvent } from './events.ts';
import { etcdService } from './objects.ts';

/** A line of the timeline: a component, and what it did. */
export interface TimelineEntry {
  readonly who: 'bot' | 'etcd' | 'kubectl' | 'kubelet' | 'weeder' | 'cluster';
  readonly what: string;
  readonly tone: 'bad' | 'good' | 'action' | 'plain';
}

/** An event as a line of the timeline; undefined if other lines already show it. */
export function weederTimelineEntry(event: ScenarioEvent | WeederEvent): TimelineEntry | undefined {
  switch (event.type) {
    case 'etcd.down':
      return { who: 'etcd', what: `both pods fail: ${etcdService} has no ready endpoint`, tone: 'bad' };
    case 'etcd.back':
      return { who: 'etcd', what: `both pods work again: ${etcdService} is ready`, tone: 'good' };
    case 'container.exited': {
      const { pod, restarts, backOff } = event;
      const next = backOff === 0 ? 'no back-off' : `back-off ${formatDuration(backOff)}`;
      return { who: 'kubelet', what: `${pod} exited (restarts: ${restarts}), ${next}`, tone: 'bad' };
    }
    case 'pod.created':
      return { who: 'cluster', what: `${event.pod} is created`, tone: 'plain' };
    case 'pod.ready':
      return { who: 'kubelet', what: `${event.pod} is ready`, tone: 'good' };
    case 'window.opened':
      return {
        who: 'weeder',
        what: `detects the recovery: window of ${formatDuration(event.duration)} opened`,
        tone: 'action',
      };
    case 'pod.deleted': {
      const { name, cause } = event.pod;
      const how = cause === 'unreported' ? 'in unreported back-off' : cause;
      return { who: 'weeder', what: `deletes ${name} (${how})`, tone: 'action' };
    }
    case 'pod.skipped':
      return {
        who: 'weeder',
        what: `skips ${event.pod.name} (${event.reason === 'ignored' ? 'weeder.dev/ignore' : event.reason})`,
        tone: 'plain',
      };
    case 'pod.recovered':
      return { who: 'weeder', what: `skips ${event.pod.name}: it has recovered`, tone: 'plain' };
    case 'pod.removed':
      return { who: 'weeder', what: `skips ${event.pod.name}: another client deleted it`, tone: 'plain' };
    case 'deletion.pending':
      return { who: 'weeder', what: `waits to delete ${event.pod.name}: ${waitBecause[event.reason]}`, tone: 'plain' };
    case 'deletion.refused':
      return { who: 'weeder', what: `could not delete ${event.pod.name}: ${event.reason}`, tone: 'bad' };
    default:
      return undefined;
  }
}
