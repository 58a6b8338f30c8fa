import { serviceAccounts } from './kinds/accounts.ts';
import { horizontalPodAutoscalers } from './kinds/autoscalers.ts';
import { podDisruptionBudgets } from './kinds/budgets.ts';
import { persistentVolumeClaims } from './kinds/claims.ts';
import { customResourceDefinitions } from './kinds/definitions.ts';
import { endpointSlices } from './kinds/endpointSlices.ts';
import { coreEvents, events } from './kinds/events.ts';
import { ingresses } from './kinds/ingresses.ts';
import { cronJobs, jobs } from './kinds/jobs.ts';
import { namespaces } from './kinds/namespaces.ts';
import { networkPolicies } from './kinds/networkPolicies.ts';
import { pods } from './kinds/pods.ts';
import { controllerRevisions } from './kinds/revisions.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './kinds/roles.ts';
import { services } from './kinds/services.ts';
import { configMaps, secrets } from './kinds/sources.ts';
import { daemonSets, deployments, replicaSets, statefulSets } from './kinds/workloads.ts';
import { type Resource, resource } from './resource.ts';

export {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  controllerRevisions,
  cronJobs,
  customResourceDefinitions,
  daemonSets,
  deployments,
  endpointSlices,
  events,
  horizontalPodAutoscalers,
  ingresses,
  jobs,
  namespaces,
  networkPolicies,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  replicaSets,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
  statefulSets,
};

export const leases = resource({
  group: 'coordination.k8s.io',
  plural: 'leases',
  kind: 'Lease',
  owners: 'onceApplied',
  fields: ['spec'],
  update: { isUnconditional: false, creates: true },
  complete: (fields) => ({ spec: {}, ...fields }),
});

const endpoints = resource({
  plural: 'endpoints',
  singular: 'endpoints',
  kind: 'Endpoints',
  fields: ['subsets'],
  update: { isUnconditional: true, creates: true },
  shortNames: ['ep'],
});

/** All that the server keeps. A resource is one row here, and a file of its own where the API does something with it. */
export const resources: readonly Resource[] = [
  namespaces,
  pods,
  services,
  endpoints,
  endpointSlices,
  leases,
  events,
  coreEvents,
  configMaps,
  secrets,
  replicaSets,
  deployments,
  statefulSets,
  daemonSets,
  controllerRevisions,
  jobs,
  cronJobs,
  podDisruptionBudgets,
  ingresses,
  networkPolicies,
  horizontalPodAutoscalers,
  persistentVolumeClaims,
  serviceAccounts,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
  customResourceDefinitions,
];
