import type { WorkloadEvent } from '../../machines/restart/workload.ts';
import { type Assessment, assess, type ChangedSource } from './assess.ts';
import { firstSeenOf } from './firstSeen.ts';
import type { HashKeys } from './hashKeys.ts';
import { doubtedSources, noteContents } from './noteContents.ts';
import { presentPods } from './presentPods.ts';
import { sourceKey } from './refs.ts';
import type { RestartEffects } from './restartEffects.ts';
import type { WorkloadState } from './state.ts';
import { type WantedSource, wantedOf } from './wanted.ts';
import type { Question } from './workloadActor.ts';
import { type Finding, type WorkloadEntry, writtenState } from './workloadEntry.ts';
import { workloadAnnotations } from './workloadFacts.ts';

/** Finds out what a workload's sources come to, beside what is written on it. */
export function assessWorkload(effects: RestartEffects): Question {
  const { clock, hasRead, keys, digests, sources } = effects;

  function eventOf(entry: WorkloadEntry, assessment: Assessment, isNewestKey: boolean): WorkloadEvent {
    switch (assessment.is) {
      case 'held':
        return held(entry, 'sourceMissing', assessment.reason);
      case 'changed':
        if (entry.facts.ref.kind === 'Job')
          return held(entry, 'job', 'a Job is not restarted: the next one has the new content');
        return { type: 'assessed.changed', now: clock.monotonic(), changedAt: entry.changedAt };
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
    noteContents(entry, key, wanted.sources, state);
    const compared = assess(wanted.sources, state, hasStalled);
    entry.present = await presentPods(effects.api, entry, changesIn(compared), signal);
    const doubted = await doubtedSources(effects.api, entry, unchangedOf(wanted.sources, compared, state), signal);
    if (doubted.is === 'refused') return { ...doubted, type: 'assessed.refused' };
    const assessment = inDoubt(compared, doubted.sources);
    const before = entry.finding?.key.id === key.id ? entry.finding.firstSeen : new Map();
    const firstSeen = firstSeenOf(wanted.sources, state, before);
    entry.finding = { key, wanted: wanted.sources, state, assessment, spells: entry.spells, firstSeen };
    return eventOf(entry, assessment, key.id === known.current.id);
  };
}

/** Those that say what is written down; during a rollout nobody asks for them. */
function unchangedOf(
  wanted: Finding['wanted'],
  compared: Assessment,
  state: WorkloadState | undefined,
): Finding['wanted'] {
  if (state === undefined || state.target !== undefined) return new Map();
  if (compared.is === 'current') return wanted;
  const changed = changesIn(compared).map(({ source }) => source);
  return new Map([...wanted].filter(([, source]) => compared.is === 'changed' && !changed.includes(source)));
}

function inDoubt(compared: Assessment, sources: readonly WantedSource[]): Assessment {
  return sources.length > 0 ? { is: 'doubted', sources } : compared;
}

function changesIn(compared: Assessment): readonly ChangedSource[] {
  return compared.is === 'changed' ? compared.sources : [];
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
