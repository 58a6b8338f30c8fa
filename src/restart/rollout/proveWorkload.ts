import type { WorkloadEvent } from '../../../machines/restart/workload.ts';
import type { Question } from '../effects/question.ts';
import type { RestartEffects } from '../effects/restartEffects.ts';
import { changesOf, type WorkloadEntry } from '../effects/workloadEntry.ts';
import { type PodFacts, readPods } from '../pods/podFacts.ts';
import { lingeringPods } from '../pods/proof.ts';
import type { ChangedSource } from '../state/assess.ts';
import { podsToReplace, replaceablePods } from '../state/concernedPods.ts';
import { presentFor } from './presentPods.ts';
import { againstReplacing } from './replaceAll.ts';

/** Looks whether some container runs with old content, and whether a restart would help. */
export function proveWorkload(effects: RestartEffects): Question {
  const { api } = effects;
  return async (entry, _input, signal) => {
    const { facts } = entry;
    const changed = changesOf(entry);
    const against = await againstReplacing(effects, entry, signal);
    if (against !== undefined) return against;
    // The next run of a CronJob reads everything anew; what has to change is its template.
    if (facts.selector === undefined) return { type: 'proof.needed' };
    const listed = await api.listPods(facts.ref.namespace, facts.selector, signal);
    if (listed.is === 'refused') return { ...listed, type: 'proof.refused' };
    if (listed.is !== 'ok') return { type: 'proof.needless' };
    const pods = readPods(listed.value);
    const perhaps = changed.filter((each) => isOlderPodThere(each, replaceablePods(facts, pods)));
    if (perhaps.length > 0) return held(entry, perhaps);
    // Of what was immutable, a pod may have the old content however new it is.
    const isAny = changed.some(({ isRecreated }) => isRecreated === true) && lingeringPods(facts, pods).length > 0;
    const written = changed.map((each) => ({ ...each, present: presentFor(entry, each.source) }));
    return { type: isAny || podsToReplace(facts, pods, written).length > 0 ? 'proof.needed' : 'proof.needless' };
  };
}

/** The pods of before used a source of this name: an immutable one that is younger than they are was recreated. */
function isOlderPodThere({ isRecreated, source: { createdAt } }: ChangedSource, pods: readonly PodFacts[]): boolean {
  if (isRecreated !== 'ifPodsAreOlder' || createdAt === undefined) return false;
  return pods.some((pod) => pod.createdAt !== undefined && pod.createdAt < createdAt);
}

function held(entry: WorkloadEntry, recreated: readonly ChangedSource[]): WorkloadEvent {
  entry.cause = 'immutable';
  const names = recreated.map(({ source: { ref } }) => `${ref.kind} ${ref.namespace}/${ref.name}`).join(', ');
  const reason = `${names} is immutable and was recreated: nodes keep the old content as long as a pod refers to it`;
  return { type: 'proof.held', reason: `${reason}; give new content a new name` };
}
