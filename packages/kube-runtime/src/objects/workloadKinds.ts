import { apiPath } from './apiPath.ts';

/** The kinds of Kubernetes that create pods from a template, as named by the API. */
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

/** Whether it is one of these kinds; every other one is named with its group, such as `Rollout.argoproj.io`. */
export function isWorkloadKind(kind: string): kind is WorkloadKind {
  return Object.hasOwn(workloadKinds, kind);
}

/** The kind without its group: `Rollout`. */
export function bareKind(kind: string): string {
  return kind.replace(/\..*/, '');
}

/** The group of a kind that is named with it: `argoproj.io`. */
function groupOf(kind: string): string {
  return kind.slice(bareKind(kind).length + 1);
}

/**
 * The collection of a kind, cluster-wide or of one namespace, or one of its objects: `/apis/apps/v1/namespaces/a/deployments`. For a kind that
 * is named with its group it has `*` and the kind in place of version and resource, which the client discovers.
 */
export function workloadsPath(kind: string, namespace?: string, name?: string): string {
  if (!isWorkloadKind(kind)) return apiPath(`${groupOf(kind)}/*`, bareKind(kind), { namespace, name });
  const { group, plural } = workloadKinds[kind];
  return apiPath(`${group}/v1`, plural, { namespace, name });
}
