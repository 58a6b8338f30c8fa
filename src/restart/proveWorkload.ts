import { podsToReplace } from './concernedPods.ts';
import { readPods } from './podFacts.ts';
import { presentFor } from './presentPods.ts';
import type { RestartEffects } from './restartEffects.ts';
import type { Question } from './workloadActor.ts';
import { changesOf } from './workloadEntry.ts';

/** Looks whether some container runs with old content (F3, F14), and whether a restart would help (F1). */
export function proveWorkload({ api }: RestartEffects): Question {
  return async (entry, _input, signal) => {
    const { facts } = entry;
    const changed = changesOf(entry);
    const recreated = changed.filter(({ isRecreated }) => isRecreated).map(({ source }) => source.ref);
    if (recreated.length > 0) {
      entry.cause = 'immutable';
      const names = recreated.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`).join(', ');
      const reason = `${names} is immutable and was made anew: nodes keep the old content as long as a pod refers to it`;
      return { type: 'proof.held', reason: `${reason}; give new content a new name` };
    }
    // The next run of a CronJob reads everything anew; what has to change is its template.
    if (facts.selector === undefined) return { type: 'proof.needed' };
    const listed = await api.listPods(facts.ref.namespace, facts.selector, signal);
    if (listed.is === 'refused') return { ...listed, type: 'proof.refused' };
    if (listed.is !== 'ok') return { type: 'proof.needless' };
    const pods = readPods(listed.value);
    const written = changed.map((each) => ({ ...each, present: presentFor(entry, each.source) }));
    return { type: podsToReplace(facts, pods, written).length > 0 ? 'proof.needed' : 'proof.needless' };
  };
}
