import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { ApiRequest, ApiResult } from '@weeder/kube-runtime/client';
import type { VirtualClock } from '@weeder/kube-runtime/testing';
import type { HeldCluster } from '../world/heldCluster.ts';
import type { ReplayAnswers } from './replayAnswers.ts';

export interface ReplayApiOptions {
  readonly cluster: HeldCluster;
  readonly clock: VirtualClock;
  readonly answers: ReplayAnswers;
  /** Called for each deletion that arrives, and for each answer other than 200. */
  readonly log: (sentence: string) => void;
  /** A recording continues as it was recorded, whatever weeder would have deleted. */
  readonly isRecorded: boolean;
}

const podPath = /^(\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+))(\/eviction|\/log)?$/;

/** The API server of a replay as the weeder sees it: it fails on demand, and has the logs of pods. */
export function replayApi({ cluster, clock, answers, log, isRecorded }: ReplayApiOptions) {
  const dryRun = isRecorded ? { dryRun: ['All'] } : {};
  let readTime = 0;

  async function deletion(request: ApiRequest, pod: string): Promise<ApiResult> {
    const verb = request.method === 'POST' ? 'EVICT' : 'DELETE';
    const given = objectOf(request.body);
    const options = verb === 'EVICT' ? objectOf(given['deleteOptions']) : given;
    log(`${verb} ${pod}${graceOf(options)}`);
    const failure = await answers.next('deletions');
    const sent = { ...options, ...dryRun };
    const body = verb === 'EVICT' ? { ...given, deleteOptions: sent } : sent;
    const result: ApiResult = failure === undefined ? await cluster.call({ ...request, body }) : { ok: false, failure };
    if (!result.ok) log(`${verb} ${pod} is answered ${result.failure.status ?? result.failure.type}`);
    return result;
  }

  async function reading(request: ApiRequest, path: string, log: string | undefined): Promise<ApiResult> {
    const result = await cluster.call({ ...request, path });
    if (readTime > 0) await new Promise<void>((resolve) => clock.setTimeout(resolve, readTime));
    return result.ok && log !== undefined ? { ...result, body: log } : result;
  }

  return {
    client: {
      server: 'https://replay',
      call(request: ApiRequest) {
        const [, pod = '', namespace = '', name = '', below] = podPath.exec(request.path) ?? [];
        if (request.method !== 'GET') return deletion(request, `${namespace}/${name}`);
        return reading(request, pod, below === '/log' ? `the last line of ${name}\n` : undefined);
      },
    },
    /** How long the answer to a read of a pod or its log takes from now on: milliseconds. */
    readings(takes: number) {
      readTime = takes;
    },
  };
}

function graceOf({ gracePeriodSeconds }: JsonObject): string {
  return gracePeriodSeconds === undefined ? '' : ` with ${String(gracePeriodSeconds)} s of grace`;
}
