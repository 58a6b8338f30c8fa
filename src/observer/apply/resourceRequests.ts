import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { conflictingManagerOf, lastManagerOf } from '../drift/conflictingManager.ts';
import { done, failed, type Outcome } from '../objects/applyFailure.ts';
import { type ApplicationOwner, annotationName, labelName, managersOf } from '../objects/fieldManagers.ts';
import { listed } from '../objects/wording.ts';
import { checkContents } from '../ownership/checkContents.ts';
import { keepMarkOf } from '../ownership/keepMark.ts';
import {
  isProvenApplied,
  isTerminating,
  notApplied,
  ownershipConflict,
  ownershipOf,
  uidOf,
  versionOf,
} from '../ownership/ownership.ts';
import type { Contents, ResourceApi, ResourcePlan, Target } from '../plan/resourceApi.ts';
import { correctResource } from './correctResource.ts';
import { createResource } from './createResource.ts';
import { dryRunApply, dryRunOrApplied } from './dryRunApply.ts';
import { withoutGoneVersions } from './goneVersions.ts';
import { type ObserverApi, observerApi } from './observerApi.ts';
import { retryOnConflict } from './retryOnConflict.ts';
import { withManagers, withoutManagers } from './takeOver.ts';
import { updateResource } from './updateResource.ts';

/** Returns the requests that the machines send about one resource. Each procedure has its own file. */
export function resourceRequests(client: KubeClient): ResourceApi {
  const api = withoutGoneVersions(observerApi(client));
  return {
    may: api.may,
    tryPatch: api.tryPatch,
    async read(target, signal) {
      const existing = await api.read(target, signal);
      return existing.ok || existing.failure.type !== 'missing' ? existing : done(undefined);
    },
    create: (plan, signal, isAbsent) => createResource(api, plan, signal, isAbsent),
    correct: (plan, live, drifts, signal) => correctResource(api, plan, live, drifts, signal),
    update: (plan, live, signal) => updateResource(api, plan, live, signal),
    dryRunApply: (plan, signal) => dryRunOrApplied(api, plan, signal),
    dryRunAgain: (plan, signal) => dryRunApply(api, plan, signal),
    delete: (target, owner, appliedUid, signal, contents) =>
      deleteResource(api, target, owner, appliedUid, signal, contents),
    removeStaleClaim: (plan, live, signal) => removeStaleClaim(api, plan, live, signal),
    release: (target, owner, appliedUid, signal, to) => releaseResource(api, target, owner, appliedUid, signal, to),
  };
}

/**
 * Deletes an object that an application has applied, and its dependents, or releases it if it has a mark by which its
 * author keeps it, and returns the mark. It needs proof of the apply, and deletes only
 * the version that was read with the proof: never an object that another application has claimed, or another object of
 * the same name. `missing`: it did not exist. `otherUid`: nothing proves that the application has applied it.
 * `terminating`: it is deleted and still exists.
 */
export async function deleteResource(
  api: ObserverApi,
  target: Target,
  owner: ApplicationOwner,
  appliedUid: string | undefined,
  signal: AbortSignal,
  contents?: Contents,
): Promise<Outcome<string | undefined>> {
  return retryOnConflict<string | undefined>(async () => {
    const existing = await readProven(api, target, owner, appliedUid, signal);
    if (!existing.ok) return existing;
    if (isTerminating(existing.value)) return terminatingOutcome(existing.value, owner);
    const mark = keepMarkOf(existing.value);
    if (mark !== undefined) {
      const released = await releaseVersion(api, target, existing.value, owner, signal);
      return released.ok ? done(mark) : released;
    }
    const list: Parameters<typeof checkContents>[0] = (its, from) => api.list(its, target.account, signal, from);
    const checked = contents === undefined ? done(undefined) : await checkContents(list, existing.value, contents);
    if (!checked.ok) return checked;
    const removed = await api.remove(target, existing.value, signal);
    return removed.ok ? checkDeleted(api, target, owner, existing.value, signal) : removed;
  });
}

