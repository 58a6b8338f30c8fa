import type { WorkloadEvent } from '../../machines/restart/workload.ts';
import { type Assessment, assess } from './assess.ts';
import { firstSeenOf } from './firstSeen.ts';
import type { HashKeys } from './hashKeys.ts';
import { presentPods } from './presentPods.ts';
import { whyNotRecreated } from './recreateJob.ts';
import { sourceKey } from './refs.ts';
import type { RestartEffects } from './restartEffects.ts';
import { wantedOf } from './wanted.ts';
import type { Question } from './workloadActor.ts';
import { type Finding, type WorkloadEntry, writtenState } from './workloadEntry.ts';
import { workloadAnnotations } from './workloadFacts.ts';

/** Finds out what a workload's sources come to, beside what is written on it. */
export function assessWorkload(effects: RestartEffects): Question {
  const { clock, hasRead, keys, digests, sources } = effects;

  function againstRecreation(entry: WorkloadEntry): WorkloadEvent | undefined {
    const { facts, settings } = entry;
    if (facts.ref.kind !== 'Job' || settings === undefined) return undefined;
    const reason = whyNotRecreated(facts, settings);
    return reason === undefined ? undefined : held(entry, 'job', reason);
  }

  function eventOf(entry: WorkloadEntry, assessment: Assessment, isNewestKey: boolean): WorkloadEvent {
    switch (assessment.is) {
      case 'held':
        return held(entry, 'sourceMissing', assessment.reason);
      case 'changed':
        return (
          againstRecreation(entry) ?? { type: 'assessed.changed', now: clock.monotonic(), changedAt: entry.changedAt }
        );
      case 'rolling':
        return { type: 'assessed.rolling', hasNews: assessment.hasNews };
      case 'current':
        return { type: isNewestKey ? 'assessed.current' : 'assessed.new' };
      default:
        return { type: `assessed.${assessment.is}` };
    }
  }

  return async (entry, { hasStalled }, signal) => {
    const { facts, settings, uses } = entry;
    if (settings === undefined) return { type: 'assessed.unmanaged' };
    if (facts.isEnding) return held(entry, 'other', 'it is being deleted');
    const unread = uses.filter(({ source }) => !hasRead(source)).map(({ source }) => sourceKey(source));
    if (unread.length > 0) return held(entry, 'reading', `still being read: ${[...new Set(unread)].join(', ')}`);
    const known = keys();
    if (known === undefined) return held(entry, 'hashKey', 'the hash key cannot be had');
    const { key, state } = stateThatCounts(effects, entry, known);
    const wanted = await wantedOf(uses, key, digests, sources);
    if (wanted.is === 'refused') return { ...wanted, type: 'assessed.refused' };
    const assessment = assess(wanted.sources, state, hasStalled);
    const changed = assessment.is === 'changed' ? assessment.sources : [];
    entry.present = await presentPods(effects.api, entry, changed, signal);
    const before = entry.finding?.key.id === key.id ? entry.finding.firstSeen : new Map();
    const firstSeen = firstSeenOf(wanted.sources, state, before);
    entry.finding = { key, wanted: wanted.sources, state, assessment, firstSeen };
    return eventOf(entry, assessment, key.id === known.current.id);
  };
}

/** One that was made with a key that is not known any more tells nothing: it is written anew, and nothing restarts. */
function stateThatCounts(
  { report }: RestartEffects,
  entry: WorkloadEntry,
  known: HashKeys,
): Pick<Finding, 'key' | 'state'> {
  const written = writtenState(entry);
  if (written === 'unreadable') {
    const { ref: workload, uid } = entry.facts;
    const reason = 'it is damaged or of another version of weeder: what the pods run with is taken down anew';
    report({ type: 'annotation.unreadable', workload, uid, annotation: workloadAnnotations.state, reason });
  }
  const own = typeof written === 'object' ? written : undefined;
  const key = own === undefined ? undefined : known.byId(own.keyId);
  return key === undefined ? { key: known.current, state: undefined } : { key, state: own };
}

function held(entry: WorkloadEntry, cause: WorkloadEntry['cause'], reason: string): WorkloadEvent {
  entry.cause = cause;
  return { type: 'assessed.held', reason };
}
