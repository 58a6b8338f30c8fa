import { formatDuration } from '../../base/duration.ts';
import type { EventDraft } from '../../kube/events/event.ts';
import { workloadKinds } from '../../kube/objects/workloadKinds.ts';
import type { AboutWorkload, PendingCause, ReportRestart, RestartEvent, RestartHow } from '../model/events.ts';
import { describeChanges, describeSource, withFullStop } from '../model/wording.ts';
import type { RestartEventReason, restartEventTable } from './eventTable.ts';

type EventContent<R extends RestartEventReason = RestartEventReason> = {
  readonly [Reason in R]: {
    readonly reason: Reason;
    readonly type: (typeof restartEventTable)[Reason]['types'][number];
    readonly action: (typeof restartEventTable)[Reason]['actions'][number];
    readonly note: string;
  };
}[R];

/** Reasons that pass within minutes are only logged. */
const longWaits: ReadonlySet<PendingCause> = new Set(['window', 'pausedUntil', 'paused', 'rollout', 'other']);
/** Refusals that the owner of the workload can resolve. */
const theirs: ReadonlySet<string> = new Set(['forbidden', 'invalid', 'immutable', 'budget']);

const restartNotes = {
  rollout: { reason: 'Restarted', action: 'Rollout', words: 'Its pods are replaced by a rollout' },
  evict: { reason: 'Restarted', action: 'Evict', words: 'Its pods are evicted one by one' },
  recreate: { reason: 'Restarted', action: 'Recreate', words: 'It is recreated' },
  replace: {
    reason: 'Restarted',
    action: 'Replace',
    words: 'All of its pods are terminated before new ones start',
  },
  dryRun: { reason: 'RestartDryRun', action: 'DryRun', words: 'It would be restarted (dry run)' },
} as const;

/** Records Kubernetes Events for what matters to the owner of the workload. */
export function recordRestartEvents(record: (occurrence: EventDraft) => void): ReportRestart {
  return (event) => {
    const content = eventOf(event);
    if (content !== undefined && 'workload' in event) record({ regarding: workloadRef(event), ...content });
  };
}

function eventOf(event: RestartEvent): EventContent | undefined {
  switch (event.type) {
    case 'workload.changed': {
      const note = `${describeChanges(event.sources, event.workload)} changed since ${timeOf(event.since)}.`;
      return { reason: 'DependencyChanged', type: 'Normal', action: 'Notice', note };
    }
    case 'workload.pending': {
      if (!longWaits.has(event.cause)) return undefined;
      return {
        reason: 'RestartPending',
        type: 'Normal',
        action: 'Wait',
        note: `The restart is pending: ${why(event)}`,
      };
    }
    case 'workload.blocked':
      return { reason: 'RestartBlocked', type: 'Warning', action: 'Hold', note: `It is not restarted: ${why(event)}` };
    case 'workload.restarted': {
      const { words, ...kind } = restartNotes[event.how];
      const again = event.attempt > 1 ? ` This is attempt ${event.attempt}.` : '';
      const outcome = isForNextRun(event) ? 'Its next run has the new content' : words;
      const note = `${outcome}, because ${describeChanges(event.sources, event.workload)} changed.${again}`;
      return { type: 'Normal', note, ...kind };
    }
    case 'workload.rolledOut': {
      const who = isForNextRun(event) ? 'The next run has' : 'All pods run with';
      const note = `${who} the new content, ${inSeconds(event.sinceChange)} after the change.`;
      return { reason: 'RolledOut', type: 'Normal', action: 'Finish', note };
    }
    case 'workload.skipped': {
      const note = `No restart is needed: all pods were created after ${describeChanges(event.sources, event.workload)} changed.`;
      return { reason: 'RestartSkipped', type: 'Normal', action: 'Skip', note };
    }
    case 'workload.stalled': {
      const note = `The rollout has stalled: ${withFullStop(event.reason)}`;
      return { reason: 'RolloutStalled', type: 'Warning', action: 'Watch', note };
    }
    case 'workload.reverted': {
      const next = event.isEvicting ? ' From now on its pods are evicted instead.' : '';
      const note = `Another client restored the pod template, and the old pods remained.${next}`;
      return { reason: 'RestartReverted', type: 'Warning', action: event.isEvicting ? 'Evict' : 'Watch', note };
    }
    case 'workload.refused': {
      if (!theirs.has(event.failure)) return undefined;
      return {
        reason: 'RestartRefused',
        type: 'Warning',
        action: 'Retry',
        note: `Not restarted: ${withFullStop(event.reason)}`,
      };
    }
    default:
      return warningOf(event);
  }
}

function warningOf(event: RestartEvent): EventContent | undefined {
  switch (event.type) {
    case 'annotation.unreadable': {
      const of = event.on === undefined ? '' : ` of ${describeSource(event.on, event.workload.namespace)}`;
      const note = `The annotation ${event.annotation}${of} cannot be read: ${withFullStop(event.reason)}`;
      return { reason: 'AnnotationUnreadable', type: 'Warning', action: 'Read', note };
    }
    case 'dependency.notAllowed': {
      const source = describeSource(event.source, event.workload.namespace);
      const note = `${source} does not allow the namespace ${event.workload.namespace} to depend on it, and is not read.`;
      return { reason: 'DependencyNotAllowed', type: 'Warning', action: 'Skip', note };
    }
    case 'dependency.notFollowed': {
      const note = `${describeSource(event.source, event.workload.namespace)} is not watched: sourceKinds excludes its kind. Its changes restart nothing.`;
      return { reason: 'DependencyNotFollowed', type: 'Warning', action: 'Skip', note };
    }
    case 'state.contested': {
      const note = `The annotation weeder.dev/dependencies was removed ${event.removals} times in a row. Weeder keeps its state in memory, and writes it after growing pauses. Changes still restart the pods; changes while weeder does not run are not detected.`;
      return { reason: 'StateContested', type: 'Warning', action: 'BackOff', note };
    }
    case 'history.filled': {
      const note = `All ${event.revisions} revisions in the history are restarts by weeder: there is no other template to return to.`;
      return { reason: 'RevisionHistoryFilled', type: 'Warning', action: 'Watch', note };
    }
    default:
      return undefined;
  }
}

/** The current run of a CronJob ends with the content that it started with. */
function isForNextRun(event: AboutWorkload & { readonly how?: RestartHow }): boolean {
  return event.workload.kind === 'CronJob' && event.how !== 'dryRun';
}

function workloadRef({ workload: { kind, namespace, name }, uid }: AboutWorkload) {
  return { apiVersion: `${workloadKinds[kind].group}/v1`, kind, namespace, name, uid };
}

function why({ reason, until }: { readonly reason: string; readonly until?: number | undefined }): string {
  return until === undefined ? withFullStop(reason) : `${reason.replace(/\.$/, '')}, until ${timeOf(until)}.`;
}

/** Formats with a precision of seconds, like the API server's times. */
function timeOf(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

function inSeconds(duration: number): string {
  return formatDuration(Math.round(duration / 1_000) * 1_000);
}
