import type { ApiServer } from '@weeder/embedded-cluster';
import type { JsonObject } from '../src/base/json.ts';
import type { VirtualClock } from '../src/base/virtualClock.ts';
import type { ApiResult } from '../src/client/client.ts';
import { classify } from '../src/client/failure.ts';
import type { ApiRequest } from '../src/client/request.ts';

/**
 * What happens to a request: it fails before it arrives, its response is lost, or it hangs until the client gives up.
 * Or it arrives only after so many ms (`late`: when the client no longer waits for it; `slow`: the client still waits,
 * and `then` may happen to it). Or it arrives at once, and its response after so many ms (`lateReply`). Or something
 * in front of the server responds, with this body.
 */
export type RequestFault =
  | 'unsent'
  | 'lost'
  | 'hang'
  | { readonly late: number }
  | { readonly slow: number; readonly then?: RequestFault }
  | { readonly lateReply: number }
  | { readonly body: unknown }
  | Refusal;

/** The Status that the server responds with, and further headers of its response. */
export interface Refusal {
  readonly status: number;
  readonly message?: string;
  readonly details?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

const broken = { ok: false, failure: { type: 'network', message: 'the connection was lost' } } as const;
const cancelled = { ok: false, failure: { type: 'cancelled', message: 'the request was cancelled' } } as const;

/** An embedded API server in virtual time, reached without HTTP. */
export function inProcess(server: ApiServer, clock: VirtualClock) {
  let waiting = 0;

  const send = (request: ApiRequest) => sendInProcess(server, clock, request);

  async function pause(ms: number): Promise<void> {
    waiting += 1;
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
    waiting -= 1;
  }

  async function slowly(request: ApiRequest, after: number, then: RequestFault | undefined): Promise<ApiResult> {
    await pause(after);
    return request.signal?.aborted ? cancelled : call(request, then);
  }

  async function sendAndWait(request: ApiRequest, ms: number): Promise<ApiResult> {
    const result = await send(request);
    await pause(ms);
    return result;
  }

  async function lose(request: ApiRequest, fault: 'unsent' | 'lost' | 'hang'): Promise<ApiResult> {
    if (fault === 'hang') return untilAborted(request);
    if (fault === 'lost') await send(request);
    return broken;
  }

  async function call(request: ApiRequest, fault: RequestFault | undefined): Promise<ApiResult> {
    if (fault === undefined) return send(request);
    if (typeof fault === 'string') return lose(request, fault);
    if ('body' in fault) return { ok: true, status: 200, body: fault.body };
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
    /** Sends a request of the product; `fault` happens to it. */
    call,
    /** The number of requests whose responses wait for time to pass. */
    get waiting() {
      return waiting;
    },
  };
}

function untilAborted({ signal }: ApiRequest): Promise<ApiResult> {
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve(cancelled), { once: true });
  });
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
