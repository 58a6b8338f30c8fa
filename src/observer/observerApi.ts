import { type JsonObject, objectOf, textOf } from '../json.ts';
import type { ApiRequest, KubeClient } from '../kube/client.ts';
import type { ApiFailure } from '../kube/failure.ts';
import { type AskedOf, applyFailure, done, type Outcome } from './applyFailure.ts';
import { identityText } from './identity.ts';
import type { Target } from './resourceApi.ts';

/** How an apply is meant. */
export interface ApplyHow {
  /** One of the application's two. */
  readonly manager: string;
  /** Takes fields from other managers; without it they are a conflict, and nothing is written. */
  readonly force: boolean;
  /** The server only says what it would do. */
  readonly isTrial?: boolean;
}

/** The single requests about one object. Nothing here ever rejects. */
export interface ObserverApi {
  /**
   * As it is now, `missing` when it is not there. With weeder's own rights, as the streams: an account need not be
   * allowed to read, and nothing of it is told before an apply under the account has succeeded (A15).
   */
  read(target: Target, signal: AbortSignal): Promise<Outcome<JsonObject>>;
  /** Server-side apply: the object as it is then. */
  apply(target: Target, body: JsonObject, how: ApplyHow, signal: AbortSignal): Promise<Outcome<JsonObject>>;
  /** What the server would make of this new object. */
  tryCreate(target: Target, body: JsonObject, manager: string, signal: AbortSignal): Promise<Outcome<JsonObject>>;
  /** A JSON merge patch; the object as it is then. */
  patch(target: Target, patch: JsonObject, manager: string, signal: AbortSignal): Promise<Outcome<JsonObject>>;
  /** Only this object in the version that was read, and what it owns after it; `conflict`: it is another one by now. */
  remove(target: Target, live: JsonObject, signal: AbortSignal): Promise<Outcome<undefined>>;
}

/** The client says whether writes go out: `whileLeading` and `withoutWrites` of src/kube. */
export function observerApi(client: KubeClient): ObserverApi {
  type Asked = Omit<ApiRequest, 'path'> & { readonly path?: string };

  async function ask(target: Target, verb: AskedOf['verb'], request: Asked): Promise<Outcome<unknown>> {
    const isConfidential = target.identity.group === '' && target.identity.kind === 'Secret';
    const who = verb === 'get' || target.account === undefined ? {} : { impersonate: target.account };
    const result = await client.call({ path: target.path, isConfidential, ...who, ...request });
    return result.ok ? done(result.body) : refuse(target, verb, result.failure);
  }

  function refuse(target: Target, verb: AskedOf['verb'], failure: ApiFailure) {
    const plural = target.collection.split('/').at(-1) ?? '';
    return applyFailure(failure, { verb, plural, identity: target.identity }, client.server);
  }

  /** Something in front of the API server may answer with anything. */
  async function object(target: Target, verb: AskedOf['verb'], request: Asked, name = target.identity.name) {
    const answer = await ask(target, verb, request);
    if (!answer.ok) return answer;
    const metadata = objectOf(objectOf(answer.value)['metadata']);
    const isThat = objectOf(answer.value)['kind'] === target.identity.kind && metadata['name'] === name;
    const isWhole = verb === 'create' || textOf(metadata['resourceVersion']) !== undefined;
    if (isThat && isWhole) return done(objectOf(answer.value));
    return refuse(target, verb, {
      kind: 'badAnswer',
      message: `the answer is not the ${identityText(target.identity)}`,
    });
  }

  return {
    read: (target, signal) => object(target, 'get', { method: 'GET', signal }),
    apply: (target, body, { manager, force, isTrial = false }, signal) =>
      object(target, 'patch', {
        method: 'PATCH',
        query: { fieldManager: manager, force, ...(isTrial ? { dryRun: 'All' } : {}) },
        contentType: 'application/apply-patch+yaml',
        body,
        signal,
      }),
    tryCreate: (target, body, manager, signal) =>
      object(
        target,
        'create',
        {
          method: 'POST',
          path: target.collection,
          query: { fieldManager: manager, dryRun: 'All' },
          body,
          signal,
        },
        textOf(objectOf(body['metadata'])['name']),
      ),
    patch: (target, patch, manager, signal) =>
      object(target, 'patch', {
        method: 'PATCH',
        query: { fieldManager: manager },
        contentType: 'application/merge-patch+json',
        body: patch,
        signal,
      }),
    async remove(target, live, signal) {
      const { uid, resourceVersion } = objectOf(live['metadata']);
      const body = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' };
      const answer = await ask(target, 'delete', { method: 'DELETE', body, signal, onlyStatus: true });
      return answer.ok ? done(undefined) : answer;
    },
  };
}
