import { testApply } from './apply/apply.ts';
import { testApplyLists } from './apply/lists.ts';
import { testManagers } from './apply/managers.ts';
import { testApplyTypes } from './apply/types.ts';
import { testUpdateManagers } from './apply/updates.ts';
import { testDiscovery } from './discovery/discovery.ts';
import { testOpenApi } from './discovery/openApi.ts';
import { type Features, featuresOf } from './features.ts';
import { testConfigMaps } from './kinds/configMaps.ts';
import { testCoreKinds } from './kinds/core.ts';
import { testCustomResources } from './kinds/customResources.ts';
import { testLifecycle } from './kinds/lifecycle.ts';
import { testOtherKinds } from './kinds/others.ts';
import { testWorkloads } from './kinds/workloads.ts';
import { testCreate } from './requests/create.ts';
import { testDelete } from './requests/delete.ts';
import { testErrors } from './requests/errors.ts';
import { testEviction } from './requests/eviction.ts';
import { testImpersonation } from './requests/impersonation.ts';
import { testList } from './requests/list.ts';
import { testPartialMetadata } from './requests/partialMetadata.ts';
import { testPatch } from './requests/patch.ts';
import { testSelectors } from './requests/selectors.ts';
import { testUpdate } from './requests/update.ts';
import { type GetTarget, testsOn } from './target.ts';
import { testWatchChanges } from './watch/changes.ts';
import { testWatchStart } from './watch/start.ts';

/**
 * Registers the tests that the embedded API server and a real kube-apiserver both have to pass. Where the two differ,
 * the embedded one is wrong.
 */
export function conformance(getTarget: GetTarget, features: Features = featuresOf(36)): void {
  const test = testsOn(getTarget, features.hasWatchList);
  for (const register of [
    testCreate,
    testUpdate,
    testPatch,
    testDelete,
    testList,
    testSelectors,
    testWatchChanges,
    testWatchStart,
    testErrors,
    testEviction,
    testLifecycle,
    testCoreKinds,
    testDiscovery,
    testConfigMaps,
    testUpdateManagers,
    testPartialMetadata,
    testWorkloads,
    testApply,
    testManagers,
    testApplyLists,
    testApplyTypes,
    testCustomResources,
    testOpenApi,
    testImpersonation,
    testOtherKinds,
  ]) {
    register(test, features);
  }
}
