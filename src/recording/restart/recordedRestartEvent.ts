import type { RestartEvent, SourceChange } from '../../restart/model/events.ts';
import { sourceKey, workloadKey } from '../../restart/model/refs.ts';
import { decision, type EventKind, report } from '../file/eventKind.ts';

/** An event of restart control, or a request that changes the cluster, as recorded and as printed in a timeline. */
export interface RecordedRestartEvent {
  readonly out: RestartEvent['type'] | 'write.requested' | 'eviction.requested';
  /** `deployment/namespace/name`, `namespace/pod`, or another name. */
  readonly about: string;
  /** Only names and classes, and nothing that depends on timing alone. */
  readonly detail: string;
}

export const restartEventKinds: Readonly<Record<RecordedRestartEvent['out'], EventKind>> = {
  'workload.adopted': decision('adopted'),
  'workload.changed': report('changed'),
  'workload.pending': report('pending'),
  'workload.blocked': decision('blocked'),
  'workload.restarted': decision('restarted'),
  'workload.rolledOut': decision('rolled out'),
  'workload.skipped': decision('restart skipped'),
  'workload.stalled': decision('rollout stalled'),
  'workload.reverted': decision('restart reverted'),
  'workload.refused': report('refused'),
  'workload.released': decision('no longer managed'),
  'workload.recreated': decision('recreated'),
  'history.filled': report('history filled'),
  'annotation.unreadable': report('annotation unreadable'),
  'dependency.notAllowed': report('dependency not allowed'),
  'dependency.notFollowed': report('dependency not watched'),
  'state.contested': report('state contested'),
  'state.foreign': report('state of another weeder'),
  'key.changed': report('hash key changed'),
  'key.missing': report('hash key missing'),
  'write.requested': decision('write requested'),
  'eviction.requested': decision('eviction requested'),
  'actor.failed': report('actor failed'),
};

export function recordedRestartEventOf(event: RestartEvent): RecordedRestartEvent {
  return { out: event.type, about: aboutOf(event), detail: detailOf(event) };
}

function aboutOf(event: RestartEvent): string {
  if ('workload' in event) return workloadKey(event.workload);
  return event.type === 'actor.failed' ? event.actor : 'hash key';
}

function detailOf(event: RestartEvent): string {
  switch (event.type) {
    case 'workload.adopted':
      return event.sources === 1 ? '1 source' : `${event.sources} sources`;
    case 'workload.changed':
    case 'workload.skipped':
      return changesIn(event.sources);
    case 'workload.restarted':
      return `${event.how}, attempt ${event.attempt}, ${changesIn(event.sources)}`;
    case 'workload.pending':
    case 'workload.blocked':
      return event.cause;
    case 'workload.stalled':
      return event.reason;
    case 'workload.reverted':
      return `${event.times} times`;
    case 'annotation.unreadable':
      return event.annotation;
    case 'dependency.notAllowed':
    case 'dependency.notFollowed':
      return sourceKey(event.source);
    case 'state.foreign':
    case 'key.changed':
      return event.keyId;
    default:
      return '';
  }
}

function changesIn(sources: readonly SourceChange[]): string {
  return sources
    .map(({ source, keys }) => `${sourceKey(source)}${keys.length === 0 ? '' : ` (${keys.join(', ')})`}`)
    .join(', ');
}
