import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../src/base/json.ts';
import { type VirtualClock, virtualClock } from '../src/base/virtualClock.ts';
import type { ApiResult } from '../src/client/client.ts';
import type { ApiFailure } from '../src/client/failure.ts';
import type { ApiRequest } from '../src/client/request.ts';
import type { EventDraft } from '../src/events/event.ts';
import { createEventRecorder, type EventRecorder } from '../src/events/events.ts';
import { clientOf } from './clientOf.ts';

type Answer = (request: ApiRequest) => ApiFailure | 'hang' | undefined;

/** A recorder in virtual time, and the Events that its API server holds. */
export interface EventApi {
  readonly clock: VirtualClock;
  readonly recorder: EventRecorder;
  /** By `namespace/name`. */
  readonly stored: Map<string, JsonObject>;
  /** The other objects that it serves, by path. */
  readonly objects: Map<string, JsonObject>;
  /** Every request so far, with its time in milliseconds since the start. */
  readonly requests: (ApiRequest & { readonly at: number })[];
  readonly logged: { readonly event: object; readonly sentence: string }[];
  /** The number of requests in flight now, and the maximum so far. */
  readonly inFlight: { now: number; max: number };
  /**
   * From now on the API server fails in this way instead of responding; `hang`: it does not respond until the request
   * is aborted. Undefined: it works as usual.
   */
  answer: Answer;
  mustWait: boolean;
}

export function eventApi({ latency = 0 }: { readonly latency?: number } = {}): EventApi {
  const clock = virtualClock();
  const began = clock.monotonic();
  const stored: EventApi['stored'] = new Map();
  const objects: EventApi['objects'] = new Map();
  const requests: EventApi['requests'] = [];
  const logged: EventApi['logged'] = [];
  const inFlight = { now: 0, max: 0 };

  function serve(request: ApiRequest): ApiResult {
    if (request.method !== 'GET') return write(request);
    const body = objects.get(request.path);
    if (body === undefined) return refuse({ type: 'notFound', status: 404, message: 'not found' });
    return { ok: true, status: 200, body };
  }

  function write({ method, path, body }: ApiRequest): ApiResult {
    const [, namespace = '', name] = /\/namespaces\/([^/]+)\/events(?:\/(.+))?$/.exec(path) ?? [];
    const given = objectOf(body);
    const key = `${namespace}/${name ?? textOf(objectOf(given['metadata'])['name'])}`;
    const existing = stored.get(key);
    if (method === 'POST' && existing !== undefined)
      return refuse({ type: 'conflict', status: 409, message: 'exists' });
    if (method === 'PATCH' && existing === undefined)
      return refuse({ type: 'notFound', status: 404, message: 'not found' });
    stored.set(key, { ...existing, ...given });
    return { ok: true, status: 200, body: given };
  }

  async function call(request: ApiRequest): Promise<ApiResult> {
    requests.push({ ...request, at: clock.monotonic() - began });
    inFlight.now += 1;
    inFlight.max = Math.max(inFlight.max, inFlight.now);
    const failure = api.answer(request);
    if (failure === 'hang') await aborted(request.signal);
    else if (latency > 0) await new Promise<void>((resolve) => void clock.setTimeout(resolve, latency));
    inFlight.now -= 1;
    if (failure === 'hang') return refuse({ type: 'cancelled', message: 'the request was cancelled' });
    return failure === undefined ? serve(request) : refuse(failure);
  }

  const client = clientOf(call);
  const log = { warn: (event: object, sentence: string) => void logged.push({ event, sentence }) };
  const source = { controller: 'weeder.dev/weeder', instance: 'weeder-0' };
  const mustWait = () => api.mustWait;
  const recorder = createEventRecorder({ client, clock, log, source, mustWait, random: () => 1 });
  const api: EventApi = {
    clock,
    recorder,
    stored,
    objects,
    requests,
    logged,
    inFlight,
    answer: () => undefined,
    mustWait: false,
  };
  return api;
}

/** An occurrence about a pod. */
export function occurrence(
  part: Partial<Omit<EventDraft, 'regarding'>> & { pod?: string; namespace?: string } = {},
): EventDraft {
  const { pod = 'web-0', namespace = 'shop', ...rest } = part;
  const regarding = { apiVersion: 'v1', kind: 'Pod', namespace, name: pod, uid: `uid-of-${pod}` };
  return { regarding, type: 'Normal', reason: 'PodDeleted', action: 'Delete', note: 'Deleted.', ...rest };
}

/** The `count` of each stored Event, by its note, as the API serves it. */
export function countsByNote({ stored }: EventApi): Record<string, number> {
  const entries = [...stored.values()].map(({ note, series }): [string, number] => [
    String(note),
    isObject(series) ? (numberOf(series['count']) ?? Number.NaN) : 1,
  ]);
  return Object.fromEntries(entries);
}

function refuse(failure: ApiFailure): ApiResult {
  return { ok: false, failure };
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
