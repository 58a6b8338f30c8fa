import { endpointSlices } from './kinds/endpointSlices.ts';
import { coreEvents, events } from './kinds/events.ts';
import { namespaces } from './kinds/namespaces.ts';
import { pods } from './kinds/pods.ts';
import { services } from './kinds/services.ts';
import { podDisruptionBudgets, replicaSets } from './kinds/workloads.ts';
import { type Resource, resource } from './resource.ts';

export { endpointSlices, events, namespaces, podDisruptionBudgets, pods, replicaSets, services };

export const leases = resource({
  group: 'coordination.k8s.io',
  plural: 'leases',
  kind: 'Lease',
  fields: ['spec'],
  update: { isUnconditional: false, creates: true },
  complete: (fields) => ({ spec: {}, ...fields }),
});

export const endpoints = resource({
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
  replicaSets,
  podDisruptionBudgets,
];
