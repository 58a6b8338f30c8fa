/**
 * What a cluster test imports: one line for everything. A test asks for a namespace of its own
 * (`const ns = await testNamespace(t, 'recovery')`), which also leads to the shared cluster (`ns.cluster`), and hands it
 * to the other helpers. Pods have no kubelet: tests report their statuses themselves (`setPodStatus`).
 */
export type { Cluster, KubeconfigOptions } from './access.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './controlPlane.ts';
export { eventually, stays } from './eventually.ts';
export type { Answer } from './http.ts';
export { sharedControlPlane, type TestNamespace, testNamespace } from './namespace.ts';
export * from './objects.ts';
export { type PodEvent, type PodObserver, watchDeletions } from './podObserver.ts';
export type { PodOptions } from './podTemplate.ts';
export { createBudget, type Denial, deleteBudget, denyPodDeletion } from './policies.ts';
export { type Grant, grant, isAllowed, type Rule } from './rbac.ts';
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
  type ContainerState,
  completed,
  crashLoopBackOff,
  type PodStatusChange,
  patchPodStatus,
  running,
  setPodStatus,
  terminated,
  waiting,
} from './statuses.ts';
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
} from './workloads.ts';
