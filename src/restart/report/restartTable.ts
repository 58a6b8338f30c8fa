import { durationInSeconds, roundedDuration, timeInSeconds } from '@weeder/kube-runtime/base';
import { actorFailed, retryFields } from '../../controller/report/commonEvents.ts';
import { normal, warning } from '../../controller/report/reasons.ts';
import { decision, logLine, onPage, report, type TableOf } from '../../controller/report/reportTable.ts';
import { withFullStop } from '../../controller/report/wording.ts';
import { isForNextRun } from '../kinds/kinds.ts';
import type { PendingCause, RestartEvent } from '../references/events.ts';
import { sourceKey } from '../references/refs.ts';
import { describeChanges, describeSource, listed, optInLine } from '../references/wording.ts';
import type { restartReasons } from './reasons.ts';
import { changeFields, changesIn, restartContent, restartMessage, why, whyFields } from './wording.ts';

/** The results of a restart, in the order in which they can occur. */
export const restartOutcomes = ['restarted', 'dry_run', 'skipped', 'rolled_out', 'stalled', 'reverted'] as const;
export type RestartOutcome = (typeof restartOutcomes)[number];

const { info, warn, error } = logLine;

/** Reasons that pass within minutes are only logged. */
const longWaits: ReadonlySet<PendingCause> = new Set(['window', 'pausedUntil', 'paused', 'rollout', 'other']);
/** Refusals that the owner of the workload can resolve. */
const theirs: ReadonlySet<string> = new Set(['forbidden', 'invalid', 'immutable', 'budget']);

