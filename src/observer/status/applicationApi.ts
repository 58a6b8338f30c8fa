import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { ApiFailure, ApiResult, KubeClient } from '@weeder/kube-runtime/client';
import { describeFailure } from '@weeder/kube-runtime/client';
import { apiPath } from '@weeder/kube-runtime/objects';
import { createSemaphore } from '@weeder/kube-runtime/queue';
import { type ApplyFailure, done, failed, type Outcome } from '../objects/applyFailure.ts';
import { finalizer } from '../objects/fieldManagers.ts';
import { maxConcurrentRequests } from '../plan/resourceApi.ts';
import { statusJsonPatch } from './statusPatch.ts';

/** The API group and version of applications. */
export const applicationsGroup = 'weeder.dev';
export const applicationsVersion = 'v1alpha1';

/** One application, and no later one of its name. */
export interface ApplicationRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The finalizers of an object in one version. */
interface SeenFinalizers {
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
}

/** The requests about applications themselves, all with weeder's own permissions. No promise rejects. */
export interface ApplicationApi {
  /**
   * Sets these fields of the status, which is expected to be `before`. `missing`, `otherUid`: the application was
   * deleted; `conflict`: the status has changed.
   */
  patchStatus(ref: ApplicationRef, before: unknown, fields: JsonObject): Promise<Outcome<undefined>>;
  /** Reads the current object. `missing`, `otherUid`: the application was deleted. */
  read(ref: ApplicationRef): Promise<Outcome<JsonObject>>;
  /**
   * Leaves other finalizers as they are. `seen`: the version that a stream reported last; if it is outdated, the object
   * is read.
   */
  addFinalizer(ref: ApplicationRef, seen?: SeenFinalizers): Promise<Outcome<undefined>>;
  removeFinalizer(ref: ApplicationRef): Promise<Outcome<undefined>>;
  /** Returns true if the ServiceAccount exists. */
  hasAccount(namespace: string, name: string): Promise<Outcome<boolean>>;
  /** Returns true if the namespace is being deleted or does not exist. */
  isTerminating(namespace: string): Promise<Outcome<boolean>>;
}

/** Returns the path of the collection, cluster-wide or in one namespace, or of one application. */
export function applicationsPath(namespace: string | undefined, name?: string): string {
  return apiPath(`${applicationsGroup}/${applicationsVersion}`, 'applications', { namespace, name });
}

