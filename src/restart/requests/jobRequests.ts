import { type JsonObject, objectOf } from '../../base/json.ts';
import type { ApiResult, KubeClient } from '../../kube/client/client.ts';
import type { ApiFailure } from '../../kube/client/failure.ts';
import { identityOf } from '../../kube/objects/identity.ts';
import { workloadsPath } from '../../kube/objects/workloadKinds.ts';
import type { HashKey } from '../digest/digest.ts';
import { hashKeysOf } from '../digest/hashKeys.ts';
import { type Answer, answered, answerTo } from '../model/answer.ts';
import { type WorkloadRef, workloadPath } from '../model/refs.ts';
import { copyOfJob, isKeptByWeeder, jobFromCopy, type KeptJob, readKept } from './jobCopy.ts';

/** One Job in one version. */
interface JobRef {
  readonly ref: WorkloadRef;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface Kept {
  readonly kept: KeptJob;
  /** It was kept by an earlier try, whose deletion may still be on its way. */
  readonly isEarlier: boolean;
}

/** The requests by which a Job is recreated. Whole Jobs stay in here: their templates may hold values. */
export interface JobRequests {
  /**
   * Keeps what is needed to make it anew, with this state and sealed with this key; nothing of the Job is touched.
   * Refused where the deletion or a Job like it would be, or where somebody else's Job has the name of the copy.
   * `conflicted`: it is of another version by now.
   */
  keepJob(job: JobRef, stateText: string, key: HashKey, signal: AbortSignal): Promise<Answer<Kept>>;
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
  async function keep(kept: KeptJob, copy: JsonObject, key: HashKey, signal: AbortSignal): Promise<Answer<Kept>> {
    const made = await create(copy, kept.job.namespace, signal);
    if (made.ok) return answered({ kept, isEarlier: false });
    return made.failure.kind === 'conflict' ? takeEarlier(kept, key, signal) : refuse(made.failure);
  }

  async function takeEarlier(kept: KeptJob, key: HashKey, signal: AbortSignal): Promise<Answer<Kept>> {
    const found = await read(kept.copy, signal);
    if (!found.ok) return found.failure.kind === 'notFound' ? { is: 'conflicted' } : refuse(found.failure);
    const earlier = readKept(found.body);
    if (earlier === undefined || !isKeptByWeeder(earlier, hashKeysOf(key, [key]))) return refuse(inTheWay(kept));
    if (earlier.jobVersion === kept.jobVersion) return answered({ kept: earlier, isEarlier: true });
    // No deletion of that version can succeed any more.
    const dropped = await remove(kept.copy, { uid: identityOf(found.body)?.uid }, signal, background);
    return dropped.ok || dropped.failure.kind === 'notFound' ? { is: 'conflicted' } : refuse(dropped.failure);
  }

  return {
    async keepJob({ ref, uid, resourceVersion }, stateText, key, signal) {
      const found = await read(ref, signal);
      if (!found.ok) return refuse(found.failure);
      const job = objectOf(found.body);
      const identity = identityOf(job);
      if (identity?.uid !== uid || identity.resourceVersion !== resourceVersion) return { is: 'conflicted' };
      const { kept, copy } = copyOfJob(job, stateText, key);
      const tried = await end(kept, signal, { dryRun: ['All'] });
      if (!tried.ok) return refuse(tried.failure);
      return keep(kept, copy, key, signal);
    },
    async endJob(kept, signal) {
      const result = await end(kept, signal, {});
      return result.ok ? answered(undefined) : refuse(result.failure);
    },
    async makeJob(kept, signal) {
      const found = await read(kept.copy, signal);
      if (!found.ok) return refuse(found.failure);
      const job = jobFromCopy(objectOf(found.body), kept);
      if (job === undefined) return refuse(unreadable(kept, found.status));
      const result = await create(job, kept.job.namespace, signal);
      if (result.ok) return answered(undefined);
      // 404: its namespace is gone. What is told of that is the copy, which is gone as well.
      return refuse(result.failure);
    },
    async dropCopy(kept, signal) {
      const found = await read(kept.copy, signal);
      if (!found.ok) return refuse(found.failure);
      // Another one of that name is for another version of the Job, or somebody else's, and not to be dropped.
      if (readKept(found.body)?.seal !== kept.seal) return { is: 'gone' };
      const result = await remove(kept.copy, { uid: identityOf(found.body)?.uid }, signal, background);
      return result.ok ? answered(undefined) : refuse(result.failure);
    },
  };
}

const background = { propagationPolicy: 'Background' };

function unreadable({ copy: { namespace, name } }: KeptJob, status: number): ApiFailure {
  return { kind: 'badAnswer', status, message: `the copy ${namespace}/${name} is not the one that weeder has made` };
}

function inTheWay({ copy: { namespace, name } }: KeptJob): ApiFailure {
  const message = `the Job ${namespace}/${name} has the name of the copy that weeder keeps, and weeder has not made it: delete it`;
  return { kind: 'rejected', message };
}
