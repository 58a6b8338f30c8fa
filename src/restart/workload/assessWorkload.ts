import type { WorkloadEvent } from '../../../machines/restart/workload.ts';
import type { HashKeys } from '../digest/hashKeys.ts';
import { noteRemoval } from '../effects/contest.ts';
import type { Question, RestartEffects } from '../effects/restartEffects.ts';
import { type Finding, noteChangesDealtWith, type WorkloadEntry, writtenState } from '../effects/workloadEntry.ts';
import { whyNotRecreated } from '../jobs/whyNotRecreated.ts';
import { sourceKey } from '../model/refs.ts';
import { workloadAnnotations } from '../model/workloadFacts.ts';
import { isEmptied } from '../rollout/replaceAll.ts';
import { lookForDoubts, noteContents } from '../rollout/uncertainStarts.ts';
import { presentPods } from '../rollout/verifyPods.ts';
import { type Assessment, assess, firstSeenOf } from '../state/assess.ts';
import type { StoredTags, WorkloadState } from '../state/state.ts';
import { wantedOf } from '../state/currentSources.ts';

/** Finds out what a workload's sources come to, beside what is written on it. */
export function assessWorkload(effects: RestartEffects): Question {
  const { clock, hasRead, keys, digests, report, sources } = effects;

  /** What was told of: while it waits for its turn to be written anew it is looked at again. */
  const told = new WeakMap<WorkloadEntry, string>();

  function tellUnreadable(entry: WorkloadEntry): void {
    const { ref: workload, uid, stateText = '' } = entry.facts;
    if (told.get(entry) === stateText) return;
    told.set(entry, stateText);
    const reason = 'it is damaged or of another version of weeder: what the pods run with is taken down anew';
    report({ type: 'annotation.unreadable', workload, uid, annotation: workloadAnnotations.state, reason });
  }

  function againstRecreation(entry: WorkloadEntry): WorkloadEvent | undefined {
    const { facts, settings } = entry;
    if (facts.ref.kind !== 'Job' || settings === undefined) return undefined;
    const reason = whyNotRecreated(facts, settings);
    return reason === undefined ? undefined : held(entry, 'job', reason);
  }

  function eventOf(entry: WorkloadEntry, assessment: Assessment, isNewestKey: boolean): WorkloadEvent {
    switch (assessment.is) {
      case 'blocked':
        return held(entry, 'sourceMissing', assessment.reason);
      case 'changed':
        return (
          againstRecreation(entry) ?? {
            type: 'assessed.changed',
            now: clock.monotonic(),
            changedAt: entry.changedAt,
            ...(entry.unquietSince === undefined ? {} : { unquietSince: entry.unquietSince }),
          }
        );
      case 'rolling':
        return { type: 'assessed.rolling', hasNewerChange: assessment.hasNewerChange };
      case 'current':
        noteChangesDealtWith(entry);
        return { type: isNewestKey ? 'assessed.current' : 'assessed.new' };
      default:
        return { type: `assessed.${assessment.is}` };
    }
  }

  const ask: Question = async (entry, { hasStalled }, signal) => {
    const { facts, settings, uses } = entry;
    if (settings === undefined) return unmanaged(entry);
    if (facts.isEnding) return held(entry, 'other', 'it is being deleted');
    if (hasRun(entry)) return { type: 'assessed.current' };
    const unread = uses.filter(({ source }) => !hasRead(source)).map(({ source }) => sourceKey(source));
    if (unread.length > 0) return held(entry, 'reading', `still being read: ${[...new Set(unread)].join(', ')}`);
    const asOf = entry.changedAt;
    const hashKeys = keys();
    if (hashKeys === undefined) return held(entry, 'hashKey', 'the hash key cannot be had');
    noteRemoval(effects, entry);
    const counting = stateThatCounts(tellUnreadable, entry, hashKeys);
    const { key, state } = counting;
    const wanted = await wantedOf(uses, key, digests, sources);
    if (wanted.is === 'refused') return { ...wanted, type: 'assessed.refused' };
    noteContents(entry, key, wanted.sources, state);
    const compared = assess(wanted.sources, counting.written, hasStalled);
    // A state that somebody removed, as a release by PUT does, is written first; but the pods of now are those of before.
    const known = assess(wanted.sources, state, hasStalled);
    entry.present = await presentPods(effects.api, entry, wanted.sources, known, signal);
    const answer = await lookForDoubts(effects.api, entry, wanted.sources, compared, state, signal);
    if (answer.is === 'refused') return { ...answer, type: 'assessed.refused' };
    const { assessment } = answer;
    const firstSeen = firstSeenOf(wanted.sources, counting.written, seenBefore(entry, counting));
    entry.finding = { key, wanted: wanted.sources, state, assessment, asOf, spells: entry.spells, firstSeen };
    return eventOf(entry, assessment, key.id === hashKeys.current.id);
  };

  return async (entry, input, signal, afterwards) => {
    // Whatever else is so: it has no pods because of weeder, and gets them back first.
    if (isEmptied(entry) && !effects.isDryRun) return { type: 'assessed.rolling' };
    return ask(entry, input, signal, afterwards);
  };
}

/**
 * A Job that has ended runs with nothing any more: nothing is written on it, and nobody is told of changes. A CronJob
 * keeps several of them. Where Jobs are to be recreated, somebody waits to hear why this one is not.
 */
function hasRun({ facts: { job }, settings }: WorkloadEntry): boolean {
  return job?.isOver === true && settings?.jobs === 'report';
}

interface Counting extends Pick<Finding, 'key' | 'state'> {
  /** Undefined where `state` is what was written before somebody took it away. */
  readonly written: WorkloadState | undefined;
}

/**
 * One that was made with a key that is not known any more tells nothing: it is written anew, and nothing restarts. One
 * that somebody has taken away, such as by a PUT of the whole object, is written down again as it was known: what has
 * changed meanwhile must stay a change.
 */
function stateThatCounts(
  tellUnreadable: (entry: WorkloadEntry) => void,
  entry: WorkloadEntry,
  known: HashKeys,
): Counting {
  const written = writtenState(entry);
  if (written === 'unreadable') tellUnreadable(entry);
  const own = typeof written === 'object' ? written : knownState(entry);
  const key = own === undefined ? undefined : known.byId(own.keyId);
  if (key === undefined) return { key: known.current, state: undefined, written: undefined };
  return { key, state: own, written: own === written ? own : undefined };
}

/** What was written on it when it was looked at before; a workload of the same name with another uid is another one. */
function knownState({ facts, finding }: WorkloadEntry): WorkloadState | undefined {
  return finding?.state?.workloadUid === facts.uid ? finding.state : undefined;
}

function seenBefore({ finding }: WorkloadEntry, { key, state, written }: Counting): StoredTags {
  if (finding?.key.id !== key.id) return new Map();
  return written === undefined && state !== undefined ? state.rolledOut : finding.firstSeen;
}

/** What was known of it counts no more, should it be managed again. */
function unmanaged(entry: WorkloadEntry): WorkloadEvent {
  entry.finding = undefined;
  return { type: 'assessed.unmanaged' };
}

function held(entry: WorkloadEntry, cause: WorkloadEntry['cause'], reason: string): WorkloadEvent {
  entry.cause = cause;
  return { type: 'assessed.blocked', reason };
}
