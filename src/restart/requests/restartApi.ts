import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { ApiFailure, KubeClient } from '@weeder/kube-runtime/client';
import {
  apiPath,
  bareKind,
  type Identity,
  identityOf,
  objectText,
  selectorToString,
} from '@weeder/kube-runtime/objects';
import { listPages } from '@weeder/kube-runtime/watch';
import { readContent, type SourceContent } from '../digest/digest.ts';
import { type ListPods, listTogether } from '../pods/podLists.ts';
import { type Answer, answered, answerTo, confidential } from '../references/answer.ts';
import {
  podsPath,
  type SourceKind,
  type SourceRef,
  sourceKey,
  sourcePath,
  type WorkloadRef,
  workloadPath,
} from '../references/refs.ts';
import { readSourceMeta, type SourceMeta } from '../references/sourceMeta.ts';
import { usesOf } from '../references/uses.ts';
import { type JobRequests, jobRequests } from './jobRequests.ts';

export type { Answer, Refusal, RefusalClass } from '../references/answer.ts';

/**
 * A ConfigMap or Secret with its values. It has to be digested and dropped immediately, and must never be logged,
 * stored or put into an error.
 */
export interface ReadSource {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly content: SourceContent;
  readonly meta: SourceMeta;
}

/** The requests that restart control makes. None of them ever rejects. */
export interface RestartApi extends JobRequests {
  /** Reads the whole current source. A refusal contains no text of the response. */
  readSource(ref: SourceRef, signal: AbortSignal): Promise<Answer<ReadSource>>;
  readWorkload(ref: WorkloadRef, signal: AbortSignal): Promise<Answer<JsonObject>>;
  /** Applies a JSON merge patch, and returns the patched object. */
  patchWorkload(ref: WorkloadRef, patch: object, signal: AbortSignal): Promise<Answer<JsonObject>>;
  readonly listPods: ListPods;
  /** The same for pods in the phase `Pending`. */
  readonly listWaitingPods: ListPods;
  /** Lists all pods of the namespace that name one of these sources, which are in the same namespace. */
  podsUsing(namespace: string, sources: readonly SourceRef[], signal: AbortSignal): Promise<Answer<readonly unknown[]>>;
  /** `conflicted`: the pod has changed, or another pod has its name. */
  evict(pod: Identity, signal: AbortSignal): Promise<Answer<undefined>>;
}

/** Reports the result of reading a source, for metrics. */
export type ReportRead = (kind: SourceKind, result: Answer<unknown>['type']) => void;

/** The name of weeder as a field manager. */
const fieldManager = 'weeder';

/**
 * The client decides whether writes are sent: `leaderGate` and `dryRunClient` of @weeder/kube-runtime. All other decisions about a
 * request are up to the caller.
 */
export function restartApi(client: KubeClient, onRead: ReportRead = () => undefined): RestartApi {
  const refuse = (failure: ApiFailure) => answerTo(failure, client.server);

  async function readSource(ref: SourceRef, signal: AbortSignal): Promise<Answer<ReadSource>> {
    const result = await client.call({ method: 'GET', path: sourcePath(ref), signal });
    if (!result.ok) return refuse(confidential(result.failure, { verb: 'get', ...ref }));
    const meta = isThe(ref, result.body) ? readSourceMeta(result.body, ref.kind) : undefined;
    if (meta === undefined) return refuse(notThe(ref, result.status));
    const { uid, resourceVersion } = meta;
    return answered({ uid, resourceVersion, content: readContent(result.body), meta });
  }

  function workloadIn(ref: WorkloadRef, status: number, body: unknown): Answer<JsonObject> {
    return isThe(ref, body) ? answered(objectOf(body)) : refuse(notThe(ref, status));
  }

  const listing =
    (fields: { readonly fieldSelector?: string }): ListPods =>
    async (namespace, selector, signal) => {
      let pods: unknown[] = [];
      const sink = {
        begin: () => {
          pods = [];
        },
        apply: (_: unknown, pod: unknown) => void pods.push(pod),
        end: () => undefined,
      };
      const labelSelector = selectorToString(selector);
      const source = { path: podsPath(namespace), kind: 'Pod', labelSelector, sink, ...fields };
      const list = await listPages(client, source, signal);
      return list.ok ? answered(pods) : refuse(list.failure);
    };
  const listPods = listing({});

  return {
    ...jobRequests(client),
    async readSource(ref, signal) {
      const answer = await readSource(ref, signal);
      onRead(ref.kind, answer.type);
      return answer;
    },
    async readWorkload(ref, signal) {
      const result = await client.call({ method: 'GET', path: workloadPath(ref), signal });
      return result.ok ? workloadIn(ref, result.status, result.body) : refuse(result.failure);
    },
    async patchWorkload(ref, patch, signal) {
      const result = await client.call({
        method: 'PATCH',
        path: workloadPath(ref),
        query: { fieldManager },
        contentType: 'application/merge-patch+json',
        body: patch,
        signal,
      });
      return result.ok ? workloadIn(ref, result.status, result.body) : refuse(result.failure);
    },
    listPods: listTogether(listPods),
    listWaitingPods: listTogether(listing({ fieldSelector: 'status.phase=Pending' })),
    async podsUsing(namespace, sources, signal) {
      const listed = await listPods(namespace, {}, signal);
      if (listed.type !== 'ok') return listed;
      const affected = new Set(sources.map(sourceKey));
      const isOfJob = (pod: unknown) =>
        usesOf(objectOf(pod), namespace, { imagePullSecrets: 'hash' }).some(({ source }) =>
          affected.has(sourceKey(source)),
        );
      return answered(listed.value.filter(isOfJob));
    },
    async evict({ namespace, name, uid, resourceVersion }, signal) {
      const body = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace },
        // Without the version, kube-apiserver tries for 10 s to evict a pod that has another uid.
        deleteOptions: { preconditions: { uid, resourceVersion } },
      };
      const path = apiPath('v1', 'pods', { namespace, name, subresource: 'eviction' });
      const result = await client.call({ method: 'POST', path, body, signal, onlyStatus: true });
      return result.ok ? answered(undefined) : refuse(result.failure);
    },
  };
}

/** A proxy in front of the API server may return any object. */
function isThe({ kind, namespace, name }: WorkloadRef | SourceRef, body: unknown): boolean {
  const identity = identityOf(body);
  return objectOf(body)['kind'] === bareKind(kind) && identity?.namespace === namespace && identity.name === name;
}

function notThe(ref: WorkloadRef | SourceRef, status: number): ApiFailure {
  return { type: 'badAnswer', status, message: `the response is not the ${objectText(ref)}` };
}