export function applicationApi(client: KubeClient): ApplicationApi {
  const slots = createSemaphore(maxConcurrentRequests);
  const pathOf = ({ namespace, name }: ApplicationRef) => applicationsPath(namespace, name);

  async function withSlot<T>({ namespace, name }: ApplicationRef, act: () => Promise<T>): Promise<T> {
    const release = await slots.acquireEventually(`${namespace}/${name}`);
    try {
      return await act();
    } finally {
      release();
    }
  }

  function patch(path: string, type: 'merge' | 'json', body: unknown): Promise<ApiResult> {
    const contentType = `application/${type}-patch+json`;
    const query = { fieldManager: 'weeder' };
    return client.call({ method: 'PATCH', path, query, contentType, body, onlyStatus: true });
  }

  /**
   * A failed `test` operation has the same response as an operation that cannot be applied: a failure without a cause.
   * The object is read to distinguish them.
   */
  async function patchFailure(ref: ApplicationRef, failure: ApiFailure): Promise<Outcome<undefined>> {
    if (failure.type !== 'invalid' || failure.causes !== undefined) return refused(failure, client.server);
    const read = await client.call({ method: 'GET', path: pathOf(ref) });
    if (!read.ok) return refused(read.failure, client.server);
    const { uid } = objectOf(objectOf(read.body)['metadata']);
    return uid === ref.uid ? failed('conflict', 'its status is not what it was.') : otherUid(ref);
  }

  /**
   * The patch requires this uid and this version, since a list can only be replaced as a whole. When an object itself
   * is patched, and not its status, the API server refuses another uid.
   */
  async function changeFinalizers(
    ref: ApplicationRef,
    change: (those: readonly string[]) => readonly string[],
  ): Promise<Outcome<undefined>> {
    const read = await client.call({ method: 'GET', path: pathOf(ref) });
    if (!read.ok) return refused(read.failure, client.server);
    const { uid, resourceVersion, finalizers } = objectOf(objectOf(read.body)['metadata']);
    if (uid !== ref.uid) return otherUid(ref);
    const before = arrayOf(finalizers).flatMap((each) => textOf(each) ?? []);
    const after = change(before);
    if (after.length === before.length) return { ok: true, value: undefined };
    return writeFinalizers(ref, { resourceVersion: textOf(resourceVersion) ?? '', finalizers: after });
  }

  async function writeFinalizers(ref: ApplicationRef, seen: SeenFinalizers): Promise<Outcome<undefined>> {
    const { resourceVersion, finalizers } = seen;
    const reply = await patch(pathOf(ref), 'merge', { metadata: { uid: ref.uid, resourceVersion, finalizers } });
    return reply.ok ? done(undefined) : refused(reply.failure, client.server);
  }

  async function addFinalizer(ref: ApplicationRef, seen: SeenFinalizers | undefined): Promise<Outcome<undefined>> {
    if (seen !== undefined) {
      const { resourceVersion, finalizers } = seen;
      const written = await writeFinalizers(ref, { resourceVersion, finalizers: [...finalizers, finalizer] });
      if (written.ok || written.failure.type !== 'conflict') return written;
    }
    return changeFinalizers(ref, (those) => (those.includes(finalizer) ? those : [...those, finalizer]));
  }

  return {
    read: (ref) =>
      withSlot(ref, async () => {
        const read = await client.call({ method: 'GET', path: pathOf(ref), isConfidential: true });
        if (!read.ok) return refused(read.failure, client.server);
        const object = objectOf(read.body);
        return objectOf(object['metadata'])['uid'] === ref.uid ? done(object) : otherUid(ref);
      }),
    patchStatus: (ref, before, fields) =>
      withSlot(ref, async () => {
        const reply = await patch(`${pathOf(ref)}/status`, 'json', statusJsonPatch(ref.uid, before, fields));
        return reply.ok ? done(undefined) : patchFailure(ref, reply.failure);
      }),
    addFinalizer: (ref, seen) => withSlot(ref, () => addFinalizer(ref, seen)),
    removeFinalizer: (ref) =>
      withSlot(ref, () => changeFinalizers(ref, (those) => those.filter((each) => each !== finalizer))),
    hasAccount: (namespace, name) =>
      withSlot({ namespace, name, uid: '' }, async () => {
        const path = apiPath('v1', 'serviceaccounts', { namespace, name });
        const read = await client.call({ method: 'GET', path });
        if (!read.ok && read.failure.type !== 'notFound') return refused(read.failure, client.server);
        return done(read.ok);
      }),
    async isTerminating(namespace) {
      const read = await client.call({ method: 'GET', path: apiPath('v1', 'namespaces', { name: namespace }) });
      if (!read.ok && read.failure.type === 'notFound') return { ok: true, value: true };
      if (!read.ok) return refused(read.failure, client.server);
      return { ok: true, value: textOf(objectOf(objectOf(read.body)['metadata'])['deletionTimestamp']) !== undefined };
    },
  };
}

function refused(failure: ApiFailure, server: string): { readonly ok: false; readonly failure: ApplyFailure } {
  const reason = describeFailure(failure, server);
  return { ok: false, failure: { type: classOf(failure), reason, retryAfter: failure.retryAfterMs ?? 0, fields: [] } };
}

function classOf({ type }: ApiFailure): ApplyFailure['type'] {
  if (type === 'notFound') return 'missing';
  if (type === 'conflict' || type === 'forbidden' || type === 'cancelled') return type;
  return type === 'invalid' || type === 'rejected' ? 'permanent' : 'transient';
}

function otherUid({ namespace, name }: ApplicationRef): Outcome<never> {
  return failed('otherUid', `there is another application ${namespace}/${name} now.`);
}
