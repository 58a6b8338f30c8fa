import { placePath } from './places.ts';

/** The kinds of workload that create pods from a template, as named by the API. */
export const workloadKinds = {
  Deployment: { group: 'apps', plural: 'deployments' },
  StatefulSet: { group: 'apps', plural: 'statefulsets' },
  DaemonSet: { group: 'apps', plural: 'daemonsets' },
  CronJob: { group: 'batch', plural: 'cronjobs' },
  Job: { group: 'batch', plural: 'jobs' },
} as const;

export type WorkloadKind = keyof typeof workloadKinds;

export const workloadKindNames = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'CronJob',
  'Job',
] as const satisfies readonly WorkloadKind[];

/** The collection of a kind, cluster-wide or of one namespace: `/apis/apps/v1/namespaces/a/deployments`. */
export function workloadsPath(kind: WorkloadKind, namespace?: string): string {
  const { group, plural } = workloadKinds[kind];
  return `/apis/${group}/v1${placePath(namespace)}/${plural}`;
}
