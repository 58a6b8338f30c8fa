import { formatDuration } from '../../base/duration.ts';
import { type Logger, type LogLine, logLines } from '../../base/log.ts';
import type { AboutWorkload, ReportRestart, RestartEvent, SourceChange } from '../model/events.ts';
import { sourceKey } from '../model/refs.ts';

/** Logs each event as one line with namespace, workload and sources; sources by name, never with a value. */
export function logRestarts(logger: Logger): ReportRestart {
  return logLines(logger, lineOf);
}

const restartMessages = {
  rollout: 'workload restarted: its pods are replaced by a rollout',
  evict: 'workload restarted: its pods are evicted one by one',
  recreate: 'workload restarted: it is recreated',
  replace: 'workload restarted: all of its pods are terminated before new ones start',
  dryRun: 'workload would be restarted (dry run)',
} as const;

/** The current run of a CronJob ends with the content that it started with. */
function restartOf({ workload, how }: Extract<RestartEvent, { type: 'workload.restarted' }>): string {
  const isForNextRun = workload.kind === 'CronJob' && how === 'rollout';
  return isForNextRun ? 'workload restarted: its next run has the new content' : restartMessages[how];
}

function lineOf(event: RestartEvent): LogLine {
  switch (event.type) {
    case 'workload.adopted':
      return about(event, 'info', { sources: event.sources }, 'workload adopted, nothing restarts');
    case 'workload.changed':
      return about(event, 'info', { ...changed(event), since: timeOf(event.since) }, 'dependency changed');
    case 'workload.pending':
      return about(event, 'info', why(event), 'restart pending');
    case 'workload.blocked':
      return about(event, 'warn', why(event), 'restart blocked');
    case 'workload.restarted':
      return about(event, 'info', { ...changed(event), attempt: event.attempt }, restartOf(event));
    case 'workload.rolledOut': {
      const fields = { took: rounded(event.took), sinceChange: rounded(event.sinceChange) };
      const who = event.workload.kind === 'CronJob' ? 'its next run has' : 'its pods have';
      return about(event, 'info', fields, `workload rolled out: ${who} the new content`);
    }
    case 'workload.skipped':
      return about(event, 'info', changed(event), 'no restart needed: the pods were created after the change');
    case 'workload.stalled':
      return about(event, 'warn', { reason: event.reason }, 'rollout stalled');
    case 'workload.reverted':
      return about(
        event,
        'warn',
        { times: event.times, isEvicting: event.isEvicting },
        'restart reverted by another client',
      );
    case 'workload.refused': {
      const { reason, failure, attempt, retryIn } = event;
      const fields = { reason, failure, attempt, retryIn: rounded(retryIn) };
      return about(event, 'warn', fields, 'restart control request refused, retrying');
    }
    case 'workload.recreated':
      return about(event, 'info', {}, 'Job recreated');
    case 'workload.released':
      return about(event, 'info', {}, 'workload no longer managed');
    default:
      return otherLineOf(event);
  }
}

function otherLineOf(event: Exclude<RestartEvent, { type: `workload.${string}` }>): LogLine {
  switch (event.type) {
    case 'history.filled':
      return about(
        event,
        'warn',
        { revisions: event.revisions },
        'all revisions are restarts: kubectl rollout undo has no other template',
      );
    case 'annotation.unreadable': {
      const { annotation, reason, on } = event;
      const fields = { annotation, reason, ...(on === undefined ? {} : { on: sourceKey(on) }) };
      return about(event, 'warn', fields, 'annotation cannot be read');
    }
    case 'dependency.notAllowed':
      return about(
        event,
        'warn',
        { source: sourceKey(event.source) },
        'dependency on another namespace is not allowed',
      );
    case 'dependency.notFollowed': {
      const fields = { source: sourceKey(event.source) };
      return about(
        event,
        'warn',
        fields,
        'source not watched: sourceKinds excludes its kind, and its changes restart nothing',
      );
    }
    case 'state.contested': {
      const message =
        'state annotation removed repeatedly: the state stays in memory, and is written after growing pauses';
      return about(event, 'warn', { removals: event.removals, pause: rounded(event.pause) }, message);
    }
    case 'state.foreign': {
      const message =
        'workloads carry the state of another weeder, made with another hash key: weeder does not change it';
      return about(event, 'warn', { keyId: event.keyId }, message);
    }
    case 'key.changed': {
      const message =
        event.before === undefined ? 'hash key read' : 'hash key changed: all workloads are adopted again';
      return { level: 'info', fields: { keyId: event.keyId, before: event.before }, message };
    }
    case 'key.missing':
      return { level: 'error', fields: { reason: event.reason }, message: 'no hash key: nothing is restarted' };
    case 'actor.failed':
      return {
        level: 'error',
        fields: { actor: event.actor, err: event.error },
        message: 'internal error: actor failed, please report this',
      };
  }
}

function about({ workload, uid }: AboutWorkload, level: LogLine['level'], fields: object, message: string): LogLine {
  const { kind, namespace, name } = workload;
  return { level, fields: { namespace, workload: `${kind.toLowerCase()}/${name}`, uid, ...fields }, message };
}

function changed({ sources }: { readonly sources: readonly SourceChange[] }) {
  return { sources: sources.map(({ source, keys }) => ({ source: sourceKey(source), keys })) };
}

function why({ cause, reason, until }: Extract<RestartEvent, { type: 'workload.pending' | 'workload.blocked' }>) {
  return { cause, reason, ...(until === undefined ? {} : { until: timeOf(until) }) };
}

function timeOf(time: number): string {
  return new Date(time).toISOString();
}

function rounded(duration: number): string {
  return formatDuration(Math.round(duration));
}
