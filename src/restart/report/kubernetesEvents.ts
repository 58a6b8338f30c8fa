import { formatDuration } from '../../base/duration.ts';
import type { Occurrence } from '../../kube/events/event.ts';
import { workloadKinds } from '../../kube/objects/workloadKinds.ts';
import type { AboutWorkload, ReportRestart, RestartFact, RestartHow, WaitCause } from '../model/events.ts';
import { changesInWords, ended, sourceInWords } from '../model/wording.ts';
import type { RestartEventReason, restartEventTable } from './eventTable.ts';

type Told<R extends RestartEventReason = RestartEventReason> = {
  readonly [Reason in R]: {
    readonly reason: Reason;
    readonly type: (typeof restartEventTable)[Reason]['types'][number];
    readonly action: (typeof restartEventTable)[Reason]['actions'][number];
    readonly note: string;
  };
}[R];

/** What passes by itself within minutes is in the log alone. */
const longWaits: ReadonlySet<WaitCause> = new Set(['window', 'pausedUntil', 'paused', 'rollout', 'other']);
/** Refusals that whoever owns the workload can do something about. */
const theirs: ReadonlySet<string> = new Set(['forbidden', 'invalid', 'immutable', 'budget']);

const restartedHow = {
  rollout: { reason: 'Restarted', action: 'Rollout', words: 'Its pods are rolled out anew' },
  evict: { reason: 'Restarted', action: 'Evict', words: 'Its pods are evicted one by one' },
  recreate: { reason: 'Restarted', action: 'Recreate', words: 'It is recreated' },
  replace: {
    reason: 'Restarted',
    action: 'Replace',
    words: 'All of its pods are ended before new ones start',
  },
  dryRun: { reason: 'RestartDryRun', action: 'DryRun', words: 'It would be restarted (dry run)' },
} as const;

/** Tells those facts as Kubernetes Events that somebody who looks at the workload wants to know. */
export function tellRestarts(record: (occurrence: Occurrence) => void): ReportRestart {
  return (fact) => {
    const told = eventOf(fact);
    if (told !== undefined && 'workload' in fact) record({ regarding: workloadRef(fact), ...told });
  };
}

function eventOf(fact: RestartFact): Told | undefined {
  switch (fact.type) {
    case 'workload.changed': {
      const note = `${changesInWords(fact.sources, fact.workload)} changed since ${timeOf(fact.since)}.`;
      return { reason: 'DependencyChanged', type: 'Normal', action: 'Notice', note };
    }
    case 'workload.pending': {
      if (!longWaits.has(fact.cause)) return undefined;
      return { reason: 'RestartPending', type: 'Normal', action: 'Wait', note: `The restart waits: ${why(fact)}` };
    }
    case 'workload.blocked':
      return { reason: 'RestartBlocked', type: 'Warning', action: 'Hold', note: `It is not restarted: ${why(fact)}` };
    case 'workload.restarted': {
      const { words, ...kind } = restartedHow[fact.how];
      const again = fact.attempt > 1 ? ` This is attempt ${fact.attempt}.` : '';
      const said = isForNextRun(fact) ? 'Its next run has the new content' : words;
      const note = `${said}, because ${changesInWords(fact.sources, fact.workload)} changed.${again}`;
      return { type: 'Normal', note, ...kind };
    }
    case 'workload.rolledOut': {
      const who = isForNextRun(fact) ? 'The next run has' : 'All pods run with';
      const note = `${who} the new content, ${inSeconds(fact.sinceChange)} after the change.`;
      return { reason: 'RolledOut', type: 'Normal', action: 'Finish', note };
    }
    case 'workload.skipped': {
      const note = `No restart is needed: all pods were made after ${changesInWords(fact.sources, fact.workload)} changed.`;
      return { reason: 'RestartSkipped', type: 'Normal', action: 'Skip', note };
    }
    case 'workload.stalled': {
      const note = `The rollout stands still: ${ended(fact.reason)}`;
      return { reason: 'RolloutStalled', type: 'Warning', action: 'Watch', note };
    }
    case 'workload.reverted': {
      const next = fact.isEvicting ? ' From now on its pods are evicted instead.' : '';
      const note = `Somebody put the pod template back, and the old pods stayed.${next}`;
      return { reason: 'RestartReverted', type: 'Warning', action: fact.isEvicting ? 'Evict' : 'Watch', note };
    }
    case 'workload.refused': {
      if (!theirs.has(fact.failure)) return undefined;
      return {
        reason: 'RestartRefused',
        type: 'Warning',
        action: 'Retry',
        note: `Not restarted: ${ended(fact.reason)}`,
      };
    }
    default:
      return warningOf(fact);
  }
}

function warningOf(fact: RestartFact): Told | undefined {
  switch (fact.type) {
    case 'annotation.unreadable': {
      const of = fact.on === undefined ? '' : ` of ${sourceInWords(fact.on, fact.workload.namespace)}`;
      const note = `The annotation ${fact.annotation}${of} cannot be read: ${ended(fact.reason)}`;
      return { reason: 'AnnotationUnreadable', type: 'Warning', action: 'Read', note };
    }
    case 'dependency.notAllowed': {
      const source = sourceInWords(fact.source, fact.workload.namespace);
      const note = `${source} does not allow that ${fact.workload.namespace} depends on it: it is not read.`;
      return { reason: 'DependencyNotAllowed', type: 'Warning', action: 'Skip', note };
    }
    case 'dependency.notFollowed': {
      const note = `${sourceInWords(fact.source, fact.workload.namespace)} is not watched: sourceKinds leaves its kind out. Its changes restart nothing.`;
      return { reason: 'DependencyNotFollowed', type: 'Warning', action: 'Skip', note };
    }
    case 'state.contested': {
      const note = `The annotation weeder.dev/dependencies was removed ${fact.removals} times in a row. Weeder keeps its state in memory, and writes it after growing pauses. Changes still restart the pods; those that come while weeder does not run are not seen.`;
      return { reason: 'StateContested', type: 'Warning', action: 'BackOff', note };
    }
    case 'history.filled': {
      const note = `All ${fact.revisions} revisions that are kept are restarts by weeder: there is no other template to undo to.`;
      return { reason: 'RevisionHistoryFilled', type: 'Warning', action: 'Watch', note };
    }
    default:
      return undefined;
  }
}

/** What a CronJob runs now ends as it began. */
function isForNextRun(fact: AboutWorkload & { readonly how?: RestartHow }): boolean {
  return fact.workload.kind === 'CronJob' && fact.how !== 'dryRun';
}

function workloadRef({ workload: { kind, namespace, name }, uid }: AboutWorkload) {
  return { apiVersion: `${workloadKinds[kind].group}/v1`, kind, namespace, name, uid };
}

function why({ reason, until }: { readonly reason: string; readonly until?: number | undefined }): string {
  return until === undefined ? ended(reason) : `${reason.replace(/\.$/, '')}, until ${timeOf(until)}.`;
}

/** To the second, which is how exactly the API server tells times. */
function timeOf(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

function inSeconds(duration: number): string {
  return formatDuration(Math.round(duration / 1_000) * 1_000);
}
