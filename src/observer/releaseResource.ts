import { done, type Outcome } from './applyFailure.ts';
import { readProven } from './deleteResource.ts';
import { type ApplicationOwner, annotationName, labelName } from './managers.ts';
import type { ObserverApi } from './observerApi.ts';
import { uidOf, versionOf } from './ownership.ts';
import type { Target } from './resourceApi.ts';
import { withoutManagers } from './takeOver.ts';

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
    const live = found.value;
    const patch = {
      metadata: {
        uid: uidOf(live),
        resourceVersion: versionOf(live),
        labels: { [labelName]: null },
        annotations: { [annotationName]: null },
        managedFields: withoutManagers(live, new Set([owner.own, owner.init])),
      },
    };
    const reply = await api.patch(target, patch, owner.own, signal);
    if (reply.ok) return done(undefined);
    if (reply.failure.is !== 'conflict' || tries === mostTries) return reply;
  }
}
