import type { KubeClient } from '../../kube/client/client.ts';
import { done } from '../model/applyFailure.ts';
import type { ResourceApi } from '../plan/resourceApi.ts';
import { correctResource } from './correctResource.ts';
import { createResource } from './createResource.ts';
import { deleteResource } from './deleteResource.ts';
import { observerApi } from './observerApi.ts';
import { disownResource, releaseResource } from './releaseResource.ts';
import { tryOut } from './tryOut.ts';
import { updateResource } from './updateResource.ts';

/** What the machines ask of the API server about one resource, each procedure in a file of its own. */
export function resourceRequests(client: KubeClient): ResourceApi {
  const api = observerApi(client);
  return {
    may: api.may,
    tryPatch: api.tryPatch,
    async read(target, signal) {
      const found = await api.read(target, signal);
      return found.ok || found.failure.is !== 'missing' ? found : done(undefined);
    },
    create: (plan, signal, isAbsent) => createResource(api, plan, signal, isAbsent),
    correct: (plan, live, drifts, signal) => correctResource(api, plan, live, drifts, signal),
    update: (plan, live, signal) => updateResource(api, plan, live, signal),
    tryOut: (plan, signal) => tryOut(api, plan, signal),
    tryAnew: (plan, signal) => tryOut(api, plan, signal),
    delete: (target, owner, appliedUid, signal) => deleteResource(api, target, owner, appliedUid, signal),
    disown: (plan, live, signal) => disownResource(api, plan, live, signal),
    release: (target, owner, appliedUid, signal) => releaseResource(api, target, owner, appliedUid, signal),
  };
}
