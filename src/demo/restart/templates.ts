import type { ApiStore, KubeObject, Resource } from '@weeder/embedded-cluster';
import { cronJobs, deployments, statefulSets } from '@weeder/embedded-cluster/resources';
import { objectOf } from '@weeder/kube-runtime/base';
import type { WorkloadRef } from '../../restart/references/refs.ts';
import { home } from './objects.ts';

/** The kinds of workloads in the shop. */
export const workloadResources = [
  { kind: 'Deployment', resource: deployments },
  { kind: 'StatefulSet', resource: statefulSets },
  { kind: 'CronJob', resource: cronJobs },
] as const;

interface ShopWorkload {
  readonly ref: WorkloadRef;
  readonly resource: Resource;
  readonly object: KubeObject;
}

/** The live workloads of the shop. */
export function workloadsIn(store: Pick<ApiStore, 'list'>): ShopWorkload[] {
  return workloadResources.flatMap(({ kind, resource }) =>
    store.list(resource, { namespace: home }).map((object) => ({ ref: refOf(kind, object), resource, object })),
  );
}

export function refOf(kind: WorkloadRef['kind'], { metadata }: KubeObject): WorkloadRef {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

/** The pod template of a workload; of a CronJob, that of its jobs. */
export function templateIn({ spec }: KubeObject): Record<string, unknown> {
  const { template, jobTemplate } = objectOf(spec);
  return { ...objectOf(template ?? objectOf(objectOf(jobTemplate)['spec'])['template']) };
}

/** A merge patch that changes the pod template of a workload. */
export function templatePatch(kind: WorkloadRef['kind'], template: object): Record<string, unknown> {
  return { spec: kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template } };
}
