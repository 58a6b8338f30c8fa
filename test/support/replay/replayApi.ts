import { type JsonObject, objectOf, textOf } from '../../../src/base/json.ts';
import type { ApiResult, KubeClient } from '../../../src/kube/client/client.ts';
import { classify } from '../../../src/kube/client/failure.ts';
import type { ApiRequest } from '../../../src/kube/client/request.ts';
import type { VirtualClock } from '../world/virtualClock.ts';
import type { ReplayCluster } from './replayCluster.ts';
import type { AnswerStep } from './replayFormat.ts';

export interface ReplayApiOptions {
  readonly cluster: ReplayCluster;
  readonly clock: VirtualClock;
  /** Called for each deletion that arrives, and for each answer other than 200. */
  readonly log: (sentence: string) => void;
  /** A recording continues as it was recorded, whatever weeder would have deleted. */
  readonly isRecorded: boolean;
}

/** The API server of a replay, behind the client's interface: it checks preconditions, and fails on demand. */
export interface ReplayApi {
  readonly client: KubeClient;
  /** How the next deletions are answered; afterwards the cluster decides again. */
  script(answer: AnswerStep): void;
  /** How long the answer to a read of a pod or its log takes from now on: milliseconds. */
  readings(takes: number): void;
}

const podPath = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)(\/eviction|\/log)?$/;

export function replayApi({ cluster, clock, log, isRecorded }: ReplayApiOptions): ReplayApi {
  let answer: AnswerStep | undefined;
  let left = 0;
  let readTime = 0;

  function nextAnswer(): AnswerStep | undefined {
    if (left <= 0) return undefined;
    left -= 1;
    return answer;
  }

  function decide(namespace: string, name: string, preconditions: unknown): number {
    const found = cluster.get('Pod', namespace, name);
    if (found === undefined) return 404;
    const { uid, resourceVersion } = objectOf(preconditions);
    const meta = objectOf(found['metadata']);
    const isOther = uid !== undefined && uid !== meta['uid'];
    const isNewer = resourceVersion !== undefined && resourceVersion !== meta['resourceVersion'];
    if (isOther || isNewer) return 409;
    if (!isRecorded) cluster.remove('Pod', namespace, name);
    return 200;
  }

  async function deletion(request: ApiRequest, namespace: string, name: string): Promise<ApiResult> {
    const verb = request.method === 'POST' ? 'EVICT' : 'DELETE';
    const body = objectOf(request.body);
    const options = request.method === 'POST' ? objectOf(body['deleteOptions']) : body;
    log(`${verb} ${namespace}/${name}${graceOf(options)}`);
    const scripted = nextAnswer();
    // No server has done anything before the call for it returned.
    await Promise.resolve();
    if (scripted !== undefined && scripted.takes > 0) {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, scripted.takes));
    }
    const status = scripted?.status ?? 200;
    const result = status === 200 ? decide(namespace, name, options['preconditions']) : status;
    if (result === 200) return { ok: true, status: 200, body: {} };
    log(`${verb} ${namespace}/${name} is answered ${result}`);
    if (result === 'network') return { ok: false, failure: { kind: 'network', message: 'socket hang up' } };
    return failure(result, scripted?.retryAfter);
  }

  function failure(status: number, retryAfter?: number): ApiResult {
    const statusObject = { kind: 'Status', code: status, message: 'said the replay' };
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return { ok: false, failure: classify(status, headers, JSON.stringify(statusObject), clock.now()) };
  }

  async function call(request: ApiRequest): Promise<ApiResult> {
    const [, namespace = '', name = '', below] = podPath.exec(request.path) ?? [];
    if (request.method !== 'GET') return deletion(request, namespace, name);
    const pod = cluster.get('Pod', namespace, name);
    if (readTime > 0) await new Promise<void>((resolve) => clock.setTimeout(resolve, readTime));
    const body = below === '/log' ? `the last line of ${name}\n` : pod;
    return pod === undefined ? failure(404) : { ok: true, status: 200, body };
  }

  return {
    client: clientOf(call),
    script: (next) => ([answer, left] = [next, timesOf(next)]),
    readings(takes) {
      readTime = takes;
    },
  };
}

function graceOf({ gracePeriodSeconds }: JsonObject): string {
  return gracePeriodSeconds === undefined ? '' : ` with ${String(gracePeriodSeconds)} s of grace`;
}

function timesOf({ times }: AnswerStep): number {
  return times === 'always' ? Number.POSITIVE_INFINITY : times;
}

function clientOf(call: KubeClient['call']): KubeClient {
  const failure = { kind: 'network', message: 'a replay has no streams of its own' } as const;
  return {
    server: 'https://replay',
    call,
    openStream: async () => ({ ok: false, failure }),
    renew: () => {},
    failureOf: (thrown) => ({ kind: 'network', message: textOf(thrown) ?? 'broken' }),
    close: async () => {},
  };
}