/** What restart control reports of each type of event. Sources are reported by name, never with a value. */
export const restartTable: TableOf<RestartEvent, typeof restartReasons, RestartOutcome> = {
  'workload.adopted': {
    ...decision('adopted'),
    log: ({ sources }) => info('workload adopted, nothing restarts', { sources }),
    detail: ({ sources }) => (sources === 1 ? '1 source' : `${sources} sources`),
  },
  'workload.changed': {
    ...report('changed', onPage),
    log: (event) => info('dependency changed', { ...changeFields(event), since: new Date(event.since).toISOString() }),
    event: ({ sources, workload, since }) =>
      normal(
        'DependencyChanged',
        'Notice',
        `${describeChanges(sources, workload)} changed since ${timeInSeconds(since)}.`,
      ),
    detail: changesIn,
  },
  'workload.pending': {
    ...report('pending'),
    log: (event) => info('restart pending', whyFields(event)),
    event: (event) =>
      longWaits.has(event.cause)
        ? normal('RestartPending', 'Wait', `The restart is pending: ${why(event)}`)
        : undefined,
    detail: ({ cause }) => cause,
  },
  'workload.blocked': {
    ...report('blocked', onPage),
    log: (event) => warn('restart blocked', whyFields(event)),
    event: (event) => warning('RestartBlocked', 'Hold', `It is not restarted: ${why(event)}`),
    detail: ({ cause }) => cause,
  },
  'workload.restarted': {
    ...decision('restarted', onPage),
    log: (event) => info(restartMessage(event), { ...changeFields(event), attempt: event.attempt }),
    event: (event) => {
      const { outcome, ...content } = restartContent(event);
      const again = event.attempt > 1 ? ` This is attempt ${event.attempt}.` : '';
      return {
        ...content,
        note: `${outcome}, because ${describeChanges(event.sources, event.workload)} changed.${again}`,
      };
    },
    outcome: ({ how }) => (how === 'dryRun' ? 'dry_run' : 'restarted'),
    detail: (event) => `${event.how}, attempt ${event.attempt}, ${changesIn(event)}`,
  },
  'workload.rolledOut': {
    ...decision('rolled out', onPage),
    log: ({ workload: { kind }, took, sinceChange }) =>
      info(`workload rolled out: ${isForNextRun(kind) ? 'its next run has' : 'its pods have'} the new content`, {
        took: roundedDuration(took),
        sinceChange: roundedDuration(sinceChange),
      }),
    event: ({ workload: { kind }, sinceChange }) => {
      const who = isForNextRun(kind) ? 'The next run has' : 'All pods run with';
      const note = `${who} the new content, ${durationInSeconds(sinceChange)} after the change.`;
      return normal('RolledOut', 'Finish', note);
    },
    outcome: () => 'rolled_out',
  },
  'workload.skipped': {
    ...decision('restart skipped', onPage),
    log: (event) => info('no restart needed: the pods were created after the change', changeFields(event)),
    event: ({ sources, workload }) => {
      const note = `No restart is needed: all pods were created after ${describeChanges(sources, workload)} changed.`;
      return normal('RestartSkipped', 'Skip', note);
    },
    outcome: () => 'skipped',
    detail: changesIn,
  },
  'workload.stalled': {
    ...decision('rollout stalled', onPage),
    log: ({ reason, obstacle }) => warn('rollout stalled', { reason, ...(obstacle === undefined ? {} : { obstacle }) }),
    event: ({ reason, obstacle }) => {
      const cause = obstacle === undefined ? '' : ` ${withFullStop(obstacle)}`;
      return warning('RolloutStalled', 'Watch', `The rollout has stalled: ${withFullStop(reason)}${cause}`);
    },
    outcome: () => 'stalled',
    detail: ({ reason }) => reason,
  },
  'workload.reverted': {
    ...decision('restart reverted', onPage),
    log: ({ times, isEvicting }) => warn('restart reverted by another client', { times, isEvicting }),
    event: ({ isEvicting }) => {
      const next = isEvicting ? ' From now on its pods are evicted instead.' : '';
      const note = `Another client restored the pod template, and the old pods remained.${next}`;
      return warning('RestartReverted', isEvicting ? 'Evict' : 'Watch', note);
    },
    outcome: () => 'reverted',
    detail: ({ times }) => `${times} times`,
  },
  'workload.refused': {
    ...report('refused', onPage),
    log: (event) => warn('restart control request refused, retrying', retryFields(event)),
    event: ({ failure, reason }) =>
      theirs.has(failure) ? warning('RestartRefused', 'Retry', `Not restarted: ${withFullStop(reason)}`) : undefined,
  },
  'pod.evicted': {
    ...decision('waiting pod evicted', onPage),
    log: ({ pod, waitedFor, isDryRun }) =>
      info(`pod ${isDryRun ? 'would be evicted (dry run)' : 'evicted'}: what its volumes waited for exists now`, {
        pod,
        waitedFor: waitedFor.map(sourceKey),
      }),
    event: ({ pod, waitedFor, workload: { namespace }, isDryRun }) => {
      const what = listed(waitedFor.map((source) => describeSource(source, namespace)));
      const verb = isDryRun ? 'would be evicted (dry run)' : 'was evicted';
      const note = `Pod ${pod} had never started and ${verb}: its volumes waited for ${what}, and would have waited longer.`;
      return normal('WaitingPodEvicted', isDryRun ? 'DryRun' : 'Evict', note);
    },
    detail: ({ waitedFor }) => waitedFor.map(sourceKey).join(', '),
  },
  'workload.recreated': { ...decision('recreated'), log: () => info('Job recreated') },
  'workload.released': { ...decision('no longer managed'), log: () => info('workload no longer managed') },
  'history.filled': {
    ...report('history filled'),
    log: ({ revisions }) =>
      warn('all revisions are restarts: kubectl rollout undo has no other template', { revisions }),
    event: ({ revisions }) => {
      const note = `All ${revisions} revisions in the history are restarts by weeder: there is no other template to return to.`;
      return warning('RevisionHistoryFilled', 'Watch', note);
    },
  },
  'annotation.unreadable': {
    ...report('annotation unreadable'),
    log: ({ annotation, reason, on }) =>
      warn('annotation cannot be read', { annotation, reason, ...(on === undefined ? {} : { on: sourceKey(on) }) }),
    event: ({ annotation, reason, on, workload }) => {
      const of = on === undefined ? '' : ` of ${describeSource(on, workload.namespace)}`;
      const note = `The annotation ${annotation}${of} cannot be read: ${withFullStop(reason)}`;
      return warning('AnnotationUnreadable', 'Read', note);
    },
    detail: ({ annotation }) => annotation,
  },
  'annotation.ofOtherTool': {
    ...report('annotation of another tool'),
    log: ({ annotation, isInTemplate, means, isLast }) => {
      const more = isLast ? '; further workloads with one are not logged, weeder explain lists them' : '';
      return info(`annotation of another tool, which weeder does not read${more}`, {
        annotation,
        ...(isInTemplate ? { in: 'pod template' } : {}),
        instead: optInLine(means),
      });
    },
    detail: ({ annotation }) => annotation,
  },
  'dependency.notAllowed': {
    ...report('dependency not allowed'),
    log: ({ source }) => warn('dependency on another namespace is not allowed', { source: sourceKey(source) }),
    event: ({ source, workload: { namespace } }) => {
      const note = `${describeSource(source, namespace)} does not allow the namespace ${namespace} to depend on it, and is not read.`;
      return warning('DependencyNotAllowed', 'Skip', note);
    },
    detail: ({ source }) => sourceKey(source),
  },
  'dependency.notFollowed': {
    ...report('dependency not watched'),
    log: ({ source }) =>
      warn('source not watched: sourceKinds excludes its kind, and its changes restart nothing', {
        source: sourceKey(source),
      }),
    event: ({ source, workload }) => {
      const note = `${describeSource(source, workload.namespace)} is not watched: sourceKinds excludes its kind. Its changes restart nothing.`;
      return warning('DependencyNotFollowed', 'Skip', note);
    },
    detail: ({ source }) => sourceKey(source),
  },
  'state.contested': {
    ...report('state contested'),
    log: ({ removals, pause }) =>
      warn('state annotation removed repeatedly: the state stays in memory, and is written after growing pauses', {
        removals,
        pause: roundedDuration(pause),
      }),
    event: ({ removals }) => {
      const note = `The annotation weeder.dev/dependencies was removed ${removals} times in a row. Weeder keeps its state in memory, and writes it after growing pauses. Changes still restart the pods; changes while weeder does not run are not detected.`;
      return warning('StateContested', 'BackOff', note);
    },
  },
  'state.foreign': {
    ...report('state of another weeder'),
    log: ({ keyId }) =>
      warn('workloads carry the state of another weeder, made with another hash key: weeder does not change it', {
        keyId,
      }),
    detail: ({ keyId }) => keyId,
  },
  'key.changed': {
    ...report('hash key changed'),
    log: ({ keyId, before }) =>
      info(before === undefined ? 'hash key read' : 'hash key changed: all workloads are adopted again', {
        keyId,
        before,
      }),
    detail: ({ keyId }) => keyId,
  },
  'key.created': {
    ...report('hash key created'),
    log: ({ secret }) => info('Secret with the hash key created', { secret }),
    detail: ({ secret }) => secret,
  },
  'key.missing': {
    ...report('hash key missing'),
    log: ({ reason, isKnown }) =>
      isKnown
        ? warn('hash key cannot be read again: weeder uses the one that it has', { reason })
        : error('no hash key: nothing is restarted', { reason }),
  },
  'actor.failed': actorFailed,
};
