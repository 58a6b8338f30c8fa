import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, sleep } from '@weeder/kube-runtime/base';
import type { ApiRequest, ApiResult, KubeClient } from '@weeder/kube-runtime/client';
import { createSemaphore, createTokenBucket } from '@weeder/kube-runtime/queue';
import { bytesOf } from './objects/measure.ts';

interface YieldOptions {
  readonly clock: Clock;
  /** Returns true while pods are being deleted, which must not wait for the API server. */
  readonly hasUrgentWork: () => boolean;
}

/**
 * Milliseconds: how often to check whether pods are still being deleted, and how long a request waits for that at most.
 */
const checkInterval = 20;
const patience = 5_000;
/**
 * Bytes. A larger body takes the API server a noticeable time, because it compares each field with all of its managers.
 */
const largeBody = 64 * 1024;
/**
 * This many large requests, and this many more per second, follow each other without a pause, as a first start needs.
 * After each further one, the next waits for a multiple of its duration, so that they use at most a tenth of one core.
 */
const largeBurst = 20;
const largePerSecond = 1 / 10;
const pauseFactor = 10;
const longestPause = 10_000;

/**
 * Wraps a client so that the deletion of pods takes precedence: no request begins while pods are being deleted, for
 * five seconds at most, and large objects are written one after the other, with pauses if there are many of them.
 */
export function yieldToWeeder(client: KubeClient, { clock, hasUrgentWork }: YieldOptions): KubeClient {
  const large = createSemaphore(1, 0);
  const burst = createTokenBucket(largeBurst, largePerSecond, clock);

  async function waitForDeletions({ signal }: ApiRequest): Promise<void> {
    const until = clock.monotonic() + patience;
    while (hasUrgentWork() && signal?.aborted !== true && clock.monotonic() < until) await sleep(clock, checkInterval);
  }

  /** `took`: the time that the API server took, in milliseconds. */
  async function callOnce(request: ApiRequest): Promise<{ readonly result: ApiResult; readonly took: number }> {
    if (hasUrgentWork()) await waitForDeletions(request);
    const began = clock.monotonic();
    const result = await client.call(request);
    const took = clock.monotonic() - began;
    // Handling the response may take long, so input that has arrived for others in the meantime is handled first.
    await nextTurn();
    if (hasUrgentWork()) await waitForDeletions(request);
    return { result, took };
  }

  async function callSerially(request: ApiRequest): Promise<ApiResult> {
    const release = await large.acquireEventually(`${namespaceOf(request)}/`);
    try {
      const { result, took } = await callOnce(request);
      if (burst.take()) release();
      else void sleep(clock, Math.min(longestPause, took * pauseFactor)).then(() => release());
      return result;
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    ...client,
    async call(request) {
      const isLarge = request.body !== undefined && bytesOf(request.body, largeBody) > largeBody;
      return isLarge ? callSerially(request) : (await callOnce(request)).result;
    },
  };
}

function namespaceOf({ path }: ApiRequest): string {
  return /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? '';
}
