import { type ApiStore, createApiServer, failure } from '@weeder/embedded-cluster';
import { leases } from '@weeder/embedded-cluster/resources';
import { objectOf } from '@weeder/kube-runtime/base';
import type { ApiRequest, ApiResult, KubeClient, StreamResult } from '@weeder/kube-runtime/client';
import { type ApiFailure, classify } from '@weeder/kube-runtime/client';
import { clientOf, sendInProcess, type VirtualClock } from '@weeder/kube-runtime/testing';

/** What happens to a request: milliseconds until it is executed, and from then on until the response. */
export interface Delivery {
  readonly there: number;
  readonly back: number;
  /**
   * The request is refused with this status, gets an invalid response, or is lost in transit, or its response is lost.
   */
  readonly end?: number | 'nonsense' | 'lost' | 'answerLost';
}

export interface LeaseRequest extends Pick<ApiRequest, 'method' | 'path' | 'body'> {
  readonly by: string;
  readonly isWatch: boolean;
}

export const where = { namespace: 'default', name: 'dwd-weeder-leader-election' };
const well: Delivery = { there: 1, back: 1 };

/** The embedded API server's leases, in virtual time and without HTTP. A test sets how each request is delivered. */
export type LeaseApi = ReturnType<typeof leaseApi>;

export function leaseApi(clock: VirtualClock) {
  const server = createApiServer({ clock });
  const { store } = server;
  const requests: LeaseRequest[] = [];
  let deliveryOf: ((request: LeaseRequest) => Delivery | undefined) | undefined;

  async function resultFor(request: ApiRequest, end: Delivery['end']): Promise<ApiResult> {
    if (end === 'nonsense') return { ok: true, status: 200, body: { kind: 'Status' } };
    return typeof end === 'number' ? refused(end, clock) : sendInProcess(server, clock, request);
  }

  function take(by: string, { method, path, body }: ApiRequest, isWatch: boolean): Delivery {
    const request = { by, method, path, body, isWatch };
    requests.push(request);
    return deliveryOf?.(request) ?? well;
  }

  return {
    store,
    requests,
    /** Called for each request; undefined: every request succeeds. */
    setDelivery: (next: ((request: LeaseRequest) => Delivery | undefined) | undefined) => {
      deliveryOf = next;
    },
    /** The spec of the Lease. */
    spec: () => objectOf(store.get(leases, where.namespace, where.name)?.['spec']),
    /** Creates a client of this name; `deliver` runs what reaches the client, when it can. */
    client: (by: string, deliver: (arrive: () => void) => void): KubeClient => ({
      ...clientOf((request) => {
        const { there, back, end } = take(by, request, false);
        return new Promise((resolve) => {
          const answer = (result: ApiResult) => deliver(() => resolve(result));
          clock.setTimeout(() => answer(timedOut), request.timeoutMs ?? 10_000);
          request.signal?.addEventListener('abort', () => answer(cancelled));
          clock.setTimeout(() => {
            if (end === 'lost') return;
            void resultFor(request, end).then((result) => {
              if (end !== 'answerLost') clock.setTimeout(() => answer(result), back);
            });
          }, there);
        });
      }),
      async openStream(request): Promise<StreamResult> {
        const { end } = take(by, request, true);
        if (end !== undefined) return broken;
        return { ok: true, connection: 1, body: watchLines(store, deliver, request.signal) };
      },
    }),
  };
}

const timedOut: ApiResult = { ok: false, failure: { type: 'timeout', message: 'nothing came' } };
const cancelled: ApiResult = { ok: false, failure: { type: 'cancelled', message: 'the request was cancelled' } };
const broken: { readonly ok: false; readonly failure: ApiFailure } = {
  ok: false,
  failure: { type: 'network', message: 'the server does not respond' },
};

function refused(code: number, clock: VirtualClock): ApiResult {
  return { ok: false, failure: classify(code, {}, JSON.stringify(failure(code, 'Refused', 'no')), clock.now()) };
}

/** Yields everything that happens to the Lease from now on. */
async function* watchLines(
  store: ApiStore,
  deliver: (arrive: () => void) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const lines: Buffer[] = [];
  let wake: () => void = () => undefined;
  const stop = store.watch(leases, { namespace: where.namespace }, (type, object) => {
    deliver(() => {
      lines.push(Buffer.from(`${JSON.stringify({ type, object })}\n`));
      wake();
    });
  });
  signal?.addEventListener('abort', () => wake());
  while (signal?.aborted !== true) {
    const line = lines.shift();
    if (line !== undefined) yield line;
    else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  stop();
}
