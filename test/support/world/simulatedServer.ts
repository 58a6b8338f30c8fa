import { readFileSync } from 'node:fs';
import { createApiServer, failure, type Resource, type Status } from '@weeder/embedded-cluster';
import { addressOf, customResource, wireObject } from '@weeder/embedded-cluster/registry';
import { customResourceDefinitions, namespaces, serviceAccounts } from '@weeder/embedded-cluster/resources';
import type { JsonObject } from '@weeder/kube-runtime/base';
import type { ApiRequest, ApiResult } from '@weeder/kube-runtime/client';
import { type ApiFailure, classify } from '@weeder/kube-runtime/client';
import { clientOf, sendInProcess, type VirtualClock, virtualClock } from '@weeder/kube-runtime/testing';
import { parse } from 'yaml';
import { made } from './embedded.ts';

/** The object or the collection that a request names. */
interface Named {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

/** How a request fails. `lost`: it is executed, and its response is lost. */
export type RequestFailure = 429 | 500 | 503 | 403 | 'network' | 'lost' | 'silent';

/** A request as it is sent. */
export interface ApiCall {
  /** The weeder process that sent it, by number. */
  readonly process: number;
  readonly request: ApiRequest;
  /** Undefined: a path that is not a resource. */
  readonly named: Named | undefined;
  /** The request changes something, if it succeeds. */
  readonly isWrite: boolean;
}

/** Observes all requests. */
export interface RequestListener {
  sent(call: ApiCall): void;
  /**
   * The request was executed; `before` and `after` are the same if it changed nothing, undefined if there is no object.
   */
  done(call: ApiCall, before: JsonObject | undefined, after: JsonObject | undefined): void;
  /** The request was refused, and would be refused again unless it changes. */
  refusedPermanently(call: ApiCall): void;
  answered(call: ApiCall): void;
}

/** The embedded API server in virtual time, without HTTP, so that thousands of requests take no time. */
export type SimulatedServer = ReturnType<typeof simulatedServer>;
type Failures = { readonly kind: RequestFailure; readonly probability: number } | undefined;

/** One for each possible application, beside `default`. */
const accounts = ['a0', 'a1', 'a2'];
/** Milliseconds. */
const timeout = 10_000;

export function simulatedServer(clock: VirtualClock, random: () => number, listener: RequestListener) {
  const embedded = createApiServer({ clock, random, resources: [applications] });
  const { storage, store } = embedded;
  made(store.create(namespaces, { metadata: { name: 'shop' } }));
  for (const name of accounts) made(store.create(serviceAccounts, { metadata: { name, namespace: 'shop' } }));

  const server = {
    storage,
    /** How requests fail from now on, with this probability; undefined: they succeed. */
    failures: undefined as Failures,
    get(resource: Resource, namespace: string, name: string): JsonObject | undefined {
      const object = storage.collectionOf(resource).get(namespace, name);
      return object === undefined ? undefined : wireObject(resource, object);
    },
    /**
     * Connects the client of a weeder process. A killed process sends nothing more; requests already sent are still
     * executed.
     */
    connect(process: number) {
      let isDisconnected = false;
      const client = clientOf((request) =>
        Promise.resolve(isDisconnected ? disconnected : exchange(callOf(process, request))),
      );
      const disconnect = () => {
        isDisconnected = true;
      };
      return { client, disconnect };
    },
  };

  function callOf(process: number, request: ApiRequest): ApiCall {
    const address = addressOf(storage.resources, request.path);
    const isWrite = request.method !== 'GET' && request.query?.['dryRun'] === undefined;
    if (address.type !== 'resource') return { process, request, named: undefined, isWrite };
    const { resource, namespace = '', name = '' } = address;
    return { process, request, named: { resource, namespace, name }, isWrite };
  }

  /** The way of a request and of its response. */
  function exchange(call: ApiCall): Promise<ApiResult> | ApiResult {
    const { signal } = call.request;
    if (signal?.aborted === true) return cancelled;
    const { promise, resolve } = Promise.withResolvers<ApiResult>();
    listener.sent(call);
    const cancel = () => answer(cancelled);
    signal?.addEventListener('abort', cancel, { once: true });
    clock.setTimeout(() => {
      void arrived(call, failureFor(call)).then(({ result, after }) => clock.setTimeout(() => answer(result), after));
    }, delay());
    return promise;

    function answer(result: ApiResult): void {
      signal?.removeEventListener('abort', cancel);
      listener.answered(call);
      resolve(result);
    }
  }

  /** Returns the response, which arrives some milliseconds later. */
  async function arrived(
    call: ApiCall,
    failure: RequestFailure | undefined,
  ): Promise<{ readonly result: ApiResult; readonly after: number }> {
    if (typeof failure === 'number') return { result: refusal(call.request, statusOf(failure)), after: delay() };
    const isLost = failure === 'network' || (failure === 'silent' && random() < 0.5);
    const result = isLost ? connectionLost : await act(call);
    if (failure === 'silent') return { result: timedOut, after: timeout };
    return { result: failure === 'lost' ? connectionLost : result, after: delay() };
  }

  /** Mostly a few milliseconds. */
  function delay(): number {
    return 1 + Math.floor(random() ** 4 * 150);
  }

  function failureFor({ isWrite }: ApiCall): RequestFailure | undefined {
    const { failures } = server;
    if (failures === undefined || random() >= failures.probability) return undefined;
    return failures.kind === 403 && !isWrite ? undefined : failures.kind;
  }

  async function act(call: ApiCall): Promise<ApiResult> {
    const { named, request } = call;
    const now = () => (named === undefined ? undefined : server.get(named.resource, named.namespace, named.name));
    const before = now();
    const result = await sendInProcess(embedded, clock, request);
    if (!call.isWrite || named === undefined) return result;
    if (result.ok) listener.done(call, before, now());
    else if (isPermanent(result.failure)) listener.refusedPermanently(call);
    return result;
  }

  function refusal({ isConfidential = false }: ApiRequest, status: Status): ApiResult {
    return {
      ok: false,
      failure: classify(status.code ?? 500, {}, JSON.stringify(status), clock.now(), isConfidential),
    };
  }

  return server;
}

type Refused = { readonly ok: false; readonly failure: ApiFailure };

const disconnected: Refused = { ok: false, failure: { type: 'cancelled', message: 'the process has ended' } };
const cancelled: Refused = { ok: false, failure: { type: 'cancelled', message: 'the request was cancelled' } };
const connectionLost: Refused = { ok: false, failure: { type: 'network', message: 'the connection was lost' } };
const timedOut: Refused = { ok: false, failure: { type: 'timeout', message: 'no response within 10 s' } };

/** Whether the request would be refused again. */
function isPermanent({ status }: ApiFailure): boolean {
  return status === 400 || status === 422;
}

/** Application, as defined in deploy/. */
export const applications = customKind(
  parse(readFileSync(new URL('../../../deploy/components/observer-named/crd.yaml', import.meta.url), 'utf8')),
);

/** The kind of the custom resources of a definition. */
export function customKind(definition: JsonObject): Resource {
  const { store } = createApiServer({ clock: virtualClock() });
  const created = made(store.create(customResourceDefinitions, definition));
  const kind = customResource(created);
  if (kind === undefined) throw new Error(`${created.metadata.name} cannot be served`);
  return kind;
}

function statusOf(code: 429 | 500 | 503 | 403): Status {
  if (code === 429) return failure(code, 'TooManyRequests', 'too many requests', { retryAfterSeconds: 1 });
  if (code === 500) return failure(code, 'InternalError', 'etcdserver: request timed out');
  if (code === 403) return failure(code, 'Forbidden', 'not allowed');
  return failure(code, 'ServiceUnavailable', 'the server is starting');
}
