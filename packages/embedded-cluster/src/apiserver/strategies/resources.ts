import { type Resource, resource } from '../registry/resource.ts';
import { configMaps, secrets } from './configMaps.ts';
import { controllerRevisions } from './controllerRevisions.ts';
import { customResourceDefinitions } from './customResourceDefinitions.ts';
import { endpointSlices } from './endpointSlices.ts';
import { coreEvents, events } from './events.ts';
import { horizontalPodAutoscalers } from './horizontalPodAutoscalers.ts';
import { ingresses } from './ingresses.ts';
import { cronJobs, jobs } from './jobs.ts';
import { namespaces } from './namespaces.ts';
import { networkPolicies } from './networkPolicies.ts';
import { persistentVolumeClaims } from './persistentVolumeClaims.ts';
import { podDisruptionBudgets } from './podDisruptionBudgets.ts';
import { pods } from './pods.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './roles.ts';
import { serviceAccounts } from './serviceAccounts.ts';
import { services } from './services.ts';
import { daemonSets, deployments, replicaSets, statefulSets } from './workloads.ts';

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

/** All built-in resources. */
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
