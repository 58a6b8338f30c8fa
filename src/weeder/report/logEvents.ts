import { formatDuration } from '../../base/duration.ts';
import { type Logger, type LogLine, logLines } from '../../base/log.ts';
import { type ReportWeeder, type WeederEvent, windowRefOf } from '../deletions/weederEvents.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';

/** Writes each event as one line with namespace, service, pod, window and cause. */
export function logEvents(logger: Logger, isDryRun = false): ReportWeeder {
  return logLines(logger, (event) =>
    isDryRun && event.type === 'window.closed' ? dryRunClosed(event) : lineOf(event),
  );
}

/** The summary of a window in a dry run, in which nothing was deleted. */
function dryRunClosed(event: Extract<WeederEvent, { readonly type: 'window.closed' }>): LogLine {
  const { fields, ...line } = lineOf(event);
  return {
    ...line,
    fields: { ...fields, deleted: 0, wouldBeDeleted: event.deleted },
    message: `${line.message} (dry run)`,
  };
}

/** Why a pod is never deleted, as text for the log. */
export const skippedBecause = {
  none: '',
  barePod: 'it has no controller that would recreate it (barePods: keep)',
  mirrorPod: 'it is the mirror of a static pod',
  ignored: 'it is annotated weeder.dev/ignore: "true"',
} as const;

/** Why a deletion waits, as text for the log. */
export const waitBecause = {
  coolingDown: 'the pod replaces one that was deleted in this window',
  restartIsSooner: 'the kubelet restarts the container sooner than a replacement of the pod could run',
  tooLate: 'the container had just ended',
} as const;

const deletedHow = {
  delete: 'pod deleted',
  evict: 'pod evicted',
  dryRun: 'pod would be deleted (dry run)',
} as const;

function lineOf(event: WeederEvent): LogLine {
  switch (event.type) {
    case 'service.ready': {
      const { namespace, service } = event;
      return line('info', { namespace, service }, 'service is ready, and no window is due');
    }
    case 'service.notReady': {
      const { namespace, service } = event;
      return line('info', { namespace, service }, 'service is not ready');
    }
    case 'window.opened':
      return line(
        'info',
        { ...windowRefOf(event), for: formatDuration(event.duration) },
        'service recovered, window opened',
      );
    case 'window.closed': {
      const { deleted, skipped, failed, neverStarted = [] } = event;
      const level = failed.length > 0 ? 'warn' : 'info';
      const alone = neverStarted.map(({ namespace, name, reason }) => `${namespace}/${name}: ${reason}`);
      const more = alone.length === 0 ? {} : { neverStarted: alone };
      if (event.isHandedOver)
        return line('info', { ...windowRefOf(event), deleted, skipped }, 'window handed over to the leader');
      return line(level, { ...windowRefOf(event), deleted, skipped, failed, ...more }, 'window closed');
    }
    case 'pod.deleted': {
      const sinceOpenedMs = Math.round(event.sinceOpened);
      return line('info', { ...aboutPod(event), sinceOpenedMs }, deletedHow[event.how]);
    }
    case 'pod.skipped': {
      const fields = { ...aboutPod(event), reason: event.reason };
      return line('info', fields, `deletion skipped: ${skippedBecause[event.reason]}`);
    }
    case 'pod.recovered':
      return line('debug', aboutPod(event), 'pod recovered, not deleted');
    case 'pod.removed':
      return line('debug', aboutPod(event), 'pod was deleted by another client, or is no longer selected');
    case 'deletion.pending': {
      const fields = { ...aboutPod(event), reason: event.reason, waitIn: formatDuration(Math.round(event.waitIn)) };
      return line('info', fields, `deletion pending: ${waitBecause[event.reason]}`);
    }
    case 'deletion.expired': {
      const fields = { ...aboutPod(event), reason: event.reason };
      return line('info', fields, `deletion expired: the window closed first, and ${waitBecause[event.reason]}`);
    }
    case 'deletion.refused': {
      const { reason, attempt, retryIn } = event;
      const fields = {
        ...aboutPod(event),
        reason,
        attempt,
        retryIn: formatDuration(Math.round(retryIn)),
      };
      return line('warn', fields, 'deletion refused, retrying');
    }
    case 'deletion.blocked':
      return line('info', aboutPod(event), 'deletion blocked: the service is not ready');
    case 'deletion.failed':
      return line('warn', { ...aboutPod(event), reason: event.reason }, 'deletion failed');
    case 'actor.failed':
      return line(
        'error',
        { actor: event.actor, err: event.error },
        'internal error: actor failed, please report this',
      );
  }
}

function line(level: LogLine['level'], fields: object, message: string): LogLine {
  return { level, fields, message };
}

function aboutPod(event: Extract<WeederEvent, { readonly pod: CrashLoopingPod }>) {
  const { namespace, name, uid, container, cause, restarts, message } = event.pod;
  const pod = { pod: `${namespace}/${name}`, uid, container, cause, restarts, backOff: message };
  const also = 'also' in event && event.also.length > 0 ? { also: event.also } : {};
  return { ...windowRefOf(event), ...also, ...pod };
}
