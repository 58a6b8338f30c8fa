import { type ApiServer, type ApiServerOptions, createApiServer, seededRandom } from '@weeder/embedded-cluster';
import type { Cursor } from '@weeder/embedded-cluster/registry';
import { namespaces } from '@weeder/embedded-cluster/resources';
import type { JsonObject } from '@weeder/kube-runtime/base';
import type { ApiRequest, ApiResult, KubeClient } from '@weeder/kube-runtime/client';
import { classify } from '@weeder/kube-runtime/client';
import { clientOf, settled, type VirtualClock } from '@weeder/kube-runtime/testing';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { made } from './embedded.ts';
import { openStream } from './simulatedStreams.ts';

/**
 * What happens to a request: it fails before it arrives, its response is lost, or it arrives only after so many ms
 * (`late`: when the client no longer waits for it; `slow`: the client still waits, and `then` may happen to it). Or it
 * arrives at once, and its response after so many ms (`lateReply`).
 */
export type Fault =
  | 'unsent'
  | 'lost'
  | { readonly late: number }
  | { readonly slow: number; readonly then?: Fault }
  | { readonly lateReply: number }
  | Refusal;

/** The Status that the server responds with, and further headers of its response. */
export interface Refusal {
  readonly status: number;
  readonly message?: string;
  readonly details?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The embedded API server in virtual time, without HTTP, and the client and streams of a controller. */
export interface SimulatedCluster {
  readonly server: ApiServer;
  /** `faultOf` is called before each request. */
  client(faultOf: (request: ApiRequest) => Fault | undefined): KubeClient;
  /** Delivers the objects of these streams, and each change at once. Returns a function that closes them. */
  follow(needs: Iterable<StreamNeed>): () => void;
  /** The number of requests whose responses wait for time to pass. */
  readonly waiting: number;
}

/** It has the namespace `shop`. */
export function simulatedCluster(clock: VirtualClock, options: ApiServerOptions = {}): SimulatedCluster {
  const server = createApiServer({ clock, random: seededRandom(1), ...options });
  made(server.store.create(namespaces, { metadata: { name: 'shop' } }));
  let waiting = 0;

  const send = (request: ApiRequest) => sendInProcess(server, clock, request);

  async function pause(ms: number): Promise<void> {
    waiting += 1;
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
    waiting -= 1;
  }

  async function slowly(request: ApiRequest, after: number, then: Fault | undefined): Promise<ApiResult> {
    await pause(after);
    return request.signal?.aborted ? cancelled : call(request, then);
  }

  async function sendAndWait(request: ApiRequest, ms: number): Promise<ApiResult> {
    const result = await send(request);
    await pause(ms);
    return result;
  }

  async function call(request: ApiRequest, fault: Fault | undefined): Promise<ApiResult> {
    await settled();
    if (fault === 'unsent') return broken;
    if (fault === undefined) return send(request);
    if (fault === 'lost') {
      await send(request);
      return broken;
    }
    if ('status' in fault) return refusal(fault);
    if ('slow' in fault) return slowly(request, fault.slow, fault.then);
    if ('lateReply' in fault) return sendAndWait(request, fault.lateReply);
    clock.setTimeout(() => void send(request), fault.late);
    return broken;
  }

  function refusal({ status, message = 'refused', details = {}, headers = {} }: Refusal): ApiResult {
    const body = { kind: 'Status', status: 'Failure', message, reason: 'Refused', details, code: status };
    return { ok: false, failure: classify(status, headers, JSON.stringify(body), clock.now()) };
  }

  return {
    server,
    client: (faultOf) => clientOf((request) => call(request, faultOf(request))),
    follow(needs) {
      const cursors = [...needs].map((need) => open(server, need));
      return () => {
        for (const cursor of cursors) cursor?.close();
      };
    },
    get waiting() {
      return waiting;
    },
  };
}

/** Sends a request of the product to the server without HTTP, and returns the response as its client does. */
export async function sendInProcess(server: ApiServer, clock: VirtualClock, request: ApiRequest): Promise<ApiResult> {
  const { method, path, query = {}, body, isConfidential = false } = request;
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const response = await server.request({
    method,
    url: parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`,
    headers: headersOf(request),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response === undefined) return broken;
  const { status, headers, body: text } = response;
  if (status >= 400) return { ok: false, failure: classify(status, headers, text, clock.now(), isConfidential) };
  const { etag } = headers;
  const content: unknown = request.onlyStatus || status === 304 ? undefined : JSON.parse(text);
  return { ok: true, status, body: content, ...(etag === undefined ? {} : { etag }) };
}

function headersOf({ contentType = 'application/json', accept, etag, impersonate }: ApiRequest) {
  return {
    'user-agent': 'weeder',
    'content-type': contentType,
    ...(accept === undefined ? {} : { accept }),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(impersonate === undefined ? {} : { 'impersonate-user': impersonate }),
  };
}

const broken = { ok: false, failure: { type: 'network', message: 'the connection was lost' } } as const;
const cancelled = { ok: false, failure: { type: 'cancelled', message: 'the request was cancelled' } } as const;

/** Delivers the list now, and each change as soon as it is made. */
function open({ storage }: ApiServer, need: StreamNeed): Cursor | undefined {
  const { cursor, deliverDue } = openStream(storage, need, queueMicrotask);
  need.sink.begin();
  deliverDue();
  return cursor;
}
