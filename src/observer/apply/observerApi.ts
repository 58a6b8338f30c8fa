import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import {
  type ApiFailure,
  type ApiRequest,
  type ApiResult,
  acceptOf,
  type KubeClient,
} from '@weeder/kube-runtime/client';
import { applyFailure, done, type Outcome } from '../objects/applyFailure.ts';
import type { RequestSummary } from '../objects/describeApplyFailure.ts';
import { identityText } from '../objects/identity.ts';
import type { Collection, Page, ResourceApi, Target } from '../plan/resourceApi.ts';
import { accessReview } from './accessReview.ts';

/** The options of an apply. */
interface ApplyOptions {
  /** One of the application's two field managers. */
  readonly manager: string;
  /** Takes fields from other managers. Without it they cause a conflict, and nothing is written. */
  readonly force: boolean;
  /** The API server does not store the result. */
  readonly isDryRun?: boolean;
}

/** The response to an apply without force. */
interface Made {
  readonly object: JsonObject;
  /** False if the object existed before and the apply has only added to it. */
  readonly isNew: boolean;
}

/** The single requests about one object. They never reject. */
export interface ObserverApi extends Pick<ResourceApi, 'may' | 'tryPatch'> {
  /**
   * Reads the live object; `missing` if it does not exist. It uses weeder's own permissions, as the streams do, so
   * nothing of the object may be reported before the ServiceAccount is proven to have access.
   */
  read(target: Target, signal: AbortSignal): Promise<Outcome<JsonObject>>;
  /** Reads the metadata of objects, up to a limit, as the account. A kind that is not served has none. */
  list(collection: Collection, account: string | undefined, signal: AbortSignal, from?: string): Promise<Outcome<Page>>;
  /** Server-side apply. Returns the resulting object. */
  apply(target: Target, body: JsonObject, how: ApplyOptions, signal: AbortSignal): Promise<Outcome<JsonObject>>;
  /** Applies without force an object that is expected not to exist. The status code says whether it existed. */
  create(target: Target, body: JsonObject, manager: string, signal: AbortSignal): Promise<Outcome<Made>>;
  /** Returns what the API server would make of this new object. */
  dryRunCreate(target: Target, body: JsonObject, manager: string, signal: AbortSignal): Promise<Outcome<JsonObject>>;
  /** Sends a JSON merge patch. Returns the resulting object. */
  patch(target: Target, patch: JsonObject, manager: string, signal: AbortSignal): Promise<Outcome<JsonObject>>;
  /** Deletes this version of the object, and by default its dependents. `conflict` if it has changed. */
  remove(
    target: Target,
    live: JsonObject,
    signal: AbortSignal,
    propagationPolicy?: 'Background' | 'Orphan',
  ): Promise<Outcome<undefined>>;
}

const created = 201;
const pageSize = 500;

/** The client decides whether writes are sent: see `leaderGate` and `dryRunClient` in @weeder/kube-runtime. */
export function observerApi(client: KubeClient): ObserverApi {
  type ObjectRequest = Omit<ApiRequest, 'path'> & { readonly path?: string };
  type Answer = Extract<ApiResult, { readonly ok: true }>;

  async function send(target: Target, verb: RequestSummary['verb'], request: ObjectRequest): Promise<Outcome<Answer>> {
    const isConfidential = target.identity.group === '' && target.identity.kind === 'Secret';
    const who = verb === 'get' || target.account === undefined ? {} : { impersonate: target.account };
    const result = await client.call({ path: target.path, isConfidential, ...who, ...request });
    return result.ok ? done(result) : refuse(target, verb, result.failure);
  }

  function refuse(target: Pick<Target, 'identity' | 'collection'>, verb: RequestSummary['verb'], failure: ApiFailure) {
    const plural = target.collection.split('/').at(-1) ?? '';
    return applyFailure(failure, { verb, plural, identity: target.identity }, client.server);
  }

  /** Checks that the response is the object, because a proxy in front of the API server may respond with anything. */
  async function made(
    target: Target,
    verb: RequestSummary['verb'],
    request: ObjectRequest,
    name = target.identity.name,
  ): Promise<Outcome<Made>> {
    const answer = await send(target, verb, request);
    if (!answer.ok) return answer;
    const { body, status } = answer.value;
    const metadata = objectOf(objectOf(body)['metadata']);
    const isThat = objectOf(body)['kind'] === target.identity.kind && metadata['name'] === name;
    // The response to a dry run without an existing object has no resource version.
    const isTrial = request.query?.['dryRun'] !== undefined;
    const isWhole = isTrial || textOf(metadata['resourceVersion']) !== undefined;
    if (isThat && isWhole) return done({ object: objectOf(body), isNew: status === created });
    return refuse(target, verb, {
      type: 'badAnswer',
      message: `the answer is not the ${identityText(target.identity)}`,
    });
  }

  async function object(...request: Parameters<typeof made>): Promise<Outcome<JsonObject>> {
    const answer = await made(...request);
    return answer.ok ? done(answer.value.object) : answer;
  }

  function applying(
    body: JsonObject,
    { manager, force, isDryRun = false }: ApplyOptions,
    signal: AbortSignal,
  ): ObjectRequest {
    const query = { fieldManager: manager, force, ...(isDryRun ? { dryRun: 'All' } : {}) };
    return { method: 'PATCH', query, contentType: 'application/apply-patch+yaml', body, signal };
  }

  return {
    may: accessReview(client),
    async tryPatch(target, signal) {
      const patched = await object(target, 'patch', {
        method: 'PATCH',
        query: { dryRun: 'All' },
        contentType: 'application/merge-patch+json',
        body: {},
        signal,
      });
      return patched.ok ? done(undefined) : patched;
    },
    async list({ path, ...kind }, account, signal, from) {
      const result = await client.call({
        method: 'GET',
        path,
        query: { limit: pageSize, continue: from },
        accept: acceptOf('metadata', 'list'),
        isConfidential: true,
        signal,
        ...(account === undefined ? {} : { impersonate: account }),
      });
      if (!result.ok && result.failure.type === 'notFound')
        return done({ metadata: [], remaining: 0, next: undefined });
      if (!result.ok) {
        const identity = { ...kind, namespace: '', name: '' };
        return refuse({ identity, collection: path }, 'list', result.failure);
      }
      const { metadata, items } = objectOf(result.body);
      const { continue: next, remainingItemCount } = objectOf(metadata);
      return done({
        metadata: arrayOf(items).map((item) => objectOf(objectOf(item)['metadata'])),
        remaining: numberOf(remainingItemCount) ?? 0,
        next: textOf(next) || undefined,
      });
    },
    read: (target, signal) => object(target, 'get', { method: 'GET', signal }),
    apply: (target, body, how, signal) => object(target, 'patch', applying(body, how, signal)),
    create: (target, body, manager, signal) => made(target, 'patch', applying(body, { manager, force: false }, signal)),
    dryRunCreate: (target, body, manager, signal) =>
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
    async remove(target, live, signal, propagationPolicy = 'Background') {
      const { uid, resourceVersion } = objectOf(live['metadata']);
      const body = { preconditions: { uid, resourceVersion }, propagationPolicy };
      const answer = await send(target, 'delete', { method: 'DELETE', body, signal, onlyStatus: true });
      return answer.ok ? done(undefined) : answer;
    },
  };
}
