import { applying } from './applying.ts';
import { applyingLists } from './applyingLists.ts';
import { applyingOwners } from './applyingOwners.ts';
import { applyingTypes } from './applyingTypes.ts';
import { creating } from './creating.ts';
import { defining } from './defining.ts';
import { deleting } from './deleting.ts';
import { describing } from './describing.ts';
import { discovering } from './discovering.ts';
import { ending } from './ending.ts';
import { evicting } from './evicting.ts';
import { impersonating } from './impersonating.ts';
import { kinds } from './kinds.ts';
import { listing } from './listing.ts';
import { metadataOnly } from './metadataOnly.ts';
import { moreKinds } from './moreKinds.ts';
import { owning } from './owning.ts';
import { patching } from './patching.ts';
import { refusing } from './refusing.ts';
import { selecting } from './selecting.ts';
import { sources } from './sources.ts';
import type { GetTarget } from './target.ts';
import { updating } from './updating.ts';
import { watchingChanges } from './watchingChanges.ts';
import { watchingStarts } from './watchingStarts.ts';
import { workloads } from './workloads.ts';

/**
 * Registers the tests that the embedded API server and a real kube-apiserver both have to pass. Where the two differ,
 * the embedded one is wrong.
 */
export function conformance(getTarget: GetTarget): void {
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
    part(getTarget);
  }
}
