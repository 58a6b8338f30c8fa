/**
 * The exports for cluster tests. A test creates its own namespace with
 * `const ns = await testNamespace(t, 'recovery')` and passes it to the other helpers. `ns.cluster` is the shared
 * cluster. No kubelet runs, so tests write the statuses of pods (`setPodStatus`).
 */

export { createBudget, type Denial, deleteBudget, denyPodDeletion } from './deploy/policies.ts';
export { type Grant, grant, isAllowed, type Rule } from './deploy/rbac.ts';
export { eventually, remainsTrue } from './eventually.ts';
export { sharedControlPlane, type TestNamespace, testNamespace } from './namespace.ts';
export * from './objects.ts';
export {
  type ContainerState,
  completed,
  crashLoopBackOff,
  type PodStatusChange,
  patchPodStatus,
  running,
  setPodStatus,
  terminated,
  waiting,
} from './observer/statuses.ts';
export type { Cluster, KubeconfigOptions } from './plane/access.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './plane/controlPlane.ts';
export type { Answer } from './plane/http.ts';
export { type PodEvent, type PodObserver, watchDeletions } from './podObserver.ts';
export type { PodOptions } from './restart/podTemplate.ts';
export {
  barePod,
  createDeployment,
  createReplicaSet,
  getPod,
  onePod,
  ownedPod,
  patchPodMetadata,
  podsOf,
  removeFinalizers,
} from './restart/workloads.ts';
export {
  createService,
  createSlice,
  deleteSlice,
  readyEndpoints,
  type SliceOptions,
  setEndpoints,
  setSlice,
  slicesOf,
} from './services.ts';
export {
  type Ending,
  type RunningWeeder,
  type StartOptions,
  startWeeder,
  superviseWeeder,
  temporaryFile,
  type WeederProcess,
} from './weeder.ts';
export type { LogLine, WeederLog } from './weederLog.ts';
