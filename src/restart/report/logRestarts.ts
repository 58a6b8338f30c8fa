import { formatDuration } from '../../base/duration.ts';
import { type Logger, type LogLine, logLines } from '../../base/log.ts';
import type { AboutWorkload, ReportRestart, RestartFact, SourceChange } from '../model/events.ts';
import { sourceKey } from '../model/refs.ts';

/** Writes each fact as one line with namespace, workload and sources; by name, never with a value. */
export function logRestarts(logger: Logger): ReportRestart {
  return logLines(logger, lineOf);
}

const restartedHow = {
  rollout: 'workload restarted: its pods are rolled out anew',
  evict: 'workload restarted: its pods are evicted one by one',
  recreate: 'workload restarted: it is recreated',
  replace: 'workload restarted: all of its pods are ended before new ones start',
  dryRun: 'workload would be restarted (dry run)',
} as const;

/** What a CronJob runs now ends as it began. */
function restartOf({ workload, how }: Extract<RestartFact, { type: 'workload.restarted' }>): string {
  const isForNextRun = workload.kind === 'CronJob' && how === 'rollout';
  return isForNextRun ? 'workload restarted: its next run has the new content' : restartedHow[how];
}

function lineOf(fact: RestartFact): LogLine {
  switch (fact.type) {
    case 'workload.adopted':
      return about(fact, 'info', { sources: fact.sources }, 'workload adopted, nothing restarts');
    case 'workload.changed':
      return about(fact, 'info', { ...changed(fact), since: timeOf(fact.since) }, 'what the workload uses has changed');
    case 'workload.pending':
      return about(fact, 'info', why(fact), 'restart pending');
    case 'workload.blocked':
      return about(fact, 'warn', why(fact), 'restart blocked');
    case 'workload.restarted':
      return about(fact, 'info', { ...changed(fact), attempt: fact.attempt }, restartOf(fact));
    case 'workload.rolledOut': {
      const fields = { took: rounded(fact.took), sinceChange: rounded(fact.sinceChange) };
      const who = fact.workload.kind === 'CronJob' ? 'its next run has' : 'its pods have';
      return about(fact, 'info', fields, `workload rolled out: ${who} the new content`);
    }
    case 'workload.skipped':
      return about(fact, 'info', changed(fact), 'no restart needed: the pods were made after the change');
    case 'workload.stalled':
      return about(fact, 'warn', { reason: fact.reason }, 'rollout stalled');
    case 'workload.reverted':
      return about(fact, 'warn', { times: fact.times, isEvicting: fact.isEvicting }, 'restart reverted by somebody');
    case 'workload.refused': {
      const { reason, failure, attempt, retryIn } = fact;
      const fields = { reason, failure, attempt, retryIn: rounded(retryIn) };
      return about(fact, 'warn', fields, 'restart control refused, retrying');
    }
    case 'workload.recreated':
      return about(fact, 'info', {}, 'Job recreated');
    case 'workload.released':
      return about(fact, 'info', {}, 'workload no longer managed');
    default:
      return otherLineOf(fact);
  }
}

function otherLineOf(fact: Exclude<RestartFact, { type: `workload.${string}` }>): LogLine {
  switch (fact.type) {
    case 'history.filled':
      return about(fact, 'warn', { revisions: fact.revisions }, 'all revisions are restarts: there is none to undo to');
    case 'annotation.unreadable': {
      const { annotation, reason, on } = fact;
      const fields = { annotation, reason, ...(on === undefined ? {} : { on: sourceKey(on) }) };
      return about(fact, 'warn', fields, 'annotation cannot be read');
    }
    case 'dependency.notAllowed':
      return about(
        fact,
        'warn',
        { source: sourceKey(fact.source) },
        'dependency on another namespace not allowed there',
      );
    case 'dependency.notFollowed': {
      const fields = { source: sourceKey(fact.source) };
      return about(
        fact,
        'warn',
        fields,
        'not watched: sourceKinds leaves its kind out, and its changes restart nothing',
      );
    }
    case 'state.contested': {
      const message = 'the state is removed again and again: it is kept in memory, and written after growing pauses';
      return about(fact, 'warn', { removals: fact.removals, pause: rounded(fact.pause) }, message);
    }
    case 'state.foreign': {
      const message = 'workloads carry the state of another weeder, made with another hash key: it stays on them';
      return about(fact, 'warn', { keyId: fact.keyId }, message);
    }
    case 'key.changed': {
      const message = fact.before === undefined ? 'hash key read' : 'hash key changed: all workloads are adopted anew';
      return { level: 'info', fields: { keyId: fact.keyId, before: fact.before }, message };
    }
    case 'key.missing':
      return { level: 'error', fields: { reason: fact.reason }, message: 'no hash key: nothing is restarted' };
    case 'actor.failed':
      return {
        level: 'error',
        fields: { actor: fact.actor, err: fact.error },
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

function why({ cause, reason, until }: Extract<RestartFact, { type: 'workload.pending' | 'workload.blocked' }>) {
  return { cause, reason, ...(until === undefined ? {} : { until: timeOf(until) }) };
}

function timeOf(time: number): string {
  return new Date(time).toISOString();
}

function rounded(duration: number): string {
  return formatDuration(Math.round(duration));
}
