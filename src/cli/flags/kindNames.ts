import { bareKind } from '@weeder/kube-runtime/objects';

/** What `weeder explain` explains by its name. */
export const explainedKinds = ['application', 'pod', 'service', 'workload'] as const;

/** Those of kubectl; a Job and an Application have none. */
const shortNames: Readonly<Record<string, string>> = {
  Pod: 'po',
  Service: 'svc',
  Deployment: 'deploy',
  ReplicaSet: 'rs',
  StatefulSet: 'sts',
  DaemonSet: 'ds',
  CronJob: 'cj',
};

/** Whether `given` names the kind as kubectl accepts it: `Deployment`, `deployments`, `deployments.apps` or `deploy`. */
export function isKindName(kind: string, given: string): boolean {
  const [name = ''] = given.toLowerCase().split('.');
  const singular = bareKind(kind).toLowerCase();
  return name === singular || name === `${singular}s` || name === shortNames[kind];
}
