import type { JsonObject } from '../json.ts';
import { templateAnnotation } from './podTemplate.ts';
import { type WorkloadFacts, workloadAnnotations } from './workloadFacts.ts';

/** What every change cause of ours begins with: any other is the user's own. */
export const changeCauseMark = 'weeder: ';

/**
 * The restart, as a JSON merge patch: the new state and the hash in the pod template, in one write that fails if
 * somebody else has written in between. `cause` is what `kubectl rollout history` shows, unless the user says something
 * there himself (F4). A CronJob gets it for its next run; a Job's template cannot be changed (422).
 */
export function restartPatch(
  facts: WorkloadFacts,
  stateText: string,
  dependenciesHash: string,
  cause: string,
): JsonObject {
  const template = { metadata: { annotations: { [templateAnnotation]: dependenciesHash } } };
  const isOurs = facts.changeCause === undefined || facts.changeCause.startsWith(changeCauseMark);
  const causes = isOurs ? { [workloadAnnotations.changeCause]: `${changeCauseMark}${cause}` } : {};
  return {
    ...metadataPatch(facts, { [workloadAnnotations.state]: stateText, ...causes }),
    spec: facts.ref.kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template },
  };
}

/** Writes the state and changes no template. The change cause is in the history by then: the next revision has its own. */
export function statePatch(facts: WorkloadFacts, stateText: string): JsonObject {
  return metadataPatch(facts, { [workloadAnnotations.state]: stateText, ...withoutOurCause(facts) });
}

/** Removes the state. What is in the template stays: to take it away would be a rollout (F12). */
export function leavePatch(facts: WorkloadFacts): JsonObject {
  return metadataPatch(facts, { [workloadAnnotations.state]: null, ...withoutOurCause(facts) });
}

function metadataPatch({ resourceVersion }: WorkloadFacts, annotations: Record<string, string | null>): JsonObject {
  return { metadata: { resourceVersion, annotations } };
}

function withoutOurCause({ changeCause }: WorkloadFacts) {
  return changeCause?.startsWith(changeCauseMark) ? { [workloadAnnotations.changeCause]: null } : {};
}
