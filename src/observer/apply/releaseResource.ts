import { type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { done, type Outcome } from '../model/applyFailure.ts';
import { type ApplicationOwner, annotationName, labelName, managersOf } from '../model/managers.ts';
import { uidOf, versionOf } from '../ownership/ownership.ts';
import { withoutManagers } from '../ownership/takeOver.ts';
import type { ResourcePlan, Target } from '../plan/resourceApi.ts';
import { readProven } from './deleteResource.ts';
import type { ObserverApi } from './observerApi.ts';

const mostTries = 5;

/**
 * Leaves a resource to itself: label, annotation and the entries of both managers go by one patch, and no field of it is
 * touched. An apply of less than everything would empty it. Only with the proof that a deletion needs: nothing is written
 * to what another application has, or what this one has not applied.
 */
export async function releaseResource(
  api: ObserverApi,
  target: Target,
  owner: ApplicationOwner,
  appliedUid: string | undefined,
  signal: AbortSignal,
): Promise<Outcome<undefined>> {
  for (let tries = 1; ; tries += 1) {
    const found = await readProven(api, target, owner, appliedUid, signal);
    if (!found.ok) return found;
    const reply = await api.patch(target, withoutMarks(found.value, owner), owner.own, signal);
    if (reply.ok) return done(undefined);
    if (reply.failure.is !== 'conflict' || tries === mostTries) return reply;
  }
}

/** The same of an application that does not exist: its label is on the object, and nobody is there to release it. */
export async function disownResource(
  api: ObserverApi,
  { target, owner }: Pick<ResourcePlan, 'target' | 'owner'>,
  live: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const label = textOf(objectOf(objectOf(live['metadata'])['labels'])[labelName]) ?? '';
  return api.patch(target, withoutMarks(live, managersOf(label)), owner.own, signal);
}

/** A patch of this very version. */
function withoutMarks(live: JsonObject, { own, init }: Pick<ApplicationOwner, 'own' | 'init'>): JsonObject {
  return {
    metadata: {
      uid: uidOf(live),
      resourceVersion: versionOf(live),
      labels: { [labelName]: null },
      annotations: { [annotationName]: null },
      managedFields: withoutManagers(live, new Set([own, init])),
    },
  };
}
