import { createHash } from 'node:crypto';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import type { Identity, LabelSelector } from '@weeder/kube-runtime/objects';
import type { Requests, ResponseFormat } from '../../recording/file/requests.ts';
import { restartTime } from '../content/assess.ts';
import { type HashKey, type SourceTag, usesFingerprint } from '../digest/digest.ts';
import { type SourceRef, sourceKey, type WorkloadRef, workloadKey } from '../references/refs.ts';
import type { Use } from '../references/uses.ts';
import type { RestartApi } from '../requests/restartApi.ts';
import { reducePodEvidence, reduceWaitingPods } from './reducePodEvidence.ts';
import type { ReduceWorkload } from './reduceWorkload.ts';
import { answerFormat, copyFormat } from './restartResponses.ts';

/** The keys by which a replay finds the response to a request. */
export const restartRequests = {
  /** Includes the known version of the source: its content may differ between versions. */
  digest: ({ id }: Pick<HashKey, 'id'>, source: SourceRef, uses: readonly Use[], version = 'absent') =>
    `digest ${sourceKey(source)} ${id} ${usesFingerprint(uses, 'none')} ${version}`,
  /** Excludes the time of the restart, because a replay is a little early. */
  hash: ({ id }: Pick<HashKey, 'id'>, workload: WorkloadRef, tags: ReadonlyMap<string, Pick<SourceTag, 'tag'>>) =>
    `hash ${workloadKey(workload)} ${id} ${shortOf([...tags].flatMap(([key, { tag }]) => (key === restartTime ? [] : `${key} ${tag}`)).sort())}`,
  pods: (namespace: string, selector: LabelSelector) => `pods ${namespace} ${JSON.stringify(selector)}`,
  waitingPods: (namespace: string, selector: LabelSelector) => `waiting pods ${namespace} ${JSON.stringify(selector)}`,
  workload: (workload: WorkloadRef) => `read ${workloadKey(workload)}`,
  patch: (workload: WorkloadRef) => `patch ${workloadKey(workload)}`,
  podsUsing: (namespace: string, sources: readonly SourceRef[]) =>
    `pods ${namespace} using ${sources.map(sourceKey).join(', ')}`,
  copy: (job: WorkloadRef) => `copy ${workloadKey(job)}`,
  deletion: (job: WorkloadRef) => `delete ${workloadKey(job)}`,
  creation: (job: WorkloadRef) => `create ${workloadKey(job)}`,
  eviction: ({ namespace, name }: Pick<Identity, 'namespace' | 'name'>) => `evict ${namespace}/${name}`,
};

/** The purpose of a patch by weeder. */
export function purposeOf(patch: object): 'restart' | 'state' | 'removal' {
  const { metadata, spec } = objectOf(patch);
  if (spec !== undefined) return 'restart';
  return Object.values(objectOf(objectOf(metadata)['annotations'])).every((value) => value === null)
    ? 'removal'
    : 'state';
}

const podsFormat = answerFormat<readonly unknown[]>((pods) => pods.map(reducePodEvidence), arrayOf);
const waitingPodsFormat = answerFormat<readonly unknown[]>(reduceWaitingPods, arrayOf);
const nothing = answerFormat<undefined>(
  () => undefined,
  () => undefined,
);

/**
 * The requests of restart control, except for content, of which `restartDigests` has the tags. `real`: sends them; a
 * replay never calls it.
 */
export function restartPort(real: () => RestartApi, { send, report }: Requests, reduce: ReduceWorkload): RestartApi {
  function write<R>(to: string, about: WorkloadRef, detail: string, call: () => Promise<R>, format: ResponseFormat<R>) {
    report({ out: 'write.requested', about: workloadKey(about), detail });
    return send(to, call, format);
  }
  const workloadFormat = ({ kind }: WorkloadRef) => answerFormat((object) => reduce(object, kind), objectOf);
  return {
    readSource: (ref, signal) => real().readSource(ref, signal),
    readWorkload: (ref, signal) =>
      send(restartRequests.workload(ref), () => real().readWorkload(ref, signal), workloadFormat(ref)),
    patchWorkload: (ref, patch, signal) =>
      write(
        restartRequests.patch(ref),
        ref,
        purposeOf(patch),
        () => real().patchWorkload(ref, patch, signal),
        workloadFormat(ref),
      ),
    listPods: (namespace, selector, signal) =>
      send(restartRequests.pods(namespace, selector), () => real().listPods(namespace, selector, signal), podsFormat),
    listWaitingPods: (namespace, selector, signal) =>
      send(
        restartRequests.waitingPods(namespace, selector),
        () => real().listWaitingPods(namespace, selector, signal),
        waitingPodsFormat,
      ),
    podsUsing: (namespace, sources, signal) =>
      send(
        restartRequests.podsUsing(namespace, sources),
        () => real().podsUsing(namespace, sources, signal),
        podsFormat,
      ),
    storeCopy(job, stateText, key, signal) {
      const call = () => real().storeCopy(job, stateText, key, signal);
      return write(restartRequests.copy(job.ref), job.ref, 'copy', call, copyFormat);
    },
    deleteJob: (copy, signal) =>
      write(restartRequests.deletion(copy.job), copy.job, 'deletion', () => real().deleteJob(copy, signal), nothing),
    recreateJob: (copy, signal) =>
      write(restartRequests.creation(copy.job), copy.job, 'creation', () => real().recreateJob(copy, signal), nothing),
    deleteCopy: (copy, signal) =>
      write(restartRequests.deletion(copy.ref), copy.ref, 'deletion', () => real().deleteCopy(copy, signal), nothing),
    evict(pod, signal) {
      report({ out: 'eviction.requested', about: `${pod.namespace}/${pod.name}`, detail: '' });
      return send(restartRequests.eviction(pod), () => real().evict(pod, signal), nothing);
    },
  };
}

function shortOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 12);
}
