/**
 * Returns the first reason against a restart, in the order of the rules. It depends only on the conditions that are
 * passed. Does not guarantee that an allowed restart begins: slots, rollouts of other clients and missing sources are
 * decided elsewhere. At `until` another rule may be against it, so callers repeat the check. Restarts that are not
 * among the passed ones, such as after the loss of a state, count neither for the breaker nor for `minInterval`.
 */

import { formatDuration, timeInSeconds } from '@weeder/kube-runtime/base';
import { closedWords, maintenanceAt } from '../../config/maintenance.ts';
import type { RestartSettings } from '../../config/restart.ts';
import { breakerBlocks, intervalEnds } from '../content/restartHistory.ts';
import type { BlockCause, PendingCause } from '../references/events.ts';
import { type WorkloadSummary, workloadAnnotations } from '../references/workloadSummary.ts';

/** The conditions of one workload that decide whether it may be restarted now. Times in milliseconds. */
export interface RestartConditions
  extends Pick<WorkloadSummary, 'pausedUntil' | 'isPaused'>,
    Pick<RestartSettings, 'minInterval' | 'maintenanceWindows'> {
  /** Since the epoch, like all times here. */
  readonly now: number;
  /** The last five restarts. */
  readonly restarts: readonly number[];
  /** The errors in its other annotations, a sentence each: the workload is blocked until they can be read. */
  readonly annotationErrors?: readonly string[];
}

/** `reason` is for humans. Without `until`, only a change of the workload or of the config can change the answer. */
export type Permission =
  | { readonly type: 'allowed' }
  | ({ readonly type: 'pending'; readonly cause: PendingCause } & Why)
  | ({ readonly type: 'blocked'; readonly cause: BlockCause } & Why);

interface Why {
  readonly reason: string;
  readonly until: number | undefined;
}

/** Whether the workload may be restarted now. */
export function mayRestart(question: RestartConditions): Permission {
  for (const rule of [unreadable, paused, broken, deploymentPaused, interval, maintenance]) {
    const against = rule(question);
    if (against !== undefined) return against;
  }
  return { type: 'allowed' };
}

type Rule = (question: RestartConditions) => Permission | undefined;

const unreadable: Rule = ({ pausedUntil, annotationErrors = [] }) => {
  const errors = pausedUntil === 'unreadable' ? [pauseUnreadable, ...annotationErrors] : annotationErrors;
  return errors.length === 0
    ? undefined
    : { type: 'blocked', cause: 'annotation', reason: errors.join('; '), until: undefined };
};

/** The error for a time that cannot be read. */
export const pauseError = 'is not a time: write one such as 2026-11-21T18:00:00Z, or remove it';
const pauseUnreadable = `its annotation ${workloadAnnotations.pausedUntil} ${pauseError}`;

const paused: Rule = ({ pausedUntil, now }) => {
  if (typeof pausedUntil !== 'number' || pausedUntil <= now) return undefined;
  const reason = `it is paused until ${timeInSeconds(pausedUntil)} (annotation ${workloadAnnotations.pausedUntil})`;
  return { type: 'pending', cause: 'pausedUntil', reason, until: pausedUntil };
};

const broken: Rule = ({ restarts, now }) => {
  const holds = breakerBlocks(restarts, now);
  if (holds === undefined) return undefined;
  const { because, until } = holds;
  const took = formatDuration(Math.max(1, Math.round(((because.at(-1) ?? 0) - (because[0] ?? 0)) / 1_000)) * 1_000);
  const reason = `it was restarted ${because.length} times in ${took}, and is not restarted before ${timeInSeconds(until)}: find out what changes its sources so often`;
  return { type: 'blocked', cause: 'breaker', reason, until };
};

const deploymentPaused: Rule = ({ isPaused }) =>
  isPaused
    ? {
        type: 'pending',
        cause: 'paused',
        reason: 'the workload is paused (spec.paused), and waits until it is resumed',
        until: undefined,
      }
    : undefined;

const interval: Rule = ({ restarts, minInterval, now }) => {
  const until = intervalEnds(restarts, minInterval, now);
  if (until === undefined) return undefined;
  const last = timeInSeconds(until - minInterval);
  const reason = `it was restarted at ${last}, and the next restart is not before ${timeInSeconds(until)} (minInterval ${formatDuration(minInterval)})`;
  return { type: 'pending', cause: 'interval', reason, until };
};

const maintenance: Rule = ({ maintenanceWindows, now }) => {
  const state = maintenanceAt(maintenanceWindows, now);
  if (state.type === 'open') return undefined;
  return { type: 'pending', cause: 'window', reason: closedWords(state), until: state.opensAt };
};
