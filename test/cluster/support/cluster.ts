/**
 * The exports for cluster tests. A test creates its own namespace with
 * `const ns = await testNamespace(t, 'recovery')` and passes it to the other helpers. `ns.cluster` is the shared
 * cluster. No kubelet runs, so tests write the statuses of pods (`setPodStatus`).
 */

export * from './deploy/policies.ts';
export * from './deploy/rbac.ts';
export * from './eventually.ts';
export * from './namespace.ts';
export * from './objects.ts';
export * from './observer/statuses.ts';
export type { Cluster } from './plane/access.ts';
export * from './plane/controlPlane.ts';
export type { Answer } from './plane/http.ts';
export * from './podObserver.ts';
export type { PodOptions } from './restart/podTemplate.ts';
export * from './restart/workloads.ts';
export * from './services.ts';
export * from './weeder.ts';
export type { LogLine, WeederLog } from './weederLog.ts';
