import { applying } from './apply/apply.ts';
import { applyingLists } from './apply/lists.ts';
import { applyingOwners } from './apply/managers.ts';
import { applyingTypes } from './apply/types.ts';
import { owning } from './apply/updates.ts';
import { discovering } from './discovery/discovery.ts';
import { describing } from './discovery/openApi.ts';
import { sources } from './kinds/configMaps.ts';
import { kinds } from './kinds/core.ts';
import { defining } from './kinds/customResources.ts';
import { ending } from './kinds/lifecycle.ts';
import { moreKinds } from './kinds/others.ts';
import { workloads } from './kinds/workloads.ts';
import { creating } from './requests/create.ts';
import { deleting } from './requests/delete.ts';
import { refusing } from './requests/errors.ts';
import { evicting } from './requests/eviction.ts';
import { impersonating } from './requests/impersonation.ts';
import { listing } from './requests/list.ts';
import { metadataOnly } from './requests/partialMetadata.ts';
import { patching } from './requests/patch.ts';
import { selecting } from './requests/selectors.ts';
import { updating } from './requests/update.ts';
import type { Features, GetTarget } from './target.ts';
import { watchingChanges } from './watch/changes.ts';
import { watchingStarts } from './watch/start.ts';

/**
 * Registers the tests that the embedded API server and a real kube-apiserver both have to pass. Where the two differ,
 * the embedded one is wrong.
 */
export function conformance(getTarget: GetTarget, features: Features = { hasWatchList: true }): void {
  for (const part of [
    creating,
    updating,
    patching,
    deleting,
    listing,
    selecting,
    watchingChanges,
    watchingStarts,
    refusing,
    evicting,
    ending,
    kinds,
    discovering,
    sources,
    owning,
    metadataOnly,
    workloads,
    applying,
    applyingOwners,
    applyingLists,
    applyingTypes,
    defining,
    describing,
    impersonating,
    moreKinds,
  ]) {
    part(getTarget, features);
  }
}
