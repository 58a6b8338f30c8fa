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
import { reduceProofPod } from './reduceProofPod.ts';
import type { ReduceWorkload } from './reduceWorkload.ts';
import type { AppendRestart, RecordedResponse } from './restartLines.ts';

/** By what a question is found again in a replay. */
export const restartRequests = {
  /** By the version of the source that is known when it is asked: another one is another question. */
  digest: ({ id }: Pick<HashKey, 'id'>, source: SourceRef, uses: readonly Use[], version = 'absent') =>
    `digest ${sourceKey(source)} ${id} ${usesFingerprint(uses, 'none')} ${version}`,
  /** Whatever the time of the restart is: a replay is a little early. */
  hash: ({ id }: Pick<HashKey, 'id'>, workload: WorkloadRef, tags: ReadonlyMap<string, Pick<SourceTag, 'tag'>>) =>
    `hash ${workloadKey(workload)} ${id} ${shortOf([...tags].flatMap(([key, { tag }]) => (key === restartTime ? [] : `${key} ${tag}`)).sort())}`,
  pods: (namespace: string, selector: LabelSelector) => `pods ${namespace} ${JSON.stringify(selector)}`,
  workload: (workload: WorkloadRef) => `read ${workloadKey(workload)}`,
  patch: (workload: WorkloadRef) => `patch ${workloadKey(workload)}`,
  podsUsing: (namespace: string, sources: readonly SourceRef[]) =>
    `pods ${namespace} using ${sources.map(sourceKey).join(', ')}`,
  keep: (job: WorkloadRef) => `keep ${workloadKey(job)}`,
  end: (job: WorkloadRef) => `delete ${workloadKey(job)}`,
  make: (job: WorkloadRef) => `create ${workloadKey(job)}`,
  eviction: ({ namespace, name }: Pick<PodRef, 'namespace' | 'name'>) => `evict ${namespace}/${name}`,
};

/** What a patch of ours does. */
export function purposeOf(patch: object): 'restart' | 'state' | 'removal' {
  const { metadata, spec } = objectOf(patch);
  if (spec !== undefined) return 'restart';
  return Object.values(objectOf(objectOf(metadata)['annotations'])).every((value) => value === null)
    ? 'removal'
    : 'state';
}

/** The API with its responses recorded, except content: of that `recordDigests` records only the tags. */
export function recordRestartApi(api: RestartApi, reduce: ReduceWorkload, append: AppendRestart): RestartApi {
  async function recorded<T>(
    to: string,
    asked: Promise<Answer<T>>,
    reduced: (value: T) => unknown,
  ): Promise<Answer<T>> {
    const answer = await asked;
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
        pods.map(reduceProofPod),
      ),
    podsUsing: (namespace, sources, signal) =>
      recorded(restartRequests.podsUsing(namespace, sources), api.podsUsing(namespace, sources, signal), (pods) =>
        pods.map(reduceProofPod),
      ),
    storeCopy(job, stateText, key, signal) {
      append({ out: 'write.requested', about: workloadKey(job.ref), detail: 'copy' });
      return recorded(restartRequests.keep(job.ref), api.storeCopy(job, stateText, key, signal), withoutDigest);
    },
    deleteJob(copy, signal) {
      append({ out: 'write.requested', about: workloadKey(copy.job), detail: 'deletion' });
      return recorded(restartRequests.end(copy.job), api.deleteJob(copy, signal), () => undefined);
    },
    recreateJob(copy, signal) {
      append({ out: 'write.requested', about: workloadKey(copy.job), detail: 'creation' });
      return recorded(restartRequests.make(copy.job), api.recreateJob(copy, signal), () => undefined);
    },
    deleteCopy(copy, signal) {
      append({ out: 'write.requested', about: workloadKey(copy.ref), detail: 'deletion' });
      return recorded(restartRequests.end(copy.ref), api.deleteCopy(copy, signal), () => undefined);
    },
    evict(pod, signal) {
      append({ out: 'eviction.requested', about: `${pod.namespace}/${pod.name}`, detail: '' });
      return recorded(restartRequests.eviction(pod), api.evict(pod, signal), () => undefined);
    },
  };
}

/** What the digest is of may hold values, and who reads a recording could try them out. */
function withoutDigest({ copy, isEarlier }: StoredCopy): StoredCopy {
  return { copy: { ...copy, digest: '' }, isEarlier };
}

/** Behind these stand the contents and the keys: what comes out of them are tags. */
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
      // It is asked at each look at a rollout, and says the same.
      if (hashes.get(workloadKey(workload)) !== hash) append({ in: 'hash', request: to, hash });
      hashes.set(workloadKey(workload), hash);
      return hash;
    },
  };
}

/** A refusal without its sentence: an API server may quote in it what it was asked. */
function recordedOf<T>(answer: Answer<T>, reduced: (value: T) => unknown): RecordedResponse {
  if (answer.is === 'refused') return { is: 'refused', failure: answer.failure, retryAfter: answer.retryAfter };
  if (answer.is !== 'ok') return { is: answer.is };
  const value = reduced(answer.value);
  return value === undefined ? { is: 'ok' } : { is: 'ok', value };
}

function shortOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 12);
}
