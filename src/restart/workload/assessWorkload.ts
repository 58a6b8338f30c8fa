import type { WorkloadEvent } from '../../../machines/restart/workload.ts';
import type { RestartSettings } from '../../config/restart.ts';
import { assess } from '../content/assess.ts';
import { readCurrentSources } from '../content/currentSources.ts';
import type { WorkloadState } from '../content/state.ts';
import type { HashKeys } from '../digest/hashKeys.ts';
import { whyNotRecreated } from '../jobs/whyNotRecreated.ts';
import { markChangesHandled, quietPeriodOf } from '../pace/quietPeriod.ts';
import { type Assessed, type Finding, forgetFinding, recordFinding } from '../patches/finding.ts';
import type { Observed } from '../patches/observed.ts';
import type { RestartEffects, WorkloadEffect } from '../patches/restartEffects.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import { recordRemoval, writtenState } from '../patches/written.ts';
import { endWait } from '../pods/progress.ts';
import type { BlockCause } from '../references/events.ts';
import { sourceKey } from '../references/refs.ts';
import { workloadAnnotations } from '../references/workloadSummary.ts';
import { isEmptied } from '../rollout/replaceAll.ts';
import { findUncertainStarts, recordContents } from '../rollout/uncertainStarts.ts';
import { presentPods } from '../rollout/verifyPods.ts';

/** An operator may delete a source and create it again: only a longer absence is reported. Milliseconds. */
const patience = 1_000;

/** Compares a workload's sources with its stored state. */
export function assessWorkload(effects: RestartEffects): WorkloadEffect {
  const { clock, hasRead, keys, digests, report, sources } = effects;

  /** The last reported texts: a workload is assessed again while it waits for a slot. */
  const reported = new WeakMap<WorkloadEntry, string>();

  function reportUnreadable(entry: WorkloadEntry): void {
    const { ref: workload, uid, stateText = '' } = entry.observed.summary;
    if (reported.get(entry) === stateText) return;
    reported.set(entry, stateText);
    const reason = 'it is damaged, or from another version of weeder: weeder records again what the pods run with';
    report({ type: 'annotation.unreadable', workload, uid, annotation: workloadAnnotations.state, reason });
  }

  function blockedRecreation(entry: WorkloadEntry): WorkloadEvent | undefined {
    const { summary, settings } = entry.observed;
    if (summary.kind.restart !== 'recreation' || settings === undefined) return undefined;
    const reason = whyNotRecreated(summary, settings);
    return reason === undefined ? undefined : blocked('job', reason);
  }

  function eventOf(
    entry: WorkloadEntry,
    settings: RestartSettings,
    finding: Finding,
    isNewestKey: boolean,
  ): WorkloadEvent {
    const { assessment, missingSince = clock.monotonic() } = finding;
    switch (assessment.type) {
      case 'blocked':
        return {
          ...blocked('sourceMissing', assessment.reason),
          reportIn: Math.max(0, missingSince + patience - clock.monotonic()),
        };
      case 'changed':
        return (
          blockedRecreation(entry) ?? {
            type: 'assessed.changed',
            changedAt: entry.changes.changedAt,
            ...quietPeriodOf(entry.changes, settings, clock.monotonic()),
          }
        );
      case 'rolling':
        return { type: 'assessed.rolling', hasNewerChange: assessment.hasNewerChange };
      case 'current':
        markChangesHandled(entry, finding.asOf);
        endWait(entry);
        return { type: isNewestKey ? 'assessed.current' : 'assessed.new' };
      default:
        return { type: `assessed.${assessment.type}` };
    }
  }

  const answer: WorkloadEffect = async (entry, { hasStalled }, signal) => {
    const { summary, settings, uses } = entry.observed;
    if (settings === undefined) {
      forgetFinding(entry);
      return { type: 'assessed.unmanaged' };
    }
    if (summary.isEnding) return blocked('other', 'it is being deleted');
    if (hasRun(entry.observed)) return { type: 'assessed.current' };
    const unread = uses.filter(({ source }) => !hasRead(source)).map(({ source }) => sourceKey(source));
    if (unread.length > 0) return blocked('reading', `still being read: ${[...new Set(unread)].join(', ')}`);
    const asOf = entry.changes.changedAt;
    const hashKeys = keys();
    if (hashKeys === undefined) return blocked('hashKey', 'the hash key is unavailable');
    recordRemoval(effects, entry);
    const counting = stateThatCounts(reportUnreadable, entry, hashKeys);
    const { key, state } = counting;
    const current = await readCurrentSources(uses, key, digests, sources);
    if (current.type === 'refused') return { ...current, type: 'effect.failed' };
    recordContents(entry, key, current.sources, state);
    const compared = assess(current.sources, counting.written, hasStalled);
    // If another client removed the state, such as by a PUT, the state is written first; but the pods are still those
    // from before the removal.
    const recorded = assess(current.sources, state, hasStalled);
    entry.present = await presentPods(effects.api, entry, current.sources, recorded, signal);
    const answer = await findUncertainStarts(effects.api, entry, current.sources, compared, state, signal);
    if (answer.type === 'refused') return { ...answer, type: 'effect.failed' };
    const { assessment } = answer;
    const assessed = { ...counting, current: current.sources, assessment, asOf, contentHistory: entry.contentHistory };
    const finding = recordFinding(entry, assessed, clock.monotonic());
    return eventOf(entry, settings, finding, key.id === hashKeys.current.id);
  };

  return async (entry, input, signal, defer) => {
    // This takes precedence: weeder has scaled the workload to zero, and restores its pods first.
    if (isEmptied(entry.observed.summary) && !effects.isDryRun) return { type: 'assessed.rolling' };
    return answer(entry, input, signal, defer);
  };
}

/**
 * A finished Job has no running pods: nothing is written on it, and no changes are reported. A CronJob keeps several of
 * them. With `jobs: recreate`, the reason why this Job is not recreated is reported.
 */
function hasRun({ summary: { job }, settings }: Observed): boolean {
  return job?.isOver === true && settings?.jobs === 'report';
}

type Counting = Pick<Assessed, 'key' | 'state' | 'written'>;

/**
 * A state made with an unknown key cannot be compared: it is written again, and nothing restarts. A state that another
 * client has removed, such as by a PUT of the whole object, is written again as it was known: a change that came
 * meanwhile must stay a change.
 */
function stateThatCounts(
  reportUnreadable: (entry: WorkloadEntry) => void,
  entry: WorkloadEntry,
  keys: HashKeys,
): Counting {
  const written = writtenState(entry);
  if (written === 'unreadable') reportUnreadable(entry);
  const own = typeof written === 'object' ? written : knownState(entry);
  const key = own === undefined ? undefined : keys.byId(own.keyId);
  if (key === undefined) return { key: keys.current, state: undefined, written: undefined };
  return { key, state: own, written: own === written ? own : undefined };
}

/**
 * Returns the state at the previous assessment; a workload of the same name with another uid is a different workload.
 */
function knownState({ observed: { summary }, finding }: WorkloadEntry): WorkloadState | undefined {
  return finding?.state?.workloadUid === summary.uid ? finding.state : undefined;
}

/** `reading`: a list is still being read, which is not reported. */
function blocked(cause: BlockCause | 'reading', reason: string) {
  return { type: 'assessed.blocked', cause, reason } as const;
}
