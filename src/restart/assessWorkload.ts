import { assess } from './assess.ts';
import type { RestartEffects } from './restartEffects.ts';
import { wantedOf } from './wanted.ts';
import type { Question } from './workloadActor.ts';
import { type Finding, type WorkloadEntry, writtenState } from './workloadEntry.ts';
import { workloadAnnotations } from './workloadFacts.ts';

/** Finds out what a workload's sources come to, beside what is written on it. */
export function assessWorkload({ clock, isComplete, keys, digests, metaOf, report }: RestartEffects): Question {
  function tellUnreadable({ facts: { ref: workload, uid } }: WorkloadEntry): void {
    const reason = 'it was written by somebody else, or by another version: what the pods run with is taken down anew';
    report({ type: 'annotation.unreadable', workload, uid, annotation: workloadAnnotations.state, reason });
  }

  return async (entry, { hasStalled }) => {
    const { facts, settings, uses } = entry;
    if (settings === undefined) return { type: 'assessed.unmanaged' };
    if (facts.isEnding) return { type: 'assessed.held', reason: 'it is being deleted' };
    if (!isComplete()) {
      entry.cause = 'other';
      return { type: 'assessed.held', reason: 'the sources are still being read' };
    }
    const known = keys();
    if (known === undefined) {
      entry.cause = 'hashKey';
      return { type: 'assessed.held', reason: 'the hash key cannot be read' };
    }
    const written = writtenState(entry);
    if (written === 'unreadable') tellUnreadable(entry);
    const own = typeof written === 'object' ? written : undefined;
    // A state under a key that is not known any more tells nothing: it is written anew, and nothing restarts.
    const key = own === undefined ? undefined : known.byId(own.keyId);
    const state = key === undefined ? undefined : own;
    const wanted = await wantedOf(uses, key ?? known.current, digests, metaOf);
    if (wanted.is === 'refused') return { type: 'assessed.refused', ...wanted };
    const assessment = assess(wanted.sources, state, hasStalled);
    const finding: Finding = { key: key ?? known.current, wanted: wanted.sources, state, assessment };
    entry.finding = finding;
    switch (assessment.is) {
      case 'held':
        entry.cause = 'sourceMissing';
        return { type: 'assessed.held', reason: assessment.reason };
      case 'changed':
        if (facts.ref.kind !== 'Job')
          return { type: 'assessed.changed', now: clock.monotonic(), changedAt: entry.changedAt };
        entry.cause = 'job';
        return { type: 'assessed.held', reason: 'a Job is not restarted: the next one has the new content' };
      case 'rolling':
        return { type: 'assessed.rolling', hasNews: assessment.hasNews };
      case 'stalled':
        return { type: 'assessed.stalled' };
      case 'new':
        return { type: 'assessed.new' };
      case 'current':
        return finding.key.id === known.current.id ? { type: 'assessed.current' } : { type: 'assessed.new' };
    }
  };
}
