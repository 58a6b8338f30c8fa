import { createHash } from 'node:crypto';
import { objectOf } from '../../base/json.ts';
import type { LabelSelector } from '../../kube/objects/selector.ts';
import { type HashKey, type SourceTag, usesFingerprint } from '../../restart/digest/digest.ts';
import type { Answer } from '../../restart/model/answer.ts';
import { type SourceRef, sourceKey, type WorkloadRef, workloadKey } from '../../restart/model/refs.ts';
import type { Use } from '../../restart/model/uses.ts';
import type { StoredCopy } from '../../restart/requests/jobRequests.ts';
import type { PodRef, RestartApi } from '../../restart/requests/restartApi.ts';
import type { Digests } from '../../restart/sources/digests.ts';
import type { SourcesKnown } from '../../restart/sources/sourceIndex.ts';
import { restartTime } from '../../restart/state/assess.ts';
import { reducePodEvidence } from './reducePodEvidence.ts';
import type { ReduceWorkload } from './reduceWorkload.ts';
import type { AppendRestart, RecordedResponse } from './restartLines.ts';

/** The keys by which a replay finds the response to a request. */
export const restartRequests = {
  /** Includes the known version of the source: its content may differ between versions. */
  digest: ({ id }: Pick<HashKey, 'id'>, source: SourceRef, uses: readonly Use[], version = 'absent') =>
    `digest ${sourceKey(source)} ${id} ${usesFingerprint(uses, 'none')} ${version}`,
  /** Excludes the time of the restart, because a replay is a little early. */
  hash: ({ id }: Pick<HashKey, 'id'>, workload: WorkloadRef, tags: ReadonlyMap<string, Pick<SourceTag, 'tag'>>) =>
    `hash ${workloadKey(workload)} ${id} ${shortOf([...tags].flatMap(([key, { tag }]) => (key === restartTime ? [] : `${key} ${tag}`)).sort())}`,
  pods: (namespace: string, selector: LabelSelector) => `pods ${namespace} ${JSON.stringify(selector)}`,
  workload: (workload: WorkloadRef) => `read ${workloadKey(workload)}`,
  patch: (workload: WorkloadRef) => `patch ${workloadKey(workload)}`,
  podsUsing: (namespace: string, sources: readonly SourceRef[]) =>
    `pods ${namespace} using ${sources.map(sourceKey).join(', ')}`,
  copy: (job: WorkloadRef) => `copy ${workloadKey(job)}`,
  deletion: (job: WorkloadRef) => `delete ${workloadKey(job)}`,
  creation: (job: WorkloadRef) => `create ${workloadKey(job)}`,
  eviction: ({ namespace, name }: Pick<PodRef, 'namespace' | 'name'>) => `evict ${namespace}/${name}`,
};

/** The purpose of a patch by weeder. */
export function purposeOf(patch: object): 'restart' | 'state' | 'removal' {
  const { metadata, spec } = objectOf(patch);
  if (spec !== undefined) return 'restart';
  return Object.values(objectOf(objectOf(metadata)['annotations'])).every((value) => value === null)
    ? 'removal'
    : 'state';
}

/** Wraps the API so that its responses are recorded, except for content: `recordDigests` records only the tags. */
export function recordRestartApi(api: RestartApi, reduce: ReduceWorkload, append: AppendRestart): RestartApi {
  async function recorded<T>(
    to: string,
    answering: Promise<Answer<T>>,
    reduced: (value: T) => unknown,
  ): Promise<Answer<T>> {
    const answer = await answering;
    append({ in: 'response', request: to, response: recordedOf(answer, reduced) });
    return answer;
  }

  return {
    readSource: (ref, signal) => api.readSource(ref, signal),
    readWorkload: (ref, signal) =>
      recorded(restartRequests.workload(ref), api.readWorkload(ref, signal), (object) => reduce(object, ref.kind)),
    patchWorkload(ref, patch, signal) {
      append({ out: 'write.requested', about: workloadKey(ref), detail: purposeOf(patch) });
      return recorded(restartRequests.patch(ref), api.patchWorkload(ref, patch, signal), (object) =>
        reduce(object, ref.kind),
      );
    },
    listPods: (namespace, selector, signal) =>
      recorded(restartRequests.pods(namespace, selector), api.listPods(namespace, selector, signal), (pods) =>
        pods.map(reducePodEvidence),
      ),
    podsUsing: (namespace, sources, signal) =>
      recorded(restartRequests.podsUsing(namespace, sources), api.podsUsing(namespace, sources, signal), (pods) =>
        pods.map(reducePodEvidence),
      ),
    storeCopy(job, stateText, key, signal) {
      append({ out: 'write.requested', about: workloadKey(job.ref), detail: 'copy' });
      return recorded(restartRequests.copy(job.ref), api.storeCopy(job, stateText, key, signal), withoutDigest);
    },
    deleteJob(copy, signal) {
      append({ out: 'write.requested', about: workloadKey(copy.job), detail: 'deletion' });
      return recorded(restartRequests.deletion(copy.job), api.deleteJob(copy, signal), () => undefined);
    },
    recreateJob(copy, signal) {
      append({ out: 'write.requested', about: workloadKey(copy.job), detail: 'creation' });
      return recorded(restartRequests.creation(copy.job), api.recreateJob(copy, signal), () => undefined);
    },
    deleteCopy(copy, signal) {
      append({ out: 'write.requested', about: workloadKey(copy.ref), detail: 'deletion' });
      return recorded(restartRequests.deletion(copy.ref), api.deleteCopy(copy, signal), () => undefined);
    },
    evict(pod, signal) {
      append({ out: 'eviction.requested', about: `${pod.namespace}/${pod.name}`, detail: '' });
      return recorded(restartRequests.eviction(pod), api.evict(pod, signal), () => undefined);
    },
  };
}

/** The digested Job may hold values, which a reader of the recording could guess and verify by the digest. */
function withoutDigest({ copy, isEarlier }: StoredCopy): StoredCopy {
  return { copy: { ...copy, digest: '' }, isEarlier };
}

/** Records the tags; contents and hash keys stay behind this wrapper. */
export function recordDigests(digests: Digests, sources: SourcesKnown, append: AppendRestart): Digests {
  const hashes = new Map<string, string>();
  return {
    ...digests,
    async digestOf(key, ref, uses) {
      const to = restartRequests.digest(key, ref, uses, sources.get(ref)?.resourceVersion);
      const found = await digests.digestOf(key, ref, uses);
      const response = recordedOf(found.is === 'ok' ? { is: 'ok', value: found.digest } : found, (digest) => digest);
      append({ in: 'response', request: to, response });
      return found;
    },
    hashOf(key, workload, tags) {
      const hash = digests.hashOf(key, workload, tags);
      const to = restartRequests.hash(key, workload, tags);
      // Each check of a rollout requests the hash again: only changes are recorded.
      if (hashes.get(workloadKey(workload)) !== hash) append({ in: 'hash', request: to, hash });
      hashes.set(workloadKey(workload), hash);
      return hash;
    },
  };
}

/** Omits the reason of a refusal, because an API server may quote the request in it. */
function recordedOf<T>(answer: Answer<T>, reduced: (value: T) => unknown): RecordedResponse {
  if (answer.is === 'refused') return { is: 'refused', failure: answer.failure, retryAfter: answer.retryAfter };
  if (answer.is !== 'ok') return { is: answer.is };
  const value = reduced(answer.value);
  return value === undefined ? { is: 'ok' } : { is: 'ok', value };
}

function shortOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 12);
}
