import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { ApiRequest, KubeClient } from '../kube/client.ts';
import { bytesOf } from './measure.ts';
import { createSlots } from './slots.ts';

export interface CourtesyOptions {
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
 * A client that leaves the API server to the weeder: no request begins while pods are being deleted, for five seconds at
 * most, and large objects are written one after the other.
 */
export function courteous(client: KubeClient, { clock, isWeeding }: CourtesyOptions): KubeClient {
  const large = createSlots(1, 0);

  function after(ms: number): Promise<void> {
    return new Promise((resolve) => {
      clock.setTimeout(resolve, ms);
    });
  }

  async function calm({ signal }: ApiRequest): Promise<void> {
    const until = clock.monotonic() + patience;
    while (isWeeding() && signal?.aborted !== true && clock.monotonic() < until) await after(askAgainAfter);
  }

  async function one(request: ApiRequest) {
    if (isWeeding()) await calm(request);
    const result = await client.call(request);
    // What is made of the answer may take long: what has come in for others meanwhile is read before.
    await nextTurn();
    if (isWeeding()) await calm(request);
    return result;
  }

  async function oneByOne(request: ApiRequest) {
    const release = await large.wait(`${namespaceOf(request)}/`);
    try {
      return await one(request);
    } finally {
      release();
    }
  }

  return {
    ...client,
    call: (request) =>
      request.body !== undefined && bytesOf(request.body, largeBody) > largeBody ? oneByOne(request) : one(request),
  };
}

function namespaceOf({ path }: ApiRequest): string {
  return /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? '';
}
