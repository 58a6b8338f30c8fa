import { type JsonObject, objectOf } from '../json.ts';
import type { ApiResult, KubeClient } from '../kube/client.ts';
import type { ApiFailure } from '../kube/failure.ts';
import { identityOf } from '../kube/identity.ts';
import { workloadsPath } from '../kube/workloadKinds.ts';
import { type Answer, answered, answerTo } from './answer.ts';
import { copyNameFor, copyOfJob, jobFromCopy, type KeptJob, readKept } from './keptJob.ts';
import { workloadPath } from './paths.ts';
import type { WorkloadRef } from './refs.ts';

/** One Job in one version. */
export interface JobRef {
  readonly ref: WorkloadRef;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface Kept {
  readonly kept: KeptJob;
  /** It was kept by an earlier try, whose deletion may still be on its way. */
  readonly isEarlier: boolean;
}

/** The requests by which a Job is made anew. Whole Jobs stay in here: their templates may hold values. */
export interface JobRequests {
  /**
   * Keeps what is needed to make it anew, with this state; nothing of the Job is touched. Refused where the deletion or
   * a Job like it would be. `conflicted`: it is of another version by now.
   */
  keepJob(job: JobRef, stateText: string, signal: AbortSignal): Promise<Answer<Kept>>;
  /** Deletes this version of it, its pods first. */
  endJob(kept: KeptJob, signal: AbortSignal): Promise<Answer<undefined>>;
  /** Makes it anew from its copy. `gone`: there is no copy; `conflicted`: there is a Job of that name. */
  makeJob(kept: KeptJob, signal: AbortSignal): Promise<Answer<undefined>>;
  /** Deletes the copy, of which no pod was ever made. */
  dropCopy(kept: KeptJob, signal: AbortSignal): Promise<Answer<undefined>>;
}

export function jobRequests(client: KubeClient): JobRequests {
  const refuse = (failure: ApiFailure) => answerTo(failure, client.server);
  const read = ({ kind, namespace, name }: WorkloadRef, signal: AbortSignal) =>
    client.call({ method: 'GET', path: workloadPath({ kind, namespace, name }), signal });

  function remove(ref: WorkloadRef, preconditions: object, signal: AbortSignal, more: object = {}): Promise<ApiResult> {
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, ...more };
    return client.call({ method: 'DELETE', path: workloadPath(ref), body: options, signal });
  }

  function end({ job, jobUid, jobVersion }: KeptJob, signal: AbortSignal, more: object): Promise<ApiResult> {
    // Its pods go first: two runs of it at once may be more than it can bear.
    const policy = { propagationPolicy: 'Foreground', ...more };
    return remove(job, { uid: jobUid, resourceVersion: jobVersion }, signal, policy);
  }

  function create(job: JsonObject, namespace: string, signal: AbortSignal): Promise<ApiResult> {
    const path = workloadsPath('Job', namespace);
    return client.call({ method: 'POST', path, query: { fieldManager: 'weeder' }, body: job, signal });
  }

  /** Makes the copy; one of an earlier try serves, if it is of the same version. */
  async function keep(kept: KeptJob, body: JsonObject, signal: AbortSignal): Promise<Answer<Kept>> {
    const made = await create(body, kept.job.namespace, signal);
    if (made.ok) return answered({ kept, isEarlier: false });
    if (made.failure.kind !== 'conflict') return refuse(made.failure);
    const found = await read(kept.copy, signal);
    if (!found.ok) return found.failure.kind === 'notFound' ? { is: 'conflicted' } : refuse(found.failure);
    if (readKept(found.body)?.jobVersion === kept.jobVersion) return answered({ kept, isEarlier: true });
    // No deletion of that version can succeed any more.
    const dropped = await remove(kept.copy, { uid: identityOf(found.body)?.uid }, signal, background);
    return dropped.ok || dropped.failure.kind === 'notFound' ? { is: 'conflicted' } : refuse(dropped.failure);
  }

  return {
    async keepJob({ ref, uid, resourceVersion }, stateText, signal) {
      const found = await read(ref, signal);
      if (!found.ok) return refuse(found.failure);
      const job = objectOf(found.body);
      const identity = identityOf(job);
      if (identity?.uid !== uid || identity.resourceVersion !== resourceVersion) return { is: 'conflicted' };
      const { namespace } = ref;
      const copy: WorkloadRef = { kind: 'Job', namespace, name: copyNameFor(uid) };
      const kept = { copy, job: ref, jobUid: uid, jobVersion: resourceVersion };
      const tried = await end(kept, signal, { dryRun: ['All'] });
      if (!tried.ok) return refuse(tried.failure);
      return keep(kept, copyOfJob(job, stateText), signal);
    },
    async endJob(kept, signal) {
      const result = await end(kept, signal, {});
      return result.ok ? answered(undefined) : refuse(result.failure);
    },
    async makeJob(kept, signal) {
      const found = await read(kept.copy, signal);
      if (!found.ok) return refuse(found.failure);
      const job = jobFromCopy(objectOf(found.body));
      if (job === undefined) return refuse(unreadable(kept, found.status));
      const result = await create(job, kept.job.namespace, signal);
      if (result.ok) return answered(undefined);
      // 404: its namespace is gone. What is told of that is the copy, which is gone as well.
      return refuse(result.failure);
    },
    async dropCopy(kept, signal) {
      const found = await read(kept.copy, signal);
      if (!found.ok) return refuse(found.failure);
      // Another one of that name is for another version of the Job, and not to be dropped.
      if (readKept(found.body)?.jobVersion !== kept.jobVersion) return { is: 'gone' };
      const result = await remove(kept.copy, { uid: identityOf(found.body)?.uid }, signal, background);
      return result.ok ? answered(undefined) : refuse(result.failure);
    },
  };
}

const background = { propagationPolicy: 'Background' };

function unreadable({ copy: { namespace, name } }: KeptJob, status: number): ApiFailure {
  return { kind: 'badAnswer', status, message: `the copy ${namespace}/${name} does not say what it stands for` };
}
