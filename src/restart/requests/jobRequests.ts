import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { ApiFailure, ApiResult, KubeClient } from '@weeder/kube-runtime/client';
import { identityOf, workloadsPath } from '@weeder/kube-runtime/objects';
import type { HashKey } from '../digest/digest.ts';
import { hashKeysOf } from '../digest/hashKeys.ts';
import { type Answer, answered, answerTo } from '../references/answer.ts';
import { type WorkloadRef, workloadPath } from '../references/refs.ts';
import { copyOfJob, isTrustedCopy, type JobCopy, jobFromCopy, readJobCopy } from './jobCopy.ts';

/** A Job in one version. */
interface JobRef {
  readonly ref: WorkloadRef;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface StoredCopy {
  readonly copy: JobCopy;
  /** An earlier attempt made the copy, and its deletion of the Job may still be in flight. */
  readonly isEarlier: boolean;
}

/** The requests that recreate a Job. Whole Jobs never leave this module: their templates may hold values. */
export interface JobRequests {
  /**
   * Stores what is needed to recreate the Job, with this state and sealed with this key; the Job itself is not changed.
   * The request is refused where the deletion or the creation of such a Job would be refused, or if another client's
   * Job has the name of the copy. `conflicted`: the Job has another version by now.
   */
  storeCopy(job: JobRef, stateText: string, key: HashKey, signal: AbortSignal): Promise<Answer<StoredCopy>>;
  /** Deletes this version of the Job, its pods first. */
  deleteJob(copy: JobCopy, signal: AbortSignal): Promise<Answer<undefined>>;
  /** Recreates the Job from its copy. `notFound`: there is no copy; `conflicted`: there is a Job of that name. */
  recreateJob(copy: JobCopy, signal: AbortSignal): Promise<Answer<undefined>>;
  /** Deletes the copy, which never had any pods. */
  deleteCopy(copy: JobCopy, signal: AbortSignal): Promise<Answer<undefined>>;
}

export function jobRequests(client: KubeClient): JobRequests {
  const refuse = (failure: ApiFailure) => answerTo(failure, client.server);
  const read = ({ kind, namespace, name }: WorkloadRef, signal: AbortSignal) =>
    client.call({ method: 'GET', path: workloadPath({ kind, namespace, name }), signal });

  function remove(ref: WorkloadRef, preconditions: object, signal: AbortSignal, more: object = {}): Promise<ApiResult> {
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, ...more };
    return client.call({ method: 'DELETE', path: workloadPath(ref), body: options, signal });
  }

  function end({ job, jobUid, jobVersion }: JobCopy, signal: AbortSignal, more: object): Promise<ApiResult> {
    // The pods go first: the Job may not tolerate two concurrent runs.
    const policy = { propagationPolicy: 'Foreground', ...more };
    return remove(job, { uid: jobUid, resourceVersion: jobVersion }, signal, policy);
  }

  function create(job: JsonObject, namespace: string, signal: AbortSignal): Promise<ApiResult> {
    const path = workloadsPath('Job', namespace);
    return client.call({ method: 'POST', path, query: { fieldManager: 'weeder' }, body: job, signal });
  }

  /** Creates the copy; a copy from an earlier attempt is reused if it is of the same version. */
  async function store(
    copy: JobCopy,
    object: JsonObject,
    key: HashKey,
    signal: AbortSignal,
  ): Promise<Answer<StoredCopy>> {
    const created = await create(object, copy.job.namespace, signal);
    if (created.ok) return answered({ copy, isEarlier: false });
    return created.failure.type === 'conflict' ? takeEarlier(copy, key, signal) : refuse(created.failure);
  }

  async function takeEarlier(copy: JobCopy, key: HashKey, signal: AbortSignal): Promise<Answer<StoredCopy>> {
    const existing = await read(copy.ref, signal);
    if (!existing.ok) return existing.failure.type === 'notFound' ? { type: 'conflicted' } : refuse(existing.failure);
    const earlier = readJobCopy(existing.body);
    if (earlier === undefined || !isTrustedCopy(earlier, hashKeysOf(key, [key]))) return refuse(inTheWay(copy));
    if (earlier.jobVersion === copy.jobVersion) return answered({ copy: earlier, isEarlier: true });
    // No deletion of that version can succeed any more.
    const dropped = await remove(copy.ref, { uid: identityOf(existing.body)?.uid }, signal, background);
    return dropped.ok || dropped.failure.type === 'notFound' ? { type: 'conflicted' } : refuse(dropped.failure);
  }

  return {
    async storeCopy({ ref, uid, resourceVersion }, stateText, key, signal) {
      const existing = await read(ref, signal);
      if (!existing.ok) return refuse(existing.failure);
      const job = objectOf(existing.body);
      const identity = identityOf(job);
      if (identity?.uid !== uid || identity.resourceVersion !== resourceVersion) return { type: 'conflicted' };
      const { copy, object } = copyOfJob(job, stateText, key);
      const tried = await end(copy, signal, { dryRun: ['All'] });
      if (!tried.ok) return refuse(tried.failure);
      return store(copy, object, key, signal);
    },
    async deleteJob(copy, signal) {
      const result = await end(copy, signal, {});
      return result.ok ? answered(undefined) : refuse(result.failure);
    },
    async recreateJob(copy, signal) {
      const existing = await read(copy.ref, signal);
      if (!existing.ok) return refuse(existing.failure);
      const job = jobFromCopy(objectOf(existing.body), copy);
      if (job === undefined) return refuse(unreadable(copy, existing.status));
      const result = await create(job, copy.job.namespace, signal);
      if (result.ok) return answered(undefined);
      // 404: the namespace was deleted, and the copy with it.
      return refuse(result.failure);
    },
    async deleteCopy(copy, signal) {
      const existing = await read(copy.ref, signal);
      if (!existing.ok) return refuse(existing.failure);
      // Another copy of that name is for another version of the Job, or another client's, and must not be deleted.
      if (readJobCopy(existing.body)?.seal !== copy.seal) return { type: 'notFound' };
      const result = await remove(copy.ref, { uid: identityOf(existing.body)?.uid }, signal, background);
      return result.ok ? answered(undefined) : refuse(result.failure);
    },
  };
}

const background = { propagationPolicy: 'Background' };

function unreadable({ ref: { namespace, name } }: JobCopy, status: number): ApiFailure {
  return { type: 'badAnswer', status, message: `the copy ${namespace}/${name} is not the one that weeder created` };
}

function inTheWay({ ref: { namespace, name } }: JobCopy): ApiFailure {
  const message = `the Job ${namespace}/${name} has the name of the copy that weeder stores, but weeder did not create it: delete it`;
  return { type: 'rejected', message };
}
