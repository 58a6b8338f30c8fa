import type { JsonObject } from '@weeder/kube-runtime/base';
import { mergePatch } from '@weeder/kube-runtime/objects';
import type { EffectFailed } from '../../../machines/restart/rollout.ts';
import { changeCauseMark } from '../../controller/restartMarks.ts';
import type { HashKey } from '../digest/digest.ts';
import { emptiedText } from '../digest/sealEmptied.ts';
import { below } from '../kinds/kind.ts';
import { templateAnnotation } from '../references/podTemplate.ts';
import { type WorkloadSummary, workloadAnnotations } from '../references/workloadSummary.ts';
import type { RestartEffects } from './restartEffects.ts';
import { type RestartRequest, restartTimeOf } from './restartTime.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/**
 * The restart, as a JSON merge patch: the new state and the hash in the pod template, in one write that fails if
 * another client has written in between. `kubectl rollout history` shows `cause`, unless the user has set a change
 * cause. A CronJob gets the hash for its next run; a Job's template is immutable (422). A kind with `restartTimes` gets
 * the time in place of hash and cause: it has no new revision.
 */
export function restartPatch(
  summary: WorkloadSummary,
  stateText: string,
  { hash, since }: RestartRequest,
  cause: string,
): JsonObject {
  const { restartTimes, templatePath } = summary.kind;
  const state = { [workloadAnnotations.state]: stateText };
  if (restartTimes !== undefined)
    return { ...metadataPatch(summary, state), ...below(restartTimes.requested, restartTimeOf(since)) };
  const template = { metadata: { annotations: { [templateAnnotation]: hash } } };
  const isOwnCause = summary.changeCause === undefined || summary.changeCause.startsWith(changeCauseMark);
  const causes = isOwnCause ? { [workloadAnnotations.changeCause]: `${changeCauseMark}${cause}` } : {};
  return {
    ...metadataPatch(summary, { ...state, ...causes }),
    ...below(templatePath, template),
  };
}

/**
 * The restart where all pods have to terminate before new ones start: the workload is scaled to zero. The previous
 * number of replicas is written beside it, so that they can be restored. The hash is already in the template when the
 * new pods start.
 */
export function emptyPatch(
  summary: WorkloadSummary,
  key: HashKey,
  stateText: string,
  request: RestartRequest,
  cause: string,
): JsonObject {
  const emptied = { [workloadAnnotations.emptied]: emptiedText(summary, key) };
  const { empty } = summary.kind.emptying;
  const patch = mergePatch(restartPatch(summary, stateText, request, cause), empty);
  return mergePatch(patch, { metadata: { annotations: emptied } });
}

/** Restores the replicas that `emptyPatch` removed; if a user has scaled the workload meanwhile, that number stays. */
export function restorePatch(summary: WorkloadSummary): JsonObject {
  const { resourceVersion, emptied, kind } = summary;
  const spec = kind.emptying.restore(emptied?.isUndone === false ? emptied.replicas : undefined);
  return { metadata: { resourceVersion, annotations: { [workloadAnnotations.emptied]: null } }, ...spec };
}

/**
 * Writes the state and does not change the template. The change cause is in the history by then: the next revision has
 * its own.
 */
export function statePatch(summary: WorkloadSummary, stateText: string): JsonObject {
  const undone = summary.emptied?.isUndone ? { [workloadAnnotations.emptied]: null } : {};
  return metadataPatch(summary, { [workloadAnnotations.state]: stateText, ...withoutOurCause(summary), ...undone });
}

/** Removes the state. The hash in the template stays: removing it would start a rollout. */
export function releasePatch(summary: WorkloadSummary): JsonObject {
  const undone = summary.emptied === undefined ? {} : { [workloadAnnotations.emptied]: null };
  return metadataPatch(summary, { [workloadAnnotations.state]: null, ...withoutOurCause(summary), ...undone });
}

function metadataPatch({ resourceVersion }: WorkloadSummary, annotations: Record<string, string | null>): JsonObject {
  return { metadata: { resourceVersion, annotations } };
}

function withoutOurCause({ changeCause }: WorkloadSummary) {
  return changeCause?.startsWith(changeCauseMark) ? { [workloadAnnotations.changeCause]: null } : {};
}

/** Patches a workload, and returns the response as an event, `done` if it was accepted. The returned object is observed immediately. */
export async function writeWorkload<Done extends 'restart.accepted' | 'state.written' | 'restore.done'>(
  { api, observeWrite: learn }: Pick<RestartEffects, 'api' | 'observeWrite'>,
  entry: WorkloadEntry,
  done: Done,
  patch: object,
  signal: AbortSignal,
): Promise<{ readonly type: Done } | EffectFailed> {
  const answer = await api.patchWorkload(entry.observed.summary.ref, patch, signal);
  switch (answer.type) {
    case 'ok':
      learn(entry, answer.value);
      return { type: done };
    case 'notFound':
      return { type: 'workload.deleted' };
    case 'conflicted':
      return { type: 'effect.conflicted' };
    case 'refused':
      return { ...answer, type: 'effect.failed' };
  }
}
