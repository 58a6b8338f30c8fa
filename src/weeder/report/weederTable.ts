import { durationInSeconds, formatDuration, messageOf, roundedDuration } from '@weeder/kube-runtime/base';
import { objectText } from '@weeder/kube-runtime/objects';
import { actorFailed } from '../../controller/report/commonEvents.ts';
import { normal, warning, warningIf } from '../../controller/report/reasons.ts';
import { decision, logLine, onPage, report, type TableOf } from '../../controller/report/reportTable.ts';
import type { WeederEvent } from '../deletions/weederEvents.ts';
import type { weederReasons } from './reasons.ts';
import {
  closedNote,
  deletedBy,
  deletedNote,
  doing,
  failedNote,
  lastRunFields,
  notRetriedNote,
  openedNote,
  recoveryOf,
  retriedBy,
  retriedNote,
  skippedBecause,
  stateOf,
  type WeederRun,
  whyWaits,
} from './wording.ts';

/** The results of a deletion. */
export const weederOutcomes = [
  'deleted',
  'evicted',
  'dry_run',
  'recovered',
  'not_found',
  'blocked',
  'expired',
  'failed',
] as const;
export type WeederOutcome = (typeof weederOutcomes)[number];

const { debug, info, warn } = logLine;

/** What the weeder reports of each type of event. The live page shows all of them. */
export const weederTable: TableOf<WeederEvent, typeof weederReasons, WeederOutcome, WeederRun> = {
  'service.ready': {
    ...report('service is ready', onPage),
    log: () => info('service is ready, and no window is due'),
  },
  'service.notReady': { ...report('service is down', onPage), log: () => info('service is down') },
  'window.opened': {
    ...decision('window opened', onPage),
    log: ({ duration, because }) =>
      info(`${because === undefined ? 'service recovered' : 'dependant runs again'}, window opened`, {
        for: formatDuration(duration),
      }),
    event: (event, run) => normal('WindowOpened', 'Watch', openedNote(event, run)),
    detail: ({ duration, because }) => [roundedDuration(duration), because ?? []].flat().join(', '),
  },
  'window.withheld': {
    ...decision('no window opened', onPage),
    log: ({ because, limit }) => info('no window opened: the limit of windows per hour is reached', { because, limit }),
    detail: ({ because, limit }) => `${because}, but ${limit} windows were opened within an hour`,
  },
  'window.closed': {
    ...decision('window closed', onPage),
    log: closedLine,
    event: (event, run) => warningIf(event.failed.length > 0, 'WindowClosed', 'Stop', closedNote(event, run)),
    detail: ({ deleted, retried, skipped, failed }) =>
      `${deleted} deleted, ${retried === undefined ? '' : `${retried} retried, `}${skipped} skipped, ${failed.length} failed`,
  },
  'pod.deleted': {
    ...decision('pod deleted', onPage),
    log: ({ how, sinceOpened, pod }) =>
      info(`pod ${deletedBy[how].words.toLowerCase()}`, {
        sinceOpenedMs: Math.round(sinceOpened),
        lastRun: lastRunFields(pod),
      }),
    event: (event, { now }) => ({ ...deletedBy[event.how].content, note: deletedNote(event, now()) }),
    outcome: ({ how }) => deletedBy[how].outcome,
    detail: ({ how, pod }) => `${how}, ${stateOf(pod)}`,
  },
  'pod.logRead': {
    ...report('log of the crashed container read', onPage),
    log: ({ lines }) => info('log of the crashed container', { lines }),
    detail: ({ lines }) => `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`,
  },
  'pod.skipped': {
    ...decision('deletion skipped', onPage),
    log: ({ reason }) => info(`deletion skipped: ${skippedBecause[reason]}`, { reason }),
    event: (event) => {
      const note = `${doing(event.pod)}, and skipped after ${recoveryOf(event)}: ${skippedBecause[event.reason]}.`;
      return normal('DeletionSkipped', 'Keep', note);
    },
    detail: ({ reason }) => reason,
  },
  'pod.recovered': {
    ...report('pod recovered', onPage),
    log: () => debug('pod recovered, not deleted'),
    outcome: () => 'recovered',
  },
  'pod.removed': {
    ...report('pod removed', onPage),
    log: () => debug('pod was deleted by another client, or is no longer selected'),
    outcome: () => 'not_found',
  },
  'deletion.pending': {
    ...report('deletion pending', onPage),
    log: ({ reason, waitIn, heldBy, pod }) =>
      info(`deletion pending: ${whyWaits(reason, pod)}`, { reason, waitIn: roundedDuration(waitIn), heldBy }),
    event: (event) => {
      const { reason, waitIn, heldBy } = event;
      const time = durationInSeconds(Math.max(1_000, waitIn));
      const again = heldBy === undefined ? `in ${time}` : `when ${heldBy} is ready, if that is within ${time}`;
      const since = `${doing(event.pod)}, and not deleted yet after ${recoveryOf(event)}`;
      const note = `${since}: ${whyWaits(reason, event.pod)}. The next check is ${again}.`;
      return normal('DeletionPending', 'Wait', note);
    },
    detail: ({ reason }) => reason,
  },
  'deletion.expired': {
    ...report('deletion expired', onPage),
    log: ({ reason, pod }) =>
      info(`deletion expired: the window closed first, and ${whyWaits(reason, pod)}`, { reason }),
    outcome: () => 'expired',
    detail: ({ reason }) => reason,
  },
  'deletion.refused': {
    ...report('deletion refused', onPage),
    log: ({ reason, attempt, retryIn }) =>
      warn('deletion refused, retrying', { reason, attempt, retryIn: roundedDuration(retryIn) }),
    detail: ({ reason, attempt }) => `${reason}, attempt ${attempt}`,
  },
  'deletion.blocked': {
    ...report('deletion blocked', onPage),
    log: () => info('deletion blocked: the service is down'),
    outcome: () => 'blocked',
  },
  'deletion.failed': {
    ...decision('deletion failed', onPage),
    log: ({ reason }) => warn('deletion failed', { reason }),
    event: (event) => warning('DeletionFailed', 'GiveUp', failedNote(event)),
    outcome: () => 'failed',
    detail: ({ reason }) => reason,
  },
  'creation.retried': {
    ...decision('creation of pods retried', onPage),
    log: ({ sinceOpened }) => info('creation of pods retried', { sinceOpenedMs: Math.round(sinceOpened) }),
    event: (event) => ({ ...retriedBy(event.isDryRun), note: retriedNote(event) }),
    detail: ({ owner, webhook, isDryRun }) => `${objectText(owner)}, ${webhook}${isDryRun ? ', dry run' : ''}`,
  },
  'creation.unneeded': {
    ...report('creation of pods not retried', onPage),
    log: () => debug('the object has all its pods, not retried'),
    detail: ({ owner }) => objectText(owner),
  },
  'creation.refused': {
    ...report('retry of a creation refused', onPage),
    log: ({ reason, attempt, retryIn }) =>
      warn('retry of a creation refused, retrying', { reason, attempt, retryIn: roundedDuration(retryIn) }),
    detail: ({ owner, reason, attempt }) => `${objectText(owner)}, ${reason}, attempt ${attempt}`,
  },
  'creation.failed': {
    ...decision('retry of a creation failed', onPage),
    log: ({ reason }) => warn('retry of a creation failed', { reason }),
    event: (event) => warning('PodCreationNotRetried', 'GiveUp', notRetriedNote(event)),
    detail: ({ owner, reason }) => `${objectText(owner)}, ${reason}`,
  },
  'creations.dropped': {
    ...report('objects without pods not followed', onPage),
    log: () => warn('more objects of the namespace lack pods than weeder follows: the oldest are not retried'),
  },
  'declaration.problem': {
    ...report('problem with a declared dependency', onPage),
    log: ({ problem }) => warn('problem with a declared dependency', { problem }),
    event: ({ problem }) => warning('DeclarationProblem', 'Check', `Declared dependency: ${problem}.`),
    detail: ({ problem }) => problem,
  },
  'actor.failed': { ...actorFailed, isOnPage: true, detail: ({ error }) => messageOf(error) },
};

/** In a dry run nothing was deleted. */
function closedLine(event: Extract<WeederEvent, { type: 'window.closed' }>, { isDryRun }: WeederRun) {
  const { deleted, retried, skipped, failed, neverStarted = [], handedOverTo, isReplaced } = event;
  const alone = neverStarted.map(({ namespace, name, reason }) => `${namespace}/${name}: ${reason}`);
  const fields = {
    deleted: isDryRun ? 0 : deleted,
    ...(retried === undefined ? {} : { [isDryRun ? 'wouldBeRetried' : 'retried']: retried }),
    skipped,
    ...(handedOverTo === undefined ? { failed } : {}),
    ...(alone.length === 0 ? {} : { neverStarted: alone }),
    ...(isDryRun ? { wouldBeDeleted: deleted } : {}),
    ...(isReplaced ? { isReplaced } : {}),
  };
  const message = handedOverTo === undefined ? 'window closed' : `window handed over to ${handedOverTo}`;
  const level = failed.length > 0 ? warn : info;
  return level(`${message}${isDryRun ? ' (dry run)' : ''}`, fields);
}