/** Finalizers and the grace period of a pod delay the end of a deleted object. */
async function checkDeleted(
  api: ObserverApi,
  target: Target,
  owner: ApplicationOwner,
  deleted: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<undefined>> {
  const existing = await api.read(target, signal);
  if (existing.ok)
    return uidOf(existing.value) === uidOf(deleted) ? terminatingOutcome(existing.value, owner) : done(undefined);
  return existing.failure.type === 'missing' ? done(undefined) : existing;
}

/** Names the client that is to remove the finalizers, which nothing in the object says: most likely the one that set them. */
function terminatingOutcome(live: JsonObject, owner: ApplicationOwner): Outcome<undefined> {
  const finalizers = arrayOf(objectOf(live['metadata'])['finalizers']).map(String);
  if (finalizers.length === 0) return failed('terminating', 'waits for its grace period');
  const setBy = conflictingManagerOf(live, { path: '.metadata.finalizers', type: 'changed' }, owner);
  const last = lastManagerOf(live, owner);
  const who = setBy === undefined ? last && `, last written by ${last}` : `, set by ${setBy}`;
  return failed('terminating', `waits for its finalizers ${listed(finalizers)}${who ?? ''}`);
}

/** Reads the object and checks the proof that the application has applied it. */
async function readProven(
  api: ObserverApi,
  target: Target,
  owner: ApplicationOwner,
  appliedUid: string | undefined,
  signal: AbortSignal,
): ReturnType<ObserverApi['read']> {
  const existing = await api.read(target, signal);
  if (!existing.ok) {
    // weeder does not observe an object that it may not read. Then only a response can prove an apply.
    const isUnseen = existing.failure.type === 'forbidden' && appliedUid === undefined;
    return isUnseen ? notApplied(owner, target.identity) : existing;
  }
  const ownership = ownershipOf(existing.value, owner);
  if (ownership.type === 'otherApplication') return ownershipConflict(ownership.by, owner, target.identity);
  return isProvenApplied(existing.value, owner, appliedUid) ? existing : notApplied(owner, target.identity);
}

/**
 * Releases a resource: one patch removes the label, the annotation and the entries of both managers, or makes them those
 * of the application `to`, and changes no other field. An apply of an empty body would clear the object. It needs the
 * same proof as a deletion: it writes nothing to an object that another application has claimed or that this one has not
 * applied.
 */
export async function releaseResource(
  api: ObserverApi,
  target: Target,
  owner: ApplicationOwner,
  appliedUid: string | undefined,
  signal: AbortSignal,
  to?: ApplicationOwner,
): Promise<Outcome<undefined>> {
  return retryOnConflict(async () => {
    const existing = await readProven(api, target, owner, appliedUid, signal);
    return existing.ok ? releaseVersion(api, target, existing.value, owner, signal, to) : existing;
  });
}

/** Releases this version of the object. `conflict`: it has changed since. */
async function releaseVersion(
  api: ObserverApi,
  target: Target,
  live: JsonObject,
  owner: ApplicationOwner,
  signal: AbortSignal,
  to?: ApplicationOwner,
): Promise<Outcome<undefined>> {
  // The manager of a patch owns what it changes: of a new label, that is the new application.
  const { own } = to ?? owner;
  const reply = await api.patch(target, ownershipPatch(live, owner, to), own, signal);
  return reply.ok ? done(undefined) : reply;
}

/** Removes the label, annotation and managers of an application that does not exist. */
async function removeStaleClaim(
  api: ObserverApi,
  { target, owner }: Pick<ResourcePlan, 'target' | 'owner'>,
  live: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const label = textOf(objectOf(objectOf(live['metadata'])['labels'])[labelName]) ?? '';
  return api.patch(target, ownershipPatch(live, managersOf(label)), owner.own, signal);
}

/** Returns a patch that applies only to this resource version. */
function ownershipPatch(
  live: JsonObject,
  { own, init }: Pick<ApplicationOwner, 'own' | 'init'>,
  to?: ApplicationOwner,
): JsonObject {
  const managedFields =
    to === undefined
      ? withoutManagers(live, new Set([own, init]))
      : withManagers(
          live,
          new Map([
            [own, to.own],
            [init, to.init],
          ]),
        );
  return {
    metadata: {
      uid: uidOf(live),
      resourceVersion: versionOf(live),
      labels: { [labelName]: to?.label ?? null },
      annotations: { [annotationName]: to?.name ?? null },
      managedFields,
    },
  };
}
