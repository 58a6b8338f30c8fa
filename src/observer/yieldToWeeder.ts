import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, sleep } from '../base/clock.ts';
import type { ApiResult, KubeClient } from '../kube/client/client.ts';
import type { ApiRequest } from '../kube/client/request.ts';
import { createSemaphore } from '../queue/semaphore.ts';
import { createTokenBucket } from '../queue/tokenBucket.ts';
import { bytesOf } from './spec/measure.ts';

interface YieldOptions {
  readonly clock: Clock;
  /** Whether something is under way now that must not wait for the API server's time. */
  readonly isWeeding: () => boolean;
}

/** Milliseconds: how often it is asked whether the API server is needed, and how long a request waits for that at most. */
const askAgainAfter = 20;
const patience = 5_000;
/** Bytes of a body that takes the API server a noticeable time: it compares each field with all of its managers. */
const largeBody = 64 * 1024;
/**
 * So many large ones at once, and so many a second, follow each other without a pause, as a first start needs them. After
 * each further one the next waits for so many times as long as it took: they have a tenth of one core at most.
 */
const largeBurst = 20;
const largePerSecond = 1 / 10;
const restAfterLarge = 10;
const longestRest = 10_000;
/**
 * A client that leaves the API server to the weeder: no request begins while pods are being deleted, for five seconds at
 * most, and large objects are written one after the other, with pauses where there are many of them.
 */
export function yieldToWeeder(client: KubeClient, { clock, isWeeding }: YieldOptions): KubeClient {
  const large = createSemaphore(1, 0);
  const burst = createTokenBucket(largeBurst, largePerSecond, clock);

  async function calm({ signal }: ApiRequest): Promise<void> {
    const until = clock.monotonic() + patience;
    while (isWeeding() && signal?.aborted !== true && clock.monotonic() < until) await sleep(clock, askAgainAfter);
  }

  /** `took`: the API server, in milliseconds. */
  async function one(request: ApiRequest): Promise<{ readonly result: ApiResult; readonly took: number }> {
    if (isWeeding()) await calm(request);
    const began = clock.monotonic();
    const result = await client.call(request);
    const took = clock.monotonic() - began;
    // What is made of the answer may take long: what has come in for others meanwhile is read before.
    await nextTurn();
    if (isWeeding()) await calm(request);
    return { result, took };
  }

  async function oneByOne(request: ApiRequest): Promise<ApiResult> {
    const release = await large.acquireEventually(`${namespaceOf(request)}/`);
    try {
      const { result, took } = await one(request);
      if (burst.take()) release();
      else void sleep(clock, Math.min(longestRest, took * restAfterLarge)).then(release);
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
      return isLarge ? oneByOne(request) : (await one(request)).result;
    },
  };
}

function namespaceOf({ path }: ApiRequest): string {
  return /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? '';
}
